//===- HostLaunch.h - a lowered kernel on the host's memory -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches a kernel of a lowered program as the launcher does on a GPU, over
// copies of the caller's buffers in the memory of the device in software.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CAPI_HOSTLAUNCH_H
#define TILE_LIB_CAPI_HOSTLAUNCH_H

#include "../Runtime/ArgCheck.h"
#include "tile/Target/LoweredExecution.h"

namespace mlir::tile::capi {

/// Runs kernel `spec` of `program`, which has the driver's functions.
/// `checked` is what the runtime's checks made of `args`. Buffers that the
/// kernel writes receive its results, unless something was found, which is the
/// error then.
runtime::Status launchOnHost(LoweredProgram &program,
                             const runtime::KernelSpec &spec,
                             runtime::Span<const runtime::Arg> args,
                             const runtime::CheckedArgs &checked,
                             std::string &output);

} // namespace mlir::tile::capi
#endif // TILE_LIB_CAPI_HOSTLAUNCH_H
