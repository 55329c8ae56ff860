//===- ClusterPlace.cpp - this block among its cluster's ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "ClusterPlace.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

Value tile::nvvm::blockRank(KernelLowering &lowering) {
  return NVVM::ClusterId::create(lowering.builder,
                                 lowering.builder.getI32Type());
}

/// This block's place along dimension `d` of its cluster.
static Value placeAlong(KernelLowering &lowering, const ClusterGroups &groups,
                        unsigned d) {
  int64_t stride = groups.stride(d), extent = groups.extent(d);
  return digit(lowering, blockRank(lowering), stride, extent,
               /*slowest=*/stride * extent == groups.numBlocks());
}

/// The group along `dims` as a mask (i32): that of rank 0, moved to the block
/// of the group that is first.
static Value groupMask(KernelLowering &lowering, const ClusterGroups &groups,
                       ClusterDims dims) {
  Value first;
  for (unsigned d = 0; d < groups.rank(); ++d)
    if (!(dims >> d & 1) && groups.extent(d) > 1)
      first =
          lowering.add(first, lowering.mulConst(placeAlong(lowering, groups, d),
                                                groups.stride(d)));
  return lowering.builder.createOrFold<arith::ShLIOp>(
      lowering.i32(groups.firstMask(dims)), first);
}

Value tile::nvvm::placeInGroup(KernelLowering &lowering,
                               TileMoveOpInterface copy) {
  ClusterGroups groups(lowering.kernel);
  ClusterDims dims = groups.of(copy);
  if (!dims || dims == groups.all())
    return blockRank(lowering);
  Value place;
  int64_t before = 1;
  for (unsigned d = 0; d < groups.rank(); ++d) {
    if (!(dims >> d & 1))
      continue;
    place = lowering.add(
        place, lowering.mulConst(placeAlong(lowering, groups, d), before));
    before *= groups.extent(d);
  }
  return place;
}

Value tile::nvvm::multicastMask(KernelLowering &lowering,
                                TileMoveOpInterface copy) {
  ClusterGroups groups(lowering.kernel);
  ClusterDims dims = groups.of(copy);
  if (!dims)
    return {};
  auto &b = lowering.builder;
  Type i16 = b.getIntegerType(16);
  if (dims == groups.all())
    return arith::ConstantIntOp::create(b, i16, groups.firstMask(dims));
  return b.createOrFold<arith::TruncIOp>(i16,
                                         groupMask(lowering, groups, dims));
}

Value tile::nvvm::blocksInGroups(KernelLowering &lowering,
                                 ArrayRef<ClusterDims> groupsOfBlock) {
  ClusterGroups groups(lowering.kernel);
  Value mask;
  for (ClusterDims dims : groupsOfBlock) {
    if (dims == groups.all())
      return {};
    Value own = groupMask(lowering, groups, dims);
    mask = mask ? lowering.builder.createOrFold<arith::OrIOp>(mask, own) : own;
  }
  return mask;
}
