//===- Places.cpp - places of elements across loops -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Places.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mlir::tile;

/// At two registers for each address, half of what a thread has.
static constexpr int64_t kManyAccesses = 48;

/// Whether a loop stands in `outer` that `op` is not part of.
static bool hasLoopBeside(LoopLikeOpInterface outer, Operation *op) {
  return outer
      ->walk([&](LoopLikeOpInterface inner) {
        bool isBeside = inner != outer && !inner->isAncestor(op);
        return isBeside ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool tile::nvvm::standsBesideLoop(Operation *op) {
  for (auto outer = op->getParentOfType<LoopLikeOpInterface>(); outer;
       outer = outer->getParentOfType<LoopLikeOpInterface>())
    if (hasLoopBeside(outer, op))
      return true;
  return false;
}

bool tile::nvvm::hasManyAddresses(Operation *op, Value buffer,
                                  int64_t accesses) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  return accesses >= kManyAccesses &&
         op->getParentOfType<LoopLikeOpInterface>() &&
         succeeded(type.getStridesAndOffset(strides, offset)) &&
         llvm::all_of(strides, ShapedType::isDynamic);
}
