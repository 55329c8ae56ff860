//===- MathBuilder.h - arithmetic written as expressions --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The expansions of --tile-expand-math are formulas; this header lets them be
// written as such. A `Num` is a scalar SSA value, float or integer, whose
// operators emit the arith or math op of its type. Nothing emitted carries
// fast-math flags: an expansion's error bound depends on the order of its
// operations.
//
// Every rounding step that matters is an explicit `fma`, so that a later
// contraction of the remaining products and sums cannot hurt.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_EXPANDMATH_MATHBUILDER_H
#define TILE_CONVERSION_EXPANDMATH_MATHBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tile {

/// A scalar under construction. A plain number on the right of an operator
/// becomes a constant of the left operand's type.
class Num {
public:
  Num(ImplicitLocOpBuilder &builder, Value value)
      : builder(&builder), value(value) {}

  operator Value() const { return value; }
  Type type() const { return value.getType(); }
  ImplicitLocOpBuilder &b() const { return *builder; }
  bool isDouble() const { return value.getType().isF64(); }
  unsigned width() const { return value.getType().getIntOrFloatBitWidth(); }
  /// Fraction bits of this float's type.
  unsigned fractionBits() const;
  /// The integer type of this value's width.
  IntegerType intType() const;

  /// A constant of this value's type.
  Num like(double constant) const;
  /// An integer constant of this value's width.
  Num likeInt(int64_t constant) const;
  Num of(Value other) const { return Num(*builder, other); }

  /// Chooses, of two spellings, the one for this value's type.
  template <typename T> T pick(T forF32, T forF64) const {
    return isDouble() ? forF64 : forF32;
  }

private:
  ImplicitLocOpBuilder *builder;
  Value value;
};

Num operator+(Num a, Num b);
Num operator-(Num a, Num b);
Num operator*(Num a, Num b);
Num operator/(Num a, Num b);
Num operator-(Num a);
Num operator&(Num a, Num b);
Num operator|(Num a, Num b);
Num operator^(Num a, Num b);
inline Num operator+(Num a, double b) { return a + a.like(b); }
inline Num operator-(Num a, double b) { return a - a.like(b); }
inline Num operator*(Num a, double b) { return a * a.like(b); }
inline Num operator&(Num a, int64_t b) { return a & a.likeInt(b); }
inline Num operator|(Num a, int64_t b) { return a | a.likeInt(b); }
inline Num operator^(Num a, int64_t b) { return a ^ a.likeInt(b); }
Num shl(Num a, unsigned bits);
Num shrSigned(Num a, unsigned bits);
Num shrUnsigned(Num a, unsigned bits);
Num shl(Num a, Num bits);
Num shrUnsigned(Num a, Num bits);

// Comparisons are ordered on floats (false on NaN), signed on integers.
Num operator<(Num a, Num b);
Num operator<=(Num a, Num b);
Num operator>(Num a, Num b);
Num operator>=(Num a, Num b);
Num equal(Num a, Num b);
/// True unless a equals b; on a NaN, true.
Num notEqual(Num a, Num b);
Num isNaN(Num a);
inline Num operator<(Num a, double b) { return a < a.like(b); }
inline Num operator<=(Num a, double b) { return a <= a.like(b); }
inline Num operator>(Num a, double b) { return a > a.like(b); }
inline Num operator>=(Num a, double b) { return a >= a.like(b); }
inline Num equal(Num a, double b) { return equal(a, a.like(b)); }
inline Num notEqual(Num a, double b) { return notEqual(a, a.like(b)); }
Num unsignedLess(Num a, Num b);

Num select(Num condition, Num yes, Num no);
inline Num select(Num condition, Num yes, double no) {
  return select(condition, yes, yes.like(no));
}
inline Num select(Num condition, double yes, Num no) {
  return select(condition, no.like(yes), no);
}

/// a * b + c with one rounding.
Num fma(Num a, Num b, Num c);
inline Num fma(Num a, double b, Num c) { return fma(a, a.like(b), c); }
inline Num fma(Num a, Num b, double c) { return fma(a, b, a.like(c)); }
inline Num fma(Num a, double b, double c) {
  return fma(a, a.like(b), a.like(c));
}
Num abs(Num a);
Num sqrt(Num a);
Num trunc(Num a);
/// Magnitude of a, sign of b.
Num copySign(Num a, Num b);
/// a with its sign flipped where b is negative (-0 included).
Num mulSign(Num a, Num b);
/// a, limited from one side or to [low, high]; a NaN stays.
Num atMost(Num a, double high);
Num atLeast(Num a, double low);
Num clamp(Num a, double low, double high);
/// What LLVM's intrinsic `name` makes of operands of one type, which is its
/// result's, too.
Num intrinsic(llvm::StringRef name, llvm::ArrayRef<Num> operands);
/// An f32, limited to [0, 1]; a NaN becomes 0.
Num saturate(Num a);
/// a * b + c of f32, rounded once, toward minus infinity.
Num fmaDown(Num a, double b, double c);
/// 1 / a, rounded once (PTX: rcp.rn, cheaper than a division).
Num reciprocal(Num a);

/// The float's bits as an integer of its width, and back.
Num bits(Num a);
Num fromBits(Num a, Type floatType);
/// Conversion between widths: floats by rounding, integers by sign or zero
/// extension or truncation. No-ops where the type fits already.
Num toFloat(Num a, Type floatType);
Num signedTo(Num a, Type type);
Num unsignedTo(Num a, Type type);

Num quietNaN(Num like);
Num infinity(Num like);

/// c[0] + x c[1] + x^2 c[2] + ... by Horner's rule in fma.
Num polynomial(Num x, llvm::ArrayRef<double> coefficients);

/// An integer n with 2^n near a number, given twice: the rounding to nearest
/// of a*scale, as a float and as an integer of the float's width.
struct Rounded {
  Num asFloat, asInt;
};
/// Rounds a*scale to the nearest integer, |a*scale| < 2^(fraction bits - 2),
/// by adding 1.5 * 2^fraction bits (the float's last bit is then the unit).
Rounded roundScaled(Num a, double scale);

/// 2^n for an integer n within the exponents of normal floats of `floatType`.
Num powerOfTwo(Num n, Type floatType);
/// a * 2^n with one rounding, |a| in [1/4, 4], for n beyond the range of the
/// type by at most half that range: underflow is gradual, overflow infinite.
Num scale(Num a, Num n);

/// The elements of a fixed-length vector, row-major; a scalar is its own.
SmallVector<Value> unpack(ImplicitLocOpBuilder &b, Value value);
/// The reverse, for a value of `type`.
Value pack(ImplicitLocOpBuilder &b, Type type, ArrayRef<Value> elements);
/// Whether `type` is a scalar or a vector of known length.
bool isScalarOrFixedVector(Type type);
/// `element` in the shape of `like`.
Type withShapeOf(Type like, Type element);

} // namespace mlir::tile
#endif // TILE_CONVERSION_EXPANDMATH_MATHBUILDER_H
