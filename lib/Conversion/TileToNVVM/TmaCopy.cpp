//===- TmaCopy.cpp - lowering of tensor and bulk copies -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies that the asynchronous proxy makes between global and shared memory,
// one thread of the agent (of each group of its warps, where `groups` deals a
// store out) issuing them. A load arms the full mbarrier of its target's slot
// with all bytes that will land in this block and lets the copies complete on
// it: committing the slot adds nothing but its arrival. A store is one group of
// bulk copies; without a token it is awaited here.
//
// That what threads wrote to shared memory is visible to the proxy is the
// business of the barriers (Barriers.cpp); global memory is fenced here, since
// no barrier tells which of its accesses go through which proxy.
//
//===----------------------------------------------------------------------===//
#include "TmaCopy.h"
#include "TensorMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tile/Analysis/TmaGeometry.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;
using runtime::Expr;

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

static bool isSame(const runtime::TensorMapSpec &a,
                   const runtime::TensorMapSpec &b) {
  return a.arg == b.arg && a.type == b.type && a.dims == b.dims &&
         a.strides == b.strides && a.box == b.box &&
         a.elementStrides == b.elementStrides && a.interleave == b.interleave &&
         a.swizzle == b.swizzle && a.l2 == b.l2 && a.fill == b.fill;
}

Value KernelLowering::tensorMap(const runtime::TensorMapSpec &spec) {
  std::vector<runtime::TensorMapSpec> &maps = manifest->tensorMaps;
  for (auto [i, known] : llvm::enumerate(maps))
    if (isSame(known, spec))
      return tensorMaps[i];
  MLIRContext *context = builder.getContext();
  Type bytes =
      LLVM::LLVMArrayType::get(builder.getI8Type(), runtime::kTensorMapBytes);
  NamedAttribute attributes[] = {
      builder.getNamedAttr(LLVM::LLVMDialect::getByValAttrName(),
                           TypeAttr::get(bytes)),
      builder.getNamedAttr(LLVM::LLVMDialect::getAlignAttrName(),
                           builder.getI64IntegerAttr(runtime::kTensorMapAlign)),
      builder.getNamedAttr(NVVM::NVVMDialect::getGridConstantAttrName(),
                           builder.getUnitAttr())};
  LLVM::LLVMFunctionType type = function.getFunctionType();
  SmallVector<Type> parameters(type.getParams());
  SmallVector<DictionaryAttr> allAttributes;
  function.getAllArgAttrs(allAttributes);
  parameters.push_back(LLVM::LLVMPointerType::get(context));
  allAttributes.push_back(builder.getDictionaryAttr(attributes));
  function.setFunctionType(
      LLVM::LLVMFunctionType::get(type.getReturnType(), parameters));
  entry->addArgument(parameters.back(), builder.getLoc());
  function.setAllArgAttrs(allAttributes);
  manifest->params.push_back(
      runtime::ParamSpec::tensorMap(static_cast<unsigned>(maps.size())));
  maps.push_back(spec);
  tensorMaps.push_back(entry->getArguments().back());
  return tensorMaps.back();
}

void tile::nvvm::prefetchTensorMaps(KernelLowering &lowering) {
  if (lowering.tensorMaps.empty())
    return;
  auto &b = lowering.builder;
  OpBuilder::InsertionGuard guard(b);
  // Behind the allocas: the branch ends LLVM's entry block, and allocas outside
  // of it do not become registers.
  b.setInsertionPointToStart(lowering.entry);
  for (auto alloca : lowering.entry->getOps<LLVM::AllocaOp>())
    b.setInsertionPointAfter(alloca);
  auto branch = scf::IfOp::create(b, lowering.elected(), /*withElse=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  for (Value map : lowering.tensorMaps)
    NVVM::PrefetchOp::create(b, /*cacheLevel=*/nullptr,
                             /*evictPriority=*/nullptr, map,
                             /*predicate=*/Value(), /*tensormap=*/true,
                             /*uniform=*/false, /*in_param_space=*/false);
}

/// Bytes from element to element of a dimension, at launch.
static Expr strideInBytes(MemRefType type, ArrayRef<int64_t> strides,
                          unsigned argument, unsigned dim, int64_t bytes) {
  auto extent = [&](unsigned d) {
    return type.isDynamicDim(d) ? Expr::dim(argument, d)
                                : Expr(type.getDimSize(d));
  };
  if (!ShapedType::isDynamic(strides[dim]))
    return Expr(strides[dim] * bytes);
  if (!type.getLayout().isIdentity())
    return Expr::stride(argument, dim) * Expr(bytes);
  Expr stride(bytes);
  for (unsigned d = type.getRank(); d-- > dim + 1;)
    stride = stride * extent(d);
  return stride;
}

/// The type as which a reduction combines elements: the sum of 64-bit integers
/// is defined for unsigned ones alone, which is the same sum (PTX ISA,
/// "cp.reduce.async.bulk").
static runtime::ElementType mapType(TileMoveOpInterface move,
                                    runtime::ElementType type) {
  auto atomic = dyn_cast<AtomicOp>(*move);
  if (!atomic)
    return type;
  bool isSum = atomic.getKind() == AtomicKind::Add;
  if (type == runtime::ElementType::I32 && atomic.getIsUnsigned())
    return runtime::ElementType::UI32;
  if (type == runtime::ElementType::I64 && (isSum || atomic.getIsUnsigned()))
    return runtime::ElementType::UI64;
  return type;
}

static runtime::TensorMapSpec mapOf(KernelLowering &lowering,
                                    TileMoveOpInterface move,
                                    BlockArgument argument,
                                    const TmaGeometry &geometry) {
  auto type = cast<MemRefType>(argument.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)type.getStridesAndOffset(strides, offset);
  unsigned index = argument.getArgNumber();
  runtime::TensorMapSpec spec;
  spec.arg = index;
  spec.type = mapType(move, lowering.manifest->args[index].type);
  int64_t bytes = runtime::storageBits(spec.type) / 8;
  for (auto [i, dim] : llvm::enumerate(geometry.order)) {
    spec.dims.push_back(type.isDynamicDim(dim) ? Expr::dim(index, dim)
                                               : Expr(type.getDimSize(dim)));
    if (i != 0)
      spec.strides.push_back(strideInBytes(type, strides, index, dim, bytes));
  }
  spec.box.assign(geometry.box.begin(), geometry.box.end());
  spec.elementStrides.assign(geometry.box.size(), 1);
  switch (geometry.swizzle) {
  case TmaSwizzle::None:
    spec.swizzle = runtime::TensorMapSwizzle::None;
    break;
  case TmaSwizzle::B32:
    spec.swizzle = runtime::TensorMapSwizzle::B32;
    break;
  case TmaSwizzle::B64:
    spec.swizzle = runtime::TensorMapSwizzle::B64;
    break;
  case TmaSwizzle::B128:
    spec.swizzle = runtime::TensorMapSwizzle::B128;
    break;
  }
  // What the L2 cache fetches at a time: no more than a row of the box uses.
  int64_t inner = geometry.box.front() * bytes;
  spec.l2 = inner >= 256   ? runtime::TensorMapL2::B256
            : inner >= 128 ? runtime::TensorMapL2::B128
                           : runtime::TensorMapL2::B64;
  return spec;
}

//===----------------------------------------------------------------------===//
// Pieces of a copy
//===----------------------------------------------------------------------===//

/// Runs `body` in one thread of the agent, or of each of its groups.
static void inOneThread(KernelLowering &lowering,
                        llvm::function_ref<void()> body, int64_t groups = 1) {
  Value elected = lowering.elected(groups);
  if (!elected)
    return body();
  auto branch =
      scf::IfOp::create(lowering.builder, elected, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(lowering.builder);
  lowering.builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

/// How long the L2 cache keeps the lines of a copy; null where nothing is
/// asked.
static Value cachePolicy(KernelLowering &lowering, TileMoveOpInterface copy) {
  std::optional<EvictionPolicy> policy = copy.getEvictionPolicy();
  if (!policy || *policy == EvictionPolicy::Normal)
    return {};
  std::string text = std::string("createpolicy.fractional.L2::evict_") +
                     (*policy == EvictionPolicy::First ? "first" : "last") +
                     ".b64 $0, 1.0;";
  return lowering
      .inlineAsm(lowering.builder.getI64Type(), text, "=l", {},
                 /*sideEffects=*/false)
      .getRes();
}

/// Whether threads write the memory of `argument` by ordinary stores anywhere
/// in the kernel.
static bool isWrittenByThreads(Value buffer) {
  for (Operation *user : buffer.getUsers()) {
    if (auto tileOp = dyn_cast<TileOpInterface>(user)) {
      auto move = dyn_cast<TileMoveOpInterface>(user);
      if (move && move.isMovedByProxy())
        continue;
      SmallVector<TileAccess> accesses;
      tileOp.getAccesses(accesses);
      if (llvm::any_of(accesses, [&](const TileAccess &access) {
            return access.buffer == buffer && access.isWrite;
          }))
        return true;
      continue;
    }
    if (isa<ViewLikeOpInterface>(user)) {
      if (llvm::any_of(user->getResults(), isWrittenByThreads))
        return true;
      continue;
    }
    if (auto effects = dyn_cast<MemoryEffectOpInterface>(user))
      if (effects.getEffectOnValue<MemoryEffects::Write>(buffer))
        return true;
  }
  return false;
}

/// Orders what threads wrote to the copy's global buffer before the copy, which
/// goes through another proxy (PTX ISA, "Async proxy").
static void fenceGlobal(KernelLowering &lowering, BlockArgument argument) {
  KernelOp kernel = lowering.kernel;
  bool isWritten = isWrittenByThreads(argument);
  if (kernel.mayAlias(argument.getArgNumber()))
    for (unsigned i = 0; i < kernel.getNumKernelArguments(); ++i)
      if (isa<MemRefType>(kernel.getKernelArgument(i).getType()) &&
          kernel.mayAlias(i))
        isWritten |= isWrittenByThreads(kernel.getKernelArgument(i));
  if (isWritten)
    lowering.inlineAsm(TypeRange(), "fence.proxy.async.global;", "~{memory}",
                       {});
}

static Value bytePointer(KernelLowering &lowering, Value base, Value offset,
                         int64_t constant) {
  auto &b = lowering.builder;
  Value pointer = base;
  if (offset)
    pointer = LLVM::GEPOp::create(b, base.getType(), b.getI8Type(), pointer,
                                  ArrayRef<LLVM::GEPArg>{offset});
  if (constant)
    pointer = LLVM::GEPOp::create(
        b, base.getType(), b.getI8Type(), pointer,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(constant)});
  return pointer;
}

/// The block's place in its cluster.
static Value blockRank(KernelLowering &lowering) {
  return NVVM::ClusterId::create(lowering.builder,
                                 lowering.builder.getI32Type());
}

/// Which part of a copy that is divided this thread is to move: its block's, or
/// its group's.
static Value partIndex(KernelLowering &lowering, TileMoveOpInterface copy) {
  int64_t groups = copy.getNumGroups();
  return groups > 1 ? lowering.groupId(groups) : blockRank(lowering);
}

/// The blocks that share a copy, all blocks of the cluster; null for one.
static Value multicastMask(KernelLowering &lowering, int64_t parts) {
  if (parts == 1)
    return {};
  return arith::ConstantIntOp::create(lowering.builder,
                                      lowering.builder.getIntegerType(16),
                                      (int64_t(1) << parts) - 1);
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
  inOneThread(
      lowering,
      [&] {
        issue();
        NVVM::CpAsyncBulkCommitGroupOp::create(b);
        if (!copy.isAsync())
          NVVM::CpAsyncBulkWaitGroupOp::create(b, 0, /*read=*/nullptr);
      },
      copy.getNumGroups());
  if (!copy.isAsync())
    lowering.barrier();
}

//===----------------------------------------------------------------------===//
// Tensor copies
//===----------------------------------------------------------------------===//

namespace {
/// Everything both directions need of one copy.
struct CopyParts {
  TileMoveOpInterface copy;
  bool isLoad;
  BlockArgument argument;
  GlobalBuffer global;
  SharedBuffer shared;
  OperandRange globalOffsets;
  SmallVector<int64_t> globalExtents;
};
} // namespace

/// Whether the global buffer turned out to be empty: it has no tensor map then,
/// and the launcher passes one of extent 1 instead. Null where it cannot be.
static Value isEmpty(KernelLowering &lowering, const GlobalBuffer &global) {
  auto &b = lowering.builder;
  Value empty;
  for (auto [size, known] : llvm::zip(global.sizes, global.staticSizes)) {
    if (!ShapedType::isDynamic(known))
      continue;
    Value none = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, size,
                                               lowering.i64(0));
    empty = empty ? b.createOrFold<arith::OrIOp>(empty, none) : none;
  }
  return empty;
}

/// First coordinates of the region in the order of the tensor map; null where
/// zero. Nothing of an empty buffer may be touched: the last coordinate then
/// lies so far outside that all of the region does.
static SmallVector<Value> firstCoordinates(KernelLowering &lowering,
                                           const CopyParts &parts,
                                           const TmaGeometry &geometry) {
  auto &b = lowering.builder;
  SmallVector<Value> first(geometry.order.size());
  for (auto [i, dim] : llvm::enumerate(geometry.order))
    if (!parts.globalOffsets.empty() &&
        !matchPattern(parts.globalOffsets[dim], m_Zero()))
      first[i] = lowering.toI32(parts.globalOffsets[dim]);
  if (geometry.parts > 1)
    first[geometry.partDim] = lowering.add(
        first[geometry.partDim],
        lowering.mulConst(partIndex(lowering, parts.copy), geometry.partStep));
  if (Value empty = isEmpty(lowering, parts.global)) {
    Value &last = first.back();
    int64_t extent = parts.globalExtents[geometry.order.back()];
    Value inside = last ? last : lowering.i32(0);
    last = b.createOrFold<arith::SelectOp>(
        empty, lowering.i32(-extent - geometry.box.back()), inside);
  }
  return first;
}

/// Calls `emit` with the shared address and the coordinates of each box that
/// this block moves.
static void forEachBox(KernelLowering &lowering, const CopyParts &parts,
                       const TmaGeometry &geometry,
                       llvm::function_ref<void(Value, ArrayRef<Value>)> emit) {
  SmallVector<Value> first = firstCoordinates(lowering, parts, geometry);
  Value base = parts.shared.base;
  if (geometry.parts > 1 && geometry.partBytes)
    base = bytePointer(
        lowering, base,
        lowering.mulConst(partIndex(lowering, parts.copy), geometry.partBytes),
        0);
  for (const TmaGeometry::Box &box : geometry.boxes) {
    SmallVector<Value> coords;
    for (auto [value, constant] : llvm::zip(first, box.coords))
      coords.push_back(lowering.addConst(value, constant));
    emit(bytePointer(lowering, base, Value(), box.sharedByte), coords);
  }
}

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
  Value map =
      lowering.tensorMap(mapOf(lowering, copy, parts.argument, *geometry));
  if (!parts.isLoad) {
    std::optional<AtomicKind> combining = copy.getCombining();
    finishStore(lowering, copy, [&] {
      fenceGlobal(lowering, parts.argument);
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
    });
    return success();
  }
  inOneThread(lowering, [&] {
    fenceGlobal(lowering, parts.argument);
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
    Value mask = isPair ? Value() : multicastMask(lowering, geometry->parts);
    forEachBox(lowering, parts, *geometry,
               [&](Value target, ArrayRef<Value> coords) {
                 NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
                     b, inCluster(lowering, target), map, coords, full,
                     /*im2colOffsets=*/ValueRange(), mask, policy,
                     NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false, group,
                     /*predicate=*/Value());
               });
  });
  return success();
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
  Type element = cast<MemRefType>(parts.argument.getType()).getElementType();
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
    shared = bytePointer(lowering, parts.shared.base, Value(),
                         parts.shared.layout.byteOffset(start));
    SmallVector<Value> uniform;
    for (Value offset : parts.globalOffsets)
      uniform.push_back(lowering.toI64(offset));
    global = lowering.globalAddress(parts.global, element, uniform, {}, {});
    if (count == 1)
      return;
    Value offset = lowering.mulConst(blockRank(lowering), part);
    shared = bytePointer(lowering, shared, offset, 0);
    global = bytePointer(lowering, global, offset, 0);
  };
  if (!parts.isLoad) {
    finishStore(lowering, copy, [&] {
      fenceGlobal(lowering, parts.argument);
      Value shared, global;
      addresses(shared, global);
      NVVM::CpAsyncBulkSharedCTAToGlobalOp::create(
          b, global, shared, lowering.i32(bytes), cachePolicy(lowering, copy),
          /*byteMask=*/Value());
    });
    return success();
  }
  inOneThread(lowering, [&] {
    fenceGlobal(lowering, parts.argument);
    expectBytes(lowering, slot->full, bytes);
    Value shared, global;
    addresses(shared, global);
    NVVM::CpAsyncBulkGlobalToSharedClusterOp::create(
        b, inCluster(lowering, shared), global, slot->full, lowering.i32(part),
        multicastMask(lowering, count), cachePolicy(lowering, copy));
  });
  return success();
}

LogicalResult tile::nvvm::lowerTmaCopy(KernelLowering &lowering,
                                       TileMoveOpInterface copy) {
  bool isLoad = isGlobal(copy.getSource());
  Value globalValue = isLoad ? copy.getSource() : copy.getTarget();
  Value sharedValue = isLoad ? copy.getTarget() : copy.getSource();
  auto elementOf = [](Value buffer) {
    return cast<MemRefType>(buffer.getType()).getElementType();
  };
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
  if (isLoad) {
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
  if (copy.getPlanAttr().getInstruction() == CopyInstruction::Bulk)
    return lowerBulk(lowering, copy, parts, slot);
  return lowerTensor(lowering, copy, parts, slot);
}
