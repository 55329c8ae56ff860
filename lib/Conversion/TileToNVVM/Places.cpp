//===- Places.cpp - places of elements across loops -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Places.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mlir::tile;

/// With fewer, most places are constants beside a register or two.
static constexpr int64_t kManyElements = 64;
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

bool tile::nvvm::recomputesPlaces(Operation *op, int64_t elements,
                                  int64_t accesses) {
  auto outer = op->getParentOfType<LoopLikeOpInterface>();
  if (outer && accesses >= kManyAccesses)
    return true;
  if (elements >= kManyElements)
    for (; outer; outer = outer->getParentOfType<LoopLikeOpInterface>())
      if (hasLoopBeside(outer, op))
        return true;
  return false;
}
