//===- WarpgroupParts.h - what each warpgroup has of a tile -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warpgroup whose part of a tile is a block stores it by itself, and waits
// for no other one.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LAYOUT_WARPGROUPPARTS_H
#define TILE_LAYOUT_WARPGROUPPARTS_H

#include "tile/Layout/FragmentLayout.h"

namespace mlir::tile {

/// How a layout deals a tile out to warpgroups, one entry per dimension, when
/// each gets one block of rows or of columns; empty when it does not. It is
/// empty, too, where one digit of the warp's number counts the warps of several
/// warpgroups.
llvm::SmallVector<int64_t> warpgroupParts(const FragmentLayout &layout);

} // namespace mlir::tile
#endif // TILE_LAYOUT_WARPGROUPPARTS_H
