//===- MathBuilder.cpp - arithmetic written as expressions ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "MathBuilder.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <cmath>

using namespace mlir;
using namespace mlir::tile;

static bool isFloat(Value value) { return isa<FloatType>(value.getType()); }

template <typename FloatOp, typename IntOp> static Num binary(Num a, Num b) {
  Value left = a, right = b;
  assert(left.getType() == right.getType() && "operands of different types");
  if (isFloat(left))
    return a.of(FloatOp::create(a.b(), left, right));
  return a.of(IntOp::create(a.b(), left, right));
}

unsigned Num::fractionBits() const {
  return cast<FloatType>(type()).getFPMantissaWidth() - 1;
}

IntegerType Num::intType() const { return builder->getIntegerType(width()); }

Num Num::like(double constant) const {
  if (auto floatType = dyn_cast<FloatType>(type()))
    return of(arith::ConstantOp::create(
        *builder, builder->getFloatAttr(floatType, constant)));
  return likeInt(static_cast<int64_t>(constant));
}

Num Num::likeInt(int64_t constant) const {
  return of(arith::ConstantOp::create(
      *builder, builder->getIntegerAttr(
                    intType(), APInt(width(), constant, false, true))));
}

Num tile::operator+(Num a, Num b) {
  return binary<arith::AddFOp, arith::AddIOp>(a, b);
}
Num tile::operator-(Num a, Num b) {
  return binary<arith::SubFOp, arith::SubIOp>(a, b);
}
Num tile::operator*(Num a, Num b) {
  return binary<arith::MulFOp, arith::MulIOp>(a, b);
}
Num tile::operator/(Num a, Num b) {
  return binary<arith::DivFOp, arith::DivSIOp>(a, b);
}
Num tile::operator-(Num a) {
  if (isFloat(a))
    return a.of(arith::NegFOp::create(a.b(), a));
  return a.likeInt(0) - a;
}
Num tile::operator&(Num a, Num b) {
  return a.of(arith::AndIOp::create(a.b(), a, b));
}
Num tile::operator|(Num a, Num b) {
  return a.of(arith::OrIOp::create(a.b(), a, b));
}
Num tile::operator^(Num a, Num b) {
  return a.of(arith::XOrIOp::create(a.b(), a, b));
}
Num tile::shl(Num a, Num amount) {
  return a.of(arith::ShLIOp::create(a.b(), a, amount));
}
Num tile::shrUnsigned(Num a, Num amount) {
  return a.of(arith::ShRUIOp::create(a.b(), a, amount));
}
Num tile::shl(Num a, unsigned amount) { return shl(a, a.likeInt(amount)); }
Num tile::shrUnsigned(Num a, unsigned amount) {
  return shrUnsigned(a, a.likeInt(amount));
}
Num tile::shrSigned(Num a, unsigned amount) {
  return a.of(arith::ShRSIOp::create(a.b(), a, a.likeInt(amount)));
}

static Num compare(Num a, Num b, arith::CmpFPredicate onFloats,
                   arith::CmpIPredicate onIntegers) {
  if (isFloat(a))
    return a.of(arith::CmpFOp::create(a.b(), onFloats, a, b));
  return a.of(arith::CmpIOp::create(a.b(), onIntegers, a, b));
}
Num tile::operator<(Num a, Num b) {
  return compare(a, b, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt);
}
Num tile::operator<=(Num a, Num b) {
  return compare(a, b, arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle);
}
Num tile::operator>(Num a, Num b) {
  return compare(a, b, arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt);
}
Num tile::operator>=(Num a, Num b) {
  return compare(a, b, arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge);
}
Num tile::equal(Num a, Num b) {
  return compare(a, b, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq);
}
Num tile::notEqual(Num a, Num b) {
  return compare(a, b, arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne);
}
Num tile::isNaN(Num a) { return notEqual(a, a); }
Num tile::unsignedLess(Num a, Num b) {
  return a.of(arith::CmpIOp::create(a.b(), arith::CmpIPredicate::ult, a, b));
}

Num tile::select(Num condition, Num yes, Num no) {
  return yes.of(arith::SelectOp::create(yes.b(), condition, yes, no));
}

Num tile::fma(Num a, Num b, Num c) {
  return a.of(math::FmaOp::create(a.b(), a, b, c));
}
Num tile::abs(Num a) { return a.of(math::AbsFOp::create(a.b(), a)); }
Num tile::sqrt(Num a) { return a.of(math::SqrtOp::create(a.b(), a)); }
Num tile::trunc(Num a) { return a.of(math::TruncOp::create(a.b(), a)); }
Num tile::copySign(Num a, Num b) {
  return a.of(math::CopySignOp::create(a.b(), a, b));
}

Num tile::mulSign(Num a, Num b) {
  Num sign = bits(b) & (int64_t(1) << (b.width() - 1));
  return fromBits(bits(a) ^ sign, a.type());
}

// max.NaN and min.NaN exist for f32; for f64 a comparison is cheaper than what
// LLVM makes of them.
Num tile::atMost(Num a, double high) {
  if (a.isDouble())
    return select(a > high, high, a);
  return a.of(arith::MinimumFOp::create(a.b(), a, a.like(high)));
}
Num tile::atLeast(Num a, double low) {
  if (a.isDouble())
    return select(a < low, low, a);
  return a.of(arith::MaximumFOp::create(a.b(), a, a.like(low)));
}
Num tile::clamp(Num a, double low, double high) {
  return atMost(atLeast(a, low), high);
}

Num tile::intrinsic(StringRef name, ArrayRef<Num> operands) {
  Num first = operands.front();
  SmallVector<Value> values(operands);
  auto call = LLVM::CallIntrinsicOp::create(
      first.b(), first.type(), first.b().getStringAttr(name), values);
  return first.of(call->getResult(0));
}
Num tile::saturate(Num a) { return intrinsic("llvm.nvvm.saturate.f", a); }
Num tile::fmaDown(Num a, double b, double c) {
  return intrinsic("llvm.nvvm.fma.rm.f", {a, a.like(b), a.like(c)});
}

Num tile::reciprocal(Num a) { return a.like(1.0) / a; }

Num tile::bits(Num a) {
  return a.of(arith::BitcastOp::create(a.b(), a.intType(), a));
}
Num tile::fromBits(Num a, Type floatType) {
  return a.of(arith::BitcastOp::create(a.b(), floatType, a));
}

Num tile::toFloat(Num a, Type type) {
  if (a.type() == type)
    return a;
  if (!isFloat(a))
    return a.of(arith::SIToFPOp::create(a.b(), type, a));
  if (a.width() < type.getIntOrFloatBitWidth())
    return a.of(arith::ExtFOp::create(a.b(), type, a, nullptr));
  return a.of(arith::TruncFOp::create(a.b(), type, a));
}
Num tile::signedTo(Num a, Type type) {
  if (a.width() == type.getIntOrFloatBitWidth())
    return a;
  if (a.width() < type.getIntOrFloatBitWidth())
    return a.of(arith::ExtSIOp::create(a.b(), type, a));
  return a.of(arith::TruncIOp::create(a.b(), type, a));
}
Num tile::unsignedTo(Num a, Type type) {
  if (a.width() < type.getIntOrFloatBitWidth())
    return a.of(arith::ExtUIOp::create(a.b(), type, a));
  return signedTo(a, type);
}

Num tile::quietNaN(Num like) { return like.like(std::nan("")); }
Num tile::infinity(Num like) { return like.like(HUGE_VAL); }

Num tile::polynomial(Num x, ArrayRef<double> coefficients) {
  Num sum = x.like(coefficients.back());
  for (double c : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, c);
  return sum;
}

Rounded tile::roundScaled(Num a, double scale) {
  double magic = std::ldexp(1.5, a.fractionBits());
  Num shifted = fma(a, scale, magic);
  return {shifted - magic, bits(shifted) - bits(a.like(magic))};
}

Num tile::powerOfTwo(Num n, Type floatType) {
  Num one = n.of(arith::ConstantOp::create(
      n.b(), n.b().getFloatAttr(cast<FloatType>(floatType), 1.0)));
  return fromBits(shl(n, one.fractionBits()) + bits(one), floatType);
}

Num tile::scale(Num a, Num n) {
  // Two factors, since 2^n itself need not be a number of the type. The first
  // product is exact, so the result is rounded once. A NaN survives both,
  // whatever n is then.
  Num half = shrSigned(n, 1);
  return a * powerOfTwo(half, a.type()) * powerOfTwo(n - half, a.type());
}

SmallVector<Value> tile::unpack(ImplicitLocOpBuilder &b, Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return {value};
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  SmallVector<Value> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    elements.push_back(
        vector::ExtractOp::create(b, value, delinearize(i, strides)));
  return elements;
}

Value tile::pack(ImplicitLocOpBuilder &b, Type type, ArrayRef<Value> elements) {
  auto vectorType = dyn_cast<VectorType>(type);
  if (!vectorType)
    return elements.front();
  return vector::FromElementsOp::create(b, vectorType, elements);
}

bool tile::isScalarOrFixedVector(Type type) {
  auto vectorType = dyn_cast<VectorType>(type);
  return vectorType ? !vectorType.isScalable() : !isa<ShapedType>(type);
}

Type tile::withShapeOf(Type like, Type element) {
  auto vectorType = dyn_cast<VectorType>(like);
  return vectorType ? Type(vectorType.clone(element)) : element;
}
