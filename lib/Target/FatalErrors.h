//===- FatalErrors.h - LLVM's fatal errors as failures ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM ends the process on what it cannot do ("Cannot select"). The checks in
// NvvmInstructions catch what is known beforehand; this catches the rest.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_TARGET_FATALERRORS_H
#define TILE_LIB_TARGET_FATALERRORS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace mlir::tile {

/// Runs `step`. Returns false, with the reason, when LLVM reported a fatal
/// error in it: `step` is then left where it stood, without destructors, so
/// what it worked on must be abandoned, not destroyed.
bool runCatchingFatalErrors(llvm::function_ref<void()> step,
                            std::string &reason);

} // namespace mlir::tile
#endif // TILE_LIB_TARGET_FATALERRORS_H
