//===- TensorMemory.cpp - accumulators of tcgen05 -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocation of tensor memory for a whole kernel. What moves between it and
// registers is in TensorMoves.cpp.
// Source: PTX ISA 9.0, "Tensor Memory", "tcgen05.alloc".
//
//===----------------------------------------------------------------------===//
#include "TensorMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/MmaTypes.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

static Value sharedAt(KernelLowering &lowering, int64_t offset) {
  auto &b = lowering.builder;
  return LLVM::GEPOp::create(
      b, lowering.sharedBase.getType(), b.getI8Type(), lowering.sharedBase,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
}

static Value addressOf(KernelLowering &lowering, Value pointer) {
  return LLVM::PtrToIntOp::create(lowering.builder,
                                  lowering.builder.getI32Type(), pointer);
}

/// The gemms that write a buffer in tensor memory: an alloc, or a ring.
static SmallVector<GemmOp> gemmsInto(Operation *owner) {
  SmallVector<GemmOp> gemms;
  for (Operation *user : owner->getUsers())
    if (auto gemm = dyn_cast<GemmOp>(user))
      gemms.push_back(gemm);
    else if (isa<RingAcquireOp>(user))
      gemms.append(gemmsInto(user));
  return gemms;
}

/// The layout of the fragments that all copies connect a buffer with; null
/// where anything but copies and fills touches it, or nothing says a layout.
static FragmentLayoutAttr layoutAround(AllocOp alloc) {
  FragmentLayoutAttr layout;
  for (Operation *user : alloc->getUsers()) {
    if (isa<FillOp>(user))
      continue;
    auto copy = dyn_cast<CopyOp>(user);
    if (!copy)
      return {};
    Value other = copy.getSource() == alloc.getResult() ? copy.getTarget()
                                                        : copy.getSource();
    FragmentLayoutAttr found =
        isFragment(other) ? getFragmentLayout(other) : FragmentLayoutAttr();
    if (!found || (layout && layout != found))
      return {};
    layout = found;
  }
  return layout;
}

/// Gemms in branches that turn out never to be taken are folded away after
/// their accumulators were placed (PlaceAccumulators.cpp). What no gemm writes
/// is put into registers, from where it came and where it goes.
static void moveUnusedToRegisters(KernelOp kernel) {
  SmallVector<AllocOp> allocs;
  kernel.getBodyRegion().walk([&](AllocOp alloc) {
    if (isTensorMemory(alloc.getResult()) && gemmsInto(alloc).empty())
      allocs.push_back(alloc);
  });
  for (AllocOp alloc : allocs) {
    FragmentLayoutAttr layout = layoutAround(alloc);
    if (!layout)
      continue;
    auto type = cast<MemRefType>(alloc.getResult().getType());
    OpBuilder builder(alloc);
    auto registers = AllocOp::create(
        builder, alloc.getLoc(),
        MemRefType::get(type.getShape(), type.getElementType(),
                        MemRefLayoutAttrInterface(),
                        FragmentSpaceAttr::get(type.getContext())),
        layout);
    for (Operation *user : alloc->getUsers())
      if (auto fill = dyn_cast<FillOp>(user))
        fill.setLayoutAttr(layout);
    alloc.getResult().replaceAllUsesWith(registers.getResult());
    alloc.erase();
  }
}

static bool isFilledWithZeros(Operation *owner) {
  return llvm::any_of(owner->getUsers(), [](Operation *user) {
    auto fill = dyn_cast<FillOp>(user);
    return (fill && isZeroValue(fill.getValue())) ||
           (isa<RingAcquireOp>(user) && isFilledWithZeros(user));
  });
}

/// What the users of a buffer in tensor memory say of it.
static LogicalResult describe(KernelLowering &lowering, Operation *owner,
                              MemRefType type, TensorBuffer &buffer) {
  for (GemmOp gemm : gemmsInto(owner)) {
    auto plan = gemm.getPlan();
    if (!traitsOf(gemm).usesTensorMemory)
      return gemm.emitOpError() << "expected a plan by tcgen05 of a gemm into "
                                   "tensor memory: run --tile-infer-layouts";
    bool agrees = buffer.rows == plan->getM() &&
                  buffer.warps.m == plan->getWarpsM() &&
                  buffer.warps.n == plan->getWarpsN();
    if (buffer.rows && !agrees)
      return gemm.emitOpError() << "expected the gemms into one buffer in "
                                   "tensor memory to have one shape along m "
                                   "and one grid of warps";
    buffer.rows = plan->getM();
    buffer.warps = {plan->getWarpsM(), plan->getWarpsN()};
    lowering.tensorMemory.isPair |= plan->getPair();
  }
  if (!buffer.rows || type.getRank() != 2 ||
      type.getElementTypeBitWidth() != 32)
    return owner->emitOpError() << "expected an accumulator of rank 2 and 32 "
                                   "bits in tensor memory, which a gemm "
                                   "writes, got "
                                << type;
  return success();
}

static std::string ctaGroup(KernelLowering &lowering) {
  return lowering.tensorMemory.isPair ? "cta_group::2" : "cta_group::1";
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

/// All gemms of a kernel that multiplies in pairs do so, out of rings that
/// know.
static LogicalResult checkPairs(KernelLowering &lowering) {
  if (lowering.kernel.getClusterSize() != 2)
    return lowering.kernel.emitOpError()
           << "expected a cluster of two blocks for gemms in pairs, got "
           << lowering.kernel.getClusterSize();
  WalkResult walk =
      lowering.kernel.getBodyRegion().walk([](GemmOp gemm) {
        auto plan = gemm.getPlan();
        if (!traitsOf(gemm).usesTensorMemory)
          return WalkResult::advance();
        if (!plan->getPair()) {
          gemm.emitOpError()
              << "expected all gemms by tcgen05 of a kernel in pairs "
                 "of blocks, or none: run --tile-pair-gemms";
          return WalkResult::interrupt();
        }
        for (bool isA : {true, false}) {
          Value view = isA ? gemm.getA() : gemm.getB();
          auto wait = view.getDefiningOp<RingWaitOp>();
          auto ring = wait ? wait.getRing().getDefiningOp<RingCreateOp>()
                           : RingCreateOp();
          int64_t dim = isA ? -1 : gemm.getTransposeB() ? 0 : 1;
          if (ring && ring.getPair() &&
              ring.getPairDim(cast<OpResult>(view).getResultNumber()) == dim)
            continue;
          gemm.emitOpError() << "expected operand " << (isA ? "A" : "B")
                             << " in a ring whose `pair` says "
                             << (isA ? "-1" : std::to_string(dim)) << " for it";
          return WalkResult::interrupt();
        }
        return WalkResult::advance();
      });
  return failure(walk.wasInterrupted());
}

LogicalResult tile::nvvm::beginTensorMemory(KernelLowering &lowering) {
  auto &b = lowering.builder;
  TensorMemory &memory = lowering.tensorMemory;
  SmallVector<std::pair<Operation *, MemRefType>> owners;
  int64_t agents = 1;
  moveUnusedToRegisters(lowering.kernel);
  lowering.kernel.getBodyRegion().walk([&](Operation *op) {
    if (auto alloc = dyn_cast<AllocOp>(op))
      if (isTensorMemory(alloc.getResult()) && !alloc->use_empty())
        owners.push_back({op, cast<MemRefType>(alloc.getResult().getType())});
    if (auto ring = dyn_cast<RingCreateOp>(op))
      if (RingType type = ring.getRing().getType();
          type.inTensorMemory() && !ring->use_empty())
        owners.push_back({op, cast<MemRefType>(type.getBuffers().front())});
    if (auto roles = dyn_cast<WarpSpecializeOp>(op))
      agents += static_cast<int64_t>(roles.getRoles().size());
  });
  if (owners.empty())
    return success();
  if (!lowering.target.hasTcgen05())
    return owners.front().first->emitOpError()
           << "expected shared, fragment or local memory on "
           << lowering.target.arch << ", got " << owners.front().second;

  int64_t columns = 0;
  for (auto [owner, type] : owners) {
    TensorBuffer buffer;
    if (failed(describe(lowering, owner, type, buffer)))
      return failure();
    buffer.column = columns;
    auto ring = dyn_cast<RingCreateOp>(owner);
    columns += tensorMemoryColumns(type) *
               (ring ? ring.getRing().getType().getStages() : 1);
    if (isFilledWithZeros(owner))
      buffer.holds = lowering.allocaArray(b.getI32Type(), 1);
    lowering.tensors[owner->getResult(0)] = buffer;
  }
  lowering.kernel.getBodyRegion().walk([&](GemmOp gemm) {
    auto plan = gemm.getPlan();
    if (!traitsOf(gemm).usesTensorMemory || !isFragment(gemm.getA()))
      return;
    TensorBuffer buffer;
    buffer.rows = plan->getM();
    buffer.warps = {plan->getWarpsM(), plan->getWarpsN()};
    buffer.column = columns;
    columns += tensorMemoryColumns(tensorWords(gemm.getA()));
    lowering.tensorOperands[gemm] = buffer;
  });
  if (memory.isPair && failed(checkPairs(lowering)))
    return failure();
  memory.columns =
      std::max<int64_t>(kLeastTensorMemoryColumns, llvm::PowerOf2Ceil(columns));
  if (memory.columns > kTensorMemoryColumns)
    return owners.back().first->emitOpError()
           << "expected buffers of at most " << kTensorMemoryColumns
           << " columns of tensor memory, got " << columns;

  // Behind the tiles: mbarriers, and where the allocation's address arrives.
  int64_t barriers = llvm::alignTo(lowering.arena.bytes, kMbarrierBytes);
  int64_t meetings = barriers + agents * kMbarrierBytes;
  int64_t address = meetings + (memory.isPair ? agents * kMbarrierBytes : 0);
  lowering.arena.bytes = address + kMbarrierBytes;
  memory.barriers = sharedAt(lowering, barriers);
  memory.meetings = sharedAt(lowering, meetings);
  auto addParity = [&](SmallVectorImpl<Value> &parities) {
    parities.push_back(lowering.allocaArray(b.getI32Type(), 1));
    LLVM::StoreOp::create(b, lowering.i32(0), parities.back());
  };
  for (int64_t agent = 0; agent < agents; ++agent) {
    addParity(memory.parities);
    if (memory.isPair)
      addParity(memory.meetingParities);
  }
  Value slot = sharedAt(lowering, address);
  Value isFirstWarp = b.createOrFold<arith::CmpIOp>(
      arith::CmpIPredicate::eq, lowering.uniformWarpId(), lowering.i32(0));
  onOneThread(lowering, isFirstWarp, [&] {
    // No block waits for columns while it holds some: one allocation each.
    std::string group = ctaGroup(lowering);
    lowering.inlineAsm(
        TypeRange(),
        "tcgen05.alloc." + group +
            ".sync.aligned.shared::cta.b32 [$0], $1; "
            "tcgen05.relinquish_alloc_permit." +
            group + ".sync.aligned;",
        "r,r,~{memory}",
        {addressOf(lowering, slot), lowering.i32(memory.columns)});
  });
  onOneThread(lowering, lowering.elected(), [&] {
    auto init = [&](int64_t first, int64_t count) {
      for (int64_t agent = 0; agent < agents; ++agent)
        lowering.inlineAsm(
            TypeRange(),
            "mbarrier.init.shared::cta.b64 [$0], " + std::to_string(count) +
                ";",
            "r,~{memory}",
            addressOf(lowering,
                      sharedAt(lowering, first + agent * kMbarrierBytes)));
    };
    init(barriers, 1);
    if (memory.isPair)
      init(meetings, 2);
    lowering.inlineAsm(TypeRange(), "fence.mbarrier_init.release.cluster;",
                       "~{memory}", ValueRange());
  });
  meetAll(lowering);
  memory.base = LLVM::LoadOp::create(b, b.getI32Type(), slot);
  return success();
}

void tile::nvvm::endTensorMemory(KernelLowering &lowering) {
  TensorMemory &memory = lowering.tensorMemory;
  if (!memory.columns)
    return;
  auto &b = lowering.builder;
  meetAll(lowering);
  // The warp that allocated.
  Value isFirstWarp = b.createOrFold<arith::CmpIOp>(
      arith::CmpIPredicate::eq, lowering.uniformWarpId(), lowering.i32(0));
  onOneThread(lowering, isFirstWarp, [&] {
    lowering.inlineAsm(
        TypeRange(),
        "tcgen05.dealloc." + ctaGroup(lowering) + ".sync.aligned.b32 $0, $1;",
        "r,r,~{memory}", {memory.base, lowering.i32(memory.columns)});
  });
}

int64_t tile::nvvm::leastSharedBytes(KernelLowering &lowering) {
  int64_t columns = lowering.tensorMemory.columns;
  if (!columns || lowering.kernel.getClusterSize() == 1)
    return 0;
  int64_t blocks = kTensorMemoryColumns / columns;
  return lowering.target.sharedPerSm / (blocks + 1) / 16 * 16 + 16;
}

FailureOr<TensorBuffer> tile::nvvm::tensorBuffer(KernelLowering &lowering,
                                                 Value buffer,
                                                 Operation *user) {
  Operation *view = buffer.getDefiningOp();
  bool isFilled = view && isa<RingAcquireOp>(view);
  Value owner = isFilled || (view && isa<RingWaitOp>(view))
                    ? view->getOperand(0)
                    : buffer;
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
