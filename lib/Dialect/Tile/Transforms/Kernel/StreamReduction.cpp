//===- StreamReduction.cpp - stream-K -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs behind --tile-make-persistent and before layouts. Where tiles do not
// divide evenly among the blocks that run at a time, the tiles of the last
// round are shared: several blocks run a part of the iterations of each (Osama
// et al., "Stream-K", PPoPP 2023, with whole tiles first). Blocks that have a
// part of a tile leave their sums in global memory; the last one to arrive
// takes them all, in the order of parts, and goes on with what follows the
// loop. Nobody waits.
//
//===----------------------------------------------------------------------===//
#include "IndexBuilder.h"
#include "SplitLoop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Conversion/Combination.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/LaunchedBlocks.h"
#include "tile/Dialect/Tile/IR/Meeting.h"
#include "tile/Dialect/Tile/IR/MoveAttributes.h"
#include "tile/Dialect/Tile/IR/StreamLeast.h"
#include "tile/Dialect/Tile/IR/Tunables.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "tile/Runtime/Prediction.h"

namespace mlir::tile {
#define GEN_PASS_DEF_STREAMREDUCTIONPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
struct StreamReductionPass
    : tile::impl::StreamReductionPassBase<StreamReductionPass> {
  using StreamReductionPassBase::StreamReductionPassBase;

  void runOnOperation() override {
    if (failed(requireChosen(getOperation())))
      return signalPassFailure();
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      if (kernel.getStreamK() && failed(stream(kernel)))
        return signalPassFailure();
  }

private:
  LogicalResult stream(KernelOp kernel);
};

/// The loop over a persistent kernel's tiles, as --tile-make-persistent makes
/// it, and the loop of a tile.
struct TileLoop {
  BlockRangeOp range;
  scf::ForOp tiles;
  BlockCoordinatesOp coordinates;
  PipelinedOp loop;
};

/// Iterations of a tile that sums through memory take the time of: where all
/// tiles have as many sharers, which work on the same iterations at a time, and
/// where they have not. Measured on an H200 (docs/Rationale/SplitReduction.md).
static constexpr int64_t kEvenIterations = 24, kUnevenIterations = 128;

/// Which parts of which tiles a block has. Of t tiles and G blocks that are
/// launched (clusters, where there are some, whose blocks each have a tile of
/// their own) each block gets t / G whole tiles; what is left, fewer tiles than
/// blocks, is shared where that saves more iterations than it costs.
///
/// The parts of shared tiles have numbers, tile by tile. As many blocks take
/// part as give each tile equally many, or, where there are fewer than two for
/// each, all of them; each of these P sharers has a place, and the one at place
/// p has the numbers from p N / P to (p + 1) N / P of N. Neighbours have the
/// same part of tiles next to each other, so that they ask for the same
/// operands at a time, as they do for whole tiles.
class Shares {
public:
  /// `trips`: iterations of each tile; null where tiles differ. `least`: of
  /// these, what sharing a tile has to save, where the program says it.
  Shares(OpBuilder &builder, Location loc, BlockRangeOp range, Value trips,
         std::optional<int64_t> least, int64_t count)
      : index(builder, loc), own(range.getFirst()), blocks(range.getStep()),
        parts(index.constant(count)) {
    Value tiles = index.div(range.getEnd(), parts);
    Value zero = index.constant(0), one = index.constant(1);
    Value rounds = index.div(tiles, blocks);
    whole = index.mul(rounds, blocks);
    Value left = index.sub(tiles, whole), some = index.max(left, one);
    Value each =
        index.min(index.div(blocks, some),
                  index.constant(std::min(runtime::kMostSharersOfTile, count)));
    Value isEven = index.less(one, each);
    Value isShared = index.less(zero, left);
    if (trips) {
      auto isWorth = [&](Value saved, Value of, int64_t cost) {
        return index.less(index.mul(of, index.constant(cost)),
                          index.add(index.mul(trips, saved), one));
      };
      Value even =
          isWorth(index.sub(each, one), each, least.value_or(kEvenIterations));
      Value uneven = isWorth(index.sub(blocks, left), blocks,
                             least.value_or(kUnevenIterations));
      isShared = arith::AndIOp::create(builder, loc, isShared,
                                       index.select(isEven, even, uneven));
    }
    // Else some blocks have one more, and the others none. Who shares nothing
    // has no numbers.
    Value extra = index.select(index.less(own, left), one, zero);
    wholeRounds = index.add(rounds, index.select(isShared, zero, extra));
    numbers = index.mul(index.select(isShared, left, zero), parts);
    Value width = index.select(isEven, some, blocks);
    each = index.select(isEven, each, one);
    sharers = index.mul(width, each);
    Value among = index.add(index.mul(index.rem(own, width), each),
                            index.div(own, width));
    place = index.select(index.less(own, sharers), among, own);
  }

  Value getOwn() const { return own; }
  Value getBlocks() const { return blocks; }
  Value getParts() const { return parts; }
  /// Tiles that are not shared, and rounds of all blocks in which they are
  /// worked off.
  Value getWhole() const { return whole; }
  Value getWholeRounds() const { return wholeRounds; }
  /// Of the block among those that share; beyond them it has no numbers.
  Value getPlace() const { return place; }

  /// The first number at a place.
  Value begin(Value at) {
    return index.min(index.div(index.mul(at, numbers), sharers), numbers);
  }
  /// The place that has a number: the last one that begins there or before.
  Value placeOf(Value number) {
    Value one = index.constant(1);
    return index.div(index.sub(index.mul(index.add(number, one), sharers), one),
                     numbers);
  }

  IndexBuilder index;

private:
  Value own, blocks, parts, wholeRounds, whole, numbers, sharers, place;
};
} // namespace

static FailureOr<TileLoop> findTileLoop(KernelOp kernel) {
  TileLoop result;
  SmallVector<BlockRangeOp> ranges(
      kernel.getBodyRegion().getOps<BlockRangeOp>());
  SmallVector<PipelinedOp> loops;
  kernel.getBodyRegion().walk([&](PipelinedOp loop) { loops.push_back(loop); });
  if (ranges.size() == 1 && loops.size() == 1) {
    result.range = ranges.front();
    result.loop = loops.front();
    result.tiles = dyn_cast<scf::ForOp>(result.loop->getParentOp());
    if (result.tiles &&
        result.tiles.getLowerBound() == result.range.getFirst() &&
        result.tiles.getUpperBound() == result.range.getEnd() &&
        result.tiles.getStep() == result.range.getStep()) {
      SmallVector<BlockCoordinatesOp> coordinates(
          result.tiles.getBody()->getOps<BlockCoordinatesOp>());
      if (coordinates.size() == 1 &&
          coordinates.front().getNumber() == result.tiles.getInductionVar()) {
        result.coordinates = coordinates.front();
        return result;
      }
    }
  }
  InFlightDiagnostic diag =
      kernel.emitOpError()
      << "[stream-1] expected one `tile.pipelined`, directly in the kernel's "
         "body, and no `tile.block_range` of the program's, got "
      << loops.size() << (loops.size() == 1 ? " loop" : " loops");
  for (PipelinedOp loop : loops)
    diag.attachNote(loop.getLoc()) << "a loop here";
  return failure();
}

/// Makes the grid one of parts: one more dimension, or the last of three
/// multiplied. Numbers of tiles still stand for tiles, since this dimension is
/// the slowest.
static LogicalResult
multiplyGrid(KernelOp kernel, BlockCoordinatesOp &coordinates, int64_t parts) {
  MLIRContext *context = kernel.getContext();
  AffineMap grid = kernel.getGrid();
  unsigned rank = kernel.getGridRank();
  SmallVector<AffineExpr> extents(grid.getResults());
  if (rank < 3) {
    extents.push_back(getAffineConstantExpr(parts, context));
    kernel.getBodyRegion().front().addArgument(IndexType::get(context),
                                               kernel.getLoc());
    OpBuilder builder(coordinates);
    SmallVector<Type> types(rank + 1, builder.getIndexType());
    auto wider = BlockCoordinatesOp::create(builder, coordinates.getLoc(),
                                            types, coordinates.getNumber());
    coordinates.replaceAllUsesWith(wider.getResults().take_front(rank));
    coordinates.erase();
    coordinates = wider;
    if (auto cluster = kernel.getCluster()) {
      SmallVector<int64_t> own(*cluster);
      own.push_back(1);
      kernel.setCluster(own);
    }
  } else {
    if (kernel.getCluster() && kernel.getCluster()->back() != 1)
      return kernel.emitOpError()
             << "[stream-2] expected clusters of one block along the third "
                "dimension of the grid, got "
             << kernel.getCluster()->back();
    extents.back() = extents.back() * parts;
  }
  kernel.setGrid(AffineMap::get(0, grid.getNumSymbols(), extents, context));
  kernel->removeAttr(kLaunchedBlocksAttrName); // of the grid as it was
  return success();
}

/// The iterations of a tile; null where its bounds are not known before the
/// loop over tiles.
static Value tripsOf(OpBuilder &builder, PipelinedOp loop, scf::ForOp tiles) {
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound(),
        step = loop.getStep();
  for (Value bound : {lower, upper, step})
    if (!tiles.isDefinedOutsideOfLoop(bound))
      return {};
  Location loc = loop.getLoc();
  IndexBuilder index(builder, loc);
  Value length = index.max(index.sub(upper, lower), index.constant(0));
  return arith::CeilDivSIOp::create(builder, loc, length, step);
}

/// The place of a block in its cluster, x first; what is around `coordinates`
/// has none of the kernel's own block indices.
static Value rankInCluster(OpBuilder &builder, KernelOp kernel,
                           BlockCoordinatesOp coordinates) {
  Location loc = coordinates.getLoc();
  IndexBuilder index(builder, loc);
  Value rank = index.constant(0);
  int64_t stride = 1;
  if (!kernel.getCluster())
    return rank;
  for (auto [id, extent] :
       llvm::zip(coordinates.getCoordinates(), *kernel.getCluster())) {
    if (extent == 1)
      continue;
    Value place = index.rem(id, index.constant(extent));
    rank = index.add(rank, index.mul(place, index.constant(stride)));
    stride *= extent;
  }
  return rank;
}

/// Copies between a fragment and an entry of a workspace, by the threads that
/// hold the fragment.
static void copyEntry(OpBuilder &b, Location loc, Value fragment,
                      Value workspace, Value entry, bool toFragment) {
  auto shape = cast<MemRefType>(fragment.getType()).getShape();
  SmallVector<int64_t> extents(shape);
  extents.insert(extents.begin(), 1);
  IndexBuilder index(b, loc);
  SmallVector<Value> offsets(extents.size(), index.constant(0));
  offsets.front() = entry;
  auto copy = toFragment ? CopyOp::create(b, loc, workspace, offsets, fragment,
                                          ValueRange(), extents, shape)
                         : CopyOp::create(b, loc, fragment, ValueRange(),
                                          workspace, offsets, shape, extents);
  MoveRequest request;
  request.disableTma = true;
  copy.setAsked(request);
}

/// fragment = fragment combined with an entry of a workspace.
static void combineEntry(OpBuilder &b, Location loc, ReduceKind kind,
                         Value fragment, Value workspace, Value entry) {
  auto loop = ParallelOp::create(
      b, loc, cast<MemRefType>(fragment.getType()).getShape());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&loop.getBodyRegion().front());
  ValueRange indices = loop.getBodyRegion().getArguments();
  SmallVector<Value> place(indices);
  place.insert(place.begin(), entry);
  Value sum = memref::LoadOp::create(b, loc, fragment, indices);
  Value other = memref::LoadOp::create(b, loc, workspace, place);
  memref::StoreOp::create(b, loc, Combination(kind).combine(b, loc, sum, other),
                          fragment, indices);
}

namespace {
/// Rewrites one kernel.
class TileSharing {
public:
  TileSharing(KernelOp kernel, TileLoop found, Accumulators sums)
      : kernel(kernel), range(found.range), tiles(found.tiles),
        coordinates(found.coordinates), loop(found.loop), sums(std::move(sums)),
        parts(*kernel.getStreamK()), loc(found.loop.getLoc()), b(found.loop) {}

  LogicalResult run();

private:
  void addWorkspaces();
  void dealTiles();
  /// What a block does with its sums; the result says whether it goes on.
  scf::IfOp combineParts();
  /// Of two blocks: the other one's sums, where it has gone before.
  Value isSecondOfTwo();
  /// A part that is left, and all of them where they are complete.
  Value leavePart();

  Value constant(int64_t value) { return shares->index.constant(value); }
  Value truth(bool value) {
    return arith::ConstantIntOp::create(b, loc, value, 1).getResult();
  }
  Value blockAt(Value place) {
    IndexBuilder &index = shares->index;
    return index.add(index.mul(place, constant(kernel.getClusterSize())), rank);
  }
  Value entryOf(Value place);
  Value arrive(bool ifLast);

  KernelOp kernel;
  BlockRangeOp range;
  scf::ForOp tiles;
  BlockCoordinatesOp coordinates;
  PipelinedOp loop;
  Accumulators sums;
  int64_t parts;
  Location loc;
  OpBuilder b;
  std::optional<Shares> shares;
  SmallVector<Value> partials; ///< workspaces, one for each of the sums
  Value arrived;               ///< counters
  /// Of the tile: its first number, if it is shared; the block's parts of it,
  /// and how many these are.
  Value base, firstPart, endPart, weight;
  Value rank;                  ///< in the cluster
  Value firstPlace, lastPlace; ///< of those that share the tile
};
} // namespace

/// Memory of all blocks: for the tile that a block begins in, and for the one
/// that it ends in.
void TileSharing::addWorkspaces() {
  for (auto [buffer, kind] : sums) {
    auto type = cast<MemRefType>(buffer.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin(), ShapedType::kDynamic);
    partials.push_back(WorkspaceOp::create(
        b, loc, MemRefType::get(shape, type.getElementType()),
        /*per_block=*/2, /*zeroed=*/false));
  }
  arrived = WorkspaceOp::create(
      b, loc, MemRefType::get({ShapedType::kDynamic}, b.getI32Type()),
      /*per_block=*/1, /*zeroed=*/true);
}

/// The loop over tiles goes over whole ones, then over those that the block
/// shares, and the loop of a tile over the block's parts of it.
void TileSharing::dealTiles() {
  std::optional<int64_t> least;
  if (auto stated = kernel->getAttrOfType<IntegerAttr>(kStreamLeastAttrName))
    least = stated.getInt();
  kernel->removeAttr(kStreamLeastAttrName);
  shares.emplace(b, loc, range, tripsOf(b, loop, tiles), least, parts);
  IndexBuilder &index = shares->index;
  Value one = constant(1), all = shares->getParts();
  Value begin = shares->begin(shares->getPlace());
  Value end = shares->begin(index.add(shares->getPlace(), one));
  Value firstShared = index.div(begin, all);
  Value endShared = index.ceilDiv(end, all);
  // A place without numbers may lie within a tile.
  Value count = index.select(index.less(begin, end),
                             index.sub(endShared, firstShared), constant(0));
  Value wholeRounds = shares->getWholeRounds();
  tiles.getLowerBoundMutable().assign(constant(0));
  tiles.getUpperBoundMutable().assign(index.add(wholeRounds, count));
  tiles.getStepMutable().assign(one);

  b.setInsertionPoint(coordinates);
  Value round = tiles.getInductionVar();
  Value isWhole = index.less(round, wholeRounds);
  Value ofShared = index.add(firstShared, index.sub(round, wholeRounds));
  base = index.mul(ofShared, all);
  coordinates.getNumberMutable().assign(index.select(
      isWhole,
      index.add(shares->getOwn(), index.mul(round, shares->getBlocks())),
      index.add(shares->getWhole(), ofShared)));
  firstPart = index.select(isWhole, constant(0),
                           index.max(index.sub(begin, base), constant(0)));
  endPart = index.select(isWhole, all, index.min(index.sub(end, base), all));
  b.setInsertionPoint(loop);
  narrow(loop, firstPart, endPart, parts);
  Value hasLast = index.equal(endPart, all);
  for (auto [buffer, kind] : sums)
    if (kind == ReduceKind::Sum)
      clearOthers(loop, buffer, hasLast);
}

/// A place's first entry is of the tile that it begins in.
Value TileSharing::entryOf(Value place) {
  IndexBuilder &index = shares->index;
  Value before = index.less(shares->begin(place), base);
  Value second = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), before);
  return index.add(index.mul(blockAt(place), constant(2)), second);
}

Value TileSharing::arrive(bool ifLast) {
  auto number = [&](Value value) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getI32Type(), value);
  };
  return LastArrivalOp::create(b, loc, b.getI1Type(), arrived,
                               blockAt(firstPlace), number(weight),
                               number(shares->getParts()), ifLast);
}

/// Both orders of two are the same sum; more than two are taken in order.
Value TileSharing::isSecondOfTwo() {
  IndexBuilder &index = shares->index;
  Value areTwo = index.equal(index.sub(lastPlace, firstPlace), constant(1));
  auto second = scf::IfOp::create(b, loc, b.getI1Type(), areTwo,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(second.thenBlock());
  scf::YieldOp::create(b, loc, arrive(/*ifLast=*/true));
  b.setInsertionPointToStart(second.elseBlock());
  scf::YieldOp::create(b, loc, truth(false));
  return second.getResult(0);
}

Value TileSharing::leavePart() {
  IndexBuilder &index = shares->index;
  Value own = entryOf(shares->getPlace());
  for (auto [accumulator, partial] : llvm::zip(sums, partials))
    copyEntry(b, loc, accumulator.first, partial, own, /*toFragment=*/false);
  Value isLast = arrive(/*ifLast=*/false);
  auto takes = scf::IfOp::create(b, loc, isLast, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(takes.thenBlock());
  Value first = entryOf(firstPlace), one = constant(1);
  for (auto [accumulator, partial] : llvm::zip(sums, partials))
    copyEntry(b, loc, accumulator.first, partial, first, /*toFragment=*/true);
  auto others = scf::ForOp::create(b, loc, index.add(firstPlace, one),
                                   index.add(lastPlace, one), one);
  b.setInsertionPointToStart(others.getBody());
  // All places but the first one begin within the tile.
  Value entry = index.mul(blockAt(others.getInductionVar()), constant(2));
  for (auto [accumulator, partial] : llvm::zip(sums, partials))
    combineEntry(b, loc, accumulator.second, accumulator.first, partial, entry);
  return isLast;
}

scf::IfOp TileSharing::combineParts() {
  IndexBuilder &index = shares->index;
  weight = index.sub(endPart, firstPart);
  auto whole = scf::IfOp::create(b, loc, b.getI1Type(),
                                 index.equal(weight, shares->getParts()),
                                 /*withElseRegion=*/true);
  b.setInsertionPointToStart(whole.thenBlock());
  scf::YieldOp::create(b, loc, truth(true));
  b.setInsertionPointToStart(whole.elseBlock());
  rank = rankInCluster(b, kernel, coordinates);
  firstPlace = shares->placeOf(base);
  lastPlace = shares->placeOf(index.add(base, constant(parts - 1)));
  auto takesOther = scf::IfOp::create(b, loc, b.getI1Type(), isSecondOfTwo(),
                                      /*withElseRegion=*/true);
  scf::YieldOp::create(b, loc, takesOther.getResult(0));
  b.setInsertionPointToStart(takesOther.thenBlock());
  Value other =
      entryOf(index.sub(index.add(firstPlace, lastPlace), shares->getPlace()));
  for (auto [accumulator, partial] : llvm::zip(sums, partials))
    combineEntry(b, loc, accumulator.second, accumulator.first, partial, other);
  scf::YieldOp::create(b, loc, truth(true));
  b.setInsertionPointToStart(takesOther.elseBlock());
  scf::YieldOp::create(b, loc, leavePart());
  return whole;
}

LogicalResult TileSharing::run() {
  if (failed(multiplyGrid(kernel, coordinates, parts)))
    return failure();
  b.setInsertionPoint(tiles);
  addWorkspaces();
  dealTiles();
  b.setInsertionPointAfter(loop);
  scf::IfOp goesOn = combineParts();
  guardRest(goesOn, goesOn.getResult(0));
  kernel.removeStreamKAttr();
  return success();
}

LogicalResult StreamReductionPass::stream(KernelOp kernel) {
  if (meetsInCluster(kernel))
    return kernel.emitOpError()
           << "[stream-3] expected a kernel whose blocks do not meet in their "
              "cluster by hand: which tiles a block has, and how many, depends "
              "on the device";
  FailureOr<TileLoop> found = findTileLoop(kernel);
  if (failed(found))
    return failure();
  PipelinedOp loop = found->loop;
  FailureOr<Accumulators> accumulators = findAccumulators(loop);
  if (failed(accumulators))
    return failure();
  for (auto [buffer, kind] : *accumulators)
    if (getStorageBits(elementTypeOf(buffer)) < 32)
      return loop.emitOpError()
             << "[stream-4] expected " << describeBuffer(buffer)
             << " to have elements of 32 bits or more: partial sums are "
                "combined in memory";
  auto parts = static_cast<int64_t>(*kernel.getStreamK());
  if (failed(TileSharing(kernel, *found, std::move(*accumulators)).run()))
    return failure();
  remarkAt(remarks, loop)
      << "tiles beyond whole rounds of all blocks are shared, in " << parts
      << " parts a tile; who comes last to a tile combines the sums of all "
         "that have a part of it, in the order of parts";
  ++streamedLoops;
  return success();
}
