//===- TmaCopy.cpp - lowering of tensor and bulk copies -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies that the asynchronous proxy makes between global and shared memory,
// one thread of the agent (of each group of its warps, where `groups` deals a
// store out) issuing them; TmaBoxes.cpp says where each lies. A load arms the
// full mbarrier of its target's slot (or the program's own, `completes`) with
// all bytes that will land in this block and lets the copies complete on it:
// committing the slot adds nothing but its arrival. A store is one group of
// bulk copies; without a token it is awaited here.
//
// That what threads wrote to shared memory is visible to the proxy is the
// business of the barriers (BarrierPlacement.cpp); global memory is fenced in
// front of each copy (TmaFence.cpp), since no barrier tells which of its
// accesses go through which proxy.
//
//===----------------------------------------------------------------------===//
#include "TmaCopy.h"
#include "ClusterPlace.h"
#include "Moves/Streams.h"
#include "Schedule/ClusterOps.h"
#include "Tcgen05/TensorMemory.h"
#include "TmaBoxes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

//===----------------------------------------------------------------------===//
// Pieces of a copy
//===----------------------------------------------------------------------===//

Value tile::nvvm::cachePolicy(KernelLowering &lowering,
                              TileMoveOpInterface copy) {
  std::optional<EvictionPolicy> policy = copy.getEvictionPolicy();
  CopyPlanAttr plan = copy.getPlanAttr();
  if (plan && !traitsOf(plan.getInstruction()).takesCachePolicy)
    return {};
  if (!policy)
    return policyOfLoad(lowering, copy);
  if (*policy == EvictionPolicy::Normal)
    return {};
  std::string text = std::string("createpolicy.fractional.L2::evict_") +
                     (*policy == EvictionPolicy::First ? "first" : "last") +
                     ".b64 $0, 1.0;";
  return lowering
      .inlineAsm(lowering.builder.getI64Type(), text, "=l", {},
                 /*sideEffects=*/false)
      .getRes();
}

/// The address of this block's shared memory among its cluster's: the same
/// number (PTX ISA, "State spaces": .shared::cta lies in .shared::cluster),
/// where a cast of address spaces would go through generic addresses.
static Value inCluster(KernelLowering &lowering, Value address) {
  auto &b = lowering.builder;
  return LLVM::IntToPtrOp::create(
      b,
      LLVM::LLVMPointerType::get(
          b.getContext(),
          static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster)),
      LLVM::PtrToIntOp::create(b, b.getI64Type(), address),
      /*dereferenceable=*/nullptr);
}

static void expectBytes(KernelLowering &lowering, Value full, int64_t bytes) {
  NVVM::MBarrierExpectTxOp::create(lowering.builder, full, lowering.i32(bytes),
                                   NVVM::MemScopeKind::CTA);
}

/// A store is done when the thread that issued it says so, unless a token says
/// when somebody asks.
static void finishStore(KernelLowering &lowering, TileMoveOpInterface copy,
                        llvm::function_ref<void()> issue) {
  auto &b = lowering.builder;
  onOneThread(lowering, lowering.elected(copy.getNumGroups()), [&] {
    issue();
    NVVM::CpAsyncBulkCommitGroupOp::create(b);
    if (!copy.isAsync())
      NVVM::CpAsyncBulkWaitGroupOp::create(b, 0, /*read=*/nullptr);
  });
  if (!copy.isAsync())
    lowering.barrier();
}

//===----------------------------------------------------------------------===//
// Tensor copies
//===----------------------------------------------------------------------===//

static NVVM::TMAReduxKind reductionOf(AtomicKind kind) {
  switch (kind) {
  case AtomicKind::Add:
    return NVVM::TMAReduxKind::ADD;
  case AtomicKind::Max:
    return NVVM::TMAReduxKind::MAX;
  case AtomicKind::Min:
    return NVVM::TMAReduxKind::MIN;
  }
  llvm_unreachable("all kinds are listed");
}

static LogicalResult lowerTensor(KernelLowering &lowering,
                                 TileMoveOpInterface copy,
                                 const CopyParts &parts,
                                 const SlotBinding *slot) {
  auto &b = lowering.builder;
  int64_t pairDim = slot ? slot->pairDim : -1;
  OrRefusal<TmaGeometry> geometry =
      tmaGeometry(copy, parts.shared.layout, pairDim);
  if (!geometry)
    return copy->emitOpError()
           << "expected a region that tensor copies can move: "
           << geometry.reason();
  Value map = lowering.tensorMap(
      describeTensorMap(lowering, copy, parts.argument, *geometry));
  if (!parts.isLoad) {
    std::optional<AtomicKind> combining = copy.getCombining();
    auto storeBoxes = [&] {
      fenceGlobal(lowering, parts);
      Value policy = cachePolicy(lowering, copy);
      forEachBox(lowering, parts, *geometry,
                 [&](Value source, ArrayRef<Value> coords) {
                   if (combining)
                     NVVM::CpAsyncBulkTensorReduceOp::create(
                         b, map, source, reductionOf(*combining),
                         NVVM::TMAStoreMode::TILE, coords, policy);
                   else
                     NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
                         b, map, source, coords, policy,
                         NVVM::TMAStoreMode::TILE, /*predicate=*/Value());
                 });
    };
    Value isInFront = beginsInFront(lowering, parts, *geometry);
    if (!isInFront) {
      finishStore(lowering, copy, storeBoxes);
      return success();
    }
    LogicalResult byElements = success();
    onOneThread(lowering, isInFront, [&] {
      byElements = storeByElements(lowering, parts, *geometry);
    });
    // The group of bulk copies may be empty: who waits for it counts groups.
    finishStore(lowering, copy, [&] {
      Value isInside = b.createOrFold<arith::XOrIOp>(
          isInFront, arith::ConstantOp::create(b, b.getBoolAttr(true)));
      onOneThread(lowering, isInside, storeBoxes);
    });
    return byElements;
  }
  onOneThread(lowering, lowering.elected(), [&] {
    fenceGlobal(lowering, parts);
    bool isPair = slot->isPair;
    // In a pair the leader's mbarrier counts what lands in both blocks.
    onOneThread(lowering, isPair ? isLeader(lowering) : Value(), [&] {
      expectBytes(lowering, slot->full,
                  geometry->totalBytes() * (isPair && pairDim < 0 ? 2 : 1));
    });
    Value full = slot->full;
    if (isPair)
      full = LLVM::IntToPtrOp::create(
          b, full.getType(),
          atLeader(lowering, LLVM::PtrToIntOp::create(b, b.getI32Type(), full)),
          /*dereferenceable=*/nullptr);
    auto group = isPair ? NVVM::CTAGroupKindAttr::get(b.getContext(),
                                                      NVVM::CTAGroupKind::CTA_2)
                        : NVVM::CTAGroupKindAttr();
    Value policy = cachePolicy(lowering, copy);
    Value mask = isPair ? Value() : multicastMask(lowering, copy);
    SmallVector<Value> offsets;
    auto mode = NVVM::TMALoadMode::TILE;
    if (auto im2col = dyn_cast<Im2colOp>(*copy)) {
      offsets = im2colOffsets(lowering, im2col);
      mode = NVVM::TMALoadMode::IM2COL;
    }
    forEachBox(
        lowering, parts, *geometry, [&](Value target, ArrayRef<Value> coords) {
          NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
              b, inCluster(lowering, target), map, coords, full, offsets, mask,
              policy, mode, /*isCTAOnly=*/false, group, /*predicate=*/Value());
        });
  });
  return success();
}

static LogicalResult lowerGather4(KernelLowering &lowering,
                                  TileMoveOpInterface copy, Value indices,
                                  Value first, const CopyParts &parts,
                                  const SlotBinding *slot) {
  auto &b = lowering.builder;
  OrRefusal<TmaGeometry> geometry = tmaGeometry(copy, parts.shared.layout);
  if (!geometry || geometry->box[1] % 4 != 0)
    return copy->emitOpError()
           << "expected rows that tensor copies can move four at a time: "
           << (geometry ? std::string("a box is of other rows")
                        : geometry.reason());
  Value map = lowering.tensorMap(
      describeTensorMap(lowering, copy, parts.argument, *geometry));
  LogicalResult result = success();
  if (!parts.isLoad) {
    finishStore(lowering, copy, [&] {
      fenceGlobal(lowering, parts);
      Value policy = cachePolicy(lowering, copy);
      result = forEachFourRows(
          lowering, parts, *geometry, indices, first,
          [&](Value source, ArrayRef<Value> coords) {
            NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
                b, map, source, coords, policy,
                NVVM::TMAStoreMode::TILE_SCATTER4, /*predicate=*/Value());
          });
    });
    return result;
  }
  onOneThread(lowering, lowering.elected(), [&] {
    fenceGlobal(lowering, parts);
    expectBytes(lowering, slot->full, geometry->totalBytes());
    Value policy = cachePolicy(lowering, copy);
    Value mask = multicastMask(lowering, copy);
    result = forEachFourRows(
        lowering, parts, *geometry, indices, first,
        [&](Value target, ArrayRef<Value> coords) {
          NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
              b, inCluster(lowering, target), map, coords, slot->full,
              /*im2colOffsets=*/ValueRange(), mask, policy,
              NVVM::TMALoadMode::TILE_GATHER4, /*isCTAOnly=*/false,
              /*group=*/nullptr, /*predicate=*/Value());
        });
  });
  return result;
}

//===----------------------------------------------------------------------===//
// One run of bytes
//===----------------------------------------------------------------------===//

static LogicalResult lowerBulk(KernelLowering &lowering,
                               TileMoveOpInterface copy, const CopyParts &parts,
                               const SlotBinding *slot) {
  auto &b = lowering.builder;
  if (std::string reason = whyNotOneRun(copy, parts.shared.layout);
      !reason.empty())
    return copy->emitOpError()
           << "expected a region that is one run of bytes: " << reason;
  if (copy.getGroups())
    return copy->emitOpError()
           << "expected a tensor copy with `groups`, got a bulk copy";
  Type element = elementTypeOf(parts.argument);
  int64_t bytes = parts.shared.layout.elementBits() / 8;
  for (int64_t extent : parts.globalExtents)
    bytes *= extent;
  if (slot && slot->isPair)
    return copy->emitOpError()
           << "expected a tensor copy into the ring of a pair, got a bulk copy";
  int64_t count = copy.getMulticast().value_or(1);
  if (bytes % (16 * count) != 0)
    return copy->emitOpError()
           << "expected " << count << " parts of a multiple of 16 bytes, got "
           << bytes << " bytes in all";
  int64_t part = bytes / count;

  auto addresses = [&](Value &shared, Value &global) {
    SmallVector<int64_t> start(parts.shared.layout.rank(), 0);
    for (auto [dim, offset] :
         llvm::enumerate(parts.isLoad ? copy.getTargetOffsets()
                                      : copy.getSourceOffsets())) {
      APInt constant;
      if (matchPattern(offset, m_ConstantInt(&constant)))
        start[dim] = constant.getSExtValue();
    }
    shared = lowering.bytePointer(parts.shared.base, Value(),
                                  parts.shared.layout.byteOffset(start));
    SmallVector<Value> uniform;
    for (Value offset : parts.globalOffsets)
      uniform.push_back(lowering.toI64(offset));
    global = lowering.globalAddress(parts.global, element, uniform, {}, {});
    if (count == 1)
      return;
    Value offset = lowering.mulConst(placeInGroup(lowering, copy), part);
    shared = lowering.bytePointer(shared, offset, 0);
    global = lowering.bytePointer(global, offset, 0);
  };
  if (!parts.isLoad) {
    finishStore(lowering, copy, [&] {
      fenceGlobal(lowering, parts);
      Value shared, global;
      addresses(shared, global);
      NVVM::CpAsyncBulkSharedCTAToGlobalOp::create(
          b, global, shared, lowering.i32(bytes), cachePolicy(lowering, copy),
          /*byteMask=*/Value());
    });
    return success();
  }
  onOneThread(lowering, lowering.elected(), [&] {
    fenceGlobal(lowering, parts);
    expectBytes(lowering, slot->full, bytes);
    Value shared, global;
    addresses(shared, global);
    NVVM::CpAsyncBulkGlobalToSharedClusterOp::create(
        b, inCluster(lowering, shared), global, slot->full, lowering.i32(part),
        multicastMask(lowering, copy), cachePolicy(lowering, copy));
  });
  return success();
}

/// Asks for each row of a region in the L2 cache, as far as the buffer has it.
static LogicalResult lowerPrefetch(KernelLowering &lowering,
                                   TileMoveOpInterface copy) {
  FailureOr<GlobalBuffer> global = lowering.global(copy.getSource(), copy);
  if (failed(global))
    return failure();
  Type element = elementTypeOf(copy.getSource());
  SmallVector<int64_t> extents = copy.getSourceExtents();
  onOneThread(lowering, lowering.elected(), [&] {
    auto &b = lowering.builder;
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Value> row;
    Value inside;
    for (auto [dim, extent] : llvm::enumerate(extents)) {
      row.push_back(copy.getSourceOffsets().empty()
                        ? lowering.i64(0)
                        : lowering.toI64(copy.getSourceOffsets()[dim]));
      if (dim + 1 == extents.size())
        break;
      if (extent > 1) {
        auto loop = scf::ForOp::create(b, lowering.i64(0), lowering.i64(extent),
                                       lowering.i64(1));
        b.setInsertionPointToStart(loop.getBody());
        row[dim] = lowering.add(row[dim], loop.getInductionVar());
      }
      Value exists = b.createOrFold<arith::CmpIOp>(
          arith::CmpIPredicate::slt, row[dim], global->sizes[dim]);
      inside = inside ? b.createOrFold<arith::AndIOp>(inside, exists) : exists;
    }
    Value left = b.createOrFold<arith::MinSIOp>(
        b.createOrFold<arith::SubIOp>(global->sizes.back(), row.back()),
        lowering.i64(extents.back()));
    int64_t piece = 16 * 8 / getStorageBits(element);
    Value pieces = b.createOrFold<arith::ShRSIOp>(
        left, lowering.i64(llvm::Log2_64(piece)));
    Value any = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sgt, pieces,
                                              lowering.i64(0));
    inside = inside ? b.createOrFold<arith::AndIOp>(inside, any) : any;
    onOneThread(lowering, inside, [&] {
      NVVM::CpAsyncBulkPrefetchOp::create(
          b, lowering.globalAddress(*global, element, row, {}, {}),
          lowering.mulConst(lowering.toI32(pieces), 16),
          cachePolicy(lowering, copy));
    });
  });
  return success();
}

LogicalResult tile::nvvm::lowerTmaCopy(KernelLowering &lowering,
                                       TileMoveOpInterface copy) {
  if (isPrefetch(copy))
    return lowerPrefetch(lowering, copy);
  bool isLoad = isGlobal(copy.getSource());
  Value globalValue = isLoad ? copy.getSource() : copy.getTarget();
  Value sharedValue = isLoad ? copy.getTarget() : copy.getSource();
  auto elementOf = [](Value buffer) { return elementTypeOf(buffer); };
  BlockArgument argument = getKernelArgumentOf(globalValue);
  if (!argument || !isShared(sharedValue) ||
      elementOf(globalValue) != elementOf(sharedValue) || copy.getPad())
    return copy->emitOpError()
           << "expected a tensor or bulk copy between a kernel argument and "
              "shared memory, of one element type, padded with zero";
  FailureOr<GlobalBuffer> global = lowering.global(argument, copy);
  FailureOr<SharedBuffer> shared = lowering.shared(sharedValue, copy);
  if (failed(global) || failed(shared))
    return failure();
  const SlotBinding *slot = nullptr;
  SlotBinding stated;
  if (Value barriers = copy.getCompletion()) {
    FailureOr<Value> barrier = barrierAt(
        lowering, copy, barriers, lowering.toI32(copy.getCompletionIndex()));
    if (failed(barrier))
      return failure();
    stated.full = *barrier;
    slot = &stated;
  } else if (isLoad) {
    auto it = lowering.slots.find(sharedValue);
    if (it == lowering.slots.end())
      return copy->emitOpError()
             << "expected a slot of a ring as target: run --tile-pipeline";
    slot = &it->second;
  }
  CopyParts parts = {copy,
                     isLoad,
                     argument,
                     *global,
                     *shared,
                     isLoad ? copy.getSourceOffsets() : copy.getTargetOffsets(),
                     isLoad ? copy.getSourceExtents()
                            : copy.getTargetExtents()};
  if (!traitsOf(copy).usesTensorMap)
    return lowerBulk(lowering, copy, parts, slot);
  if (auto gather = dyn_cast<GatherOp>(*copy))
    return lowerGather4(lowering, copy, gather.getIndices(), gather.getFirst(),
                        parts, slot);
  if (auto scatter = dyn_cast<ScatterOp>(*copy))
    return lowerGather4(lowering, copy, scatter.getIndices(),
                        scatter.getFirst(), parts, slot);
  return lowerTensor(lowering, copy, parts, slot);
}
