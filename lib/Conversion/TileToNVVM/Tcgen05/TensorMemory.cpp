//===- TensorMemory.cpp - accumulators of tcgen05 -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocates tensor memory where a kernel starts, and gives it back where it
// ends. Which columns are whose is in TensorPlan.cpp; what moves between them
// and registers is in TensorMoves.cpp.
// Source: PTX ISA 9.0, "Tensor Memory", "tcgen05.alloc".
//
//===----------------------------------------------------------------------===//
#include "TensorMemory.h"
#include "TensorPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/MmaTypes.h"
#include "tile/Dialect/Tile/IR/Placement.h"
#include "tile/Target/PtxMnemonics.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

static Value addressOf(KernelLowering &lowering, Value pointer) {
  return LLVM::PtrToIntOp::create(lowering.builder,
                                  lowering.builder.getI32Type(), pointer);
}

static bool isFilledWithZeros(Operation *owner) {
  return llvm::any_of(owner->getUsers(), [](Operation *user) {
    auto tileOp = dyn_cast<TileOpInterface>(user);
    Value fill = tileOp ? tileOp.getFillValue() : Value();
    return (fill && isZeroValue(fill)) ||
           (showsOpenSlot(user) && isFilledWithZeros(user));
  });
}

static std::string ctaGroup(KernelLowering &lowering) {
  return (lowering.tensorMemory.isPair ? ptx::kGroupOfTwo : ptx::kGroupOfOne)
      .str();
}

/// All threads that share an allocation, with what they did to it.
static void meetAll(KernelLowering &lowering) {
  emitTcgen05Fence(lowering, /*before=*/true);
  if (lowering.tensorMemory.isPair)
    lowering.clusterBarrier();
  else
    lowering.barrier();
  emitTcgen05Fence(lowering, /*before=*/false);
}

/// Makes `plan` known to the lowering: where buffers lie, and the registers
/// that follow what they hold.
static void bindBuffers(KernelLowering &lowering, const TensorPlan &plan) {
  Type i32 = lowering.builder.getI32Type();
  auto asBuffer = [](const TensorColumns &columns) {
    TensorBuffer buffer;
    buffer.rows = columns.rows;
    buffer.column = columns.column;
    buffer.warps = columns.warps;
    return buffer;
  };
  for (auto &[owner, columns] : plan.buffers) {
    TensorBuffer buffer = asBuffer(columns);
    if (isFilledWithZeros(owner))
      buffer.holds = lowering.allocaArray(i32, 1);
    lowering.tensors[owner->getResult(0)] = buffer;
  }
  for (auto &[gemm, columns] : plan.operands)
    lowering.tensorOperands[gemm] = asBuffer(columns);
}

/// The parity of each agent's next wait, 0 at first.
static void createParities(KernelLowering &lowering, int64_t agents) {
  auto &b = lowering.builder;
  TensorMemory &memory = lowering.tensorMemory;
  auto addParity = [&](SmallVectorImpl<Value> &parities) {
    parities.push_back(lowering.allocaArray(b.getI32Type(), 1));
    LLVM::StoreOp::create(b, lowering.i32(0), parities.back());
  };
  for (int64_t agent = 0; agent < agents; ++agent) {
    addParity(memory.parities);
    if (memory.isPair)
      addParity(memory.meetingParities);
  }
}

/// The first warp allocates; the address arrives at `slot`. No block waits for
/// columns while it holds some: one allocation each.
static void allocateColumns(KernelLowering &lowering, Value slot) {
  Value isFirstWarp = lowering.builder.createOrFold<arith::CmpIOp>(
      arith::CmpIPredicate::eq, lowering.uniformWarpId(), lowering.i32(0));
  onOneThread(lowering, isFirstWarp, [&] {
    std::string group = ctaGroup(lowering);
    lowering.inlineAsm(TypeRange(),
                       "tcgen05.alloc." + group +
                           ".sync.aligned.shared::cta.b32 [$0], $1; "
                           "tcgen05.relinquish_alloc_permit." +
                           group + ".sync.aligned;",
                       "r,r,~{memory}",
                       {addressOf(lowering, slot),
                        lowering.i32(lowering.tensorMemory.columns)});
  });
}

/// `agents` mbarriers from `barriers` on count the gemms' commits, those from
/// `meetings` on the two blocks of a pair.
static void initializeBarriers(KernelLowering &lowering, int64_t agents,
                               int64_t barriers, int64_t meetings) {
  onOneThread(lowering, lowering.elected(), [&] {
    auto init = [&](int64_t first, int64_t count) {
      for (int64_t agent = 0; agent < agents; ++agent)
        lowering.inlineAsm(
            TypeRange(),
            "mbarrier.init.shared::cta.b64 [$0], " + std::to_string(count) +
                ";",
            "r,~{memory}",
            addressOf(lowering,
                      lowering.sharedAt(first + agent * kMbarrierBytes)));
    };
    init(barriers, 1);
    if (lowering.tensorMemory.isPair)
      init(meetings, 2);
    lowering.inlineAsm(TypeRange(), "fence.mbarrier_init.release.cluster;",
                       "~{memory}", ValueRange());
  });
}

LogicalResult tile::nvvm::beginTensorMemory(KernelLowering &lowering) {
  FailureOr<TensorPlan> plan =
      planTensorMemory(lowering.kernel, lowering.target);
  if (failed(plan))
    return failure();
  if (!plan->columns)
    return success();
  if (!lowering.arena.tensorBarriers)
    return lowering.kernel.emitOpError()
           << "expected '" << kTensorBarriersAttrName
           << "': run --tile-place-shared-memory";
  TensorMemory &memory = lowering.tensorMemory;
  memory.columns = plan->columns;
  memory.isPair = plan->isPair;
  bindBuffers(lowering, *plan);
  int64_t barriers = *lowering.arena.tensorBarriers;
  int64_t meetings = barriers + plan->agents * kMbarrierBytes;
  memory.barriers = lowering.sharedAt(barriers);
  memory.meetings = lowering.sharedAt(meetings);
  createParities(lowering, plan->agents);
  Value slot =
      lowering.sharedAt(barriers + plan->barrierBytes() - kMbarrierBytes);
  allocateColumns(lowering, slot);
  initializeBarriers(lowering, plan->agents, barriers, meetings);
  meetAll(lowering);
  memory.base = LLVM::LoadOp::create(lowering.builder,
                                     lowering.builder.getI32Type(), slot);
  return success();
}

void tile::nvvm::endTensorMemory(KernelLowering &lowering) {
  TensorMemory &memory = lowering.tensorMemory;
  if (!memory.columns)
    return;
  auto &b = lowering.builder;
  meetAll(lowering);
  // The warp that allocated. Its number is read anew: kept since then, it would
  // take a register, or be spilled, through the whole kernel.
  Value isFirstWarp = b.createOrFold<arith::CmpIOp>(
      arith::CmpIPredicate::eq, lowering.readUniformWarpId(), lowering.i32(0));
  onOneThread(lowering, isFirstWarp, [&] {
    lowering.inlineAsm(
        TypeRange(),
        "tcgen05.dealloc." + ctaGroup(lowering) + ".sync.aligned.b32 $0, $1;",
        "r,r,~{memory}", {memory.base, lowering.i32(memory.columns)});
  });
}

FailureOr<TensorBuffer> tile::nvvm::tensorBuffer(KernelLowering &lowering,
                                                 Value buffer,
                                                 Operation *user) {
  Operation *view = buffer.getDefiningOp();
  bool isFilled = isToBeFilled(buffer);
  Value ring = ringOf(buffer), owner = ring ? ring : buffer;
  auto it = lowering.tensors.find(owner);
  if (it == lowering.tensors.end())
    return user->emitOpError() << "expected a buffer in tensor memory made by "
                                  "`tile.alloc`, or a slot of a ring";
  TensorBuffer result = it->second;
  if (owner == buffer)
    return result;
  // Only who multiplies knows whether a slot still counts as zeros; for who
  // reads it, it was replaced by a branch (RingAccumulators.cpp).
  if (!isFilled)
    result.holds = {};
  int64_t stages = cast<RingType>(owner.getType()).getStages();
  Value slot = lowering.builder.createOrFold<arith::RemUIOp>(
      lowering.toI32(view->getOperand(1)), lowering.i32(stages));
  result.slot = lowering.mulConst(
      slot, tensorMemoryColumns(cast<MemRefType>(buffer.getType())));
  return result;
}
