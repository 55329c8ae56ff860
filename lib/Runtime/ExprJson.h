//===- ExprJson.h - Expressions as JSON -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How docs/Artifact.md spells an Expr: an integer, or an array that begins with
// the name of an operation.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_RUNTIME_EXPRJSON_H
#define TILE_LIB_RUNTIME_EXPRJSON_H

#include "JsonReader.h"
#include "tile/Runtime/Expr.h"

namespace mlir::tile::runtime {

/// The largest index of an argument, a dimension, a blob.
inline constexpr int64_t kMaxIndex = 1 << 20;

Json toJson(const Expr &expr);
Expr readExpr(const Json &value, const std::string &path, JsonErrors &errors);

template <typename List> Json exprsToJson(const List &exprs) {
  Json array = Json::array();
  for (const Expr &expr : exprs)
    array.push_back(toJson(expr));
  return array;
}
/// The expressions in the array `field`, at most `max` of them.
std::vector<Expr> readExprs(JsonObject &object, const char *field, size_t max,
                            JsonErrors &errors);

} // namespace mlir::tile::runtime

#endif // TILE_LIB_RUNTIME_EXPRJSON_H
