//===- SkipRescaling.cpp - factors of one are not multiplied by -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An online softmax multiplies what a gemm has summed by a factor for each row,
// exp(old maximum - new maximum). Once a row's maximum does not grow any more,
// the factor is one, and the product is what was there: x * 1 = x for every x.
// The pass writes this as a condition, by which the lowering lets a warp skip
// the loop (GuardedLoop.h). The results stay the same, bit for bit.
//
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Analysis/GuardedLoop.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_SKIPRESCALINGPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
/// `store` writes to a fragment what `load` read there, times what `factor`
/// read elsewhere.
struct Rescaling {
  memref::LoadOp load, factor;
  memref::StoreOp store;
};
} // namespace

/// The one effect of a loop over a tile, where it is such a product.
static std::optional<Rescaling> findRescaling(ParallelOp loop) {
  Rescaling found;
  for (Operation &op : loop.getBodyRegion().front().without_terminator()) {
    if (op.getNumRegions() != 0)
      return std::nullopt;
    if (auto store = dyn_cast<memref::StoreOp>(op)) {
      if (found.store)
        return std::nullopt;
      found.store = store;
    }
  }
  if (!found.store || !isFragment(found.store.getMemRef()))
    return std::nullopt;
  auto product = found.store.getValueToStore().getDefiningOp<arith::MulFOp>();
  if (!product || !product->hasOneUse())
    return std::nullopt;
  for (bool isSwapped : {false, true}) {
    found.load = product->getOperand(isSwapped).getDefiningOp<memref::LoadOp>();
    found.factor =
        product->getOperand(!isSwapped).getDefiningOp<memref::LoadOp>();
    if (found.load && found.factor &&
        found.load.getMemRef() == found.store.getMemRef() &&
        llvm::equal(found.load.getIndices(), found.store.getIndices()) &&
        isFragment(found.factor.getMemRef()) &&
        found.factor.getMemRef() != found.store.getMemRef())
      return found;
  }
  return std::nullopt;
}

/// Whether `value` is an exponential of a difference, computed in one body.
static bool isExponentialOfDifference(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<math::ExpOp, math::Exp2Op>(op))
    return false;
  SmallVector<Value> open{op->getOperand(0)};
  while (!open.empty()) {
    Operation *part = open.pop_back_val().getDefiningOp();
    if (isa_and_nonnull<arith::SubFOp>(part))
      return true;
    if (isa_and_nonnull<arith::MulFOp, arith::NegFOp, math::FmaOp>(part))
      llvm::append_range(open, part->getOperands());
  }
  return false;
}

/// Whether the loop around multiplies what a gemm of it has summed, by
/// exponentials of differences that it computes itself: factors that become
/// one.
static bool isOnlineSoftmax(Rescaling &found, Operation *around) {
  bool sums = false, isExponential = false;
  Value accumulator = found.load.getMemRef(), factor = found.factor.getMemRef();
  around->walk([&](Operation *op) {
    if (auto tileOp = dyn_cast<TileOpInterface>(op))
      sums |= gemmTraits(op) &&
              tileOp.getAccumulation(accumulator) == ReduceKind::Sum;
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      isExponential |= store.getMemRef() == factor &&
                       isExponentialOfDifference(store.getValueToStore());
  });
  return sums && isExponential;
}

/// Puts the store under the condition that the factor is not one. False, and
/// nothing done, where the lowering would not skip the loop.
static bool skip(ParallelOp loop, Rescaling &found) {
  OpBuilder builder(found.store);
  Location loc = found.store.getLoc();
  Value value = found.factor.getResult();
  Value one = arith::ConstantOp::create(
      builder, loc, builder.getFloatAttr(value.getType(), 1.0));
  // A factor that is not a number multiplies, too.
  Value differs = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE,
                                        value, one);
  auto branch = scf::IfOp::create(builder, loc, differs, /*withElse=*/false);
  memref::StoreOp store = found.store;
  store->moveBefore(branch.thenBlock()->getTerminator());
  if (findGuard(loop, loop.getLayout()->getLayout()))
    return true;
  store->moveBefore(branch);
  branch.erase();
  differs.getDefiningOp()->erase();
  one.getDefiningOp()->erase();
  return false;
}

/// Whether the loop runs in a role of a kernel of which one block runs on a
/// multiprocessor: its registers are the role's, whatever the code takes.
static bool hasPlaceAlone(ParallelOp loop) {
  return runsInRole(loop) && residentBlocks(loop) == 1 &&
         !kernelOf(loop)->hasAttr(kKeepsRegistersAttrName);
}

namespace {
struct SkipRescalingPass
    : tile::impl::SkipRescalingPassBase<SkipRescalingPass> {
  using SkipRescalingPassBase::SkipRescalingPassBase;

  void runOnOperation() override {
    if (failed(requireBefore(*this, getOperation(),
                             {Need::Layouts, Need::Rings, Need::Roles})))
      return signalPassFailure();
    getOperation().walk([&](ParallelOp loop) {
      Operation *around = loop->getParentOp();
      if (!isa<LoopLikeOpInterface>(around) || !loop.getLayout() ||
          !hasPlaceAlone(loop))
        return;
      std::optional<Rescaling> found = findRescaling(loop);
      if (!found || !isOnlineSoftmax(*found, around) || !skip(loop, *found))
        return;
      remarkAt(remarks, loop)
          << "a warp skips this loop where all of its factors are one: the "
             "maxima of its rows did not grow";
    });
  }
};
} // namespace
