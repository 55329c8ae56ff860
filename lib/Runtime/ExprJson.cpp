//===- ExprJson.cpp - Expressions as JSON ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ExprJson.h"

using namespace mlir::tile::runtime;

Json mlir::tile::runtime::toJson(const Expr &expr) {
  switch (expr.kind()) {
  case Expr::Kind::Constant:
    return expr.value();
  case Expr::Kind::Dim:
  case Expr::Kind::Stride:
    return Json::array({Expr::spelling(expr.kind()), expr.arg(), expr.dim()});
  case Expr::Kind::Scalar:
    return Json::array({Expr::spelling(expr.kind()), expr.arg()});
  default: {
    Json array = Json::array();
    array.push_back(Expr::spelling(expr.kind()));
    array.push_back(toJson(expr.lhs()));
    array.push_back(toJson(expr.rhs()));
    return array;
  }
  }
}

static Expr readExpr(const Json &value, const std::string &path, unsigned depth,
                     JsonErrors &errors) {
  int64_t number = 0;
  if (readInteger(value, number))
    return Expr(number);
  auto malformed = [&] {
    errors.report(path, "expected an expression: an integer, [\"dim\", "
                        "argument, dimension] or [operation, a, b]");
    return Expr();
  };
  if (depth > Expr::kMaxDepth) {
    errors.report(path, "expected an expression at most 64 deep");
    return Expr();
  }
  if (!value.is_array() || value.size() < 2 || value.size() > 3 ||
      !value[0].is_string())
    return malformed();
  const std::string &name = *value[0].get_ptr<const Json::string_t *>();
  auto index = [&](size_t position, int64_t &out) {
    return readInteger(value[position], out) && out >= 0 && out <= kMaxIndex;
  };
  int64_t arg = 0, dim = 0;
  if (name == "scalar")
    return value.size() == 2 && index(1, arg) ? Expr::scalar(unsigned(arg))
                                              : malformed();
  if (value.size() != 3)
    return malformed();
  if (name == "dim" || name == "stride") {
    if (!index(1, arg) || !index(2, dim))
      return malformed();
    return name == "dim" ? Expr::dim(unsigned(arg), unsigned(dim))
                         : Expr::stride(unsigned(arg), unsigned(dim));
  }
  Expr::Kind kind;
  if (!Expr::parseBinaryKind(name, kind)) {
    errors.report(path, "unknown operation '" + name + "' in an expression");
    return Expr();
  }
  Expr a = readExpr(value[1], path, depth + 1, errors);
  if (errors.any())
    return Expr();
  Expr b = readExpr(value[2], path, depth + 1, errors);
  if (errors.any())
    return Expr();
  return Expr::binary(kind, a, b);
}

Expr mlir::tile::runtime::readExpr(const Json &value, const std::string &path,
                                   JsonErrors &errors) {
  return ::readExpr(value, path, 1, errors);
}

std::vector<Expr> mlir::tile::runtime::readExprs(JsonObject &object,
                                                 const char *field, size_t max,
                                                 JsonErrors &errors) {
  std::vector<Expr> result;
  const Json *array = object.array(field, max);
  if (!array)
    return result;
  for (const Json &element : *array)
    if (!errors.any())
      result.push_back(
          readExpr(element, pathJoin(object.path(), field), errors));
  return result;
}
