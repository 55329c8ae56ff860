//===- Memory.cpp - alloc and block-level scalar memory operations --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tile.alloc`, barriers, `memref.dim`, `memref.load` and `memref.store`
// outside parallel loops. A store outside `parallel` happens once: thread 0
// does it.
//
//===----------------------------------------------------------------------===//
#include "Lowering.h"
#include "ScalarMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tile/Analysis/RegisterPressure.h"
#include "tile/Dialect/Tile/IR/TileBarrierOps.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// Counts a fragment among those that lie in local memory, as far as a thread
/// has so much.
static LogicalResult reserveLocalMemory(KernelLowering &lowering,
                                        AllocOp fragment) {
  lowering.localBytes += 4 * registersOfFragment(fragment);
  if (lowering.localBytes <= kLocalBytesPerThread)
    return success();
  InFlightDiagnostic diag = fragment.emitOpError()
                            << "expected at most " << kLocalBytesPerThread
                            << " bytes of local memory in each thread, got "
                            << lowering.localBytes;
  diag.attachNote() << "fragments that no thread has registers for lie there: "
                       "use a smaller tile in a loop, or more threads";
  return diag;
}

static LogicalResult lowerAlloc(KernelLowering &lowering, AllocOp alloc) {
  Operation *op = alloc;
  Value buffer = alloc.getResult();
  auto type = cast<MemRefType>(buffer.getType());
  switch (getMemorySpace(type)) {
  case MemorySpace::Shared: {
    auto it = lowering.arena.offsets.find(op);
    if (it == lowering.arena.offsets.end())
      return success(); // never used
    lowering.shareds[buffer] = {lowering.sharedAt(it->second),
                                getSharedLayout(buffer).getLayout()};
    return success();
  }
  case MemorySpace::Fragment: {
    auto layout = getFragmentLayout(buffer);
    if (!layout) {
      if (buffer.use_empty())
        return success();
      return op->emitOpError() << "expected a layout: run --tile-infer-layouts";
    }
    FragmentLayout fragment = layout.getLayout();
    bool isInLocalMemory = isKeptInLocalMemory(alloc, lowering.target);
    if (isInLocalMemory && failed(reserveLocalMemory(lowering, alloc)))
      return failure();
    lowering.fragments[buffer] = {
        lowering.allocaArray(type.getElementType(), fragment.numRegisters()),
        fragment, isInLocalMemory};
    return success();
  }
  case MemorySpace::Local: {
    lowering.locals[buffer] = {
        lowering.allocaArray(type.getElementType(),
                             std::max<int64_t>(type.getNumElements(), 1)),
        llvm::to_vector(type.getShape())};
    return success();
  }
  case MemorySpace::TensorMemory:
    return success(); // allocated where the kernel starts
  default:
    return op->emitOpError() << "expected shared, fragment or local memory on "
                             << lowering.target.arch << ", got " << type;
  }
}

static LogicalResult lowerDim(KernelLowering &lowering, memref::DimOp dim) {
  Operation *op = dim;
  std::optional<int64_t> index = getConstantIntValue(dim.getIndex());
  auto type = dyn_cast<MemRefType>(dim.getSource().getType());
  if (!index || !type || *index < 0 || *index >= type.getRank())
    return op->emitOpError() << "expected a constant dimension of a ranked "
                                "memref";
  Value size;
  auto it = lowering.globals.find(dim.getSource());
  if (it != lowering.globals.end())
    size = it->second.sizes[*index];
  else if (!type.isDynamicDim(*index))
    size = lowering.i64(type.getDimSize(*index));
  else
    return op->emitOpError() << "expected a kernel argument";
  op->getResult(0).replaceAllUsesWith(arith::IndexCastOp::create(
      lowering.builder, lowering.builder.getIndexType(), size));
  return success();
}

/// Sizes and strides are known or parameters; a pointer there is none.
static LogicalResult lowerMetadata(KernelLowering &lowering,
                                   memref::ExtractStridedMetadataOp metadata) {
  Operation *op = metadata;
  FailureOr<GlobalBuffer> buffer = lowering.global(metadata.getSource(), op);
  if (failed(buffer))
    return failure();
  if (!metadata.getBaseBuffer().use_empty())
    return op->emitOpError() << "expected no use of the base buffer";
  auto replace = [&](ValueRange results, ArrayRef<Value> values) {
    for (auto [result, value] : llvm::zip(results, values))
      if (!result.use_empty())
        result.replaceAllUsesWith(arith::IndexCastOp::create(
            lowering.builder, lowering.builder.getIndexType(), value));
  };
  // Kernel arguments start at their first element, views anywhere.
  if (!isa<BlockArgument>(metadata.getSource()) &&
      !metadata.getOffset().use_empty())
    return op->emitOpError() << "expected no use of the offset of a view";
  replace(metadata.getOffset(), lowering.i64(0));
  replace(metadata.getSizes(), buffer->sizes);
  replace(metadata.getStrides(), buffer->strides);
  return success();
}

static LogicalResult lowerLoad(KernelLowering &lowering, memref::LoadOp load) {
  Operation *op = load;
  FailureOr<Value> value =
      loadScalar(lowering, op, load.getMemRef(), load.getIndices());
  if (failed(value))
    return failure();
  op->getResult(0).replaceAllUsesWith(*value);
  return success();
}

static LogicalResult lowerStore(KernelLowering &lowering,
                                memref::StoreOp store) {
  Operation *op = store;
  auto &b = lowering.builder;
  if (isLocal(store.getMemRef()))
    return storeScalar(lowering, op, store.getMemRef(), store.getIndices(),
                       store.getValueToStore());
  Value first = b.createOrFold<arith::CmpIOp>(
      arith::CmpIPredicate::eq, lowering.threadId(), lowering.i32(0));
  auto guard = scf::IfOp::create(b, first, /*withElse=*/false);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(guard.thenBlock());
  return storeScalar(lowering, op, store.getMemRef(), store.getIndices(),
                     store.getValueToStore());
}

/// One thread updates the element for all; where the old value is used, it is
/// handed to the others through scratch memory.
static LogicalResult lowerAtomic(KernelLowering &lowering,
                                 memref::AtomicRMWOp rmw) {
  Operation *op = rmw;
  auto &b = lowering.builder;
  bool isUsed = !rmw.getResult().use_empty();
  Value first = b.createOrFold<arith::CmpIOp>(
      arith::CmpIPredicate::eq, lowering.threadId(), lowering.i32(0));
  auto guard = scf::IfOp::create(b, first, /*withElse=*/false);
  {
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPointToStart(guard.thenBlock());
    FailureOr<Value> old =
        atomicScalar(lowering, op, rmw.getMemref(), rmw.getIndices(),
                     rmw.getKind(), rmw.getValue());
    if (failed(old))
      return failure();
    if (isUsed)
      LLVM::StoreOp::create(b, *old, lowering.scratch(0));
  }
  if (!isUsed)
    return success();
  lowering.barrier();
  rmw.getResult().replaceAllUsesWith(
      LLVM::LoadOp::create(b, rmw.getResult().getType(), lowering.scratch(0)));
  return success();
}

/// By the order of the program; what it does not order is monotonic.
static LLVM::AtomicOrdering orderingOf(MemoryOrder order) {
  switch (order) {
  case MemoryOrder::Relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case MemoryOrder::Acquire:
    return LLVM::AtomicOrdering::acquire;
  case MemoryOrder::Release:
    return LLVM::AtomicOrdering::release;
  case MemoryOrder::SeqCst:
    return LLVM::AtomicOrdering::seq_cst;
  }
  llvm_unreachable("unknown order");
}

/// Who takes part: the GPU, or the block that the shared memory is of.
static StringRef scopeOf(Value buffer) {
  return isShared(buffer) ? "block" : "device";
}

static LogicalResult lowerAtomicLoad(KernelLowering &lowering,
                                     AtomicLoadOp load) {
  Value buffer = load.getMemref();
  FailureOr<Value> address =
      elementAddress(lowering, load, buffer, load.getIndices());
  if (failed(address))
    return failure();
  Type type = load.getResult().getType();
  auto stored =
      LLVM::LoadOp::create(lowering.builder, lowering.storageType(type),
                           *address, type.getIntOrFloatBitWidth() / 8);
  stored.setOrdering(orderingOf(load.getOrder()));
  stored.setSyncscope(scopeOf(buffer));
  load.getResult().replaceAllUsesWith(lowering.fromStorage(stored, type));
  return success();
}

static LogicalResult lowerAtomicStore(KernelLowering &lowering,
                                      AtomicStoreOp store) {
  Value buffer = store.getMemref();
  FailureOr<Value> address =
      elementAddress(lowering, store, buffer, store.getIndices());
  if (failed(address))
    return failure();
  auto stored = LLVM::StoreOp::create(
      lowering.builder, lowering.toStorage(store.getValue()), *address,
      store.getValue().getType().getIntOrFloatBitWidth() / 8);
  stored.setOrdering(orderingOf(store.getOrder()));
  stored.setSyncscope(scopeOf(buffer));
  return success();
}

static LogicalResult lowerBarrier(KernelLowering &lowering, BarrierOp barrier) {
  lowering.barrier(barrier.getGroups().value_or(1));
  return success();
}

static LogicalResult lowerFence(KernelLowering &lowering, FenceOp fence) {
  auto &b = lowering.builder;
  if (fence.getCopies()) {
    // Copies in no group yet are in the newest one.
    std::optional<uint64_t> inFlight = fence.getInFlight();
    if (!inFlight)
      NVVM::CpAsyncCommitGroupOp::create(b);
    NVVM::CpAsyncWaitGroupOp::create(b, inFlight.value_or(0));
  }
  if (fence.getProxy())
    NVVM::FenceProxyOp::create(
        b,
        NVVM::ProxyKindAttr::get(b.getContext(), NVVM::ProxyKind::async_shared),
        NVVM::SharedSpaceAttr::get(b.getContext(),
                                   NVVM::SharedSpace::shared_cta));
  return success();
}

static LogicalResult lowerCommit(KernelLowering &lowering, CommitCopiesOp op) {
  NVVM::CpAsyncCommitGroupOp::create(lowering.builder);
  return success();
}

static LogicalResult lowerAssume(KernelLowering &lowering, Operation *op) {
  return success(); // analyses have used it; the launcher checks it
}

static LogicalResult lowerAssumeRows(KernelLowering &, AssumeRowsOp) {
  return success(); // --tile-skip-rows has used it
}

void tile::nvvm::registerMemoryLowerings(Registry &registry) {
  registry.add<AllocOp>(lowerAlloc);
  registry.add<AssumeOp>(lowerAssume);
  registry.add<AssumeRowsOp>(lowerAssumeRows);
  registry.add<AtomicLoadOp>(lowerAtomicLoad);
  registry.add<AtomicStoreOp>(lowerAtomicStore);
  registry.add<memref::DimOp>(lowerDim);
  registry.add<memref::ExtractStridedMetadataOp>(lowerMetadata);
  registry.add<memref::LoadOp>(lowerLoad);
  registry.add<memref::StoreOp>(lowerStore);
  registry.add<memref::AtomicRMWOp>(lowerAtomic);
  registry.add<BarrierOp>(lowerBarrier);
  registry.add<FenceOp>(lowerFence);
  registry.add<CommitCopiesOp>(lowerCommit);
}
