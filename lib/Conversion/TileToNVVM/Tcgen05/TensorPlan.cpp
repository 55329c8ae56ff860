//===- TensorPlan.cpp - what a kernel needs of tensor memory --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: PTX ISA 9.0, "Tensor Memory", "tcgen05.alloc".
//
//===----------------------------------------------------------------------===//
#include "TensorPlan.h"
#include "Prepare/SharedArena.h"
#include "Tcgen05/TensorMemory.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

//===----------------------------------------------------------------------===//
// Buffers that no gemm writes
//===----------------------------------------------------------------------===//

/// The gemms that write a buffer in tensor memory: an alloc, or a ring.
static SmallVector<GemmOp> gemmsInto(Operation *owner) {
  SmallVector<GemmOp> gemms;
  for (Operation *user : owner->getUsers())
    if (auto gemm = dyn_cast<GemmOp>(user))
      gemms.push_back(gemm);
    else if (showsOpenSlot(user))
      gemms.append(gemmsInto(user));
  return gemms;
}

/// The layout of the fragments that all copies connect a buffer with; null
/// where anything but copies and fills touches it, or nothing says a layout.
static FragmentLayoutAttr layoutAround(AllocOp alloc) {
  FragmentLayoutAttr layout;
  for (Operation *user : alloc->getUsers()) {
    auto tileOp = dyn_cast<TileOpInterface>(user);
    if (tileOp && tileOp.getFillValue())
      continue;
    auto copy = dyn_cast<TileMoveOpInterface>(user);
    if (!copy || !copy.isPlain())
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

void tile::nvvm::moveUnusedToRegisters(KernelOp kernel) {
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
      if (auto fill = dyn_cast<TileOpInterface>(user);
          fill && fill.getFillValue())
        fill.setLoopLayout(layout);
    alloc.getResult().replaceAllUsesWith(registers.getResult());
    alloc.erase();
  }
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

/// What the users of a buffer in tensor memory say of it.
static LogicalResult describe(TensorPlan &plan, Operation *owner,
                              MemRefType type, TensorColumns &buffer) {
  for (GemmOp gemm : gemmsInto(owner)) {
    auto own = gemm.getPlan();
    if (!traitsOf(gemm).usesTensorMemory)
      return gemm.emitOpError() << "expected a plan by tcgen05 of a gemm into "
                                   "tensor memory: run --tile-infer-layouts";
    bool agrees = buffer.rows == own->getM() &&
                  buffer.warps.m == own->getWarpsM() &&
                  buffer.warps.n == own->getWarpsN();
    if (buffer.rows && !agrees)
      return gemm.emitOpError() << "expected the gemms into one buffer in "
                                   "tensor memory to have one shape along m "
                                   "and one grid of warps";
    buffer.rows = own->getM();
    buffer.warps = {own->getWarpsM(), own->getWarpsN()};
    plan.isPair |= own->getPair();
  }
  if (!buffer.rows || type.getRank() != 2 ||
      type.getElementTypeBitWidth() != 32)
    return owner->emitOpError() << "expected an accumulator of rank 2 and 32 "
                                   "bits in tensor memory, which a gemm "
                                   "writes, got "
                                << type;
  return success();
}

/// All gemms of a kernel that multiplies in pairs do so, out of rings that
/// know.
static LogicalResult checkPairs(KernelOp kernel) {
  if (kernel.getClusterSize() != 2)
    return kernel.emitOpError()
           << "expected a cluster of two blocks for gemms in pairs, got "
           << kernel.getClusterSize();
  WalkResult walk =
      kernel.getBodyRegion().walk([](GemmOp gemm) {
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
          RingCreateOp ring =
              isToBeRead(view) ? creationOf(ringOf(view)) : RingCreateOp();
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

namespace {
using Owner = std::pair<Operation *, MemRefType>;
} // namespace

/// What lies in tensor memory, and how many agents the kernel has.
static SmallVector<Owner> collectOwners(KernelOp kernel, int64_t &agents) {
  SmallVector<Owner> owners;
  kernel.getBodyRegion().walk([&](Operation *op) {
    if (auto storage = dyn_cast<TileStorageOpInterface>(op);
        storage && storage.isIn(MemorySpace::TensorMemory) && !op->use_empty())
      owners.push_back({op, storage.getTileTypes().front()});
    if (isa<TileAgentsOpInterface>(op))
      agents += op->getNumRegions();
  });
  return owners;
}

/// Columns for the operands that gemms take from fragments.
static void addOperands(KernelOp kernel, TensorPlan &plan, int64_t &columns) {
  kernel.getBodyRegion().walk([&](GemmOp gemm) {
    auto own = gemm.getPlan();
    if (!traitsOf(gemm).usesTensorMemory || !isFragment(gemm.getA()))
      return;
    plan.operands[gemm] = {
        own->getM(), columns, {own->getWarpsM(), own->getWarpsN()}};
    columns += tensorMemoryColumns(tensorWords(gemm.getA()));
  });
}

FailureOr<TensorPlan> tile::nvvm::planTensorMemory(KernelOp kernel,
                                                   const TargetInfo &target) {
  TensorPlan plan;
  SmallVector<Owner> owners = collectOwners(kernel, plan.agents);
  if (owners.empty())
    return plan;
  if (!target.hasTcgen05())
    return owners.front().first->emitOpError()
           << "expected shared, fragment or local memory on " << target.arch
           << ", got " << owners.front().second;
  int64_t columns = 0;
  for (auto [owner, type] : owners) {
    TensorColumns &buffer = plan.buffers[owner];
    if (failed(describe(plan, owner, type, buffer)))
      return failure();
    buffer.column = columns;
    auto ring = dyn_cast<RingType>(owner->getResult(0).getType());
    columns += tensorMemoryColumns(type) * (ring ? ring.getStages() : 1);
  }
  addOperands(kernel, plan, columns);
  if (plan.isPair && failed(checkPairs(kernel)))
    return failure();
  plan.columns =
      std::max<int64_t>(kLeastTensorMemoryColumns, llvm::PowerOf2Ceil(columns));
  if (plan.columns > kTensorMemoryColumns)
    return owners.back().first->emitOpError()
           << "expected buffers of at most " << kTensorMemoryColumns
           << " columns of tensor memory, got " << columns;
  return plan;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

int64_t TensorPlan::barrierBytes() const {
  return columns ? kMbarrierBytes * (agents * (isPair ? 2 : 1) + 1) : 0;
}

int64_t TensorPlan::leastSharedBytes(KernelOp kernel,
                                     const TargetInfo &target) const {
  if (!columns || kernel.getClusterSize() == 1)
    return 0;
  int64_t blocks = kTensorMemoryColumns / columns;
  return target.sharedPerSm / (blocks + 1) / 16 * 16 + 16;
}
