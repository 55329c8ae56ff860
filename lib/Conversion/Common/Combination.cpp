//===- Combination.cpp - how reductions combine elements ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Conversion/Combination.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::tile;

Type Combination::workingType(Type element) {
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(element.getContext());
  return element;
}

TypedAttr Combination::identity(OpBuilder &builder, Type type) const {
  bool isMax = kind == ReduceKind::Max, isMin = kind == ReduceKind::Min;
  bool isProduct = kind == ReduceKind::Prod;
  if (auto floatType = dyn_cast<FloatType>(type)) {
    if (isProduct)
      return builder.getFloatAttr(type, 1.0);
    // Magnitudes are not negative: 0 for absmax.
    const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
    return builder.getFloatAttr(
        type, isMax || isMin ? APFloat::getInf(semantics, /*Negative=*/isMax)
                             : APFloat::getZero(semantics));
  }
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  APInt value(bits, isProduct ? 1 : 0);
  if (isMax && !isUnsigned)
    value = APInt::getSignedMinValue(bits);
  if (isMin)
    value =
        isUnsigned ? APInt::getMaxValue(bits) : APInt::getSignedMaxValue(bits);
  if (kind == ReduceKind::BitAnd)
    value = APInt::getAllOnes(bits);
  return builder.getIntegerAttr(type, value);
}

template <typename OpT>
static Value make(OpBuilder &builder, Location loc, Value x, Value y) {
  return OpT::create(builder, loc, x, y);
}

Value Combination::combine(OpBuilder &builder, Location loc, Value x,
                           Value y) const {
  bool isFloat = isa<FloatType>(x.getType());
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::AbsSum:
    return isFloat ? make<arith::AddFOp>(builder, loc, x, y)
                   : make<arith::AddIOp>(builder, loc, x, y);
  case ReduceKind::Prod:
    return isFloat ? make<arith::MulFOp>(builder, loc, x, y)
                   : make<arith::MulIOp>(builder, loc, x, y);
  case ReduceKind::Max:
  case ReduceKind::AbsMax:
    if (isFloat)
      return propagatesNan ? make<arith::MaximumFOp>(builder, loc, x, y)
                           : make<arith::MaxNumFOp>(builder, loc, x, y);
    return isUnsigned ? make<arith::MaxUIOp>(builder, loc, x, y)
                      : make<arith::MaxSIOp>(builder, loc, x, y);
  case ReduceKind::Min:
    if (isFloat)
      return propagatesNan ? make<arith::MinimumFOp>(builder, loc, x, y)
                           : make<arith::MinNumFOp>(builder, loc, x, y);
    return isUnsigned ? make<arith::MinUIOp>(builder, loc, x, y)
                      : make<arith::MinSIOp>(builder, loc, x, y);
  case ReduceKind::BitAnd:
    return make<arith::AndIOp>(builder, loc, x, y);
  case ReduceKind::BitOr:
    return make<arith::OrIOp>(builder, loc, x, y);
  case ReduceKind::BitXor:
    return make<arith::XOrIOp>(builder, loc, x, y);
  }
  llvm_unreachable("all kinds are listed");
}

Value Combination::magnitude(OpBuilder &builder, Location loc, Value x) const {
  if (kind != ReduceKind::AbsSum && kind != ReduceKind::AbsMax)
    return x;
  if (isa<FloatType>(x.getType()))
    return math::AbsFOp::create(builder, loc, x);
  return isUnsigned ? x : Value(math::AbsIOp::create(builder, loc, x));
}

bool Combination::ignoresNan(Type type) const {
  return isa<FloatType>(type) && !propagatesNan &&
         llvm::is_contained(
             {ReduceKind::Max, ReduceKind::Min, ReduceKind::AbsMax}, kind);
}

//===----------------------------------------------------------------------===//
// Combiner
//===----------------------------------------------------------------------===//

Combiner::Combiner(Combination kind, Type element)
    : kind(kind), types{Combination::workingType(element)} {}

Combiner::Combiner(Region &region, ValueRange neutral)
    : region(&region), neutralValues(neutral), types(neutral.getTypes()) {}

SmallVector<Value> Combiner::neutral(OpBuilder &builder, Location loc) const {
  if (!kind)
    return llvm::to_vector_of<Value>(neutralValues);
  return {arith::ConstantOp::create(builder, loc,
                                    kind->identity(builder, types.front()))};
}

SmallVector<Value> Combiner::combine(OpBuilder &builder, Location loc,
                                     ValueRange x, ValueRange y) const {
  if (kind)
    return {kind->combine(builder, loc, x.front(), y.front())};
  Block &body = region->front();
  IRMapping mapping;
  mapping.map(body.getArguments().take_front(x.size()), x);
  mapping.map(body.getArguments().drop_front(x.size()), y);
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

Value Combiner::prepare(OpBuilder &builder, Location loc, Value x) const {
  return kind ? kind->magnitude(builder, loc, x) : x;
}

Reduction::Reduction(ReduceOp op)
    : op(op), sources{op.getSource()}, targets{op.getTarget()},
      dim(op.getDim()), accumulates(op.getAccumulate()),
      combiner(Combination(op), getElementTypeOrSelf(op.getSource())) {}

Reduction::Reduction(ReduceWithOp op)
    : op(op), sources(op.getSources()), targets(op.getTargets()),
      dim(op.getDim()), accumulates(op.getAccumulate()),
      combiner(op.getCombiner(), op.getNeutral()) {}

Scan::Scan(ScanOp op)
    : op(op), sources{op.getSource()}, targets{op.getTarget()},
      dim(op.getDim()), isReverse(op.getReverse()),
      isExclusive(op.getExclusive()), layout(op.getLayoutAttr()),
      combiner(Combination(op), getElementTypeOrSelf(op.getSource())) {
  if (Value carry = op.getCarry())
    carries.push_back(carry);
}

Scan::Scan(ScanWithOp op)
    : op(op), sources(op.getSources()), targets(op.getTargets()),
      carries(op.getCarries()), dim(op.getDim()), isReverse(op.getReverse()),
      isExclusive(op.getExclusive()), layout(op.getLayoutAttr()),
      combiner(op.getCombiner(), op.getNeutral()) {}

arith::AtomicRMWKind tile::atomicKindOf(AtomicOp op, Type type) {
  bool isFloat = isa<FloatType>(type);
  switch (op.getKind()) {
  case AtomicKind::Add:
    return isFloat ? arith::AtomicRMWKind::addf : arith::AtomicRMWKind::addi;
  case AtomicKind::Max:
    return isFloat              ? arith::AtomicRMWKind::maxnumf
           : op.getIsUnsigned() ? arith::AtomicRMWKind::maxu
                                : arith::AtomicRMWKind::maxs;
  case AtomicKind::Min:
    return isFloat              ? arith::AtomicRMWKind::minnumf
           : op.getIsUnsigned() ? arith::AtomicRMWKind::minu
                                : arith::AtomicRMWKind::mins;
  }
  llvm_unreachable("all kinds are listed");
}
