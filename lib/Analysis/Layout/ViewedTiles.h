//===- ViewedTiles.h - tiles that are views of one another ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views (`tile.view`) and slices (`memref.subview %t[%k, 0, 0]` in shared
// memory) are the memory or registers of what they view: one layout decides all
// of their layouts.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_ANALYSIS_VIEWEDTILES_H
#define TILE_LIB_ANALYSIS_VIEWEDTILES_H

#include "tile/Dialect/Tile/IR/LayoutConstraints.h"
#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

class ViewedTiles {
public:
  /// Facts of all tiles in shared memory and registers that `kernel` views.
  void collect(KernelOp kernel);
  /// All tiles that are the same memory, the allocation first; empty where
  /// `buffer` is neither viewed nor a view.
  ArrayRef<Value> group(Value buffer) const;
  /// The layout of `other` that is `layout` of `buffer`.
  static OrRefusal<FragmentLayout> seenAs(const FragmentLayout &layout,
                                          Value other);
  static OrRefusal<SharedLayout> seenAs(const SharedLayout &layout,
                                        Value other);
  /// Whether all of the group have a form of `layout`.
  bool fits(Value buffer, const FragmentLayout &layout) const;
  bool fits(Value buffer, const SharedLayout &layout) const;
  /// Whether columns of the tile are used as a tile of their own.
  bool hasColumns(Value buffer) const;
  /// A layout that fits, whatever the views: the elements in row-major order,
  /// over as many lanes and warps as divide them. In the worst case every
  /// thread holds all elements.
  FragmentLayout dealtOut(Value buffer, int64_t threads) const;
  /// Restates what alternatives take of shared layouts for the viewed tiles
  /// themselves, and drops alternatives for which nothing is left.
  void restate(LayoutConstraints &constraints) const;

private:
  template <typename LayoutT>
  bool allSee(Value buffer, const LayoutT &layout) const;
  llvm::DenseMap<Value, SmallVector<Value>> groups; // by viewed tile
};

} // namespace mlir::tile
#endif // TILE_LIB_ANALYSIS_VIEWEDTILES_H
