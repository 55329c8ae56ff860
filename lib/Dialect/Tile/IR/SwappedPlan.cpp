//===- SwappedPlan.cpp - gemms of few rows by wgmma -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One wgmma multiplies 64 rows by a multiple of 8 columns. A gemm whose rows
// are no multiple of 64 can be multiplied with its operands swapped, as the
// product C^T = B^T A^T: the 64 rows of the instruction are columns of the gemm
// then, and its columns are rows of the gemm. Here is which gemms that happens
// to unasked; what it demands of layouts is in WgmmaPlan.cpp.
//
//===----------------------------------------------------------------------===//
#include "GemmPlan.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Layout/Plural.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tile;

GemmProblem tile::swappedProblem(GemmProblem problem) {
  std::swap(problem.m, problem.n);
  std::swap(problem.bitsA, problem.bitsB);
  std::swap(problem.sharedA, problem.sharedB);
  // Rows of the gemm are columns of the product, and the other way round.
  if (problem.policy == WarpPolicy::FullRow)
    problem.policy = WarpPolicy::FullCol;
  else if (problem.policy == WarpPolicy::FullCol)
    problem.policy = WarpPolicy::FullRow;
  return problem;
}

//===----------------------------------------------------------------------===//
// Who uses the result
//===----------------------------------------------------------------------===//

static std::string because(const Twine &reason) {
  return (kSwappedWgmma + ": " + reason).str();
}

/// Whether an index of a loop over a tile is one of the loop's own.
static bool isOwnIndex(Value index, ParallelOp loop) {
  LoopIndex form = analyzeLoopIndex(index, loop.getBodyRegion().getArguments());
  size_t others = llvm::count(form.coefficients, 0);
  return !form.isIrregular && !form.hasUniform() && form.constant == 0 &&
         llvm::is_contained(form.coefficients, 1) &&
         others + 1 == form.coefficients.size();
}

/// Whether a loop over a tile accesses an element of `fragment` in each
/// iteration, by its indices.
static bool isElementwise(Value fragment, ValueRange indices, ParallelOp loop) {
  ArrayRef<int64_t> shape = cast<MemRefType>(fragment.getType()).getShape();
  return llvm::all_of(llvm::zip_equal(indices, shape), [&](auto access) {
    auto [index, extent] = access;
    return extent == 1 || isOwnIndex(index, loop);
  });
}

namespace {
/// Who uses the result of a gemm, and the fragments that have its layout then:
/// those that loops and copies access together with it.
class ResultUses {
public:
  explicit ResultUses(GemmOp gemm) { fragments.insert(gemm.getC()); }

  /// Why threads should not hold the result transposed; empty where they may.
  std::string whyNotTransposed();

private:
  std::string whyNot(Operation *user, Value fragment);
  std::string whyNotGemm(GemmOp gemm, Value fragment);
  std::string whyNotMove(TileMoveOpInterface move, Value fragment);
  std::string whyNotAccess(Operation *op, Value fragment, ValueRange indices);
  void follow(Value buffer) {
    if (isFragment(buffer))
      fragments.insert(buffer);
  }

  llvm::SmallSetVector<Value, 8> fragments;
};
} // namespace

// By the layout of a swapped plan, each warp has columns of all rows of the
// result, and a thread's registers go along the rows. What works on elements,
// one by one, does not care. But a reduction along a row would combine values
// of all warps, by shared memory, where it stays within four lanes by the other
// layouts. And a following gemm, which takes the result as operand A in
// registers as it is, would need it transposed, in other threads: attention
// multiplies so. What holds for the result holds for each fragment that has its
// layout: the maxima that scores are compared with, the weights made of them.
// So all users are listed that are known to work on elements.
std::string ResultUses::whyNotTransposed() {
  for (size_t next = 0; next < fragments.size(); ++next) {
    Value fragment = fragments[next];
    if (!allocationOf(fragment))
      return because("its result has another shape, too");
    if (getFragmentLayout(fragment))
      return because("the program states the layout of its result");
    for (Operation *user : fragment.getUsers())
      if (std::string why = whyNot(user, fragment); !why.empty())
        return why;
  }
  return "";
}

std::string ResultUses::whyNot(Operation *user, Value fragment) {
  // Blocks of a cluster combine the registers of equal layouts.
  if (isa<FillOp, PrintOp, ClusterReduceOp>(user))
    return "";
  if (auto gemm = dyn_cast<GemmOp>(user))
    return whyNotGemm(gemm, fragment);
  if (auto move = dyn_cast<TileMoveOpInterface>(user))
    return whyNotMove(move, fragment);
  if (auto load = dyn_cast<memref::LoadOp>(user))
    return whyNotAccess(user, fragment, load.getIndices());
  if (auto store = dyn_cast<memref::StoreOp>(user))
    return whyNotAccess(user, fragment, store.getIndices());
  return because("'" + user->getName().getStringRef() +
                 "' works on its result, of which each warp would have "
                 "columns of all rows");
}

std::string ResultUses::whyNotGemm(GemmOp gemm, Value fragment) {
  if (gemm.getC() != fragment)
    return because("another gemm takes its result as an operand, which would "
                   "have to be transposed");
  MmaPlanAttr plan = gemm.getPlanAttr();
  bool maySwap = isShared(gemm.getA()) && isShared(gemm.getB()) &&
                 !gemm.isSparse() && (!plan || plan.getSwapped());
  return maySwap ? ""
                 : because("another gemm, whose operands are not swapped, adds "
                           "to its result");
}

std::string ResultUses::whyNotMove(TileMoveOpInterface move, Value fragment) {
  if (move.getSource() != fragment && move.getTarget() != fragment)
    return because("'" + move->getName().getStringRef() +
                   "' finds rows by its result");
  follow(move.getSource());
  follow(move.getTarget());
  return "";
}

std::string ResultUses::whyNotAccess(Operation *op, Value fragment,
                                     ValueRange indices) {
  auto loop = op->getParentOfType<ParallelOp>();
  if (!loop || !isElementwise(fragment, indices, loop))
    return because("its result is accessed in another way than element by "
                   "element");
  loop.getBodyRegion().walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      follow(operand);
  });
  return "";
}

std::string tile::whyNotSwappedUnasked(GemmOp gemm,
                                       const GemmProblem &problem) {
  // With fewer columns warpgroups would divide the rows, which are few, and
  // each would read all of B for its own.
  int64_t groups = problem.warps / kWarpsPerGroup;
  if (problem.n % kWgmmaM != 0 || problem.n < kWgmmaM * groups)
    return because("expected an N tile of 64 columns or more for each of " +
                   plural(groups, "warpgroup") + ", a multiple of 64, got " +
                   Twine(problem.n));
  return ResultUses(gemm).whyNotTransposed();
}
