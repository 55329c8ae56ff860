//===- ClusterGroups.cpp - blocks of a cluster that share -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Analysis/ClusterGroups.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tile;

ClusterGroups::ClusterGroups(KernelOp kernel) {
  if (std::optional<ArrayRef<int64_t>> cluster = kernel.getCluster())
    extents.assign(cluster->begin(), cluster->end());
  else
    extents.assign(kernel.getGridRank(), 1);
  for (auto [d, extent] : llvm::enumerate(extents)) {
    strides.push_back(kernelBlocks);
    kernelBlocks *= extent;
    if (extent > 1)
      differing |= ClusterDims(1) << d;
  }
}

int64_t ClusterGroups::size(ClusterDims dims) const {
  int64_t product = 1;
  for (unsigned d = 0; d < rank(); ++d)
    if (dims >> d & 1)
      product *= extents[d];
  return product;
}

bool ClusterGroups::isGroup(int64_t a, int64_t b, ClusterDims dims) const {
  for (unsigned d = 0; d < rank(); ++d)
    if (!(dims >> d & 1) &&
        a / strides[d] % extents[d] != b / strides[d] % extents[d])
      return false;
  return true;
}

uint32_t ClusterGroups::firstMask(ClusterDims dims) const {
  uint32_t mask = 0;
  for (int64_t block = 0; block < kernelBlocks; ++block)
    if (isGroup(0, block, dims))
      mask |= uint32_t(1) << block;
  return mask;
}

ClusterDims ClusterGroups::of(TileMoveOpInterface copy) const {
  if (!copy.getMulticast())
    return 0;
  DenseI64ArrayAttr along = copy.getMulticastAlongAttr();
  if (!along)
    return differing;
  ClusterDims dims = 0;
  for (int64_t d : along.asArrayRef())
    dims |= ClusterDims(1) << d;
  return dims;
}

SmallVector<ClusterDims, 2> tile::getReleaseGroups(const ClusterGroups &groups,
                                                   RingCreateOp ring) {
  if (ring.getPeers().value_or(1) == 1)
    return {};
  llvm::SmallSetVector<ClusterDims, 2> found;
  // Blocks of a pair fill slots together without a word in their copies.
  if (!ring.getPair())
    for (Operation *user : ring->getUsers())
      if (showsOpenSlot(user))
        for (Value view : user->getResults())
          for (Operation *filling : view.getUsers())
            if (auto copy = dyn_cast<TileMoveOpInterface>(filling))
              if (ClusterDims dims = groups.of(copy))
                found.insert(dims);
  if (found.empty() || found.contains(groups.all()))
    return {groups.all()};
  return llvm::to_vector<2>(found);
}
