//===- MakePersistent.cpp - a block works off several tiles ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs before layouts. The body of a kernel with `persistent` becomes a loop
// over the block's part of the grid. What does not depend on the block stays in
// front; so do allocations, which every tile uses again.
//
//===----------------------------------------------------------------------===//
#include "Dependents.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Dialect/Tile/IR/Tunables.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_MAKEPERSISTENTPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Returns false where nothing in the kernel depends on the block.
static bool makePersistent(KernelOp kernel) {
  Block &body = kernel.getBodyRegion().front();
  llvm::SmallDenseSet<Value> blockIds;
  for (unsigned d = 0; d < kernel.getGridRank(); ++d)
    blockIds.insert(kernel.getBlockId(d));
  SmallVector<Operation *> inside =
      collectDependents(body.begin(), &body, isPreparation, [&](Value operand) {
        return blockIds.contains(operand);
      });
  if (inside.empty())
    return false;
  OpBuilder builder(body.getTerminator());
  Location loc = kernel.getLoc();
  Type index = builder.getIndexType();
  auto range = BlockRangeOp::create(builder, loc, index, index, index);
  auto loop = scf::ForOp::create(builder, loc, range.getFirst(), range.getEnd(),
                                 range.getStep());
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Type> types(kernel.getGridRank(), builder.getIndexType());
  auto coordinates =
      BlockCoordinatesOp::create(builder, loc, types, loop.getInductionVar());
  Operation *end = loop.getBody()->getTerminator();
  for (Operation *op : inside)
    op->moveBefore(end);
  for (auto [d, coordinate] : llvm::enumerate(coordinates.getCoordinates()))
    kernel.getBlockId(d).replaceAllUsesWith(coordinate);
  return true;
}

namespace {
struct MakePersistentPass
    : tile::impl::MakePersistentPassBase<MakePersistentPass> {
  using MakePersistentPassBase::MakePersistentPassBase;

  void runOnOperation() override {
    if (failed(requireChosen(getOperation())))
      return signalPassFailure();
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      bool done =
          kernel.walk([](BlockRangeOp) { return WalkResult::interrupt(); })
              .wasInterrupted();
      if (!kernel.getPersistent())
        continue;
      auto refuse = [&](StringRef why) {
        missedAt(remarks, kernel, "not made persistent", why,
                 "`persistent` has no effect here");
      };
      if (done) {
        refuse("it has a `tile.block_range` already");
      } else if (!makePersistent(kernel)) {
        refuse("nothing in it depends on the block");
      } else {
        remarkAt(remarks, kernel) << "each block works off its part of the "
                                     "grid, as `persistent` asks";
        ++persistentKernels;
      }
    }
  }
};
} // namespace
