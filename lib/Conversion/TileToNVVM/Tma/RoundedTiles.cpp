//===- RoundedTiles.cpp - tiles that tensor copies round ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "RoundedTiles.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// The views of one tile: of an alloc, or of all slots of a ring.
struct Tile {
  SmallVector<Value> views;
  bool isWritten = false, isRead = false, hasOthers = false;

  void look(OpOperand &use);
};
} // namespace

void Tile::look(OpOperand &use) {
  Value view = use.get();
  if (auto move = dyn_cast<TileMoveOpInterface>(use.getOwner())) {
    const CopyTraits *traits = moveTraits(move);
    bool isTensorCopy =
        traits && traits->usesTensorMap && move.getTarget() == view &&
        isGlobal(move.getSource()) &&
        cast<MemRefType>(move.getSource().getType()).getElementType().isF32();
    (isTensorCopy ? isWritten : hasOthers) = true;
  } else if (auto gemm = dyn_cast<GemmOp>(use.getOwner())) {
    bool isOperand = gemm.getPrecision() != Precision::Ieee &&
                     (gemm.getA() == view || gemm.getB() == view) &&
                     gemm.getC() != view;
    (isOperand ? isRead : hasOthers) = true;
  } else {
    hasOthers = true;
  }
}

llvm::DenseSet<Value> tile::nvvm::findRoundedTiles(KernelOp kernel) {
  llvm::MapVector<std::pair<Value, unsigned>, Tile> tiles;
  kernel.getBodyRegion().walk([&](Operation *op) {
    auto ring = dyn_cast<TileRingOpInterface>(op);
    if (!isa<AllocOp>(op) && !(ring && ring.showsSlot()))
      return;
    for (OpResult result : op->getResults()) {
      auto type = dyn_cast<MemRefType>(result.getType());
      if (!type || !type.getElementType().isF32() || !isShared(result))
        continue;
      Value base = ring ? ring.getRing() : Value(result);
      Tile &tile = tiles[{base, result.getResultNumber()}];
      tile.views.push_back(result);
      for (OpOperand &use : result.getUses())
        tile.look(use);
    }
  });
  llvm::DenseSet<Value> rounded;
  for (auto &[key, tile] : tiles)
    if (tile.isWritten && tile.isRead && !tile.hasOthers)
      rounded.insert_range(tile.views);
  return rounded;
}
