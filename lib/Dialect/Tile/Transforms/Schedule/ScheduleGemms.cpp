//===- ScheduleGemms.cpp - gemms in flight --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after roles. A gemm by wgmma or tcgen05 is issued and awaited; the wait
// is put as late as its operands and its result allow. Three steps, each of
// which leaves a right program: 1. every such gemm returns a token that is
// awaited at once; 2. a wait sinks to the first operation that touches the
// result, overwrites an operand, or frees the slot of one; where a gemm that
// was issued later has been awaited by then, the two waits become one, since
// groups of wgmma end in order; 3. where the waits of a loop have sunk to its
// end and only releases are left behind them, they move into the next
// iteration, behind the gemms that it issues: a group is always in flight. It
// keeps a slot meanwhile; loops of products alone whose slots are too few for
// that are left as step 2 made them. Gemms by tcgen05 need no wait for
// releases: the waits move behind the loop.
//
//===----------------------------------------------------------------------===//
#include "Asynchronous.h"
#include "GemmTails.h"
#include "Phases.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/Iterations.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_SCHEDULEGEMMSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

Operation *tile::findUnscheduledGemm(KernelOp kernel) {
  Operation *found = nullptr;
  kernel.getBodyRegion().walk([&](GemmOp gemm) {
    if (isUnscheduled(gemm))
      found = gemm;
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

/// The first gemm that `await` waits for, where it is by wgmma and in the block
/// of `await`.
static GemmOp firstAwaitedGroup(AwaitOp await) {
  if (await.getTokens().empty())
    return {};
  auto gemm = await.getTokens().front().getDefiningOp<GemmOp>();
  bool isGroup = gemm && gemm->getBlock() == await->getBlock() &&
                 traitsOf(gemm).completion == MmaCompletion::WarpgroupGroups;
  return isGroup ? gemm : GemmOp();
}

/// Where a gemm that is issued after the awaited one is awaited before it, the
/// groups of both have ended there: its wait becomes one for both. A second
/// wait would cost nothing by itself, but ptxas takes the registers of its gemm
/// for written until then, and what it inserts for that (C7517) waits.
static void joinEarlierAwait(AwaitOp await) {
  GemmOp gemm = firstAwaitedGroup(await);
  if (!gemm || await.getTokens().size() != 1)
    return;
  for (Operation *op = gemm->getNextNode(); op != await;
       op = op->getNextNode()) {
    auto earlier = dyn_cast<AwaitOp>(op);
    GemmOp last = earlier ? firstAwaitedGroup(earlier) : GemmOp();
    if (!last || !gemm->isBeforeInBlock(last))
      continue;
    earlier.getTokensMutable().append(gemm.getToken());
    await.erase();
    return;
  }
}

namespace {
struct ScheduleGemmsPass
    : tile::impl::ScheduleGemmsPassBase<ScheduleGemmsPass> {
  using ScheduleGemmsPassBase::ScheduleGemmsPassBase;

  void runOnOperation() override {
    if (failed(requireBefore(*this, getOperation(),
                             {Need::Numbers, Need::Rings, Need::Roles})))
      return signalPassFailure();
    SmallVector<GemmOp> gemms;
    getOperation().walk([&](GemmOp gemm) {
      if (isUnscheduled(gemm))
        gemms.push_back(gemm);
    });
    SmallVector<AwaitOp> awaits;
    for (GemmOp gemm : gemms)
      awaits.push_back(issue(gemm));
    for (AwaitOp await : awaits)
      joinEarlierAwait(await);
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      rotate(loop);
  }

private:
  /// Steps 1 and 2; returns the wait.
  AwaitOp issue(GemmOp gemm) {
    GemmOp issued = makeAsynchronous(gemm);
    Operation *place = issued->getNextNode();
    OpBuilder builder(&getContext());
    while (!needsResult(issued, place))
      place = place->getNextNode();
    builder.setInsertionPoint(place);
    return AwaitOp::create(builder, issued.getLoc(), issued.getToken(),
                           /*read=*/UnitAttr(), /*groups=*/IntegerAttr());
  }

  void rotate(scf::ForOp loop);
};
} // namespace

/// Puts a loop, and the operations after it up to `end`, under the condition
/// that the loop runs at all. Without it, a path around the loop reaches the
/// wait for its gemms, and ptxas takes the initial values of the accumulators
/// for definitions between the gemms, and serializes them (C7515).
static void guardLoop(scf::ForOp loop, Operation *end) {
  if (runsAtLeastOnce(loop))
    return;
  Location loc = loop.getLoc();
  OpBuilder builder(loop);
  Value runs = hasIteration(builder, loc, loop, 0);
  // Results that are used after `end`.
  SmallVector<OpResult> results;
  for (OpResult result : loop.getResults())
    if (llvm::any_of(result.getUsers(), [&](Operation *user) {
          Operation *level = loop->getBlock()->findAncestorOpInBlock(*user);
          return !level || end->isBeforeInBlock(level);
        }))
      results.push_back(result);
  SmallVector<Type> types;
  for (OpResult result : results)
    types.push_back(result.getType());
  auto guard = scf::IfOp::create(builder, loc, types, runs,
                                 /*withElseRegion=*/!types.empty());
  Block *then = guard.thenBlock();
  Operation *behind = end->getNextNode();
  for (Operation *op = loop; op != behind;) {
    Operation *next = op->getNextNode();
    if (then->mightHaveTerminator())
      op->moveBefore(then->getTerminator());
    else
      op->moveBefore(then, then->end());
    op = next;
  }
  if (types.empty())
    return;
  SmallVector<Value> inside, outside;
  for (auto [i, result] : llvm::enumerate(results)) {
    inside.push_back(result);
    outside.push_back(loop.getInitArgs()[result.getResultNumber()]);
    result.replaceUsesWithIf(guard.getResult(i), [&](OpOperand &use) {
      return !guard->isProperAncestor(use.getOwner());
    });
  }
  builder.setInsertionPointToEnd(then);
  scf::YieldOp::create(builder, loc, inside);
  builder.setInsertionPointToEnd(guard.elseBlock());
  scf::YieldOp::create(builder, loc, outside);
}

void ScheduleGemmsPass::rotate(scf::ForOp loop) {
  auto stays = [&](const Reason &why) {
    missedAt(remarks, loop, "no gemm stays in flight across iterations",
             why.why, why.advice);
  };
  Reason why;
  std::optional<GemmTail> tail = findGemmTail(loop, why);
  if (!tail) {
    if (!why.empty())
      stays(why);
    return;
  }
  const TargetInfo *target = requireTarget(loop);
  if (!target)
    return signalPassFailure();
  if (!tail->isBehindLoop() && !gainsInFlight(loop, *tail, *target))
    return stays({"with these few slots, loads would start too late",
                  "more `stages(...)` leave them time"});
  Location loc = tail->awaits.front().getLoc();
  IRRewriter rewriter(&getContext());
  rewriter.setInsertionPoint(loop);
  // Carried: the token of each gemm, and the use that each release is for.
  SmallVector<Value> inits, yields;
  for (GemmOp gemm : tail->gemms) {
    inits.push_back(
        TokenDoneOp::create(rewriter, loc, TokenType::get(&getContext())));
    yields.push_back(gemm.getToken());
  }
  for (TileRingOpInterface release : tail->releases) {
    inits.push_back(arith::ConstantIndexOp::create(rewriter, loc, 0));
    yields.push_back(release.getUse());
  }
  size_t first = loop.getNumResults(), tokens = tail->gemms.size();
  Operation *lastGemm = tail->gemms.back();
  FailureOr<LoopLikeOpInterface> replaced = loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return yields; });
  auto carrier = cast<scf::ForOp>(replaced->getOperation());

  auto await = [&](OpBuilder &builder, ValueRange carried) {
    AwaitOp::create(builder, loc, carried.take_front(tokens),
                    /*read=*/UnitAttr(), /*groups=*/IntegerAttr());
  };
  auto release = [&](OpBuilder &builder, ValueRange carried) {
    for (auto [release, use] :
         llvm::zip(tail->releases, carried.drop_front(tokens)))
      RingReleaseOp::create(builder, loc, release.getRing(), use);
  };
  OpBuilder builder(&getContext());
  if (!tail->isBehindLoop()) {
    builder.setInsertionPointAfter(lastGemm);
    Value notFirst = isPast(builder, carrier, 1);
    ValueRange carried =
        ValueRange(carrier.getRegionIterArgs()).drop_front(first);
    await(builder, carried);
    auto guard = scf::IfOp::create(builder, loc, notFirst,
                                   /*withElseRegion=*/false);
    builder.setInsertionPointToStart(guard.thenBlock());
    release(builder, carried);
  }
  for (AwaitOp await : tail->awaits)
    await.erase();
  SmallVector<TileRingOpInterface> releases = tail->releases;
  builder.setInsertionPointAfter(carrier);
  await(builder, carrier.getResults().drop_front(first));
  if (!tail->isBehindLoop()) {
    release(builder, carrier.getResults().drop_front(first));
    Operation *end = &*std::prev(builder.getInsertionPoint());
    guardLoop(carrier, end);
  }
  for (TileRingOpInterface release : releases)
    release.erase();
  ++rotatedLoops;
  remarkAt(remarks, carrier) << plural(tokens, "gemm stays", "gemms stay")
                             << " in flight across iterations";
}
