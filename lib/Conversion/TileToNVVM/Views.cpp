//===- Views.cpp - parts of arguments as buffers of their own -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `memref.subview` and `memref.cast` of global memory: another first element,
// other extents and strides. What overhangs the view is handled as what
// overhangs an argument. Nothing is promised of a view's alignment.
//
//===----------------------------------------------------------------------===//
#include "Lowering.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tile/Analysis/Divisibility.h"

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

static LogicalResult lowerSubview(KernelLowering &lowering, Operation *op) {
  auto view = cast<memref::SubViewOp>(op);
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
  part.alignment = bits / 8;
  stateFacts(lowering, view.getResult(), part);
  lowering.globals[view.getResult()] = part;
  return success();
}

void tile::nvvm::registerViewLowerings(Registry &registry) {
  registry.add<memref::CastOp>(lowerCast);
  registry.add<memref::SubViewOp>(lowerSubview);
}
