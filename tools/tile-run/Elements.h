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

/// Whether two elements share a byte, the one with the even number in its low
/// half; and the bytes of so many elements in a row.
bool isPacked(Type type);
int64_t bytesOf(Type type, int64_t count);

/// Rounds to the element type (nearest even; fp8 saturates; integers are
/// truncated toward zero and wrap) and stores.
void storeElement(Type type, void *place, double value);
void storeInteger(Type type, void *place, int64_t value);

/// Stores to or compares element `number` of those that lie in a row. Threads
/// must not store packed elements of one byte at the same time.
void storeElementAt(Type type, char *data, int64_t number, double value);
void storeIntegerAt(Type type, char *data, int64_t number, int64_t value);
bool isSameElement(Type type, const char *one, const char *other,
                   int64_t number);

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
