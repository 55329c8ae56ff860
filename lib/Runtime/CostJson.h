//===- CostJson.h - What predicts a kernel's time, as JSON ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The field `cost` of a kernel (docs/Artifact.md).
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_RUNTIME_COSTJSON_H
#define TILE_LIB_RUNTIME_COSTJSON_H

#include "JsonReader.h"
#include "tile/Runtime/Prediction.h"

namespace mlir::tile::runtime {

/// Null where there is nothing to predict by.
Json toJson(const CostSpec &cost);
CostSpec readCost(const Json &value, const std::string &path,
                  JsonErrors &errors);

} // namespace mlir::tile::runtime

#endif // TILE_LIB_RUNTIME_COSTJSON_H
