//===- OverlapGemms.cpp - products under the arithmetic of others ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after roles, before gemms get tokens. Where an iteration multiplies,
// computes with the result, and multiplies again, as attention does, the
// tensor cores have nothing to do while the warps compute. The pass issues the
// first products of an iteration before the last products of the iteration
// before it:
//
//   for i: A(i) B(i) C(i)    =>    A(0) B(0)
//                                  for i >= 1: A(i) C(i-1) B(i)
//                                  C(last)
//
// A are the products at the start of the body with the waits for their slots, C
// those at its end, B is everything between. Only A(i) and C(i-1) change
// places. B(i) needs the result of A(i) at once; what of it touches operands or
// accumulators of C moves to its end, so that C(i-1) runs beside the rest. A
// loop over a tile that stores an operand of C beside other results is divided
// for that.
//
//===----------------------------------------------------------------------===//
#include "Asynchronous.h"
#include "OverlapParts.h"
#include "Phases.h"
#include "RingLoop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/Iterations.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_OVERLAPGEMMSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Builds the new loop from copies of the parts of the old one.
class Rotation {
public:
  Rotation(scf::ForOp loop, OverlapParts &parts)
      : loop(loop), parts(parts), builder(loop), loc(loop.getLoc()) {}

  void build();

private:
  /// Copies `ops`, and the scalars of the body that they need.
  void emit(ArrayRef<Operation *> ops, IRMapping &mapping) {
    for (Operation *op : ops) {
      emitScalars(op, mapping);
      builder.clone(*op, mapping);
    }
  }
  void emitScalars(Operation *op, IRMapping &mapping);

  scf::ForOp loop;
  OverlapParts &parts;
  OpBuilder builder;
  Location loc;
};
} // namespace

void Rotation::emitScalars(Operation *op, IRMapping &mapping) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      Operation *scalar = operand.getDefiningOp();
      if (!scalar || scalar->getBlock() != loop.getBody() ||
          mapping.contains(operand))
        continue;
      emitScalars(scalar, mapping);
      builder.clone(*scalar, mapping);
    }
  });
}

void Rotation::build() {
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound(),
        step = loop.getStep();
  if (!runsAtLeastOnce(loop)) {
    auto guard =
        scf::IfOp::create(builder, loc, hasIteration(builder, loc, loop, 0),
                          /*withElseRegion=*/false);
    builder.setInsertionPointToStart(guard.thenBlock());
  }
  auto at = [&](Value index) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), index);
    return mapping;
  };
  IRMapping before = at(lower);
  emit(parts.first, before);
  emit(parts.firstReleases, before);
  emit(parts.beside, before);
  emit(parts.after, before);

  Value second = builder.createOrFold<arith::AddIOp>(loc, lower, step);
  auto steady = scf::ForOp::create(builder, loc, second, upper, step);
  {
    OpBuilder::InsertionGuard restore(builder);
    builder.setInsertionPoint(steady.getBody()->getTerminator());
    Value index = steady.getInductionVar();
    IRMapping now = at(index);
    emit(parts.first, now);
    IRMapping past = at(builder.createOrFold<arith::SubIOp>(loc, index, step));
    emit(parts.last, past);
    emit(parts.firstReleases, now);
    emit(parts.beside, now);
    emit(parts.lastReleases, past);
    emit(parts.after, now);
  }
  // The index of the last iteration: ring loops have a step of one.
  IRMapping behind = at(builder.createOrFold<arith::SubIOp>(loc, upper, step));
  emit(parts.last, behind);
  emit(parts.lastReleases, behind);
  loop.erase();
}

/// Why the role around `loop` has not what two products at a time take.
static Reason whyNoRoom(scf::ForOp loop) {
  auto roles = loop->getParentOfType<TileAgentsOpInterface>();
  Region *role = loop->getParentRegion();
  while (role->getParentOp() != roles)
    role = role->getParentOp()->getParentRegion();
  unsigned number = role->getRegionNumber();
  return whyNoRoomToOverlap(loop, roles.getWarpsOfAgent(number),
                            roles.getRegistersOfAgent(number));
}

namespace {
struct OverlapGemmsPass : tile::impl::OverlapGemmsPassBase<OverlapGemmsPass> {
  using OverlapGemmsPassBase::OverlapGemmsPassBase;

  void runOnOperation() override {
    if (failed(requireBefore(
            *this, getOperation(),
            {Need::Numbers, Need::Layouts, Need::Rings, Need::Roles})))
      return signalPassFailure();
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (runsInRole(loop))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      overlap(loop);
  }

private:
  void overlap(scf::ForOp loop);
};
} // namespace

void OverlapGemmsPass::overlap(scf::ForOp loop) {
  OverlapParts parts(loop);
  if (!parts.hasTwoProducts())
    return;
  Reason why = whyNoRoom(loop);
  if (why.empty())
    why = parts.whyNot();
  if (why.empty())
    why = parts.divide();
  if (!why.empty()) {
    missedAt(remarks, loop, "no product runs beside the loop's arithmetic",
             why.why, why.advice);
    return;
  }
  ++overlappedLoops;
  remarkAt(remarks, loop)
      << "the first products of an iteration are issued before the last ones "
         "of the iteration before, which run beside its arithmetic";
  dropRowPromises(loop);
  Rotation(loop, parts).build();
}
