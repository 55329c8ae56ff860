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
#include "Dependents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/LaunchedBlocks.h"
#include "tile/Dialect/Tile/IR/Meeting.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/IR/Tokens.h"
#include "tile/Dialect/Tile/IR/Tunables.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "tile/Target/TargetInfo.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tile {
#define GEN_PASS_DEF_SPLITREDUCTIONPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
/// What a loop accumulates into: fragments, and how they are combined.
using Accumulators = llvm::MapVector<Value, ReduceKind>;

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

/// How `op` accumulates into `buffer`, where `tile.cluster_reduce` can combine
/// what blocks have accumulated so; nothing elsewhere.
static std::optional<ReduceKind> accumulation(Operation *op, Value buffer) {
  auto tileOp = dyn_cast<TileOpInterface>(op);
  if (!tileOp || getToken(op))
    return std::nullopt;
  std::optional<ReduceKind> kind = tileOp.getAccumulation(buffer);
  bool combines = kind == ReduceKind::Sum || kind == ReduceKind::Max ||
                  kind == ReduceKind::Min;
  return combines ? kind : std::nullopt;
}

/// Whether each iteration gives `buffer` its whole contents before it reads
/// them: an operation of the loop's own body writes it first.
static bool startsFresh(Block &body, Value buffer) {
  for (Operation &op : body) {
    SmallVector<OpAccess> accesses;
    if (collectAccesses(&op, accesses))
      return false;
    for (const OpAccess &own : accesses) {
      if (getBaseBuffer(own.access.buffer) != buffer)
        continue;
      return own.op == &op && own.access.isWrite && !own.access.isAtomic &&
             coversWholeBuffer(own.access);
    }
  }
  return true;
}

/// What the loop accumulates; failure when it carries something else from one
/// iteration to another or to what follows.
static FailureOr<Accumulators> findAccumulators(PipelinedOp loop) {
  Block &body = loop.getBodyRegion().front();
  SmallVector<OpAccess> inside;
  auto unknown = [](Operation *op) -> LogicalResult {
    return op->emitOpError() << "[split-3] expected effects that are known in "
                                "and around a split loop";
  };
  if (Operation *op = collectAccesses(body, inside)) {
    (void)unknown(op);
    return failure();
  }
  Accumulators result;
  llvm::SmallSetVector<Value, 8> written;
  for (const OpAccess &own : inside) {
    if (!own.access.isWrite)
      continue;
    if (isGlobal(own.access.buffer)) {
      own.op->emitOpError() << "[split-4] expected no writes to global memory "
                               "in a split loop";
      return failure();
    }
    written.insert(getBaseBuffer(own.access.buffer));
  }
  auto isUsedOutside = [&](Value buffer) {
    return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
      return !loop->isProperAncestor(user) &&
             !(user->getBlock() == loop->getBlock() &&
               user->isBeforeInBlock(loop));
    });
  };
  for (Value buffer : written) {
    std::optional<ReduceKind> kind;
    Operation *other = nullptr;
    for (const OpAccess &own : inside) {
      if (getBaseBuffer(own.access.buffer) != buffer)
        continue;
      std::optional<ReduceKind> own_kind = accumulation(own.op, buffer);
      if (!own_kind || (kind && kind != own_kind))
        other = own.op;
      kind = kind ? kind : own_kind;
    }
    if (kind && !other && isFragment(buffer)) {
      result[buffer] = *kind;
      continue;
    }
    if (!isUsedOutside(buffer) && startsFresh(body, buffer))
      continue;
    (other ? other : loop.getOperation())->emitOpError()
        << "[split-3] expected " << describeBuffer(buffer)
        << " to be accumulated into by gemms or `tile.reduce ... accumulate` "
           "of one kind alone, since it outlives an iteration of a split loop";
    return failure();
  }
  if (result.empty()) {
    loop.emitOpError() << "[split-3] expected a loop that accumulates into "
                          "fragments";
    return failure();
  }
  return result;
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

/// The iterations of one part, in whole iterations: those from
/// part * trips / blocks to (part + 1) * trips / blocks.
static void narrow(PipelinedOp loop, Value part, int64_t blocks) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value lower = loop.getLowerBound(), step = loop.getStep();
  Value length =
      builder.createOrFold<arith::SubIOp>(loc, loop.getUpperBound(), lower);
  Value trips = arith::CeilDivSIOp::create(builder, loc, length, step);
  trips = arith::MaxSIOp::create(builder, loc, trips, constant(0));
  auto bound = [&](Value number) -> Value {
    Value share = arith::MulIOp::create(builder, loc, number, trips);
    Value first = arith::DivUIOp::create(builder, loc, share, constant(blocks));
    Value offset = arith::MulIOp::create(builder, loc, first, step);
    return builder.createOrFold<arith::AddIOp>(loc, offset, lower);
  };
  Value first = bound(part);
  Value end = bound(arith::AddIOp::create(builder, loc, part, constant(1)));
  loop.getLowerBoundMutable().assign(first);
  loop.getUpperBoundMutable().assign(end);
}

/// Sums start from zero in all blocks but the last, which keeps what the
/// program starts from; of several maxima the same may be taken twice.
static void clearOthers(PipelinedOp loop, Value buffer, Value isLast) {
  Operation *writer = nullptr;
  for (Operation *user : buffer.getUsers()) {
    if (user->getBlock() != loop->getBlock() || !user->isBeforeInBlock(loop)) {
      if (!loop->isProperAncestor(user) && user->getBlock() != loop->getBlock())
        writer = user; // in a nested region: not followed
      continue;
    }
    SmallVector<OpAccess> accesses;
    bool writes = collectAccesses(user, accesses) != nullptr;
    for (const OpAccess &own : accesses)
      writes |=
          own.access.isWrite && getBaseBuffer(own.access.buffer) == buffer;
    if (writes && (!writer || writer->getBlock() != user->getBlock() ||
                   writer->isBeforeInBlock(user)))
      writer = user;
  }
  if (auto tileOp = dyn_cast_or_null<TileOpInterface>(writer))
    if (Value fill = tileOp.getFillValue())
      if (matchPattern(fill, m_AnyZeroFloat()) || matchPattern(fill, m_Zero()))
        return;
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Type element = elementTypeOf(buffer);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
  auto others =
      scf::IfOp::create(builder, loc, isLast, /*withElseRegion=*/true);
  builder.setInsertionPointToStart(others.elseBlock());
  FillOp::create(builder, loc, buffer, ValueRange(), zero, DenseI64ArrayAttr(),
                 FragmentLayoutAttr());
}

/// What follows `loop` and has an effect runs in the last block alone.
static void guardRest(Operation *after, Value isLast) {
  Block *block = after->getBlock();
  SmallVector<Operation *> inside =
      collectDependents(std::next(after->getIterator()), block, isPreparation);
  if (inside.empty())
    return;
  OpBuilder builder(block->getTerminator());
  auto guard = scf::IfOp::create(builder, after->getLoc(), isLast,
                                 /*withElseRegion=*/false);
  for (Operation *op : inside)
    op->moveBefore(guard.thenBlock()->getTerminator());
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
  for (Operation &op : *loop->getBlock()) {
    if (&op == loop)
      break;
    SmallVector<OpAccess> accesses;
    (void)collectAccesses(&op, accesses);
    for (const OpAccess &own : accesses)
      if (own.access.isWrite && isGlobal(own.access.buffer))
        return own.op->emitOpError()
               << "[split-4] expected no writes to global memory in front of a "
                  "split loop";
  }

  auto blocks = static_cast<int64_t>(*kernel.getSplit());
  int64_t stride;
  Value part = addDimension(kernel, blocks, stride);
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value isLast = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq, part,
      arith::ConstantIndexOp::create(builder, loc, blocks - 1));
  narrow(loop, part, blocks);
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
