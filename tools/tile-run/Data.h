//===- Data.h - what arguments hold -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the data of arguments, and the same as f64 for the reference. Data is a
// function of (fill, seed, element number) only: the same on every machine,
// whatever the element type rounds it to.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TOOLS_TILE_RUN_DATA_H
#define TILE_TOOLS_TILE_RUN_DATA_H

#include "Arguments.h"
#include "Buffer.h"

namespace mlir::tile::run {

/// The initial memory of every argument. Integers, which have no NaN, begin
/// with unlikely numbers instead, an i1 with a byte that is neither 0 nor 1.
/// Places between its elements, where strides leave some, have all bits set:
/// NaN in every float format. With `forCheck`, refuses sizes of which a
/// reference would not fit in memory.
llvm::Expected<Memory> fillArguments(ArrayRef<Argument> arguments,
                                     bool forCheck);

/// The same numbers, each float as an f64. `magnitudes` drops signs.
Memory widenMemory(ArrayRef<Argument> arguments, const Memory &memory,
                   bool magnitudes = false);

} // namespace mlir::tile::run
#endif // TILE_TOOLS_TILE_RUN_DATA_H
