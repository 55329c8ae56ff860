//===- TileLoops.h - loops over tiles whose results can wait ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to --tile-delay-stores: the loops over tiles that it acts on, which
// results of a tile can stay in registers, and how many have room there.
// Changes nothing.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_TRANSFORMS_TILELOOPS_H
#define TILE_LIB_TRANSFORMS_TILELOOPS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Analysis/StagedStores.h"
#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// A loop over tiles: a loop of gemms first, at the end stores of its pieces.
struct TileLoop {
  scf::ForOp tiles, gemms;
  scf::IfOp guard; // around `gemms`, where there is one
  BlockArgument pending;
  SmallVector<StagedStore> pieces;

  /// The operation of the loop's own block that the gemms are in.
  Operation *products() { return guard ? guard.getOperation() : gemms; }
};

/// The loop over tiles that `loop` is, if it is one.
std::optional<TileLoop> findTileLoop(scf::ForOp loop);

/// Whether a piece can be stored in the next iteration of the loop over tiles.
/// Its registers must be whole words. Only the operation after the gemms that
/// fills its fragment may touch the fragment, and only pieces may touch the
/// staging tile.
bool canWait(TileLoop &loop, StagedStore &piece);

/// Registers of the fragments that are alive while the gemms run: those used in
/// their loop, and those that are written before it and read after it.
int64_t registersOfGemms(TileLoop &loop);

/// How many of the last pieces have room in `room` registers until the
/// next tile.
size_t countDelayable(TileLoop &loop, int64_t room);

} // namespace mlir::tile
#endif // TILE_LIB_TRANSFORMS_TILELOOPS_H
