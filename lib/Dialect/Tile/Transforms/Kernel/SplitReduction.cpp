//===- SplitReduction.cpp - a loop's range shared by a cluster ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs before grids become persistent and before layouts. Where a grid has
// fewer tiles than the device has multiprocessors, the blocks of a cluster
// share the iterations of one tile's loop. What the loop accumulates is
// combined in the cluster's shared memory, in a fixed order, so no workspace is
// needed, and whatever follows the loop sees the whole sum. How it is combined
// is left to the lowering of `tile.cluster_reduce`.
//
//===----------------------------------------------------------------------===//
#include "SplitLoop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Dialect/Tile/IR/LaunchedBlocks.h"
#include "tile/Dialect/Tile/IR/Meeting.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/IR/Tunables.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "tile/Target/TargetInfo.h"

namespace mlir::tile {
#define GEN_PASS_DEF_SPLITREDUCTIONPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
struct SplitReductionPass
    : tile::impl::SplitReductionPassBase<SplitReductionPass> {
  using SplitReductionPassBase::SplitReductionPassBase;

  void runOnOperation() override {
    if (failed(requireChosen(getOperation())))
      return signalPassFailure();
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      if (!kernel.getSplit())
        continue;
      const TargetInfo *target = requireTarget(kernel);
      if (!target || failed(split(kernel, *target)))
        return signalPassFailure();
    }
  }

private:
  LogicalResult split(KernelOp kernel, const TargetInfo &target);
};
} // namespace

/// The kernel's loop; null, after a diagnostic, when there is not exactly one.
static PipelinedOp findLoop(KernelOp kernel) {
  SmallVector<PipelinedOp> loops;
  kernel.getBodyRegion().walk([&](PipelinedOp loop) { loops.push_back(loop); });
  if (loops.size() != 1) {
    InFlightDiagnostic diag =
        kernel.emitOpError()
        << "[split-2] expected one `tile.pipelined` to split, got "
        << loops.size();
    for (PipelinedOp loop : loops)
      diag.attachNote(loop.getLoc()) << "a loop here";
    return {};
  }
  if (loops.front()->getParentOp() != kernel) {
    loops.front().emitOpError()
        << "[split-2] expected the loop to split directly in the kernel's "
           "body";
    return {};
  }
  return loops.front();
}

/// One more dimension of `blocks` in the grid and in its clusters, or the last
/// of three multiplied: which part of the range a block has. `stride` becomes
/// the distance of such blocks in a cluster.
static Value addDimension(KernelOp kernel, int64_t blocks, int64_t &stride) {
  MLIRContext *context = kernel.getContext();
  Location loc = kernel.getLoc();
  Block &body = kernel.getBodyRegion().front();
  AffineMap grid = kernel.getGrid();
  unsigned rank = kernel.getGridRank();
  SmallVector<AffineExpr> extents(grid.getResults());
  SmallVector<int64_t> cluster(rank, 1);
  if (kernel.getCluster())
    cluster = llvm::to_vector(*kernel.getCluster());
  Value part;
  if (rank < 3) {
    extents.push_back(getAffineConstantExpr(blocks, context));
    cluster.push_back(blocks);
    part = body.addArgument(IndexType::get(context), loc);
  } else {
    extents.back() = extents.back() * blocks;
    cluster.back() *= blocks;
    BlockArgument id = kernel.getBlockId(rank - 1);
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    Value count = arith::ConstantIndexOp::create(builder, loc, blocks);
    Value outer = arith::DivUIOp::create(builder, loc, id, count);
    part = arith::RemUIOp::create(builder, loc, id, count);
    id.replaceUsesWithIf(outer, [&](OpOperand &use) {
      return use.getOwner() != outer.getDefiningOp() &&
             use.getOwner() != part.getDefiningOp();
    });
  }
  stride = 1;
  for (int64_t extent : ArrayRef<int64_t>(cluster).drop_back())
    stride *= extent;
  kernel.setGrid(AffineMap::get(0, grid.getNumSymbols(), extents, context));
  kernel->removeAttr(kLaunchedBlocksAttrName); // of the grid as it was
  kernel.setCluster(cluster);
  return part;
}

LogicalResult SplitReductionPass::split(KernelOp kernel,
                                        const TargetInfo &target) {
  if (!target.hasClusters())
    return kernel.emitOpError()
           << "[split-1] expected a target with clusters for `split`, got "
           << target.arch;
  if (kernel.walk([](BlockRangeOp) { return WalkResult::interrupt(); })
          .wasInterrupted())
    return kernel.emitOpError() << "[split-2] expected no `tile.block_range` "
                                   "in a kernel with `split`";
  if (meetsInCluster(kernel))
    return kernel.emitOpError()
           << "[split-5] expected a kernel whose blocks do not meet in their "
              "cluster by hand: `split` changes which blocks are in one";
  PipelinedOp loop = findLoop(kernel);
  if (!loop)
    return failure();
  FailureOr<Accumulators> accumulators = findAccumulators(loop);
  if (failed(accumulators))
    return failure();

  auto blocks = static_cast<int64_t>(*kernel.getSplit());
  int64_t stride;
  Value part = addDimension(kernel, blocks, stride);
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value isLast = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq, part,
      arith::ConstantIndexOp::create(builder, loc, blocks - 1));
  builder.setInsertionPoint(loop);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  narrow(loop, part, arith::AddIOp::create(builder, loc, part, one), blocks);
  Operation *after = loop;
  for (auto [buffer, kind] : *accumulators) {
    if (kind == ReduceKind::Sum)
      clearOthers(loop, buffer, isLast);
    builder.setInsertionPointAfter(after);
    after = ClusterReduceOp::create(builder, loc, kind, buffer, blocks, stride,
                                    /*parts=*/IntegerAttr(),
                                    /*is_unsigned=*/false);
    remarkAt(remarks, loop)
        << describeBuffer(buffer) << " is combined over " << blocks
        << " blocks (" << stringifyReduceKind(kind) << ")";
  }
  guardRest(after, isLast);
  kernel.removeSplitAttr();
  ++splitLoops;
  return success();
}
