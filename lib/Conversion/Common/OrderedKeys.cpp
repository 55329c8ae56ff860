//===- OrderedKeys.cpp - numbers as integers that sort alike --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Conversion/OrderedKeys.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tile/Conversion/ElementCast.h"

using namespace mlir;
using namespace mlir::tile;

static Value constant(OpBuilder &b, Location loc, Type type,
                      const APInt &value) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

Value tile::orderedKey(OpBuilder &b, Location loc, Value value, bool isUnsigned,
                       bool descending) {
  Type type = value.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(bits);
  Value sign = constant(b, loc, integer, APInt::getSignMask(bits));
  Value ones = constant(b, loc, integer, APInt::getAllOnes(bits));
  Value key = value;
  if (isa<FloatType>(type)) {
    Value wide = bits < 32 ? castElement(b, loc, value, b.getF32Type()) : value;
    Value isNan =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, wide, wide);
    key = arith::BitcastOp::create(b, loc, integer, value);
    Value zero = constant(b, loc, integer, APInt::getZero(bits));
    Value isNegative =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, key, zero);
    Value flipped = arith::SelectOp::create(b, loc, isNegative, ones, sign);
    key = arith::XOrIOp::create(b, loc, key, flipped);
    key = arith::SelectOp::create(b, loc, isNan, ones, key);
  } else if (!isUnsigned) {
    key = arith::XOrIOp::create(b, loc, key, sign);
  }
  return descending ? arith::XOrIOp::create(b, loc, key, ones) : key;
}

Value tile::numberOfKey(OpBuilder &b, Location loc, Value key, Type type,
                        bool isUnsigned, bool descending) {
  Type integer = key.getType();
  unsigned bits = integer.getIntOrFloatBitWidth();
  Value sign = constant(b, loc, integer, APInt::getSignMask(bits));
  Value ones = constant(b, loc, integer, APInt::getAllOnes(bits));
  if (descending)
    key = arith::XOrIOp::create(b, loc, key, ones);
  if (!isa<FloatType>(type))
    return isUnsigned ? key : arith::XOrIOp::create(b, loc, key, sign);
  Value zero = constant(b, loc, integer, APInt::getZero(bits));
  Value hadNoSign =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, key, zero);
  Value flipped = arith::SelectOp::create(b, loc, hadNoSign, sign, ones);
  key = arith::XOrIOp::create(b, loc, key, flipped);
  return arith::BitcastOp::create(b, loc, type, key);
}
