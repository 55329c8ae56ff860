//===- Distribute.cpp - fragments from a grid of lanes and warps ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Layout/Distribute.h"
#include "tile/Layout/CheckedMath.h"

using namespace mlir::tile;

FragmentLayout mlir::tile::distributed(llvm::ArrayRef<int64_t> shape,
                                       int64_t numThreads,
                                       llvm::ArrayRef<DimensionSplit> splits,
                                       llvm::ArrayRef<unsigned> order,
                                       bool warpsContiguous) {
  assert(splits.size() == shape.size() && order.size() == shape.size() &&
         "expected one split and one place in the order per dimension");
  Modes vectors, repetitions, lanes, warps;
  int64_t lanesLeft = kWarpSize, warpsLeft = numThreads / kWarpSize;
  for (unsigned dim : order) {
    const DimensionSplit &split = splits[dim];
    int64_t perPass = split.vector * split.lanes * split.warps;
    int64_t repeats = std::max<int64_t>(
        1, ceilDiv(std::max<int64_t>(shape[dim], 1), perPass));
    int64_t stride = 1;
    auto add = [&](Modes &modes, int64_t extent) {
      if (extent > 1)
        modes.push_back({extent, int(dim), stride});
      stride *= extent;
    };
    add(vectors, split.vector);
    add(lanes, split.lanes);
    if (warpsContiguous)
      add(repetitions, repeats);
    add(warps, split.warps);
    if (!warpsContiguous)
      add(repetitions, repeats);
    assert(lanesLeft % split.lanes == 0 && warpsLeft % split.warps == 0 &&
           "expected splits that divide the threads");
    lanesLeft /= split.lanes;
    warpsLeft /= split.warps;
  }
  if (lanesLeft > 1)
    lanes.push_back({lanesLeft, Mode::kReplicated, 0});
  if (warpsLeft > 1)
    warps.push_back({warpsLeft, Mode::kReplicated, 0});
  vectors.append(repetitions.begin(), repetitions.end());
  return FragmentLayout(shape, vectors, lanes, warps);
}
