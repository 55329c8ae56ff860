//===- ClusterGroups.h - blocks of a cluster that share -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of a cluster by rank, x fastest, and the groups among them that a
// multicast copy is shared in: blocks that differ from each other in some
// dimensions of the cluster only. What a lowering, the ring verifier and a pass
// agree on; which copies are alike is ClusterSharing.h's business.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_CLUSTERGROUPS_H
#define TILE_ANALYSIS_CLUSTERGROUPS_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// A set of dimensions of a cluster, dimension d as bit d.
using ClusterDims = uint32_t;

class ClusterGroups {
public:
  explicit ClusterGroups(KernelOp kernel);

  int64_t numBlocks() const { return kernelBlocks; }
  unsigned rank() const { return extents.size(); }
  int64_t extent(unsigned dim) const { return extents[dim]; }
  /// How far ranks of neighbours along `dim` lie apart.
  int64_t stride(unsigned dim) const { return strides[dim]; }
  /// The dimensions in which blocks of the cluster differ at all.
  ClusterDims all() const { return differing; }

  /// Blocks of a group.
  int64_t size(ClusterDims dims) const;
  /// Whether two blocks, by rank, differ in `dims` at most.
  bool isGroup(int64_t a, int64_t b, ClusterDims dims) const;
  /// The group of the block of rank 0, by ranks as bits.
  uint32_t firstMask(ClusterDims dims) const;

  /// In which dimensions the blocks that share `copy` differ; empty for a copy
  /// that each block makes for itself.
  ClusterDims of(TileMoveOpInterface copy) const;

private:
  int64_t kernelBlocks = 1;
  SmallVector<int64_t, 3> extents, strides;
  ClusterDims differing = 0;
};

/// The groups whose blocks fill each other's slots of `ring`, as a release has
/// to know them: it goes to every block that is in a group with this one. None
/// without `peers`; the whole cluster where no copy says otherwise.
SmallVector<ClusterDims, 2> getReleaseGroups(const ClusterGroups &groups,
                                             RingCreateOp ring);

} // namespace mlir::tile
#endif // TILE_ANALYSIS_CLUSTERGROUPS_H
