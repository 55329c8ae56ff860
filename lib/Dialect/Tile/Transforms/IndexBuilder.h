//===- IndexBuilder.h - arithmetic on indices -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's ArithBuilder has neither quotients nor remainders, and folds nothing.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_DIALECT_TILE_TRANSFORMS_INDEXBUILDER_H
#define TILE_LIB_DIALECT_TILE_TRANSFORMS_INDEXBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace mlir::tile {

/// Builds arithmetic on indices where `builder` stands, and folds what is
/// known. What is divided is never negative.
class IndexBuilder {
public:
  IndexBuilder(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value x, Value y) {
    return matchPattern(x, m_Zero()) ? y : make<arith::AddIOp>(x, y);
  }
  Value sub(Value x, Value y) { return make<arith::SubIOp>(x, y); }
  Value mul(Value x, Value y) { return make<arith::MulIOp>(x, y); }
  Value div(Value x, Value y) { return make<arith::DivUIOp>(x, y); }
  Value ceilDiv(Value x, Value y) { return make<arith::CeilDivUIOp>(x, y); }
  Value rem(Value x, Value y) { return make<arith::RemUIOp>(x, y); }
  Value max(Value x, Value y) { return make<arith::MaxSIOp>(x, y); }
  Value min(Value x, Value y) { return make<arith::MinSIOp>(x, y); }
  Value less(Value x, Value y) {
    return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt,
                                               x, y);
  }
  Value equal(Value x, Value y) {
    return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, x,
                                               y);
  }
  Value select(Value condition, Value x, Value y) {
    return builder.createOrFold<arith::SelectOp>(loc, condition, x, y);
  }

protected:
  OpBuilder &builder;
  Location loc;

private:
  template <typename OpT> Value make(Value x, Value y) {
    return builder.createOrFold<OpT>(loc, x, y);
  }
};

} // namespace mlir::tile
#endif // TILE_LIB_DIALECT_TILE_TRANSFORMS_INDEXBUILDER_H
