//===- LoneCopies.cpp - copies by TMA that do not run ahead ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of --tile-pipeline, after its loops: a copy by TMA completes on an
// mbarrier, so what runs ahead in no loop still needs a ring, of one slot; of
// two in a loop over tiles of a kernel with roles, where they fit. In a loop
// such a copy is issued before work that does not concern it.
//
//===----------------------------------------------------------------------===//
#include "LoneCopies.h"
#include "RingLoop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tile/Analysis/CopyRules.h"
#include "tile/Analysis/WarpRoles.h"
#include "tile/Dialect/Tile/IR/Aliasing.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/IR/Tokens.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

using namespace mlir;
using namespace mlir::tile;

/// Chooses another instruction for a copy that cannot have an mbarrier.
static void demote(TileMoveOpInterface copy, const TargetInfo &target,
                   bool remarks, const Reason &reason) {
  copy.setPlanAttr(planByThreads(copy, target));
  missedAt(
      remarks, copy,
      "copy: " + stringifyCopyInstruction(copy.getPlanAttr().getInstruction()) +
          " instead of tma",
      reason.why, reason.advice);
}

namespace {
/// What may write the sources of copies, looked for once for each source.
class SourceWriters {
public:
  explicit SourceWriters(KernelOp kernel) : kernel(kernel) {}

  /// Whether something does so after the copy, in the next iteration of a
  /// loop, too.
  bool comesAfter(TileMoveOpInterface copy) {
    return llvm::any_of(of(copy), [&](Operation *writer) {
      for (Operation *at = copy; at != kernel; at = at->getParentOp()) {
        if (isa<LoopLikeOpInterface>(at) && at->isAncestor(writer))
          return true;
        if (Operation *there = at->getBlock()->findAncestorOpInBlock(*writer))
          return at != there && at->isBeforeInBlock(there);
      }
      return true;
    });
  }
  /// The first operation of the copy's block between it and `end` that does so;
  /// else `end`.
  Operation *firstBefore(TileMoveOpInterface copy, Operation *end) {
    for (Operation *writer : of(copy)) {
      Operation *here = copy->getBlock()->findAncestorOpInBlock(*writer);
      if (here && copy->isBeforeInBlock(here) && here->isBeforeInBlock(end))
        end = here;
    }
    return end;
  }

private:
  ArrayRef<Operation *> of(TileMoveOpInterface copy) {
    Value source = getBaseBuffer(copy.getSource());
    auto [found, isNew] = writers.try_emplace(source);
    if (isNew)
      kernel.getBodyRegion().walk([&](Operation *op) {
        if (op->getNumRegions() == 0 && mayWrite(op, source))
          found->second.push_back(op);
      });
    return found->second;
  }

  KernelOp kernel;
  llvm::DenseMap<Value, SmallVector<Operation *>> writers; // by base buffer
};
} // namespace

/// Why a copy by TMA cannot have a slot for itself: the tile must be written by
/// nothing else, and read after the copy in the same block (or deeper) only.
static Reason whyNotSlot(TileMoveOpInterface copy, SourceWriters &writers) {
  AllocOp alloc = allocationOf(copy.getTarget());
  if (!alloc)
    return {"its target is not a whole `tile.alloc`",
            "give the copy a `tile.alloc` of its own"};
  if (UseCounter::obstacle(copy))
    return {"an operation around it cannot carry the number of its ring's uses",
            "enclose it by `scf.for` and `scf.if` only"};
  SmallVector<TileAccess> own;
  cast<TileOpInterface>(copy.getOperation()).getAccesses(own);
  for (const TileAccess &access : own)
    if (access.isWrite && !coversWholeBuffer(access))
      return {"it covers only a part of the shared buffer",
              "give the copy a `tile.alloc` of the part's shape"};
  SmallVector<Operation *> uses;
  if (collectUses(alloc.getResult(), uses))
    return {"an asynchronous use of the shared buffer is awaited at an unknown "
            "place",
            "await it in the block that the copy stands in"};
  for (Operation *user : uses) {
    if (user == copy)
      continue;
    Operation *here = copy->getBlock()->findAncestorOpInBlock(*user);
    if (!here || here->isBeforeInBlock(copy))
      return {!awaitedBy(user).empty()
                  ? "what uses the shared buffer is awaited elsewhere"
                  : "the shared buffer is used before the copy or elsewhere",
              "use the tile behind the copy, in its block, or give the copy a "
              "`tile.alloc` of its own"};
    if (getAgent(user) != getAgent(copy))
      return {"warps with programs of their own read the shared buffer",
              "copy it in the program of the warps that read it"};
    if (moveTraits(user) && readsThroughAsyncProxy(user, copy.getTarget()) &&
        writers.comesAfter(copy))
      return {"its source is written later, by threads that do not wait for it",
              "write to another buffer"};
    SmallVector<OpAccess> accesses;
    if (collectAccesses(user, accesses))
      return {"an operation whose accesses are not known uses the shared "
              "buffer",
              "give the copy a `tile.alloc` of its own"};
    for (const OpAccess &access : accesses)
      if (access.access.isWrite &&
          getBaseBuffer(access.access.buffer) == alloc.getResult())
        return {"another operation also writes the shared buffer",
                "give the copy a `tile.alloc` of its own"};
  }
  return {};
}

/// Inserts acquire, copy and commit; a wait before the first use, or before
/// what writes the source, whichever comes first; and a release after the last
/// use and after the awaits of asynchronous uses.
static void giveSlot(TileMoveOpInterface copy, SourceWriters &writers) {
  Location loc = copy->getLoc();
  UseCounter counter;
  Value use = counter.begin(copy);
  OpBuilder builder(copy);
  AllocOp alloc = allocationOf(copy.getTarget());
  KernelOp kernel = kernelOf(copy);
  bool hasSecond = kernel->hasAttr(kSecondSlotsAttrName) &&
                   awaitsRoles(kernel) && isInTileLoop(copy);
  Value ring = createRing(builder, loc, /*stages=*/hasSecond ? 2 : 1,
                          alloc.getResult(), RingProducer::Tma);
  Type view = alloc.getResult().getType();
  Block *block = copy->getBlock();
  Operation *first = nullptr, *last = copy;
  SmallVector<Operation *> uses;
  (void)collectUses(alloc.getResult(), uses);
  for (Operation *user : uses) {
    if (user == copy)
      continue;
    Operation *here = block->findAncestorOpInBlock(*user);
    if (!first || here->isBeforeInBlock(first))
      first = here;
    if (last->isBeforeInBlock(here))
      last = here;
  }
  auto acquire = RingAcquireOp::create(builder, loc, view, ring, use);
  copy.getTargetMutable().set(acquire.getViews().front());
  builder.setInsertionPointAfter(copy);
  RingCommitOp::create(builder, loc, ring, use);
  // What writes the source waits, too, until the copy has read it.
  if (first)
    builder.setInsertionPoint(writers.firstBefore(copy, first));
  auto wait = RingWaitOp::create(builder, loc, view, ring, use, IntegerAttr());
  alloc.getResult().replaceAllUsesWith(wait.getViews().front());
  if (last != copy)
    builder.setInsertionPointAfter(last);
  RingReleaseOp::create(builder, loc, ring, use);
  builder.setInsertionPoint(block->getTerminator());
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  counter.finish(arith::AddIOp::create(builder, loc, use, one));
  alloc.erase();
}

bool tile::mayIssueBefore(TileMoveOpInterface copy, Operation *op) {
  bool isTile = isa<TileOpInterface>(op);
  auto move = dyn_cast<TileMoveOpInterface>(op);
  if (isa<TileOrderOpInterface>(op) || getToken(op) ||
      (move && isTmaLoad(move)) || (op->getNumRegions() != 0 && !isTile))
    return false;
  if (isa<AllocOp>(op) || isMemoryEffectFree(op))
    return true;
  if (!isTile && !isa<memref::LoadOp, memref::StoreOp>(op))
    return false;
  // Accesses with an order, prints and assertions.
  WalkResult walked = op->walk([&](Operation *inner) {
    bool isKnown = inner == op || isMemoryEffectFree(inner) ||
                   isa<memref::LoadOp, memref::StoreOp, memref::AtomicRMWOp,
                       scf::IfOp, scf::ForOp>(inner);
    return isKnown ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (walked.wasInterrupted())
    return false;
  // A gather reads the names of its rows, too.
  SmallVector<TileAccess> accesses;
  cast<TileOpInterface>(copy.getOperation()).getAccesses(accesses);
  return llvm::none_of(accesses, [&](const TileAccess &access) {
    return !access.isWrite && mayWrite(op, getBaseBuffer(access.buffer));
  });
}

/// A copy in a loop that has a slot is issued in front of the work before it in
/// its iteration, but behind other copies by TMA: memory answers while threads
/// compute. Its slot takes memory throughout the loop, wherever it is filled.
static void issueEarly(TileMoveOpInterface copy, bool remarks) {
  KernelOp kernel = kernelOf(copy);
  if (awaitsRoles(kernel) || !copy->getParentOfType<LoopLikeOpInterface>())
    return;
  Block *block = copy->getBlock();
  // What the copy is computed from moves along.
  llvm::SetVector<Operation *> slice;
  slice.insert(copy);
  for (unsigned i = 0; i < slice.size(); ++i)
    for (Value operand : slice[i]->getOperands())
      if (Operation *op = operand.getDefiningOp();
          op && op->getBlock() == block && op->getNumRegions() == 0 &&
          isPure(op))
        slice.insert(op);
  auto computes = [&](Operation *op) {
    return llvm::any_of(slice, [&](Operation *user) {
      return llvm::is_contained(op->getUsers(), user);
    });
  };
  Operation *first = copy;
  bool passesWork = false;
  for (Operation *op = copy->getPrevNode(); op; op = op->getPrevNode()) {
    if (slice.contains(op))
      continue;
    if (computes(op) || !mayIssueBefore(copy, op))
      break;
    passesWork |= isa<TileOpInterface>(op);
    first = op;
  }
  if (!passesWork)
    return;
  SmallVector<Operation *> moved;
  for (Operation *op = first; op != copy; op = op->getNextNode())
    if (slice.contains(op))
      moved.push_back(op);
  moved.push_back(copy);
  for (Operation *op : moved)
    op->moveBefore(first);
  remarkAt(remarks, copy) << "issued before the work that stands in front of "
                             "it in the iteration";
}

LogicalResult tile::giveSlotsToLoneCopies(KernelOp kernel, bool remarks) {
  SmallVector<TileMoveOpInterface> alone;
  kernel.getBodyRegion().walk([&](TileMoveOpInterface copy) {
    if (isTmaLoad(copy) && !isToBeFilled(copy.getTarget()) &&
        !copy.getCompletion())
      alone.push_back(copy);
  });
  SourceWriters writers(kernel);
  for (TileMoveOpInterface copy : alone)
    if (whyNotSlot(copy, writers).empty())
      issueEarly(copy, remarks);
  for (TileMoveOpInterface copy : alone) {
    Reason reason = whyNotSlot(copy, writers);
    if (reason.empty()) {
      giveSlot(copy, writers);
      continue;
    }
    const TargetInfo *target = requireTarget(
        copy, "a copy by TMA needs another instruction: " + reason.why);
    if (!target)
      return failure();
    demote(copy, *target, remarks, reason);
  }
  return success();
}
