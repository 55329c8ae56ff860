//===- ElementCast.cpp - conversion of elements between types -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Conversion/ElementCast.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

/// `type` with the shape of `like`.
static Type withShapeOf(Type like, Type type) {
  if (auto shaped = dyn_cast<VectorType>(like))
    return shaped.clone(type);
  return type;
}

static Value zeroOf(OpBuilder &builder, Location loc, Type type) {
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

static Value castFloat(OpBuilder &builder, Location loc, Value value,
                       FloatType from, FloatType to) {
  unsigned fromBits = from.getWidth(), toBits = to.getWidth();
  Type shaped = withShapeOf(value.getType(), to);
  // Formats of less than 32 bits hold different sets of numbers (f16 and bf16,
  // the two of fp8): f32 holds them all, so going through it rounds once.
  // f16 holds all of fp8 and fp4.
  bool isHeld = to.isF16() &&
                (isa<Float8E4M3FNType, Float8E5M2Type, Float4E2M1FNType>(from));
  bool small = fromBits < 32 && toBits < 32 && !isHeld;
  if (small) {
    Value wide = arith::ExtFOp::create(
        builder, loc, withShapeOf(value.getType(), builder.getF32Type()),
        value);
    return arith::TruncFOp::create(builder, loc, shaped, wide);
  }
  if (fromBits < toBits)
    return arith::ExtFOp::create(builder, loc, shaped, value);
  return arith::TruncFOp::create(builder, loc, shaped, value);
}

Value tile::castElement(OpBuilder &builder, Location loc, Value value,
                        Type type) {
  type = getElementTypeOrSelf(type);
  Type from = getElementTypeOrSelf(value.getType());
  if (from == type)
    return value;
  Type shaped = withShapeOf(value.getType(), type);

  auto fromFloat = dyn_cast<FloatType>(from);
  auto toFloat = dyn_cast<FloatType>(type);
  if (fromFloat && toFloat)
    return castFloat(builder, loc, value, fromFloat, toFloat);

  if (fromFloat) {
    if (type.isInteger(1))
      return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE,
                                   value,
                                   zeroOf(builder, loc, value.getType()));
    if (type.isIndex()) {
      Value wide = castElement(builder, loc, value, builder.getI64Type());
      return arith::IndexCastOp::create(builder, loc, shaped, wide);
    }
    return arith::FPToSIOp::create(builder, loc, shaped, value);
  }

  if (toFloat) {
    if (from.isIndex())
      value = arith::IndexCastOp::create(
          builder, loc, withShapeOf(value.getType(), builder.getI64Type()),
          value);
    if (from.isInteger(1))
      return arith::UIToFPOp::create(builder, loc, shaped, value);
    return arith::SIToFPOp::create(builder, loc, shaped, value);
  }

  if (type.isInteger(1))
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                                 zeroOf(builder, loc, value.getType()));
  if (from.isIndex() || type.isIndex()) {
    if (from.isInteger(1))
      return arith::IndexCastUIOp::create(builder, loc, shaped, value);
    return arith::IndexCastOp::create(builder, loc, shaped, value);
  }
  unsigned fromBits = from.getIntOrFloatBitWidth();
  unsigned toBits = type.getIntOrFloatBitWidth();
  if (from.isInteger(1))
    return arith::ExtUIOp::create(builder, loc, shaped, value);
  if (fromBits < toBits)
    return arith::ExtSIOp::create(builder, loc, shaped, value);
  return arith::TruncIOp::create(builder, loc, shaped, value);
}
