//===- NvJitLink.h - nvJitLink, opened at run time --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_LIB_TARGET_NVJITLINK_H
#define TILE_LIB_TARGET_NVJITLINK_H

#include "tile/Target/Cubin.h"

namespace mlir::tile {

/// Assembles in this process. Status NotFound where the library is not there.
AssemblerResult assembleWithNvJitLink(llvm::StringRef ptx,
                                      const AssemblerOptions &options);

/// Fills status and message from an assembler's complaint: an assembler that is
/// older than the PTX is told from one that found a mistake.
void classifyFailure(llvm::StringRef log, AssemblerResult &result);

} // namespace mlir::tile
#endif // TILE_LIB_TARGET_NVJITLINK_H
