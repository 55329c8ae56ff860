//===- CommonElements.h - elements of several iterations --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to --tile-combine-updates.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_TRANSFORMS_COMMONELEMENTS_H
#define TILE_LIB_TRANSFORMS_COMMONELEMENTS_H

#include "tile/Dialect/Tile/IR/LayoutConstraints.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Target/TargetInfo.h"

namespace mlir::tile {

/// The dimensions of a loop of `extents` on which none of the indices of an
/// element depends: iterations along them name one element.
SmallVector<unsigned> dimsBesideElement(ArrayRef<int64_t> extents,
                                        ArrayRef<LoopIndex> indices);

/// Makes atomic updates of the loop's updates of elements that several of its
/// iterations name, unless they are one thread's as the program states layouts;
/// or states a layout that gives all iterations of an element to one thread.
/// Fails, with a diagnostic, where neither is possible.
LogicalResult formUpdates(ParallelOp loop, const TargetInfo &target,
                          bool remarks);

} // namespace mlir::tile
#endif // TILE_LIB_TRANSFORMS_COMMONELEMENTS_H
