//===- Symbols.cpp - what index values are in any problem -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Symbols.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "tile/Target/ManifestBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::cost;
using runtime::Expr;

/// Deeper expressions are given up: the manifest has a limit for all of one.
static constexpr unsigned kMaxDepth = 24;

std::optional<Expr> Symbols::of(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  std::optional<Expr> expr = compute(value);
  if (expr && expr->depth() > kMaxDepth)
    expr.reset();
  return known[value] = expr;
}

std::optional<Expr> Symbols::trips(Value lower, Value upper, Value step) {
  std::optional<Expr> from = of(lower), to = of(upper), by = of(step);
  if (!from || !to || !by)
    return std::nullopt;
  return Expr::binary(Expr::Kind::Max, Expr(0), ceilDiv(*to - *from, *by));
}

/// Sizes are not negative, so signed and unsigned division agree.
static std::optional<Expr::Kind> kindOf(Operation *op) {
  using Kind = std::optional<Expr::Kind>;
  return llvm::TypeSwitch<Operation *, Kind>(op)
      .Case<arith::AddIOp>([](auto) { return Expr::Kind::Add; })
      .Case<arith::SubIOp>([](auto) { return Expr::Kind::Sub; })
      .Case<arith::MulIOp>([](auto) { return Expr::Kind::Mul; })
      .Case<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(
          [](auto) { return Expr::Kind::FloorDiv; })
      .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>(
          [](auto) { return Expr::Kind::CeilDiv; })
      .Case<arith::RemUIOp, arith::RemSIOp>(
          [](auto) { return Expr::Kind::Mod; })
      .Case<arith::MinUIOp, arith::MinSIOp>(
          [](auto) { return Expr::Kind::Min; })
      .Case<arith::MaxUIOp, arith::MaxSIOp>(
          [](auto) { return Expr::Kind::Max; })
      .Default(Kind());
}

std::optional<Expr> Symbols::compute(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)) &&
      number.getSignificantBits() <= 64)
    return Expr(number.getSExtValue());
  if (auto dim = value.getDefiningOp<memref::DimOp>())
    if (auto type = dyn_cast<MemRefType>(dim.getSource().getType()))
      if (auto place = dim.getConstantIndex(); place && *place >= 0 &&
                                               *place < type.getRank() &&
                                               !type.isDynamicDim(*place))
        return Expr(type.getDimSize(*place));
  if (auto asked = launchExprOf(kernel, value))
    return asked;
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
          arith::ExtUIOp>(op))
    return of(op->getOperand(0));
  std::optional<Expr::Kind> kind = kindOf(op);
  if (!kind)
    return std::nullopt;
  std::optional<Expr> a = of(op->getOperand(0)), b = of(op->getOperand(1));
  if (!a || !b)
    return std::nullopt;
  return Expr::binary(*kind, *a, *b);
}
