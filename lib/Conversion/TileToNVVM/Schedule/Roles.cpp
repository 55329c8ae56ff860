//===- Roles.cpp - warps that run different programs ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tile.warp_specialize` becomes a branch on the warp's number. Each role is an
// agent: thread numbers, barriers and elected threads inside it are its own. A
// role that only issues tensor copies runs on one of its threads; one that also
// copies by cp.async or stores runs on all of them.
//
//===----------------------------------------------------------------------===//
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Target/ThreadBudget.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// Operations that one thread can run for its agent: issuing copies, and the
/// arithmetic and control flow around it.
static bool runsOnOneThread(Operation *op) {
  if (auto own = dyn_cast<TileSingleThreadOpInterface>(op))
    return own.runsOnOneThread();
  if (isa<TileDialect>(op->getDialect()))
    return isPure(op);
  // Scalar code: reads of global memory are allowed, writes belong to blocks.
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  return op->getNumRegions() || isPure(op) ||
         (effects && effects.onlyHasEffect<MemoryEffects::Read>());
}

/// Registers of a thread at launch.
static int64_t launchRegisters(KernelLowering &lowering) {
  return ThreadBudget(lowering.target)
      .launched(lowering.kernel.getThreads(), residentBlocks(lowering.kernel));
}

static void setRegisters(KernelLowering &lowering, int64_t registers) {
  if (!registers)
    return;
  auto action = registers > launchRegisters(lowering)
                    ? NVVM::SetMaxRegisterAction::increase
                    : NVVM::SetMaxRegisterAction::decrease;
  NVVM::SetMaxRegisterOp::create(lowering.builder, registers, action);
}

static LogicalResult lowerRole(KernelLowering &lowering, Region &role,
                               Block *target, Agent agent, int64_t registers) {
  auto &b = lowering.builder;
  agent.isSingleThread = !role.walk([](Operation *op) {
                                return runsOnOneThread(op)
                                           ? WalkResult::advance()
                                           : WalkResult::interrupt();
                              })
                              .wasInterrupted();
  agent.isCopying = role.walk([](TileRingOpInterface op) {
                          auto ring = cast<RingType>(op.getRing().getType());
                          return op.fillsSlots() && ring.isFilledByRole()
                                     ? WalkResult::interrupt()
                                     : WalkResult::advance();
                        })
                        .wasInterrupted();
  b.setInsertionPointToStart(target);
  setRegisters(lowering, registers);
  bool combines =
      role.walk([](ClusterReduceOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  Block *whole = target;
  if (combines)
    awaitCluster(lowering);
  Agent outer = std::exchange(lowering.agent, agent);
  if (agent.isSingleThread) {
    lowering.agent.isSingleThread = false;
    auto only = scf::IfOp::create(b, lowering.elected(),
                                  /*withElseRegion=*/false);
    lowering.agent.isSingleThread = true;
    target = only.thenBlock();
  }
  Block &body = role.front();
  body.getTerminator()->erase();
  target->getOperations().splice(std::prev(target->end()),
                                 body.getOperations());
  LogicalResult result = lowering.lowerBlock(*target);
  b.setInsertionPoint(target->getTerminator());
  emitProducerTails(lowering);
  lowering.agent = outer;
  b.setInsertionPoint(whole->getTerminator());
  if (!combines)
    awaitCluster(lowering);
  return result;
}

namespace {
/// The numbers of a role's barriers: its own, and the first of those of its
/// warpgroups.
struct RoleBarriers {
  int64_t own, groups;
};
} // namespace

/// Numbers the barriers of all roles (PTX ISA, "bar": 16, of which one is the
/// block's). One warp meets without a barrier, and one warpgroup by its role's:
/// they have numbers of no barrier where there are not enough.
static FailureOr<SmallVector<RoleBarriers>>
barriersOf(WarpSpecializeOp specialize) {
  constexpr int64_t kBarriers = 16;
  auto count = static_cast<int64_t>(specialize.getRoles().size());
  SmallVector<RoleBarriers> found;
  int64_t end = 1 + count, warpsBefore = 0;
  for (auto [role, warps] : llvm::enumerate(specialize.getWarps())) {
    found.push_back(
        {1 + static_cast<int64_t>(role), 1 + count + (warpsBefore + 3) / 4});
    warpsBefore += warps;
    if (warps >= 8)
      end = found.back().groups + warps / 4;
  }
  if (end <= kBarriers)
    return found;
  int64_t next = 1, none = kBarriers;
  for (auto [barriers, warps] : llvm::zip_equal(found, specialize.getWarps()))
    barriers.own = warps > 1 ? next++ : none++;
  for (auto [barriers, warps] : llvm::zip_equal(found, specialize.getWarps())) {
    barriers.groups = next;
    if (warps >= 8)
      next += warps / 4;
  }
  if (next <= kBarriers)
    return found;
  return specialize.emitOpError()
         << "expected roles that need at most " << kBarriers - 1
         << " barriers (one for each of two warps and more, and one for each "
            "warpgroup of those of eight and more), got "
         << next - 1;
}

static LogicalResult lowerSpecialize(KernelLowering &lowering,
                                     WarpSpecializeOp specialize) {
  Operation *op = specialize;
  auto &b = lowering.builder;
  Location loc = op->getLoc();
  bool redistributes =
      llvm::any_of(specialize.getRegisters(), [](int64_t r) { return r != 0; });
  if (redistributes) {
    if (!lowering.target.hasSetMaxRegisters())
      return op->emitOpError()
             << "expected no register budgets on " << lowering.target.arch
             << ", which cannot redistribute registers";
    int64_t sum = 0;
    for (auto [warps, registers] :
         llvm::zip(specialize.getWarps(), specialize.getRegisters()))
      sum += warps * 32 * (registers ? registers : launchRegisters(lowering));
    int64_t launched =
        launchRegisters(lowering) * int64_t(lowering.kernel.getThreads());
    if (sum > launched)
      return op->emitOpError() << "expected register budgets of at most "
                               << launched << " together, got " << sum;
    // Without it ptxas ignores setmaxnreg.
    lowering.function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                               b.getI32IntegerAttr(static_cast<int32_t>(
                                   residentBlocks(lowering.kernel))));
  }
  // Around a loop, the block's scratch of the last iteration is the roles'
  // next.
  if (op->getParentOp() != lowering.function.getOperation())
    lowering.barrier();
  FailureOr<SmallVector<RoleBarriers>> barriers = barriersOf(specialize);
  if (failed(barriers))
    return failure();
  Value warp = lowering.uniformWarpId();
  unsigned count = specialize.getRoles().size();
  int64_t next = 0;
  /// A branch of the warps below `end`; its else side is for the others.
  auto branchBelow = [&](int64_t end, bool hasOthers) {
    b.setLoc(loc);
    Value isBelow = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt,
                                                  warp, lowering.i32(end));
    return scf::IfOp::create(b, isBelow, /*withElseRegion=*/hasOthers);
  };
  for (unsigned first = 0; first < count;) {
    // Registers are a warpgroup's: its roles part behind one instruction (PTX
    // ISA, "setmaxnreg": .aligned).
    unsigned last = first + 1;
    int64_t end = next + specialize.getWarps()[first];
    while (last < count && end % 4 != 0)
      end += specialize.getWarps()[last++];
    bool isShared = last - first > 1;
    scf::IfOp group;
    if (isShared) {
      group = branchBelow(end, last < count);
      b.setInsertionPointToStart(group.thenBlock());
      setRegisters(lowering, specialize.getRegisters()[first]);
    }
    for (; first < last; ++first) {
      Agent agent;
      agent.firstWarp = next;
      agent.warps = specialize.getWarps()[first];
      agent.barrier = (*barriers)[first].own;
      agent.groupBarrier = (*barriers)[first].groups;
      next += agent.warps;
      bool hasOthers = first + 1 < (isShared ? last : count);
      scf::IfOp branch = branchBelow(next, hasOthers);
      if (failed(lowerRole(lowering, specialize.getRoles()[first],
                           branch.thenBlock(), agent,
                           isShared ? 0 : specialize.getRegisters()[first])))
        return failure();
      if (hasOthers)
        b.setInsertionPointToStart(branch.elseBlock());
    }
    if (isShared && last < count)
      b.setInsertionPointToStart(group.elseBlock());
  }
  b.setLoc(loc);
  b.setInsertionPoint(op);
  if (!endsKernel(op))
    lowering.barrier();
  return success();
}

void tile::nvvm::registerRoleLowerings(Registry &registry) {
  registry.add<WarpSpecializeOp>(lowerSpecialize);
}
