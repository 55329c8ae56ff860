//===- FoldComparisons.cpp - comparisons that bounds decide ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs before layouts, in front of a canonicalization. A block's index is below
// the grid's extent, which is an expression of the arguments' extents: in a
// grid of `dim(%A, 0)` blocks the guard `%b < dim(%A, 0)` always holds. Guards
// of this kind come from front ends that guard every access whose index they
// cannot bound themselves; they keep loops from being copies, and cost
// registers and branches.
//
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "tile/Analysis/IndexOrder.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"

namespace mlir::tile {
#define GEN_PASS_DEF_FOLDCOMPARISONSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
struct FoldComparisonsPass
    : tile::impl::FoldComparisonsPassBase<FoldComparisonsPass> {
  void runOnOperation() override {
    if (failed(requireBefore(*this, getOperation(), {Need::Numbers})))
      return signalPassFailure();
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      IndexOrder order(kernel);
      SmallVector<arith::CmpIOp> comparisons;
      kernel.walk([&](arith::CmpIOp comparison) {
        Type type = comparison.getLhs().getType();
        if (type.isIndex() || type.isInteger(64))
          comparisons.push_back(comparison);
      });
      for (arith::CmpIOp comparison : comparisons)
        if (std::optional<bool> holds =
                order.decide(comparison.getPredicate(), comparison.getLhs(),
                             comparison.getRhs(), comparison)) {
          OpBuilder builder(comparison);
          comparison.replaceAllUsesWith(
              arith::ConstantIntOp::create(builder, comparison.getLoc(), *holds,
                                           /*width=*/1)
                  .getResult());
          comparison.erase();
          ++foldedComparisons;
        }
    }
  }
};
} // namespace
