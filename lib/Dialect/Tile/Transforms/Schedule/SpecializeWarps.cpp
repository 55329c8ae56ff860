//===- SpecializeWarps.cpp - producers and consumers as roles -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after pipelining. A program that meets its copies in mbarrier rings only
// is run by two agents: one keeps what fills slots, the other everything else,
// each with the control flow around it. Where accumulators are a ring in tensor
// memory, what fills those is a third agent. All count the uses of a ring
// alike, since all run the same loops. Whether that is possible was decided
// before (Analysis/WarpRoles.h, RingAccumulators.cpp). Decided here are
// registers, whether a warpgroup copies or one warp, and which of the copying
// threads copies what.
//
//===----------------------------------------------------------------------===//
#include "Dependents.h"
#include "Phases.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tile/Analysis/Occupancy.h"
#include "tile/Analysis/WarpRoles.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/IR/Surroundings.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_SPECIALIZEWARPSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

static bool isAccumulatorRing(Value ring) {
  return cast<RingType>(ring.getType()).inTensorMemory();
}

/// A slot of a ring of accumulators, to be filled.
static bool isOpenAccumulator(Value buffer) {
  return isToBeFilled(buffer) && isAccumulatorRing(ringOf(buffer));
}

/// Whether an operation writes such a slot.
static bool fillsAccumulator(Operation *op) {
  auto tileOp = dyn_cast<TileOpInterface>(op);
  if (!tileOp)
    return false;
  SmallVector<TileAccess> accesses;
  tileOp.getAccesses(accesses);
  return llvm::any_of(accesses, [](const TileAccess &access) {
    return access.isWrite && isOpenAccumulator(access.buffer);
  });
}

/// A ring whose slots are read by nothing but gemms into such slots.
static bool feedsAccumulators(Value ring) {
  bool feeds = false;
  for (Operation *user : ring.getUsers())
    if (auto ringOp = dyn_cast<TileRingOpInterface>(user);
        ringOp && ringOp.showsSlot() && !ringOp.fillsSlots())
      for (Value view : user->getResults())
        for (Operation *reader : view.getUsers()) {
          if (!fillsAccumulator(reader))
            return false;
          feeds = true;
        }
  return feeds;
}

/// What fills the slots of rings of accumulators, and empties those of their
/// operands.
static bool isMultiplication(Operation *op) {
  if (auto ringOp = dyn_cast<TileRingOpInterface>(op))
    return ringOp.fillsSlots() ? isAccumulatorRing(ringOp.getRing())
                               : feedsAccumulators(ringOp.getRing());
  return fillsAccumulator(op);
}

/// Operations before both roles: rings, shared tiles, and scalars that depend
/// on nothing else.
static bool staysOutside(Operation *op) {
  if (auto alloc = dyn_cast<AllocOp>(op))
    return isShared(alloc.getResult());
  return isa<RingCreateOp>(op) || isPromise(op) ||
         (op->getNumRegions() == 0 && isMemoryEffectFree(op));
}

/// Erases the operations of a role that `drop` names. A token that something
/// else still carries becomes one of nothing, a number becomes zero: what a
/// role keeps does not depend on it (WarpRoles.h), but control flow that it has
/// no part in is there until the clean-up.
static void strip(Region &role, llvm::function_ref<bool(Operation *)> drop) {
  SmallVector<Operation *> dropped;
  role.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!drop(op))
      return WalkResult::advance();
    dropped.push_back(op);
    return WalkResult::skip();
  });
  for (Operation *op : dropped) {
    OpBuilder builder(op);
    for (Value result : op->getResults()) {
      if (result.use_empty())
        continue;
      if (isa<TokenType>(result.getType()))
        result.replaceAllUsesWith(
            TokenDoneOp::create(builder, op->getLoc(), result.getType()));
      else if (TypedAttr zero = builder.getZeroAttr(result.getType()))
        result.replaceAllUsesWith(
            arith::ConstantOp::create(builder, op->getLoc(), zero));
    }
  }
  for (Operation *op : llvm::reverse(dropped)) {
    op->dropAllDefinedValueUses();
    op->erase();
  }
}

/// Leaves what fills a role's rings, and scalars and control flow around it.
static void keepOnly(Region &role, llvm::function_ref<bool(Operation *)> keep) {
  // Asked before anything is erased: an answer depends on other operations.
  llvm::SmallDenseSet<Operation *> kept;
  role.walk([&](Operation *op) {
    if (keep(op))
      kept.insert(op);
  });
  strip(role, [&](Operation *op) {
    if (kept.contains(op) || isa<RoleEndOp>(op))
      return false;
    if (isa<TileOpInterface>(op))
      return true;
    if (op->getNumRegions() || op->hasTrait<OpTrait::IsTerminator>())
      return false; // what remains empty goes with the clean-up
    // Scalars stay, a division too; and reads that decide what is copied.
    return !isMemoryEffectFree(op) && !hasSingleEffect<MemoryEffects::Read>(op);
  });
}

/// The layouts of loops over tiles are for as many threads as compute. One of
/// the `threads` of a role issues tensor copies, all of them make the others.
static LogicalResult layOut(Region &role, const TargetInfo &target,
                            int64_t threads) {
  bool ok = true;
  role.walk([&](TileMoveOpInterface copy) {
    copy.setLayoutAttr({});
    if (copy.isMovedByProxy())
      return;
    std::optional<ProducerShare> share = shareAmong(copy, target, threads);
    if (!share) {
      copy->emitOpError() << "expected a copy with a plan, between global and "
                             "shared memory";
      ok = false;
      return;
    }
    copy.setLayoutAttr(share->layout);
    copy.setPlanAttr(share->plan);
  });
  return success(ok);
}

/// Whether one thread makes all copies of the rings of a kernel.
static bool isIssuedByOne(Region &body) {
  bool result = true;
  body.walk([&](TileMoveOpInterface copy) {
    result &= !isProduction(copy) || copy.isMovedByProxy();
  });
  return result;
}

namespace {
struct SpecializeWarpsPass
    : tile::impl::SpecializeWarpsPassBase<SpecializeWarpsPass> {
  using SpecializeWarpsPassBase::SpecializeWarpsPassBase;

  void runOnOperation() override {
    if (failed(
            requireBefore(*this, getOperation(), {Need::Numbers, Need::Rings})))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    for (RegisteredOperationName name : getContext().getRegisteredOperations())
      if (name.getDialectNamespace() == "scf")
        name.getCanonicalizationPatterns(patterns, &getContext());
    FrozenRewritePatternSet cleanups(std::move(patterns));
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      if (!awaitsRoles(kernel))
        continue;
      const TargetInfo *target = requireTarget(kernel);
      if (!target || failed(specialize(kernel, *target)))
        return signalPassFailure();
      (void)applyPatternsGreedily(kernel.getBodyRegion(), cleanups);
    }
  }

private:
  LogicalResult specialize(KernelOp kernel, const TargetInfo &target) {
    Block &body = kernel.getBodyRegion().front();
    SmallVector<Operation *> inside =
        collectDependents(body.begin(), &body, staysOutside);

    int64_t consumers = kernel.getThreads();
    // One thread of each of these roles fills a ring, so they share a
    // warpgroup.
    bool overlaps =
        llvm::any_of(body.getOps<RingCreateOp>(), [](RingCreateOp ring) {
          return isAccumulatorRing(ring.getRing());
        });
    int64_t fillers = overlaps ? 2 : 1;
    // Registers are not moved between roles, which warpgroups do: a warp is
    // enough for the thread that issues all copies. The consumers come first
    // then, since a warpgroup starts at a multiple of four warps.
    bool isWarp = !overlaps && kernel->hasAttr(kKeepsRegistersAttrName) &&
                  isIssuedByOne(kernel.getBodyRegion());
    int64_t producers = isWarp ? 32 : kProducerThreads;
    int64_t threads = consumers + producers;
    SmallVector<StringRef> names = {"load", "mma"};
    SmallVector<int64_t> warps(fillers, producers / 32 / fillers);
    if (overlaps)
      names.push_back("epilogue");
    warps.push_back(consumers / 32);
    if (isWarp) {
      std::swap(names[0], names[1]);
      std::swap(warps[0], warps[1]);
    }
    SmallVector<int64_t> budgets(names.size(), 0);
    OpBuilder builder(body.getTerminator());
    Location loc = kernel.getLoc();
    auto roles =
        WarpSpecializeOp::create(builder, loc, builder.getStrArrayAttr(names),
                                 warps, budgets, names.size());
    auto fillerAt = [&](int64_t i) -> Region & {
      return roles.getRoles()[isWarp ? 1 : i];
    };
    for (int64_t i = 0; i < fillers; ++i) {
      IRMapping mapping;
      builder.setInsertionPointToEnd(&fillerAt(i).emplaceBlock());
      for (Operation *op : inside)
        builder.clone(*op, mapping);
      RoleEndOp::create(builder, loc);
    }
    Region &last = roles.getRoles()[isWarp ? 0 : fillers];
    builder.setInsertionPointToEnd(&last.emplaceBlock());
    Operation *end = RoleEndOp::create(builder, loc);
    for (Operation *op : inside)
      op->moveBefore(end);

    keepOnly(fillerAt(0), isProduction);
    if (overlaps)
      keepOnly(fillerAt(1), isMultiplication);
    strip(last, [](Operation *op) {
      return isProduction(op) || isMultiplication(op);
    });
    kernel.setThreads(threads);
    Region &load = fillerAt(0);
    if (failed(layOut(load, target, producers / fillers)))
      return failure();
    int64_t copies = estimateCopyRegisters(load, target, producers / fillers);
    RoleRegisters registers;
    if (!kernel->hasAttr(kKeepsRegistersAttrName))
      registers =
          ThreadBudget(target).roles(threads, residentBlocks(kernel),
                                     demandOf(kernel, last, target, copies));
    // What was decided before roles existed is the most.
    if (residentBlocks(kernel) > registers.blocks)
      kernel->setAttr(kResidentAttrName,
                      builder.getI64IntegerAttr(registers.blocks));
    budgets.assign(fillers, registers.producer);
    budgets.push_back(registers.consumer);
    roles.setRegisters(budgets);
    ++specializedKernels;
    remarkAt(remarks, kernel)
        << "warps specialized: " << producers << " threads issue copies"
        << (overlaps ? " and gemms, "
            : copies ? " together, "
                     : ", ")
        << consumers
        << " compute; `specialize = false` on the kernel has all do both";
    return success();
  }
};
} // namespace
