//===- Im2col.cpp - where the pixels of a convolution lie -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Im2col.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

Im2colPixels::Im2colPixels(KernelLowering &lowering, Im2colOp op,
                           const GlobalBuffer &source)
    : lowering(lowering), op(op) {
  auto &b = lowering.builder;
  Value zero = lowering.i64(0), one = lowering.i64(1);
  total = source.sizes.front();
  int64_t known = source.staticSizes.front();
  for (unsigned i = 0, e = op.getNumSpatial(); i < e; ++i) {
    int64_t size = source.staticSizes[i + 1];
    Value count;
    if (!ShapedType::isDynamic(size)) {
      count = lowering.i64(op.getNumOutputs(i, size));
    } else {
      int64_t room = op.getPadLower(i) + op.getPadUpper(i) - 1 -
                     op.getDilation(i) * (op.getKernel()[i] - 1);
      Value last = lowering.addConst(source.sizes[i + 1], room);
      Value some =
          b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge, last, zero);
      count =
          b.createOrFold<arith::DivUIOp>(last, lowering.i64(op.getStride(i)));
      count = lowering.add(count, one);
      count = b.createOrFold<arith::SelectOp>(some, count, zero);
    }
    total = lowering.mul(total, count);
    // A divisor, which LLVM moves out of loops only if it is not zero.
    outputs.push_back(b.createOrFold<arith::MaxSIOp>(count, one));
    int64_t product = 0;
    bool fits = !ShapedType::isDynamic(known) && !ShapedType::isDynamic(size) &&
                !llvm::MulOverflow(known, op.getNumOutputs(i, size), product);
    known = fits ? product : ShapedType::kDynamic;
  }
  isNarrow = !ShapedType::isDynamic(known) &&
             known <= std::numeric_limits<int32_t>::max() - kMaxTileElements;
}

Im2colPixels::Place Im2colPixels::place(Value pixel) {
  auto &b = lowering.builder;
  auto narrow = [&](Value value) {
    return isNarrow ? lowering.toI32(value) : value;
  };
  Place place;
  place.position.resize(outputs.size());
  Value left = narrow(pixel);
  for (unsigned i = outputs.size(); i-- > 0;) {
    Value count = narrow(outputs[i]);
    Value at = lowering.toI64(b.createOrFold<arith::RemUIOp>(left, count));
    left = b.createOrFold<arith::DivUIOp>(left, count);
    place.position[i] = lowering.addConst(
        lowering.mulConst(at, op.getStride(i)), -op.getPadLower(i));
  }
  place.image = lowering.toI64(left);
  return place;
}

Value Im2colPixels::exists(Value pixel) {
  return lowering.builder.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt,
                                                      pixel, total);
}

Value Im2colPixels::isEmpty() {
  Value empty = lowering.builder.createOrFold<arith::CmpIOp>(
      arith::CmpIPredicate::sle, total, lowering.i64(0));
  return matchPattern(empty, m_Zero()) ? Value() : empty;
}

Value Im2colPixels::reach(unsigned spatial) {
  return lowering.mulConst(lowering.toI64(op.getFilter()[spatial]),
                           op.getDilation(spatial));
}
