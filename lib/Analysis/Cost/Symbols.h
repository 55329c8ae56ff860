//===- Symbols.h - what index values are in any problem ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to the cost model: a kernel's index values as expressions over the
// sizes of its arguments, where Numbers has numbers for given sizes.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_ANALYSIS_COST_SYMBOLS_H
#define TILE_LIB_ANALYSIS_COST_SYMBOLS_H

#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Runtime/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace mlir::tile::cost {

/// Expressions of index values, for the block in the middle of the grid.
class Symbols {
public:
  explicit Symbols(KernelOp kernel) : kernel(kernel) {}

  void set(Value value, runtime::Expr expr) { known[value] = expr; }
  /// Nothing where the launcher cannot compute it.
  std::optional<runtime::Expr> of(Value value);
  /// The trips of a loop from `lower` to `upper` by `step`.
  std::optional<runtime::Expr> trips(Value lower, Value upper, Value step);

private:
  std::optional<runtime::Expr> compute(Value value);

  KernelOp kernel;
  llvm::DenseMap<Value, std::optional<runtime::Expr>> known;
};

} // namespace mlir::tile::cost
#endif // TILE_LIB_ANALYSIS_COST_SYMBOLS_H
