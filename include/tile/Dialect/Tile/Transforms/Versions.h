//===- Versions.h - kernels that are compiled in several ways ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What passes have in common that compile a kernel once more
// (ChooseTunables.cpp, VersionKernels.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_TRANSFORMS_VERSIONS_H
#define TILE_DIALECT_TILE_TRANSFORMS_VERSIONS_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Names a version in the locations of the operations of `kernel`, so that
/// diagnostics say which one they are about (SourceDiagnostics.cpp): what holds
/// of it need not hold of the kernel on the same line.
void nameVersionInLocations(KernelOp kernel, StringAttr version);

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_TRANSFORMS_VERSIONS_H
