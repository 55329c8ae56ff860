//===- MergeGemms.cpp - products of slices along K ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs before layouts. A program written around one instruction multiplies its
// tiles a step of K at a time: a loop over slices of both tiles. `tile.gemm`
// steps through K itself, in the same order, from tiles that descriptors read
// where they are; a slice would be copied first.
//
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tile/Dialect/Tile/IR/LayoutConstraints.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_MERGEGEMMSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// The tile of which `slice` is piece number `counter` along `dim`, and of
/// which `count` such pieces are all; null where it is not.
static Value tileOfSlices(Value slice, unsigned dim, Value counter,
                          int64_t count) {
  auto part = slice.getDefiningOp<memref::SubViewOp>();
  if (!part || part.getSourceType().getRank() != 2 ||
      part.getType().getRank() != 2 ||
      !part.getSourceType().getLayout().isIdentity())
    return {};
  ArrayRef<int64_t> whole = part.getSourceType().getShape();
  ArrayRef<int64_t> piece = part.getType().getShape();
  if (!llvm::all_of(part.getStaticStrides(), [](int64_t s) { return s == 1; }))
    return {};
  for (auto [d, offset] : llvm::enumerate(part.getMixedOffsets())) {
    if (d != dim) {
      if (!isConstantIntValue(offset, 0) || piece[d] != whole[d])
        return {};
      continue;
    }
    auto value = dyn_cast<Value>(offset);
    if (!value || piece[d] * count != whole[d])
      return {};
    LoopIndex form = analyzeLoopIndex(value, counter);
    if (form.isIrregular || form.hasUniform() || form.constant != 0 ||
        form.coefficients[0] != piece[d])
      return {};
  }
  return part.getSource();
}

/// The gemm that is all that a loop from zero by one does; null otherwise.
static GemmOp gemmOf(scf::ForOp loop) {
  GemmOp found;
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto gemm = dyn_cast<GemmOp>(op);
    if (gemm && !found)
      found = gemm;
    else if (op.getNumRegions() || !isMemoryEffectFree(&op))
      return {};
  }
  bool isPlain = found && !found.getToken() && !found.getClear() &&
                 !found.getAccumulate() && !found.getPromoteEvery() &&
                 !found.getPlanAttr() && !found.isSparse() &&
                 !loop.getNumResults() &&
                 isConstantIntValue(loop.getLowerBound(), 0) &&
                 isConstantIntValue(loop.getStep(), 1);
  return isPlain ? found : GemmOp();
}

namespace {
struct MergeGemmsPass : tile::impl::MergeGemmsPassBase<MergeGemmsPass> {
  using MergeGemmsPassBase::MergeGemmsPassBase;

  void runOnOperation() override {
    if (failed(requireBefore(*this, getOperation(), {Need::Numbers})))
      return signalPassFailure();
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      merge(loop);
  }

private:
  void merge(scf::ForOp loop) {
    GemmOp gemm = gemmOf(loop);
    std::optional<int64_t> count = getConstantIntValue(loop.getUpperBound());
    if (!gemm || !count || *count < 1)
      return;
    Value counter = loop.getInductionVar();
    Value a = tileOfSlices(gemm.getA(), gemm.getTransposeA() ? 0 : 1, counter,
                           *count);
    Value b = tileOfSlices(gemm.getB(), gemm.getTransposeB() ? 1 : 0, counter,
                           *count);
    auto isInside = [&](Value tile) {
      return loop->isAncestor(tile.getParentBlock()->getParentOp());
    };
    if (!a || !b || isInside(a) || isInside(b) || isInside(gemm.getC()))
      return;
    gemm.getAMutable().assign(a);
    gemm.getBMutable().assign(b);
    gemm->moveBefore(loop);
    loop.erase();
    remarkAt(remarks, gemm)
        << plural(*count, "slice along K is", "slices along K are")
        << " one product of the tiles";
    ++mergedGemms;
  }
};
} // namespace
