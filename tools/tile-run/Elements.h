//===- Elements.h - elements in memory and as numbers -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_TOOLS_TILE_RUN_ELEMENTS_H
#define TILE_TOOLS_TILE_RUN_ELEMENTS_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace mlir::tile::run {

/// Bytes of one element in memory: whole bytes, i1 and index included.
int64_t elementBytes(Type type);

/// Rounds to the element type (nearest even; fp8 saturates; integers are
/// truncated toward zero and wrap) and stores.
void storeElement(Type type, void *place, double value);
void storeInteger(Type type, void *place, int64_t value);

/// Exact, save for 64-bit integers beyond 2^53.
double loadElement(Type type, const void *place);

/// Decodes `count` elements that lie one after the other.
std::vector<double> loadElements(Type type, const void *data, size_t count);

/// `value` rounded to the type.
double roundTo(Type type, double value);

/// Half the distance between 1 and the next number; 0 for integers.
double unitRoundoff(Type type);

} // namespace mlir::tile::run
#endif // TILE_TOOLS_TILE_RUN_ELEMENTS_H
