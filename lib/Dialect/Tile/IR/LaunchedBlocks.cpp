//===- LaunchedBlocks.cpp - which blocks of a grid are needed -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Dialect/Tile/IR/LaunchedBlocks.h"

using namespace mlir;
using namespace mlir::tile;

/// Whether `expr` is a number of blocks; `depth` more levels are allowed.
static bool isExpression(KernelOp kernel, Attribute expr, unsigned depth) {
  if (auto number = dyn_cast<IntegerAttr>(expr))
    return number.getType().isInteger(64);
  auto parts = dyn_cast<ArrayAttr>(expr);
  if (!parts || parts.empty() || depth == 0)
    return false;
  auto name = dyn_cast<StringAttr>(parts[0]);
  if (!name)
    return false;
  auto index = [&](unsigned part, int64_t end) -> std::optional<int64_t> {
    auto number = dyn_cast<IntegerAttr>(parts[part]);
    if (!number || !number.getType().isInteger(64) || number.getInt() < 0 ||
        number.getInt() >= end)
      return std::nullopt;
    return number.getInt();
  };
  if (name == "dim" || name == "scalar") {
    bool isDim = name == "dim";
    if (parts.size() != (isDim ? 3 : 2))
      return false;
    std::optional<int64_t> argument = index(1, kernel.getNumKernelArguments());
    if (!argument)
      return false;
    Type type = kernel.getKernelArgument(*argument).getType();
    auto memref = dyn_cast<MemRefType>(type);
    return isDim ? memref && index(2, memref.getRank()) : type.isIntOrIndex();
  }
  return llvm::is_contained(
             {"add", "sub", "mul", "floordiv", "ceildiv", "mod", "min", "max"},
             name.getValue()) &&
         parts.size() == 3 && isExpression(kernel, parts[1], depth - 1) &&
         isExpression(kernel, parts[2], depth - 1);
}

LogicalResult tile::verifyLaunchedBlocks(Operation *op,
                                         NamedAttribute attribute) {
  constexpr unsigned kMostLevels = 32;
  auto kernel = dyn_cast<KernelOp>(op);
  auto blocks = dyn_cast<ArrayAttr>(attribute.getValue());
  if (kernel && blocks && blocks.size() == kernel.getGridRank() &&
      llvm::all_of(blocks, [&](Attribute expr) {
        return isExpression(kernel, expr, kMostLevels);
      }))
    return success();
  return op->emitOpError()
         << "expected '" << attribute.getName().getValue()
         << "' to be an expression for each dimension of a kernel's grid, of "
            "numbers, [\"dim\", argument, dimension], [\"scalar\", argument] "
            "and [operation, a, b], got "
         << attribute.getValue();
}
