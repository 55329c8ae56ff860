//===- Places.h - places of elements across loops ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_LIB_CONVERSION_TILETONVVM_PLACES_H
#define TILE_LIB_CONVERSION_TILETONVVM_PLACES_H

#include "mlir/IR/Operation.h"

namespace mlir::tile::nvvm {

/// Whether the places of a thread's elements in `op`, `elements` of them moved
/// by `accesses`, would rather be computed again than kept in registers. What
/// follows from the thread's number alone is the same in each iteration of a
/// loop, and LLVM moves it in front. There it takes registers away from
///   - the rest of the loop, where addresses alone fill most of them: a copy
///     element by element along strides that are not known;
///   - a loop beside `op`, which runs much more often: `op` is the epilogue of
///   a
///     persistent kernel.
bool recomputesPlaces(Operation *op, int64_t elements, int64_t accesses);

} // namespace mlir::tile::nvvm

#endif // TILE_LIB_CONVERSION_TILETONVVM_PLACES_H
