//===- Tunables.h - choosing what kernels leave open ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mechanics of choice: what a tunable may be, and the program that results
// from values. Which values are good is asked elsewhere (Analysis/CostModel.h).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_IR_TUNABLES_H
#define TILE_DIALECT_TILE_IR_TUNABLES_H

#include "tile/Dialect/Tile/IR/TileOps.h"
#include <optional>
#include <string>

namespace mlir::tile {

/// The most combinations of values that a kernel may have, unless it lists some
/// of them (`tile.versions`).
inline constexpr int64_t kMaxCombinations = 4096;

/// Whether a buffer is a tile whose extents a tunable leaves open.
bool isOpenTile(Value buffer);

/// Extents with those that are open replaced by one.
SmallVector<int64_t> closeExtents(ArrayRef<int64_t> extents);

/// Replaces the tunables of `kernel` by values, one per tunable: constants in
/// the body, static shapes of tiles, numbers in the header. Returns why that is
/// not possible (the kernel is then half done), or nothing. The result is as
/// unverified as the values are untested.
std::optional<std::string> substituteTunables(KernelOp kernel,
                                              ArrayRef<int64_t> values);

/// The number that a value is in a program without tunables, by folding.
std::optional<int64_t> foldToNumber(Value value);
/// The same from what `numberOf` says of the operands of its definition.
std::optional<int64_t>
foldToNumber(Value value,
             llvm::function_ref<std::optional<int64_t>(Value)> numberOf);

/// Reports an error at the first kernel that still has tunables. Passes that
/// run after `tile-choose-tunables` call it first.
LogicalResult requireChosen(ModuleOp module);

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_IR_TUNABLES_H
