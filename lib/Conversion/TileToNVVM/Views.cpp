//===- Views.cpp - buffers that are views of others -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `memref.subview` and `memref.cast` of global memory: another first element,
// other extents and strides. What overhangs the view is handled as what
// overhangs an argument.
//
// `tile.from_address`: dense memory from there on. `tile.workspace`: the same
// of memory that the launcher provides.
//
// `tile.view`: the same bytes or registers under another shape, or other
// elements. `memref.subview` of a tile in shared memory: one of its slices.
//
//===----------------------------------------------------------------------===//
#include "Lowering.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tile/Analysis/Divisibility.h"
#include "tile/Dialect/Tile/IR/Addresses.h"
#include "tile/Layout/Reshape.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

static Value asI64(KernelLowering &lowering, OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return lowering.i64(*constant);
  return lowering.toI64(cast<Value>(value));
}

/// What the type of the view states, and analyses know of it.
static void stateFacts(KernelLowering &lowering, Value view,
                       GlobalBuffer &buffer) {
  auto type = cast<MemRefType>(view.getType());
  int64_t offset;
  buffer.staticStrides.clear();
  (void)type.getStridesAndOffset(buffer.staticStrides, offset);
  buffer.staticSizes = llvm::to_vector(type.getShape());
  buffer.strideDivisors.clear();
  buffer.sizeDivisors.clear();
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!type.isDynamicDim(d))
      buffer.sizes[d] = lowering.i64(type.getDimSize(d));
    if (!ShapedType::isDynamic(buffer.staticStrides[d]))
      buffer.strides[d] = lowering.i64(buffer.staticStrides[d]);
    buffer.strideDivisors.push_back(strideDivisor(view, d));
    buffer.sizeDivisors.push_back(sizeDivisor(view, d));
  }
}

static LogicalResult lowerCast(KernelLowering &lowering, Operation *op) {
  auto view = cast<memref::CastOp>(op);
  FailureOr<GlobalBuffer> buffer = lowering.global(view.getSource(), op);
  if (failed(buffer))
    return failure();
  stateFacts(lowering, view.getResult(), *buffer);
  lowering.globals[view.getResult()] = *buffer;
  return success();
}

/// A slice of a tile: so many slices behind the tile's begin. Columns begin
/// where their first element is.
static LogicalResult lowerSlice(KernelLowering &lowering,
                                memref::SubViewOp slice) {
  auto source = lowering.shared(slice.getSource(), slice);
  if (failed(source))
    return failure();
  MemRefType type = slice.getType();
  auto layout = viewed(source->layout, type.getShape(),
                       getStorageBits(type.getElementType()));
  if (!layout)
    return slice.emitOpError()
           << "expected a layout that slices have: " << layout.reason();
  if (isColumns(slice)) {
    int64_t begin = source->layout.byteOffset(slice.getStaticOffsets());
    lowering.shareds[slice.getResult()] = {
        lowering.bytePointer(source->base, Value(), begin), *layout};
    return success();
  }
  Value number = lowering.i32(0);
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  for (auto [d, offset] : llvm::enumerate(slice.getMixedOffsets())) {
    if (!dropped.test(d))
      break;
    std::optional<int64_t> constant = getConstantIntValue(offset);
    Value index = constant ? lowering.i32(*constant)
                           : lowering.toI32(cast<Value>(offset));
    number = lowering.add(
        lowering.mul(number, lowering.i32(slice.getSourceType().getDimSize(d))),
        index);
  }
  Value bytes = lowering.mul(
      number, lowering.i32(sliceStride(source->layout, type.getShape())));
  Value base = LLVM::GEPOp::create(lowering.builder, source->base.getType(),
                                   lowering.builder.getI8Type(), source->base,
                                   ArrayRef<LLVM::GEPArg>{bytes});
  lowering.shareds[slice.getResult()] = {base, *layout};
  return success();
}

static LogicalResult lowerSubview(KernelLowering &lowering, Operation *op) {
  auto view = cast<memref::SubViewOp>(op);
  if (isShared(view.getResult()))
    return lowerSlice(lowering, view);
  FailureOr<GlobalBuffer> source = lowering.global(view.getSource(), op);
  if (failed(source))
    return failure();
  int64_t bits = getStorageBits(view.getType().getElementType());
  if (bits % 8)
    return op->emitOpError() << "expected elements of whole bytes, got "
                             << view.getType().getElementType();
  GlobalBuffer part;
  Value first = lowering.i64(0);
  llvm::SmallBitVector dropped = view.getDroppedDims();
  for (auto [d, offset, size, step] :
       llvm::enumerate(view.getMixedOffsets(), view.getMixedSizes(),
                       view.getMixedStrides())) {
    Value stride = source->strides[d];
    first = lowering.add(first, lowering.mul(asI64(lowering, offset), stride));
    if (dropped.test(d))
      continue;
    part.sizes.push_back(asI64(lowering, size));
    part.strides.push_back(lowering.mul(asI64(lowering, step), stride));
  }
  part.pointer = LLVM::GEPOp::create(
      lowering.builder, source->pointer.getType(), lowering.builder.getI8Type(),
      source->pointer,
      ArrayRef<LLVM::GEPArg>{lowering.mul(first, lowering.i64(bits / 8))});
  part.alignment = knownAlignment(view.getResult());
  stateFacts(lowering, view.getResult(), part);
  lowering.globals[view.getResult()] = part;
  return success();
}

/// Memory from `pointer` on, row-major; `dynamic` are its dynamic extents.
static void bindDense(KernelLowering &lowering, Value result, Value pointer,
                      int64_t alignment, ValueRange dynamic) {
  auto type = cast<MemRefType>(result.getType());
  GlobalBuffer buffer;
  buffer.pointer = pointer;
  buffer.alignment = alignment;
  for (int64_t size : type.getShape()) {
    buffer.sizes.push_back(ShapedType::isDynamic(size)
                               ? lowering.toI64(dynamic.front())
                               : lowering.i64(size));
    if (ShapedType::isDynamic(size))
      dynamic = dynamic.drop_front();
  }
  buffer.strides.resize(type.getRank());
  Value stride = lowering.i64(1);
  for (int64_t d = type.getRank(); d-- > 0;) {
    buffer.strides[d] = stride;
    stride = lowering.mul(stride, buffer.sizes[d]);
  }
  stateFacts(lowering, result, buffer);
  lowering.globals[result] = buffer;
}

static Type globalPointer(KernelLowering &lowering) {
  return LLVM::LLVMPointerType::get(lowering.builder.getContext(), 1);
}

static LogicalResult lowerFromAddress(KernelLowering &lowering,
                                      FromAddressOp op) {
  Value pointer = LLVM::IntToPtrOp::create(
      lowering.builder, globalPointer(lowering), op.getAddress());
  bindDense(lowering, op.getResult(), pointer, getAlignment(op), op.getSizes());
  return success();
}

/// A parameter that the launcher sets. Other blocks write there, too, so it is
/// not `noalias`.
static LogicalResult lowerWorkspace(KernelLowering &lowering, WorkspaceOp op) {
  auto &b = lowering.builder;
  NamedAttribute alignment =
      b.getNamedAttr(LLVM::LLVMDialect::getAlignAttrName(),
                     b.getI64IntegerAttr(kWorkspaceAlignment));
  Value pointer = lowering.addParameter(globalPointer(lowering), alignment);
  lowering.manifest->params.push_back(
      runtime::ParamSpec::workspace(op.getBytesPerBlock(), op.getZeroed()));
  Type i32 = b.getI32Type();
  Value blocks = lowering.mul(lowering.mul(NVVM::GridDimXOp::create(b, i32),
                                           NVVM::GridDimYOp::create(b, i32)),
                              NVVM::GridDimZOp::create(b, i32));
  Value entries = lowering.toIndex(
      lowering.mul(lowering.toI64(blocks), lowering.i64(op.getPerBlock())));
  bindDense(lowering, op.getResult(), pointer, kWorkspaceAlignment, entries);
  return success();
}

/// Dense memory, of which the first extent of either may be dynamic.
static LogicalResult lowerGlobalView(KernelLowering &lowering, ViewOp view) {
  FailureOr<GlobalBuffer> source = lowering.global(view.getSource(), view);
  if (failed(source))
    return failure();
  auto from = cast<MemRefType>(view.getSource().getType());
  auto to = cast<MemRefType>(view.getType());
  GlobalBuffer seen;
  seen.pointer = source->pointer;
  seen.alignment = source->alignment;
  int64_t stride = 1;
  for (int64_t d = to.getRank(); d-- > 0;) {
    seen.strides.insert(seen.strides.begin(), lowering.i64(stride));
    if (!to.isDynamicDim(d))
      stride *= to.getDimSize(d);
  }
  // What is left for a dynamic extent.
  Value bits = lowering.i64(getStorageBits(from.getElementType()));
  for (Value size : source->sizes)
    bits = lowering.mul(bits, size);
  for (int64_t d = 0; d < to.getRank(); ++d)
    seen.sizes.push_back(
        to.isDynamicDim(d)
            ? lowering.builder.createOrFold<arith::DivUIOp>(
                  bits,
                  lowering.i64(stride * getStorageBits(to.getElementType())))
            : lowering.i64(to.getDimSize(d)));
  stateFacts(lowering, view.getResult(), seen);
  lowering.globals[view.getResult()] = seen;
  return success();
}

/// `layout` as the view sees it, or an error.
template <typename LayoutT>
static FailureOr<LayoutT> requireForm(ViewOp view, OrRefusal<LayoutT> layout) {
  if (layout)
    return *layout;
  return view.emitOpError()
         << "expected a layout that both shapes have: " << layout.reason();
}

static LogicalResult lowerView(KernelLowering &lowering, ViewOp view) {
  Operation *op = view;
  auto to = cast<MemRefType>(view.getType());
  if (isGlobal(view.getResult()))
    return lowerGlobalView(lowering, view);
  if (isFragment(view.getResult())) {
    auto source = lowering.fragment(view.getSource(), op);
    if (failed(source))
      return failure();
    auto layout = requireForm(view, reshaped(source->layout, to.getShape()));
    if (failed(layout))
      return failure();
    lowering.fragments[view.getResult()] = {source->registers, *layout,
                                            source->isInLocalMemory};
    return success();
  }
  auto source = lowering.shared(view.getSource(), op);
  if (failed(source))
    return failure();
  auto layout =
      requireForm(view, reshaped(source->layout, to.getShape(),
                                 getStorageBits(to.getElementType())));
  if (failed(layout))
    return failure();
  lowering.shareds[view.getResult()] = {source->base, *layout};
  return success();
}

void tile::nvvm::registerViewLowerings(Registry &registry) {
  registry.add<FromAddressOp>(lowerFromAddress);
  registry.add<WorkspaceOp>(lowerWorkspace);
  registry.add<memref::CastOp>(lowerCast);
  registry.add<memref::SubViewOp>(lowerSubview);
  registry.add<ViewOp>(lowerView);
}
