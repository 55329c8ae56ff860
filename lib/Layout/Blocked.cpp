//===- Blocked.cpp - coalesced and replicated fragments -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructors of fragment layouts from a tile shape and a thread count. Which
// vector width and order to ask for is the caller's choice (layout inference).
//
//===----------------------------------------------------------------------===//
#include "tile/Layout/CheckedMath.h"
#include "tile/Layout/FragmentLayout.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::tile;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

/// How many lanes and warps go along one dimension.
struct Split {
  int64_t lanes = 1, warps = 1;
  int64_t threads() const { return lanes * warps; }
};

} // namespace

/// Calls `visit` with every split of the threads left. Warps are taken only
/// when the lanes are used up, so neighbouring lanes stay neighbours in memory.
template <typename Fn>
static void forEachSplit(int64_t lanesLeft, int64_t warpsLeft, Fn visit) {
  for (int64_t lanes = 1; lanes <= lanesLeft; ++lanes)
    if (lanesLeft % lanes == 0)
      visit(Split{lanes, 1});
  for (int64_t warps = 2; warps <= warpsLeft; ++warps)
    if (warpsLeft % warps == 0)
      visit(Split{lanesLeft, warps});
}

/// Threads for a dimension with `needed` positions. An exact split costs no
/// predicate and leaves the other threads for the dimensions to come, so it is
/// preferred while it keeps at least four neighbours together (a 64-byte
/// segment of 16-byte vectors). Otherwise, and for the last dimension, the
/// fewest registers win and the last of them may overshoot.
static Split chooseSplit(int64_t needed, int64_t lanesLeft, int64_t warpsLeft,
                         bool isLast) {
  constexpr int64_t kNeighbours = 4;
  Split exact, fewest;
  forEachSplit(lanesLeft, warpsLeft, [&](Split split) {
    int64_t threads = split.threads();
    if (needed % threads == 0 && threads > exact.threads())
      exact = split;
    int64_t passes = ceilDiv(needed, threads);
    int64_t best = ceilDiv(needed, fewest.threads());
    if (passes < best || (passes == best && threads < fewest.threads()))
      fewest = split;
  });
  if (!isLast && (exact.threads() >= kNeighbours || exact.threads() == needed))
    return exact;
  return fewest;
}

/// The caller's order, completed by the dimensions it leaves out, innermost
/// first.
static SmallVector<unsigned> completeOrder(ArrayRef<unsigned> order,
                                           unsigned rank) {
  SmallVector<unsigned> result;
  for (unsigned dim : order)
    if (dim < rank && !llvm::is_contained(result, dim))
      result.push_back(dim);
  for (unsigned dim = rank; dim-- > 0;)
    if (!llvm::is_contained(result, dim))
      result.push_back(dim);
  return result;
}

FragmentLayout FragmentLayout::blocked(ArrayRef<int64_t> shape,
                                       int64_t numThreads, int64_t vector,
                                       ArrayRef<unsigned> order) {
  assert(numThreads > 0 && numThreads % kWarpSize == 0 &&
         "expected whole warps");
  assert(vector > 0 && "expected a positive vector width");
  SmallVector<unsigned> dims = completeOrder(order, shape.size());
  Modes reg, lane, warp;
  int64_t lanesLeft = kWarpSize, warpsLeft = numThreads / kWarpSize;
  // Positions of each dimension in units of what one thread holds at once.
  auto unitOf = [&](size_t position) { return position == 0 ? vector : 1; };
  auto neededOf = [&](size_t position) {
    return std::max<int64_t>(1,
                             ceilDiv(shape[dims[position]], unitOf(position)));
  };
  size_t last = 0;
  for (size_t position = 0; position < dims.size(); ++position)
    if (neededOf(position) > 1)
      last = position;

  if (!dims.empty() && vector > 1)
    reg.push_back({vector, int(dims.front()), 1});
  for (size_t position = 0; position < dims.size(); ++position) {
    int dim = int(dims[position]);
    int64_t needed = neededOf(position), unit = unitOf(position);
    Split split = chooseSplit(needed, lanesLeft, warpsLeft, position >= last);
    if (split.lanes > 1)
      lane.push_back({split.lanes, dim, unit});
    if (split.warps > 1)
      warp.push_back({split.warps, dim, unit * split.lanes});
    lanesLeft /= split.lanes;
    warpsLeft /= split.warps;
    int64_t passes = ceilDiv(needed, split.threads());
    if (passes > 1)
      reg.push_back({passes, dim, unit * split.threads()});
  }
  if (lanesLeft > 1)
    lane.push_back({lanesLeft, Mode::kReplicated, 0});
  if (warpsLeft > 1)
    warp.push_back({warpsLeft, Mode::kReplicated, 0});
  return FragmentLayout(shape, reg, lane, warp);
}

FragmentLayout FragmentLayout::replicated(ArrayRef<int64_t> shape,
                                          int64_t numThreads) {
  assert(numThreads > 0 && numThreads % kWarpSize == 0 &&
         "expected whole warps");
  Modes reg, warp;
  for (unsigned dim = shape.size(); dim-- > 0;)
    if (shape[dim] > 1)
      reg.push_back({shape[dim], int(dim), 1});
  if (numThreads > kWarpSize)
    warp.push_back({numThreads / kWarpSize, Mode::kReplicated, 0});
  return FragmentLayout(shape, reg, {{kWarpSize, Mode::kReplicated, 0}}, warp);
}
