//===- Occupancy.cpp - blocks that share a multiprocessor -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Analysis/Occupancy.h"
#include "tile/Analysis/RegisterPressure.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Target/DeviceInfo.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::tile;

int64_t tile::tileBytes(KernelOp kernel) {
  int64_t bytes = 0;
  kernel.getBodyRegion().walk([&](AllocOp alloc) {
    SharedLayoutAttr layout = getSharedLayout(alloc.getResult());
    if (!layout)
      return;
    int64_t stages = 1;
    for (Operation *user : alloc->getUsers())
      if (auto copy = dyn_cast<TileMoveOpInterface>(user))
        if (auto loop = dyn_cast<PipelinedOp>(copy->getParentOp()))
          if (copy.getTarget() == alloc.getResult())
            stages = std::max<int64_t>(stages, loop.getStages());
    bytes += llvm::alignTo(layout.getLayout().sizeInBytes(), 1024) * stages;
  });
  return bytes;
}

int64_t tile::gemmRegisters(Region &region) {
  llvm::SmallDenseSet<Value> fragments;
  region.walk([&](GemmOp gemm) {
    for (Value buffer : {gemm.getA(), gemm.getB(), gemm.getC()})
      if (isFragment(buffer))
        fragments.insert(buffer);
  });
  int64_t bits = 0;
  for (Value buffer : fragments)
    if (auto layout = getFragmentLayout(buffer))
      bits += layout.getLayout().numRegisters() * storageBitsOf(buffer);
  return llvm::divideCeil(bits, 32);
}

RoleDemand tile::demandOf(KernelOp kernel, Region &region,
                          const TargetInfo &target, int64_t copies) {
  std::optional<RegisterPeak> peak = findRegisterPeak(kernel, target);
  return {copies, peak ? peak->fragments : 0, gemmRegisters(region)};
}

/// Registers of a thread that one wgmma of a region reads and writes. ptxas
/// wants as many at launch, whatever setmaxnreg gives later (C7602).
static int64_t widestInstruction(Region &region) {
  int64_t widest = 0;
  region.walk([&](GemmOp gemm) {
    MmaPlanAttr plan = gemm.getPlanAttr();
    if (!plan || traitsOf(gemm).reader != RingSide::Wgmma)
      return;
    int64_t bits = plan.getM() * plan.getN() * storageBitsOf(gemm.getC());
    if (isFragment(gemm.getA()))
      bits += plan.getM() * plan.getK() * storageBitsOf(gemm.getA());
    widest = std::max(widest, bits / 32 / 128);
  });
  return widest;
}

/// Registers with which a thread is expected not to spill.
static int64_t registersFor(const RoleDemand &demand) {
  return llvm::alignTo(
      std::max({demand.fragments + kRegistersBesideDyingFragments,
                demand.gemms + kRegistersBesideGemms, demand.copies}),
      8);
}

bool tile::sharesByRedistribution(Region &region, const TargetInfo &target,
                                  int64_t consumers, int64_t bytes,
                                  const RoleDemand &demand) {
  // Blocks that share a multiprocessor share its tensor memory, too.
  if (target.hasTcgen05() || !target.hasSetMaxRegisters() ||
      consumers != kProducerThreads ||
      target.sharedPerSm / (bytes + kSlackBytes) < 2)
    return false;
  ThreadBudget budget(target);
  int64_t each = budget.launched(2 * kProducerThreads, /*blocks=*/2);
  return demand.gemms + kRegistersBesideWgmma > each &&
         widestInstruction(region) + kRegistersBesideWgmma <= each &&
         budget.roles(2 * kProducerThreads, /*blocks=*/2, demand).blocks == 2;
}

int64_t tile::blocksThatFit(const TargetInfo &target, int64_t threads,
                            int64_t bytes, const RoleDemand &demand) {
  return std::max<int64_t>(
      1,
      std::min({target.sharedPerSm / (bytes + kSlackBytes),
                target.registersPerSm / (threads * registersFor(demand)),
                target.threadsPerSm / threads, int64_t(target.blocksPerSm)}));
}

/// Blocks that a multiprocessor has to run at a time when all run at once; any
/// number where the grid is known at launch only.
static int64_t mostAtOnce(KernelOp kernel, const TargetInfo &target) {
  int64_t blocks = 1;
  for (AffineExpr extent : kernel.getGrid().getResults()) {
    auto constant = dyn_cast<AffineConstantExpr>(extent);
    if (!constant)
      return std::numeric_limits<int64_t>::max();
    blocks *= std::max<int64_t>(1, constant.getValue());
  }
  return llvm::divideCeil(blocks, DeviceInfo::of(target, "").multiprocessors);
}

std::optional<std::string> tile::whyFasterAlone(KernelOp kernel,
                                                const TargetInfo &target) {
  if (kernel.getPersistent() || kernel.getCluster() || kernel.getSplit() ||
      target.hasTcgen05())
    return std::nullopt;
  Region &body = kernel.getBodyRegion();
  bool multiplies = false, isWgmma = true;
  int64_t stages = std::numeric_limits<int64_t>::max();
  body.walk([&](GemmOp gemm) {
    multiplies = true;
    isWgmma &= traitsOf(gemm).reader == RingSide::Wgmma;
    if (auto loop = gemm->getParentOfType<PipelinedOp>())
      stages = std::min<int64_t>(stages, loop.getStages());
  });
  if (!multiplies || !isWgmma)
    return std::nullopt;
  auto threads = static_cast<int64_t>(kernel.getThreads());
  int64_t bytes = tileBytes(kernel), most = mostAtOnce(kernel, target);
  RoleDemand demand = demandOf(kernel, body, target, /*copies=*/0);
  int64_t together =
      sharesByRedistribution(body, target, threads, bytes, demand)
          ? 2
          : blocksThatFit(target, threads + kProducerThreads, bytes, demand);
  int64_t alone = blocksThatFit(target, threads, bytes, demand);
  together = std::min(together, most);
  alone = std::min(alone, most);
  if (alone <= together || (together > 1 && stages > 2))
    return std::nullopt;
  return "a multiprocessor runs " + std::to_string(alone) +
         " blocks at a time without roles, and " + std::to_string(together) +
         " with them (estimated; `specialize = true` asks for roles all the "
         "same)";
}
