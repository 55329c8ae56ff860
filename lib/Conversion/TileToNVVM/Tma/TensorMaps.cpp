//===- TensorMaps.cpp - what tensor copies need of the launcher -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps are parameters of the kernel: the manifest says what the launcher
// encodes them from, as a function of the arguments (docs/Artifact.md).
//
//===----------------------------------------------------------------------===//
#include "TmaCopy.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Analysis/TmaGeometry.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;
using runtime::Expr;

static bool isSame(const runtime::TensorMapSpec &a,
                   const runtime::TensorMapSpec &b) {
  return a.arg == b.arg && a.type == b.type && a.dims == b.dims &&
         a.strides == b.strides && a.box == b.box &&
         a.elementStrides == b.elementStrides && a.interleave == b.interleave &&
         a.swizzle == b.swizzle && a.l2 == b.l2 && a.fill == b.fill &&
         a.im2col == b.im2col;
}

Value KernelLowering::tensorMap(const runtime::TensorMapSpec &spec) {
  std::vector<runtime::TensorMapSpec> &maps = manifest->tensorMaps;
  for (auto [i, known] : llvm::enumerate(maps))
    if (isSame(known, spec))
      return tensorMaps[i];
  Type bytes =
      LLVM::LLVMArrayType::get(builder.getI8Type(), runtime::kTensorMapBytes);
  NamedAttribute attributes[] = {
      builder.getNamedAttr(LLVM::LLVMDialect::getByValAttrName(),
                           TypeAttr::get(bytes)),
      builder.getNamedAttr(LLVM::LLVMDialect::getAlignAttrName(),
                           builder.getI64IntegerAttr(runtime::kTensorMapAlign)),
      builder.getNamedAttr(NVVM::NVVMDialect::getGridConstantAttrName(),
                           builder.getUnitAttr())};
  tensorMaps.push_back(addParameter(
      LLVM::LLVMPointerType::get(builder.getContext()), attributes));
  manifest->params.push_back(
      runtime::ParamSpec::tensorMap(static_cast<unsigned>(maps.size())));
  maps.push_back(spec);
  return tensorMaps.back();
}

void tile::nvvm::prefetchTensorMaps(KernelLowering &lowering) {
  if (lowering.tensorMaps.empty())
    return;
  auto &b = lowering.builder;
  OpBuilder::InsertionGuard guard(b);
  // Behind the allocas: the branch ends LLVM's entry block, and allocas outside
  // of it do not become registers. Behind the warp's number, which elects.
  Operation *last = lowering.target.electsThreads()
                        ? lowering.uniformWarpId().getDefiningOp()
                        : nullptr;
  for (auto alloca : lowering.entry->getOps<LLVM::AllocaOp>())
    if (!last || last->isBeforeInBlock(alloca))
      last = alloca;
  if (last)
    b.setInsertionPointAfter(last);
  else
    b.setInsertionPointToStart(lowering.entry);
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

/// What a tensor map says of a convolution (PTX ISA, "im2col mode"): the box in
/// which the filter's first tap lies is the tensor, moved by its corners.
static void describeIm2col(Im2colOp op, const TmaGeometry &geometry,
                           runtime::TensorMapSpec &spec) {
  spec.im2col.channels = geometry.box[0];
  spec.im2col.pixels = geometry.box[1];
  spec.elementStrides.assign(op.getNumSpatial() + 2, 1);
  for (unsigned i = op.getNumSpatial(); i-- > 0;) {
    spec.im2col.lower.push_back(-op.getPadLower(i));
    spec.im2col.upper.push_back(op.getPadUpper(i) -
                                op.getDilation(i) * (op.getKernel()[i] - 1));
    spec.elementStrides[op.getNumSpatial() - i] = op.getStride(i);
  }
}

runtime::TensorMapSpec
tile::nvvm::describeTensorMap(KernelLowering &lowering,
                              TileMoveOpInterface move, BlockArgument argument,
                              const TmaGeometry &geometry) {
  auto type = cast<MemRefType>(argument.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)type.getStridesAndOffset(strides, offset);
  unsigned index = argument.getArgNumber();
  runtime::TensorMapSpec spec;
  spec.arg = index;
  spec.type = mapType(move, lowering.manifest->args[index].type);
  if (spec.type == runtime::ElementType::F32 &&
      lowering.roundedTiles.contains(move.getTarget()))
    spec.type = runtime::ElementType::TF32;
  int64_t units = geometry.elementsPerUnit;
  if (units > 1)
    spec.type = runtime::ElementType::UI8;
  int64_t bytes = runtime::storageBits(spec.type) / 8;
  SmallVector<unsigned> order = geometry.order;
  bool isIm2col = move.getAddressing() == MoveAddressing::Im2col;
  if (isIm2col)
    order = llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(type.getRank())));
  for (auto [i, dim] : llvm::enumerate(order)) {
    Expr size = type.isDynamicDim(dim) ? Expr::dim(index, dim)
                                       : Expr(type.getDimSize(dim));
    Expr stride = strideInBytes(type, strides, index, dim, bytes);
    if (units > 1)
      (i == 0 ? size : stride) = floorDiv(i == 0 ? size : stride, Expr(units));
    spec.dims.push_back(size);
    if (i != 0)
      spec.strides.push_back(stride);
  }
  if (isIm2col) {
    describeIm2col(cast<Im2colOp>(*move), geometry, spec);
  } else {
    spec.box.assign(geometry.box.begin(), geometry.box.end());
    spec.elementStrides.assign(geometry.box.size(), 1);
    // Four boxes of a row each are one copy.
    if (move.getAddressing() == MoveAddressing::Indexed)
      spec.box.back() = 1;
  }
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
