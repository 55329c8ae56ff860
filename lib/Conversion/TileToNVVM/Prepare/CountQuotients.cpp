//===- CountQuotients.cpp - counters in place of divisions ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs when schedules are proved, before the lowering. A loop over the steps of
// several heads, or over taps and channels, divides its index by a number that
// is known on the device only. A division of 64 bits takes some 100
// instructions, in each iteration and in each role. Such a loop counts instead:
// the remainder grows by one; at the divisor it starts again, and the quotient
// grows by one.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "tile/Conversion/Passes.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tile {
#define GEN_PASS_DEF_COUNTQUOTIENTSPASS
#include "tile/Conversion/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Divisions of a loop's index by one number.
struct Divisions {
  SmallVector<Operation *> quotients, remainders;
};

struct CountQuotientsPass
    : tile::impl::CountQuotientsPassBase<CountQuotientsPass> {
  using CountQuotientsPassBase::CountQuotientsPassBase;

  void runOnOperation() override {
    // What the lowering makes of a loop over tiles it reads off divisions.
    SmallVector<scf::ForOp> loops;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<TileOpInterface>(op))
        return WalkResult::skip();
      if (auto loop = dyn_cast<scf::ForOp>(op))
        loops.push_back(loop);
      return WalkResult::advance();
    });
    for (scf::ForOp loop : loops)
      count(loop);
  }

private:
  void count(scf::ForOp loop);
};
} // namespace

/// Divisions by numbers that are the same in all iterations. By constants they
/// are multiplications and shifts.
static llvm::MapVector<Value, Divisions> divisionsOf(scf::ForOp loop) {
  llvm::MapVector<Value, Divisions> found;
  for (Operation *user : loop.getInductionVar().getUsers()) {
    bool isQuotient = isa<arith::DivUIOp>(user);
    if ((!isQuotient && !isa<arith::RemUIOp>(user)) ||
        user->getOperand(0) != loop.getInductionVar())
      continue;
    Value divisor = user->getOperand(1);
    if (!loop.isDefinedOutsideOfLoop(divisor) || getConstantIntValue(divisor))
      continue;
    Divisions &divisions = found[divisor];
    (isQuotient ? divisions.quotients : divisions.remainders).push_back(user);
  }
  return found;
}

void CountQuotientsPass::count(scf::ForOp loop) {
  // From 0, both counters start at 0: a loop that does not run may divide by
  // nothing.
  if (getConstantIntValue(loop.getLowerBound()) != 0 ||
      getConstantIntValue(loop.getStep()) != 1)
    return;
  llvm::MapVector<Value, Divisions> found = divisionsOf(loop);
  if (found.empty())
    return;
  remarkAt(remarks, loop) << "counts quotients and remainders of its index by "
                          << plural(found.size(), "number")
                          << " instead of dividing in each iteration";
  Location loc = loop.getLoc();
  IRRewriter rewriter(&getContext());
  rewriter.setInsertionPoint(loop);
  Value zero = loop.getLowerBound();
  SmallVector<Value> inits(2 * found.size(), zero);
  auto counted = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &b, Location, ArrayRef<BlockArgument> counters) {
        Value one = arith::ConstantOp::create(
            b, loc, b.getIntegerAttr(zero.getType(), 1));
        SmallVector<Value> next;
        for (auto [i, entry] : llvm::enumerate(found)) {
          Value quotient = counters[2 * i], remainder = counters[2 * i + 1];
          Value more = arith::AddIOp::create(b, loc, remainder, one);
          Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                              more, entry.first);
          Value up = arith::AddIOp::create(b, loc, quotient, one);
          next.push_back(arith::SelectOp::create(b, loc, wraps, up, quotient));
          next.push_back(arith::SelectOp::create(b, loc, wraps, zero, more));
        }
        return next;
      }));
  ValueRange counters =
      ValueRange(counted.getRegionIterArgs()).take_back(inits.size());
  for (auto [i, entry] : llvm::enumerate(found)) {
    for (Operation *op : entry.second.quotients)
      rewriter.replaceOp(op, counters[2 * i]);
    for (Operation *op : entry.second.remainders)
      rewriter.replaceOp(op, counters[2 * i + 1]);
  }
  countedDivisors += found.size();
}
