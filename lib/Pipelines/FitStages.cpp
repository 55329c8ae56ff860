//===- FitStages.cpp - stages that fit shared memory ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much a kernel takes is known once its schedule stands: rings go on with
// earlier ones, tiles share bytes by their lives, roles keep theirs, and
// scratch memory lies behind them. So a copy of the kernel is scheduled, and
// placement itself is asked.
//
//===----------------------------------------------------------------------===//
#include "mlir/Pass/PassManager.h"
#include "tile/Analysis/Occupancy.h"
#include "tile/Analysis/WarpRoles.h"
#include "tile/Conversion/SharedBytes.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "tile/Layout/Plural.h"
#include "tile/Pipelines/Passes.h"
#include "tile/Pipelines/Pipelines.h"

namespace mlir::tile {
#define GEN_PASS_DEF_FITSTAGESPASS
#include "tile/Pipelines/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The loop of several stages whose tiles take most; null where there is none.
static PipelinedOp widestLoop(KernelOp kernel) {
  PipelinedOp widest;
  int64_t most = 0;
  kernel.getBodyRegion().walk<WalkOrder::PreOrder>([&](PipelinedOp loop) {
    int64_t bytes = slotBytes(loop);
    if (loop.getStages() > 1 && bytes > most) {
      most = bytes;
      widest = loop;
    }
  });
  return widest;
}

/// Whether nothing can lie so badly that `kernel` does not fit: most kernels
/// need no trial.
static bool fitsCertainly(KernelOp kernel, const TargetInfo &target) {
  int64_t bytes = kSlackBytes + scratchBytesAtMost(kernel, target);
  kernel.getBodyRegion().walk([&](Operation *op) {
    if (auto loop = dyn_cast<PipelinedOp>(op))
      bytes += slotBytes(loop);
    else
      bytes += sharedBytesOf(op);
  });
  return bytes <= target.sharedPerBlock;
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct FitStagesPass : tile::impl::FitStagesPassBase<FitStagesPass> {
  using FitStagesPassBase::FitStagesPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    FitStagesPassBase::getDependentDialects(registry);
    OpPassManager passes(ModuleOp::getOperationName());
    TileToNVVMOptions options;
    addSchedulePasses(passes, options);
    passes.getDependentDialects(registry);
  }

  void runOnOperation() override {
    const TargetInfo *target = findTarget(getOperation());
    if (!target)
      return;
    SmallVector<KernelOp> kernels(getOperation().getOps<KernelOp>());
    for (KernelOp kernel : kernels) {
      if (!fitsCertainly(kernel, *target))
        fit(kernel, *target);
      giveSecondSlots(kernel, *target);
    }
  }

private:
  std::optional<int64_t> bytesOnTrial(KernelOp kernel, const TargetInfo &target,
                                      ArrayRef<StringRef> decided = {});
  void fit(KernelOp kernel, const TargetInfo &target);
  void giveSecondSlots(KernelOp kernel, const TargetInfo &target);
};
} // namespace

/// Writes a decision that is a unit.
static void decide(KernelOp kernel, StringRef name) {
  kernel->setAttr(name, UnitAttr::get(kernel.getContext()));
}

/// Shared memory that CUDA keeps of each block.
static constexpr int64_t kReservedSharedBytes = 1024;

/// Blocks of so many bytes of shared memory that a multiprocessor has room for.
static int64_t blocksWithBytes(int64_t bytes, const TargetInfo &target) {
  return target.sharedPerSm / (bytes + kReservedSharedBytes);
}

/// The bytes that a copy of the kernel takes once it is scheduled, with more
/// decided for it; nothing where a pass refuses it.
std::optional<int64_t>
FitStagesPass::bytesOnTrial(KernelOp kernel, const TargetInfo &target,
                            ArrayRef<StringRef> decided) {
  ++trials;
  ModuleOp module = getOperation();
  OwningOpRef<ModuleOp> trial = ModuleOp::create(module.getLoc());
  trial.get()->setAttrs(module->getAttrDictionary());
  OpBuilder builder = OpBuilder::atBlockEnd(trial->getBody());
  KernelOp copy;
  for (Operation &op : *module.getBody())
    if (&op == kernel.getOperation())
      copy = cast<KernelOp>(builder.clone(op));
    else if (!isa<KernelOp>(op))
      builder.clone(op);
  for (StringRef name : decided)
    decide(copy, name);
  ScopedDiagnosticHandler silence(&getContext(), [](Diagnostic &) {});
  PassManager passes(&getContext());
  passes.enableVerifier(false);
  TileToNVVMOptions options;
  options.roles = roles;
  addSchedulePasses(passes, options);
  if (failed(passes.run(*trial)))
    return std::nullopt;
  for (KernelOp scheduled : trial->getOps<KernelOp>())
    if (FailureOr<int64_t> bytes = sharedBytesNeeded(scheduled, target);
        succeeded(bytes))
      return *bytes;
  return std::nullopt;
}

void FitStagesPass::fit(KernelOp kernel, const TargetInfo &target) {
  int64_t room = target.sharedPerBlock;
  bool mayAvoidRoles =
      roles == RoleChoice::Auto && !hasRoles(kernel) && mayGetRoles(kernel);
  while (PipelinedOp loop = widestLoop(kernel)) {
    std::optional<int64_t> needed = bytesOnTrial(kernel, target);
    if (!needed || *needed <= room)
      return;
    int64_t stages = loop.getStages();
    // Without roles, what is needed behind the loop only, slots of another loop
    // too, takes the bytes of its slots. The last two stages are worth more
    // than roles: with one, nothing is loaded ahead.
    if (stages == 2 && mayAvoidRoles &&
        bytesOnTrial(kernel, target, {kWithoutRolesAttrName})
                .value_or(room + 1) <= room) {
      decide(kernel, kWithoutRolesAttrName);
      remarkAt(remarks, loop)
          << "2 stages stay, without roles: tiles behind the loop take the "
             "bytes of its slots";
      return;
    }
    loop.setStages(stages - 1);
    ++stagesTaken;
    missedAt(remarks, loop,
             plural(stages - 1, "stage") + " instead of " + Twine(stages),
             "rings, tiles and scratch memory take " + Twine(*needed) +
                 " bytes of shared memory, of which a block has " + Twine(room),
             "smaller tiles leave room for more");
  }
}

void FitStagesPass::giveSecondSlots(KernelOp kernel, const TargetInfo &target) {
  if (roles == RoleChoice::Off || !mayGetRoles(kernel))
    return;
  TileMoveOpInterface filler;
  kernel.getBodyRegion().walk([&](TileMoveOpInterface copy) {
    if (!isTmaLoad(copy) || copy.getCompletion() || !isInTileLoop(copy))
      return WalkResult::advance();
    filler = copy;
    return WalkResult::interrupt();
  });
  if (!filler)
    return;
  std::optional<int64_t> without = bytesOnTrial(kernel, target);
  std::optional<int64_t> with =
      bytesOnTrial(kernel, target, {kSecondSlotsAttrName});
  if (!without || !with || *with == *without)
    return;
  // A persistent kernel says how many blocks of it run at a time.
  int64_t blocks = blocksWithBytes(*without, target);
  if (kernel.getPersistent())
    blocks = std::min(blocks, int64_t(*kernel.getPersistent()));
  if (blocks > 1) {
    missedAt(remarks, filler, "one slot for the next tile's data",
             Twine(blocks) + " blocks run on a multiprocessor at a time, and "
                             "one computes while another waits",
             "`persistent = 1` leaves the multiprocessor to one");
    return;
  }
  if (*with > target.sharedPerBlock) {
    missedAt(remarks, filler, "one slot for the next tile's data",
             "with a second one the kernel takes " + Twine(*with) +
                 " bytes of shared memory, of which a block has " +
                 Twine(target.sharedPerBlock),
             "smaller tiles leave room for it");
    return;
  }
  decide(kernel, kSecondSlotsAttrName);
  remarkAt(remarks, filler) << "two slots: the next tile's data are loaded "
                               "while this tile's are read";
}
