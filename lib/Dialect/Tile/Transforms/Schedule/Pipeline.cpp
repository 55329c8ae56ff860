//===- Pipeline.cpp - pipelined loops become ring loops -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after copies have been selected, before the lowering. Decides nothing
// about dependences itself (Analysis/Dependence.h does) and nothing about how a
// ring synchronizes (the lowering does). Copies of one protocol share a ring,
// but those that each of two products reads alone (--tile-overlap-gemms).
// Several copies may fill a tile of a slot; they run ahead together, or none of
// them does. For cp.async and N stages:
//
//   productions 0 .. N-2
//   for i in 0 .. T-1: wait(i); production i+N-1; body(i); release(i)
//   drain
//
// The wait comes first because its barrier is what empties the slot that
// production i+N-1 fills: it was used by iteration i-1, and every thread that
// reached the barrier has left that iteration. Productions beyond T still
// acquire and commit, so that the number of groups in flight at each wait is a
// constant.
//
// For TMA, whose slots are emptied by the release itself: where roles follow
// (--tile-specialize-warps splits the loop), production i stands before wait i
// and runs ahead as far as slots are free, and so do productions by cp.async
// and by stores that the producing role can make; where they do not, production
// i+N follows release i. Such a ring lives as long as the kernel (RingReuse.h);
// a copy that cannot run ahead otherwise gets a slot for itself alone.
//
//===----------------------------------------------------------------------===//
#include "Layout/Staging.h"
#include "LoneCopies.h"
#include "OverlapParts.h"
#include "RingLoop.h"
#include "RingReuse.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tile/Analysis/ClusterSharing.h"
#include "tile/Analysis/CopyRules.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Analysis/Occupancy.h"
#include "tile/Analysis/WarpRoles.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/IR/Tunables.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "tile/Target/ThreadBudget.h"

namespace mlir::tile {
#define GEN_PASS_DEF_PIPELINEPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

static bool neverRuns(PipelinedOp loop);

namespace {
struct PipelinePass : tile::impl::PipelinePassBase<PipelinePass> {
  using PipelinePassBase::PipelinePassBase;

  void runOnOperation() override {
    if (failed(requireChosen(getOperation())))
      return signalPassFailure();
    target = findTarget(getOperation());
    SmallVector<KernelOp> kernels(getOperation().getOps<KernelOp>());
    for (KernelOp kernel : kernels)
      if (failed(convertKernel(kernel)))
        return signalPassFailure();
  }

private:
  void placeBlocks(KernelOp kernel);
  LogicalResult convertKernel(KernelOp kernel);
  LogicalResult decide(KernelOp kernel);
  SmallVector<RingPlan, 4> analyze(PipelinedOp loop);
  void finishPlan(PipelinedOp loop, RingPlan &plan, size_t numCopies);
  void shareInCluster(PipelinedOp loop, RingPlan &plan);
  void convert(PipelinedOp loop);

  const TargetInfo *target = nullptr;
  // Of the kernel at hand.
  RoleDecision decision;
  RingReuse reuse;
};
} // namespace

//===----------------------------------------------------------------------===//
// What runs ahead
//===----------------------------------------------------------------------===//

/// True when the copy was, or will be, issued as cp.async.
static bool isCpAsync(TileMoveOpInterface copy) {
  if (copy.getPlanAttr())
    return traitsOf(copy).completion == CopyCompletion::ThreadGroups;
  return elementTypeOf(copy.getSource()) == elementTypeOf(copy.getTarget());
}

/// Which of two runs of gemms, with other operations between them, is all that
/// reads the tile: 0 or 1; nullopt where other operations read it, too, or the
/// body has not two such runs.
static std::optional<int64_t> runOfReaders(Value tile, const RingPlan &plan,
                                           Block &body) {
  llvm::SmallDenseMap<Operation *, int64_t> runs;
  bool isRun = false;
  int64_t count = 0;
  for (Operation &op : body.without_terminator()) {
    if (gemmTraits(&op)) {
      count += !isRun;
      isRun = true;
      runs[&op] = count - 1;
    } else if (!isMemoryEffectFree(&op) && !plan.has(&op)) {
      isRun &= isa<TileMoveOpInterface>(op) &&
               cast<TileMoveOpInterface>(op).isSharedLoad();
    }
  }
  SmallVector<Operation *> uses;
  if (count != 2 || collectUses(tile, uses))
    return std::nullopt;
  std::optional<int64_t> found;
  for (Operation *user : uses) {
    if (plan.has(user) || isa<ViewLikeOpInterface>(user))
      continue;
    auto run = runs.find(user);
    if (run == runs.end() || (found && *found != run->second))
      return std::nullopt;
    found = run->second;
  }
  return found;
}

/// Whether --tile-overlap-gemms has the registers for two products at a time.
static bool mayOverlap(PipelinedOp loop, const TargetInfo &target) {
  int64_t threads = kernelOf(loop).getThreads();
  int64_t registers =
      ThreadBudget(target).roles(threads + kProducerThreads, 1, {}).consumer;
  return whyNoRoomToOverlap(loop, threads / 32, registers).empty();
}

/// Copies that the first of two products reads, and those that the second one
/// reads, get rings of their own: the first needs not wait for the tiles of the
/// second, and its slots are empty before the second has begun.
static std::optional<RingPlan> takeSecondProduct(RingPlan &plan, Block &body) {
  RingPlan second = plan;
  second.copies.clear();
  SmallVector<AheadCopy> rest;
  for (AheadCopy &ahead : plan.copies) {
    TileMoveOpInterface copy = ahead.copy;
    std::optional<int64_t> run = runOfReaders(copy.getTarget(), plan, body);
    if (!run)
      return std::nullopt;
    (*run ? second.copies : rest).push_back(ahead);
  }
  if (rest.empty() || second.copies.empty())
    return std::nullopt;
  plan.copies = std::move(rest);
  plan.nearReaders = second.nearReaders = true;
  return second;
}

namespace {
/// The rings of a loop: by TMA, by copies of warps of their own (cp.async, or
/// loads and stores), and by those of all threads.
struct LoopRings {
  explicit LoopRings(const RoleDecision &decision) : decision(decision) {
    byTma.producer = RingProducer::Tma;
    byTma.ahead = decision.specialize ? Ahead::BeforeWait : Ahead::AfterRelease;
    byRole.producer = RingProducer::CpAsyncMbarrier;
    byRoleStores.producer = RingProducer::ThreadsMbarrier;
    byRole.ahead = byRoleStores.ahead = Ahead::BeforeWait;
  }
  bool isByRole(TileMoveOpInterface copy) const {
    return decision.shared.contains(copy);
  }
  RingPlan &of(TileMoveOpInterface copy) {
    if (isTmaLoad(copy))
      return byTma;
    if (!isByRole(copy))
      return byThreads;
    return isCpAsync(copy) ? byRole : byRoleStores;
  }

  const RoleDecision &decision;
  RingPlan byTma, byThreads, byRole, byRoleStores;
};

/// A copy of a loop: what would run ahead with it, and why it does not.
struct Candidate {
  AheadCopy ahead;
  std::optional<Conflict> conflict;
};
using Candidates = llvm::MapVector<Operation *, Candidate>;
} // namespace

/// What each copy by itself allows.
static Candidates findCandidates(PipelinedOp loop,
                                 ArrayRef<TileMoveOpInterface> copies,
                                 const LoopRings &rings) {
  Block &body = loop.getBodyRegion().front();
  SmallVector<OpAccess> accesses;
  Operation *unknown = collectAccesses(body, accesses);
  Candidates candidates;
  for (TileMoveOpInterface copy : copies) {
    Candidate &found = candidates[copy];
    found.conflict = whyNotAhead(copy, body, accesses, unknown, found.ahead);
    if (!found.conflict && (isTmaLoad(copy) || rings.isByRole(copy)))
      if (Operation *obstacle = UseCounter::obstacle(loop))
        found.conflict = Conflict{"the uses of its ring cannot be counted "
                                  "through what encloses the loop",
                                  "enclose it by `scf.for` and `scf.if` only",
                                  obstacle, "enclosed by this"};
  }
  return candidates;
}

/// Why a copy, which may run ahead by itself, may not with those that fill its
/// tile with it.
static std::optional<Conflict> whyNotTogether(TileMoveOpInterface copy,
                                              Block &body,
                                              Candidates &candidates,
                                              LoopRings &rings) {
  for (TileMoveOpInterface part : partsOf(copy.getTarget(), body)) {
    if (candidates[part].conflict)
      return Conflict{"another copy that fills the shared buffer with it "
                      "cannot run ahead",
                      "mend what keeps that one", part, "this one"};
    if (&rings.of(part) != &rings.of(copy))
      return Conflict{"another copy that fills the shared buffer with it "
                      "takes another instruction",
                      "`prefer` on both can ask for one", part, "this one"};
  }
  return std::nullopt;
}

/// A slot is filled in one ring: copies that fill a tile together run ahead
/// together, or not at all.
static void keepTogether(Block &body, Candidates &candidates,
                         LoopRings &rings) {
  llvm::SmallDenseMap<Operation *, Conflict> apart;
  for (auto &[op, candidate] : candidates)
    if (!candidate.conflict)
      if (std::optional<Conflict> conflict = whyNotTogether(
              cast<TileMoveOpInterface>(op), body, candidates, rings))
        apart.try_emplace(op, std::move(*conflict));
  for (auto &[op, conflict] : apart)
    candidates[op].conflict = conflict;
}

SmallVector<RingPlan, 4> PipelinePass::analyze(PipelinedOp loop) {
  Block &body = loop.getBodyRegion().front();
  SmallVector<TileMoveOpInterface> copies;
  for (auto copy : body.getOps<TileMoveOpInterface>())
    if (copy.isSharedLoad())
      copies.push_back(copy);
  if (loop.getStages() == 1) {
    missedAt(remarks, loop, "not pipelined", "one stage holds one iteration",
             "with `stages(2)` or more, copies can run ahead");
    return {};
  }
  LoopRings rings(decision);
  Candidates candidates = findCandidates(loop, copies, rings);
  keepTogether(body, candidates, rings);
  size_t ahead = 0;
  for (TileMoveOpInterface copy : copies) {
    Candidate &found = candidates[copy];
    if (!found.conflict) {
      ++ahead;
      RingPlan &plan = rings.of(copy);
      if (&plan == &rings.byThreads && isCpAsync(copy))
        plan.producer = RingProducer::CpAsync;
      plan.copies.push_back(std::move(found.ahead));
      continue;
    }
    Remark diag = missedAt(remarks, copy, "not pipelined",
                           found.conflict->reason, found.conflict->advice);
    if (found.conflict->noteOp)
      diag.attachNote(found.conflict->noteOp) << found.conflict->note;
  }
  shareInCluster(loop, rings.byTma);
  std::optional<RingPlan> second;
  if (decision.specialize && mayOverlap(loop, *target))
    second = takeSecondProduct(rings.byTma, body);
  if (!ahead)
    missedAt(remarks, loop, "not pipelined", "no copy may run ahead",
             copies.empty()
                 ? "a `tile.copy` from global to shared memory, directly in "
                   "the loop's body, can"
                 : "the remarks at its copies say what to change");
  SmallVector<RingPlan, 4> result;
  for (RingPlan *plan : {&rings.byTma, second ? &*second : nullptr,
                         &rings.byRole, &rings.byRoleStores, &rings.byThreads})
    if (plan && !plan->copies.empty())
      result.push_back(std::move(*plan));
  for (RingPlan &plan : result)
    finishPlan(loop, plan, copies.size());
  return result;
}

/// What of the loop's body runs with the copies of a ring, and a remark.
void PipelinePass::finishPlan(PipelinedOp loop, RingPlan &plan,
                              size_t numCopies) {
  llvm::SmallDenseSet<Operation *> repeated;
  for (const AheadCopy &copy : plan.copies)
    repeated.insert(copy.slice.begin(), copy.slice.end());
  for (Operation &op : loop.getBodyRegion().front())
    if (repeated.contains(&op))
      plan.slice.push_back(&op);
  remarkAt(remarks, loop)
      << "pipelined: " << plan.copies.size() << " of "
      << plural(numCopies, "copy", "copies")
      << (plan.copies.size() == 1 ? " runs " : " run ")
      << plural(loop.getStages() - (plan.ahead == Ahead::AfterWait ? 1 : 0),
                "iteration")
      << " ahead, filled by " << stringifyRingProducer(plan.producer)
      << "; `stages(...)` says how far";
}

/// Copies of one region into several blocks of a cluster are made once, each
/// block a part of it: the blocks that differ in some dimensions of the cluster
/// only, or all of them. Slots are then filled by peers, so these blocks have
/// to use the ring equally often.
void PipelinePass::shareInCluster(PipelinedOp loop, RingPlan &plan) {
  KernelOp kernel = kernelOf(loop);
  int64_t blocks = kernel.getClusterSize();
  if (blocks == 1 || plan.copies.empty() || !target)
    return;
  ClusterSharing sharing(kernel);
  ClusterGroups groups(kernel);
  ClusterDims alike = sharing.runsAlikeAlong(loop);
  if (!alike) {
    missedAt(remarks, loop, "not shared in the cluster",
             "its blocks may run the loop a different number of times",
             "bounds that do not depend on the block let them share copies");
    return;
  }
  for (const AheadCopy &ahead : plan.copies) {
    TileMoveOpInterface copy = ahead.copy;
    ClusterDims dims = alike & sharing.copiesSameAlong(copy);
    if (copy.getMulticast() || !dims)
      continue;
    Builder builder(copy.getContext());
    int64_t together = groups.size(dims);
    DenseI64ArrayAttr along;
    if (dims != groups.all()) {
      SmallVector<int64_t> named;
      for (unsigned d = 0; d < groups.rank(); ++d)
        if (dims >> d & 1)
          named.push_back(d);
      along = builder.getDenseI64ArrayAttr(named);
    }
    copy.setMulticast(builder.getI64IntegerAttr(together), along);
    Reason whyNot = whyNotTensorCopy(copy, *target);
    if (whyNot.empty()) {
      plan.peers = blocks;
      std::string all = plural(blocks, "block") + " of a cluster";
      if (together == blocks)
        remarkAt(remarks, copy) << "shared by the " << all;
      else
        remarkAt(remarks, copy)
            << "shared by " << together << " of the " << all;
      continue;
    }
    copy.setMulticast({}, {});
    missedAt(remarks, copy, "not shared in the cluster", whyNot.why,
             whyNot.adviceOr("a tile that divides among fewer blocks of a "
                             "`cluster(...)` can be"));
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The sequential loop.
static void buildPlainLoop(PipelinedOp loop) {
  OpBuilder builder(loop);
  auto plain = scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(),
                                  loop.getUpperBound(), loop.getStep());
  Block &body = loop.getBodyRegion().front();
  loop.getInductionVariable().replaceAllUsesWith(plain.getInductionVar());
  body.getTerminator()->erase();
  Block *target = plain.getBody();
  target->getOperations().splice(std::prev(target->end()),
                                 body.getOperations());
  loop.erase();
}

/// True when the bounds are constants that hold no iteration.
static bool neverRuns(PipelinedOp loop) {
  APInt lower, upper;
  return matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) &&
         matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) &&
         upper.sle(lower);
}

void PipelinePass::convert(PipelinedOp loop) {
  if (neverRuns(loop)) {
    remarkAt(remarks, loop) << "removed: the loop has no iteration";
    loop.erase();
    return;
  }
  SmallVector<RingPlan, 4> plans = analyze(loop);
  if (plans.empty()) {
    buildPlainLoop(loop);
    ++plainLoops;
    return;
  }
  // Counting replaces the loops around this one, so it comes first.
  for (RingPlan &plan : plans) {
    if (!plan.usesMbarriers())
      continue;
    if (!reuse.take(loop, plan)) {
      countUses(loop, plan);
      reuse.add(plan);
    } else {
      remarkAt(remarks, loop) << "uses the ring of an earlier loop, filled by "
                              << stringifyRingProducer(plan.producer);
    }
    if (plan.producer == RingProducer::Tma)
      plan.following = findFollowing(loop, plan);
    if (!plan.following.empty())
      remarkAt(remarks, plan.following.front().copy)
          << "copied through the ring of the loop before it, in "
          << plural(plan.following.size(), "use");
  }
  for (RingPlan &plan : plans)
    if (plan.carried)
      plan.base = resolveCount(loop, *plan.carried);
  buildRingLoop(loop, plans);
  for (RingPlan &plan : plans)
    if (plan.usesMbarriers())
      reuse.added(plan);
  ++ringLoops;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Whether the kernel's warps get roles: what was decided before, else what it
/// says itself, else the option.
LogicalResult PipelinePass::decide(KernelOp kernel) {
  std::optional<bool> stated = kernel.getSpecialize();
  bool isForced = stated ? *stated : roles == RoleChoice::On;
  bool isForbidden = stated ? !*stated : roles == RoleChoice::Off;
  StringRef who = stated ? "`specialize`" : "`roles=on`";
  if (kernel->hasAttr(kWithoutRolesAttrName))
    decision.reason =
        Reason("--tile-fit-stages found that two stages fit shared memory only "
               "where tiles behind the loop take the bytes of its slots, which "
               "roles keep",
               "smaller tiles fit beside them");
  else if (isForbidden)
    decision.reason = stated ? Reason("`specialize = false` forbids it",
                                      "without it the compiler decides")
                             : Reason("`roles=off` forbids it",
                                      "with `roles=auto` the compiler decides");
  else
    decision = decideRoles(kernel, *target, isForced);
  if (decision.specialize)
    kernel->setAttr(kRolesAttrName, UnitAttr::get(&getContext()));
  // Without a pipelined loop the question does not arise.
  auto hasLoop = [&] {
    return kernel.walk([](PipelinedOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  };
  if (decision.specialize || (!isForced && !(remarks && hasLoop())))
    return success();
  Remark diag =
      isForced ? Remark(kernel.emitOpError()) : remarkAt(remarks, kernel);
  if (isForced)
    diag << "cannot be specialized, which " << who << " asks for: ";
  else
    diag << "warps not specialized: ";
  diag << decision.reason.why << "; "
       << decision.reason.adviceOr(kRolesAllTheSame);
  if (decision.cause)
    diag.attachNote(decision.cause) << "because of this";
  return failure(isForced);
}

LogicalResult PipelinePass::convertKernel(KernelOp kernel) {
  decision = RoleDecision();
  reuse = RingReuse();
  if (target && failed(decide(kernel)))
    return failure();
  // Outer loops first: their dependences are read off the inner loops as
  // written, before rings hide the buffers.
  SmallVector<PipelinedOp> loops;
  kernel.getBodyRegion().walk<WalkOrder::PreOrder>([&](PipelinedOp loop) {
    loops.push_back(loop);
    // A loop that never runs is erased with its contents.
    return neverRuns(loop) ? WalkResult::skip() : WalkResult::advance();
  });
  for (PipelinedOp loop : loops)
    convert(loop);
  if (failed(giveSlotsToLoneCopies(kernel, remarks)))
    return failure();
  if (target && awaitsRoles(kernel))
    placeBlocks(kernel);
  return success();
}

/// Writes how many blocks share a multiprocessor, now that it is known what
/// rings take.
void PipelinePass::placeBlocks(KernelOp kernel) {
  Residency residency = decideResidency(
      kernel, *target,
      estimateCopyRegisters(kernel.getBodyRegion(), *target, kProducerThreads));
  Builder builder(&getContext());
  if (residency.blocks > 1)
    kernel->setAttr(kResidentAttrName,
                    builder.getI64IntegerAttr(residency.blocks));
  if (!residency.redistributes)
    kernel->setAttr(kKeepsRegistersAttrName, builder.getUnitAttr());
}
