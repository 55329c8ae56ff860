//===- MakePersistent.cpp - a block works off several tiles ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs before layouts. The body of a kernel with `persistent` becomes a loop
// over the block's part of the grid. What does not depend on the block stays in
// front; so do allocations, which every tile uses again. Where trip counts
// depend on the block, every second round of blocks goes through its numbers
// backwards, but not with `stream_k`, which deals tiles out anew.
//
//===----------------------------------------------------------------------===//
#include "Dependents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
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

using ValueSet = llvm::SmallDenseSet<Value>;

/// The first loop of several iterations, in program order, whose bounds are
/// computed from `values`: how long a block takes depends on which one it is.
/// Null where there is none.
static Operation *findUnevenLoop(KernelOp kernel, ValueSet values) {
  Operation *uneven = nullptr;
  kernel.getBodyRegion().walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto depends = [&](Value value) { return values.contains(value); };
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
      for (auto bounds : {loop.getLoopLowerBounds(), loop.getLoopUpperBounds()})
        for (OpFoldResult bound : bounds.value_or(SmallVector<OpFoldResult>()))
          if (auto value = dyn_cast<Value>(bound); value && depends(value)) {
            uneven = op;
            return WalkResult::interrupt();
          }
    }
    if (llvm::any_of(op->getOperands(), depends))
      values.insert(op->result_begin(), op->result_end());
    return WalkResult::advance();
  });
  return uneven;
}

/// The number that a block takes instead of `number`. Its numbers are apart by
/// the count of blocks, so without this a grid whose rows that count is a
/// multiple of gives a block the same place of every row: in causal attention
/// always the longest tile, or always the shortest. In every second round
/// (`number / step` is odd) the blocks therefore take the round's numbers from
/// the last to the first. The last round may have fewer numbers than blocks.
static Value mirrorOddRounds(OpBuilder &builder, Location loc,
                             BlockRangeOp range, Value number) {
  auto subtract = [&](Value a, Value b) -> Value {
    return arith::SubIOp::create(builder, loc, a, b);
  };
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value first = range.getFirst(), step = range.getStep();
  Value start = subtract(number, first);
  Value count = arith::MinUIOp::create(builder, loc, step,
                                       subtract(range.getEnd(), start));
  Value last = arith::AddIOp::create(builder, loc, start, subtract(count, one));
  Value mirrored = subtract(last, first);
  Value round = arith::DivUIOp::create(builder, loc, number, step);
  Value parity = arith::AndIOp::create(builder, loc, round, one);
  Value forward = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        parity, zero);
  return arith::SelectOp::create(builder, loc, forward, number, mirrored);
}

/// What `--tile-make-persistent` did: `made` is false where nothing in the
/// kernel depends on the block; `uneven` is the loop for which rounds turn.
struct Persistent {
  bool made = false;
  Operation *uneven = nullptr;
};

static Persistent makePersistent(KernelOp kernel) {
  Block &body = kernel.getBodyRegion().front();
  ValueSet blockIds;
  for (unsigned d = 0; d < kernel.getGridRank(); ++d)
    blockIds.insert(kernel.getBlockId(d));
  SmallVector<Operation *> inside =
      collectDependents(body.begin(), &body, isPreparation, [&](Value operand) {
        return blockIds.contains(operand);
      });
  if (inside.empty())
    return {};
  Operation *uneven =
      kernel.getStreamK() ? nullptr : findUnevenLoop(kernel, blockIds);
  OpBuilder builder(body.getTerminator());
  Location loc = kernel.getLoc();
  Type index = builder.getIndexType();
  auto range = BlockRangeOp::create(builder, loc, index, index, index);
  auto loop = scf::ForOp::create(builder, loc, range.getFirst(), range.getEnd(),
                                 range.getStep());
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Type> types(kernel.getGridRank(), builder.getIndexType());
  Value number = loop.getInductionVar();
  if (uneven)
    number = mirrorOddRounds(builder, loc, range, number);
  auto coordinates = BlockCoordinatesOp::create(builder, loc, types, number);
  Operation *end = loop.getBody()->getTerminator();
  for (Operation *op : inside)
    op->moveBefore(end);
  for (auto [d, coordinate] : llvm::enumerate(coordinates.getCoordinates()))
    kernel.getBlockId(d).replaceAllUsesWith(coordinate);
  return {true, uneven};
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
      } else if (Persistent result = makePersistent(kernel); !result.made) {
        refuse("nothing in it depends on the block");
      } else {
        remarkAt(remarks, kernel) << "each block works off its part of the "
                                     "grid, as `persistent` asks";
        if (result.uneven)
          remarkAt(remarks, result.uneven)
              << "every second round of blocks goes through the grid "
                 "backwards: the loop's trip count depends on the block, and "
                 "so each block gets long and short tiles";
        ++persistentKernels;
      }
    }
  }
};
} // namespace
