//===- TileClusterOps.cpp - blocks of a cluster by hand -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "MoveSyntax.h"
#include "TileRegions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tile/Dialect/Tile/IR/Meeting.h"

using namespace mlir;
using namespace mlir::tile;

using EffectList =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

LogicalResult tile::verifyPlaceInCluster(Operation *op, StringRef constraint,
                                         Value block) {
  auto kernel = op->getParentOfType<KernelOp>();
  if (!kernel)
    return success();
  APInt place;
  if (matchPattern(block, m_ConstantInt(&place)) &&
      (place.isNegative() || place.getSExtValue() >= kernel.getClusterSize()))
    return op->emitOpError()
           << "[" << constraint << "] expected a block of the cluster's "
           << kernel.getClusterSize() << ", from 0, got "
           << place.getSExtValue();
  return success();
}

/// Blocks that take turns for several have none of a cluster beside them that
/// is sure to be at the same place.
static LogicalResult verifyNotPersistent(Operation *op, StringRef constraint) {
  auto kernel = op->getParentOfType<KernelOp>();
  if (kernel && kernel.getPersistent())
    return op->emitOpError()
           << "[" << constraint
           << "] expected a kernel without `persistent`: write the loop over "
              "tiles in the kernel";
  return success();
}

static LogicalResult verifyCluster(Operation *op, StringRef constraint) {
  auto kernel = op->getParentOfType<KernelOp>();
  if (kernel && !kernel.getCluster())
    return op->emitOpError()
           << "[" << constraint
           << "] expected a kernel with clusters: state `cluster` behind its "
              "threads";
  return verifyNotPersistent(op, constraint);
}

/// What the other blocks wait for is the whole block.
static LogicalResult verifyWholeBlock(Operation *op, StringRef constraint) {
  auto kernel = op->getParentOfType<KernelOp>();
  if (!kernel)
    return success();
  for (Operation *parent = op->getParentOp(); parent != kernel;
       parent = parent->getParentOp())
    if (!isa<scf::SCFDialect>(parent->getDialect()))
      return op->emitOpError()
             << "[" << constraint
             << "] expected to stand in the kernel's body, or in `scf` loops "
                "and conditions there, got '"
             << parent->getName() << "' around it";
  return success();
}

//===----------------------------------------------------------------------===//
// ClusterBarrierOp
//===----------------------------------------------------------------------===//

LogicalResult ClusterBarrierOp::verify() {
  if (failed(verifyWholeBlock(*this, "cluster-barrier-1")))
    return failure();
  return verifyCluster(*this, "cluster-barrier-2");
}

/// It orders everything around it.
void ClusterBarrierOp::getEffects(EffectList &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

//===----------------------------------------------------------------------===//
// ClusterCopyOp
//===----------------------------------------------------------------------===//

SmallVector<int64_t> ClusterCopyOp::getSourceExtents() {
  return deriveExtents(sourceOf(*this), targetOf(*this));
}
SmallVector<int64_t> ClusterCopyOp::getTargetExtents() {
  return deriveExtents(targetOf(*this), sourceOf(*this));
}
SmallVector<int64_t> ClusterCopyOp::getTileShape() {
  return dropUnitExtents(getTargetExtents());
}

static LogicalResult verifyBarriers(ClusterCopyOp copy) {
  if (!copy.getBarriers())
    return success();
  auto create = copy.getBarriers().getDefiningOp<MbarrierCreateOp>();
  if (create && !create.getCluster())
    return copy.emitOpError()
           << "[cluster-copy-8] expected barriers of a `cluster`: state it "
              "where `tile.mbarrier.create` makes them";
  return verifyMbarrierIndex(copy, "cluster-copy-8", copy.getBarriers(),
                             copy.getIndex());
}

LogicalResult ClusterCopyOp::verify() {
  if (failed(verifyRanked(*this, {getSource(), getTarget()})) ||
      failed(verifyRegionPair(*this, "cluster-copy", "cluster-copy-9",
                              sourceOf(*this), targetOf(*this))))
    return failure();
  Type from = cast<MemRefType>(getSource().getType()).getElementType();
  Type to = cast<MemRefType>(getTarget().getType()).getElementType();
  if (!isConvertible(from, to))
    return emitOpError()
           << "[cluster-copy-5] expected element types that convert, got "
           << from << " to " << to;
  if (isGlobal(getSource()) || !isShared(getTarget()))
    return emitOpError() << "[cluster-copy-6] expected a fragment or a tile in "
                            "shared memory, and a target in shared memory, got "
                         << getSource().getType() << " to "
                         << getTarget().getType();
  auto tile = getTarget().getDefiningOp<AllocOp>();
  if (!tile || !isa<KernelOp>(tile->getParentOp()))
    return emitOpError()
           << "[cluster-copy-6] expected a target made by "
              "`tile.alloc` in the kernel's top block: all blocks "
              "of the cluster have it at one place";
  if (failed(verifyCluster(*this, "cluster-copy-7")) ||
      failed(verifyPlaceInCluster(*this, "cluster-copy-7", getBlock())) ||
      failed(verifyBarriers(*this)))
    return failure();
  MoveConstraints constraints = {
      "cluster-copy-10", "cluster-copy-11", {}, {}, {}, {}};
  if (failed(verifyRequest(*this, constraints)))
    return failure();
  return verifyDecision(*this, constraints);
}

/// What another block writes into this one's tile counts as written here: all
/// blocks run the same program.
void ClusterCopyOp::getAccesses(SmallVectorImpl<TileAccess> &accesses) {
  appendCopyAccesses(*this, /*atomic=*/false, accesses);
}

/// With an arrival it also orders what comes before it.
void ClusterCopyOp::getEffects(EffectList &effects) {
  effectsFromAccesses(*this, effects);
  if (!getBarriers())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

//===----------------------------------------------------------------------===//
// ClusterGatherOp
//===----------------------------------------------------------------------===//

LogicalResult ClusterGatherOp::verify() {
  auto from = dyn_cast<MemRefType>(getSource().getType());
  auto to = dyn_cast<MemRefType>(getTarget().getType());
  if (!from || !to || !from.hasStaticShape() || !to.hasStaticShape() ||
      isGlobal(getSource()) || isGlobal(getTarget()) ||
      from.getElementType() != to.getElementType() ||
      !from.getElementType().isIntOrFloat() ||
      from.getElementTypeBitWidth() < 8 || !from.getLayout().isIdentity() ||
      !to.getLayout().isIdentity())
    return emitOpError()
           << "[cluster-gather-1] expected whole fragments or shared tiles of "
              "static shape and of one type of numbers of 8 bits or more, got "
           << getSource().getType() << " to " << getTarget().getType();
  auto kernel = (*this)->getParentOfType<KernelOp>();
  // Outside of a kernel, any number of blocks.
  bool hasFirst = !kernel && to.getRank() > 0;
  int64_t size = hasFirst ? to.getDimSize(0)
                 : kernel ? kernel.getClusterSize()
                          : 1;
  SmallVector<int64_t> expected = {size};
  llvm::append_range(expected, from.getShape());
  if (to.getShape() != ArrayRef(expected))
    return emitOpError() << "[cluster-gather-2] expected a target of shape ["
                         << expected << "], a tile of each of the cluster's "
                         << size << " blocks, got " << to;
  if (failed(verifyWholeBlock(*this, "cluster-gather-3")))
    return failure();
  return verifyNotPersistent(*this, "cluster-gather-4");
}

void ClusterGatherOp::getAccesses(SmallVectorImpl<TileAccess> &accesses) {
  accesses.push_back({getSource(), {}, {}, false, false});
  accesses.push_back({getTarget(), {}, {}, true, false});
}

/// It orders everything around it, as a barrier of the cluster does.
void ClusterGatherOp::getEffects(EffectList &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

bool tile::meetsInCluster(KernelOp kernel) {
  return kernel
      .walk([&](Operation *op) {
        auto create = dyn_cast<MbarrierCreateOp>(op);
        return isa<ClusterBarrierOp, ClusterCopyOp>(op) ||
                       (isa<ClusterGatherOp>(op) &&
                        kernel.getClusterSize() > 1) ||
                       (create && create.getCluster())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

bool tile::isWrittenByPeers(Value tile) {
  return llvm::any_of(tile.getUsers(), [&](Operation *user) {
    auto copy = dyn_cast<ClusterCopyOp>(user);
    return copy && copy.getTarget() == tile;
  });
}
