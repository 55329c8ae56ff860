//===- Occupancy.cpp - blocks that share a multiprocessor -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Analysis/Occupancy.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Analysis/RegisterPressure.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/Meeting.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Layout/Plural.h"
#include "tile/Target/DeviceInfo.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

int64_t tile::sharedBytesOf(SharedLayoutAttr layout) {
  return llvm::alignTo(layout.getLayout().sizeInBytes(),
                       layout.getLayout().alignment());
}

std::optional<int64_t> tile::stagesOf(Operation *loop) {
  auto pipelined = dyn_cast_or_null<PipelinedOp>(loop);
  return pipelined ? std::optional<int64_t>(pipelined.getStages())
                   : std::nullopt;
}

std::optional<int64_t> tile::stagesAround(Operation *op) {
  std::optional<int64_t> stages;
  for (Operation *around = op->getParentOp(); around && !stages;
       around = around->getParentOp())
    stages = stagesOf(around);
  return stages;
}

/// How many slots a tile becomes: the stages of the loop that fills it. A ring
/// has its slots already.
static int64_t slotsOf(TileStorageOpInterface storage) {
  int64_t slots = storage.getNumSlots();
  for (Operation *user : storage->getUsers())
    if (auto copy = dyn_cast<TileMoveOpInterface>(user))
      if (copy.getTarget() == storage->getResult(0))
        slots = std::max(slots, stagesOf(copy->getParentOp()).value_or(1));
  return slots;
}

int64_t tile::sharedBytesOf(Operation *op) {
  auto storage = dyn_cast<TileStorageOpInterface>(op);
  if (!storage)
    return 0;
  int64_t bytes = 0;
  for (SharedLayoutAttr layout : storage.getSharedLayouts())
    bytes += sharedBytesOf(layout);
  return bytes ? bytes * slotsOf(storage) : 0;
}

int64_t tile::slotBytes(PipelinedOp loop) {
  llvm::SmallDenseSet<Value> counted; // several copies may fill a tile
  int64_t bytes = 0;
  for (auto copy : loop.getBodyRegion().front().getOps<TileMoveOpInterface>())
    if (copy.isSharedLoad() && counted.insert(copy.getTarget()).second)
      if (SharedLayoutAttr layout = getSharedLayout(copy.getTarget()))
        bytes += sharedBytesOf(layout) * static_cast<int64_t>(loop.getStages());
  return bytes;
}

int64_t tile::tileBytes(KernelOp kernel) {
  int64_t bytes = 0;
  kernel.getBodyRegion().walk(
      [&](Operation *op) { bytes += sharedBytesOf(op); });
  return bytes;
}

int64_t tile::fittingTileBytes(KernelOp kernel, const TargetInfo &target) {
  constexpr int64_t kFewestStages = 2;
  struct Loop {
    int64_t stages, bytesOfStage;
  };
  SmallVector<Loop> loops;
  kernel.getBodyRegion().walk([&](PipelinedOp loop) {
    int64_t stages = loop.getStages();
    if (int64_t bytes = slotBytes(loop); bytes && stages > kFewestStages)
      loops.push_back({stages, bytes / stages});
  });
  int64_t bytes = tileBytes(kernel);
  while (bytes + kSlackBytes > target.sharedPerBlock) {
    auto widest = llvm::max_element(loops, [](const Loop &one,
                                              const Loop &other) {
      return one.stages * one.bytesOfStage < other.stages * other.bytesOfStage;
    });
    if (widest == loops.end() || widest->stages == kFewestStages)
      break;
    --widest->stages;
    bytes -= widest->bytesOfStage;
  }
  return bytes;
}

/// Bytes of slots that a loop fills and nobody uses outside of it.
static int64_t ownSlotBytes(PipelinedOp loop) {
  llvm::SmallDenseSet<Value> counted;
  int64_t bytes = 0;
  for (auto copy : loop.getBodyRegion().front().getOps<TileMoveOpInterface>()) {
    AllocOp alloc = allocationOf(copy.getTarget());
    if (!copy.isSharedLoad() || !alloc || !counted.insert(alloc).second)
      continue;
    if (llvm::all_of(alloc->getUsers(), [&](Operation *user) {
          return loop->isProperAncestor(user);
        }))
      bytes += sharedBytesOf(alloc);
  }
  return bytes;
}

int64_t tile::idleBytes(Operation *op, int64_t fittingBytes) {
  KernelOp kernel = kernelOf(op);
  if (combinesInCluster(kernel))
    return 0;
  for (Operation *around = op->getParentOp(); around != kernel;
       around = around->getParentOp())
    if (isa<LoopLikeOpInterface>(around))
      return 0;
  Block &body = kernel.getBodyRegion().front();
  Operation *here = body.findAncestorOpInBlock(*op);
  int64_t slots = 0;
  for (auto loop : body.getOps<PipelinedOp>())
    if (loop->isBeforeInBlock(here))
      slots += ownSlotBytes(loop);
  // Stages that do not fit are taken off these loops.
  return std::max<int64_t>(0, slots - (tileBytes(kernel) - fittingBytes));
}

/// Whether the iterations of a loop use the result of `op`.
static bool isUsedIn(Operation *op, scf::ForOp loop) {
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    return loop->isProperAncestor(user);
  });
}

int64_t tile::bytesTogether(KernelOp kernel) {
  if (hasRoles(kernel))
    return tileBytes(kernel);
  SmallVector<std::pair<Operation *, int64_t>> buffers;
  kernel.getBodyRegion().walk([&](Operation *op) {
    if (int64_t bytes = sharedBytesOf(op))
      buffers.push_back({op, bytes});
  });
  int64_t most = 0;
  kernel.getBodyRegion().walk([&](scf::ForOp loop) {
    if (loop.getBody()->getOps<RingWaitOp>().empty())
      return;
    int64_t together = 0;
    for (auto [op, bytes] : buffers)
      if (isUsedIn(op, loop))
        together += bytes;
    most = std::max(most, together);
  });
  return most;
}

//===----------------------------------------------------------------------===//
// What a block needs
//===----------------------------------------------------------------------===//

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
    if (!plan || traitsOf(gemm).reader != RingConsumer::Wgmma)
      return;
    int64_t bits = plan.getM() * plan.getN() * storageBitsOf(gemm.getC());
    if (isFragment(gemm.getA()))
      bits += plan.getM() * plan.getK() * storageBitsOf(gemm.getA());
    widest = std::max(widest, bits / 32 / 128);
  });
  return widest;
}

int64_t tile::blocksEach(int64_t blocks, const DeviceInfo &device) {
  return llvm::divideCeil(blocks, device.multiprocessors);
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
  return blocksEach(blocks, deviceOf(kernel, target));
}

static BlockFacts readBlock(KernelOp kernel, const TargetInfo &target,
                            int64_t bytes, int64_t copies) {
  Region &body = kernel.getBodyRegion();
  BlockFacts block;
  block.threads = static_cast<int64_t>(kernel.getThreads());
  block.bytes = bytes;
  block.widest = widestInstruction(body);
  block.demand = demandOf(kernel, body, target, copies);
  bool multiplies = false, isWgmma = true;
  body.walk([&](GemmOp gemm) {
    multiplies = true;
    isWgmma &= traitsOf(gemm).reader == RingConsumer::Wgmma;
    block.stages =
        std::min(block.stages, stagesAround(gemm).value_or(block.stages));
  });
  block.multipliesByWgmma = multiplies && isWgmma;
  block.most = mostAtOnce(kernel, target);
  return block;
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

/// Registers with which a thread is expected not to spill.
static int64_t registersFor(const RoleDemand &demand) {
  return llvm::alignTo(
      std::max({demand.fragments + kRegistersBesideDyingFragments,
                demand.gemms + kRegistersBesideGemms, demand.copies}),
      8);
}

bool tile::sharesByRedistribution(const BlockFacts &block,
                                  const TargetInfo &target) {
  // Blocks that share a multiprocessor share its tensor memory, too.
  if (target.hasTcgen05() || !target.hasSetMaxRegisters() ||
      block.threads != kProducerThreads ||
      target.sharedPerSm / (block.bytes + kSlackBytes) < 2)
    return false;
  ThreadBudget budget(target);
  int64_t each = budget.launched(2 * kProducerThreads, /*blocks=*/2);
  return block.demand.gemms + kRegistersBesideWgmma > each &&
         block.widest + kRegistersBesideWgmma <= each &&
         budget.roles(2 * kProducerThreads, /*blocks=*/2, block.demand)
                 .blocks == 2;
}

int64_t tile::blocksThatFit(const BlockFacts &block, const TargetInfo &target,
                            int64_t threads) {
  return std::max<int64_t>(
      1,
      std::min({target.sharedPerSm / (block.bytes + kSlackBytes),
                target.registersPerSm / (threads * registersFor(block.demand)),
                target.threadsPerSm / threads, int64_t(target.blocksPerSm)}));
}

std::optional<Reason> tile::whyFasterAlone(KernelOp kernel,
                                           const BlockFacts &block,
                                           const TargetInfo &target) {
  if (kernel.getPersistent() || kernel.getCluster() || kernel.getSplit() ||
      target.hasTcgen05() || !block.multipliesByWgmma)
    return std::nullopt;
  int64_t together =
      sharesByRedistribution(block, target)
          ? 2
          : blocksThatFit(block, target, block.threads + kProducerThreads);
  int64_t alone = blocksThatFit(block, target, block.threads);
  together = std::min(together, block.most);
  alone = std::min(alone, block.most);
  if (alone <= together || (together > 1 && block.stages > 2))
    return std::nullopt;
  return Reason("a multiprocessor runs " + plural(alone, "block") +
                    " at a time without roles, and " +
                    std::to_string(together) + " with them (estimated)",
                kRolesAllTheSame);
}

std::optional<Reason> tile::whyFasterAlone(KernelOp kernel,
                                           const TargetInfo &target) {
  return whyFasterAlone(
      kernel, readBlock(kernel, target, tileBytes(kernel), /*copies=*/0),
      target);
}

Residency tile::decideResidency(KernelOp kernel, const TargetInfo &target,
                                int64_t copies) {
  BlockFacts block = readBlock(kernel, target, bytesTogether(kernel), copies);
  int64_t threads = block.threads + kProducerThreads;
  if (auto persistent = kernel.getPersistent())
    return {ThreadBudget(target)
                .roles(threads, static_cast<int64_t>(*persistent), block.demand)
                .blocks};
  if (sharesByRedistribution(block, target))
    return {/*blocks=*/2};
  // Launch bounds for one block would keep others away that have room.
  bool isAlone = target.hasTcgen05() || block.demand.gemms == 0 ||
                 blocksThatFit(block, target, threads) == 1;
  return {/*blocks=*/1, /*redistributes=*/isAlone};
}
