//===- LowerClusters.cpp - blocks of a cluster, one after the other -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where blocks of a cluster meet by hand, or gather what each has, they run at
// the same time, and the runtime knows where their tiles lie.
//
// `tile.cluster_reduce` needs less. The blocks of a cluster run in the order of
// their ranks, and the last one gets the result: each block hands what has been
// combined so far to the next one, which runs later and asks in the same order.
// The runtime keeps what is handed over.
//
// So are results that the blocks share out (`parts`): all parts are the last
// block's, which is why a kernel goes over its parts by a loop.
//
//===----------------------------------------------------------------------===//
#include "RuntimeCalls.h"
#include "tile/Conversion/Combination.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::tile;

/// The place of the block among those that combine, by its rank.
static Value placeAmong(OpBuilder &builder, Location loc, Value rank,
                        int64_t blocks, int64_t stride) {
  Value group = arith::DivUIOp::create(builder, loc, rank,
                                       indexConstant(builder, loc, stride));
  return arith::RemUIOp::create(builder, loc, group,
                                indexConstant(builder, loc, blocks));
}

static void lowerReduce(ClusterReduceOp op, int64_t number, Value rank) {
  OpBuilder builder(op);
  RuntimeCalls runtime(op);
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(op.getTarget().getType());
  Combination combination(op);
  Type element = type.getElementType();
  Type wide = Combination::workingType(element);
  auto carried = MemRefType::get(type.getShape(), wide);
  Value soFar = allocateScratch(builder, op, carried);

  Value stride = indexConstant(builder, loc, op.getStride());
  Value place = placeAmong(builder, loc, rank, op.getBlocks(), op.getStride());
  // Blocks that combine their values have the same first rank.
  Value first = arith::SubIOp::create(
      builder, loc, rank, arith::MulIOp::create(builder, loc, place, stride));
  Value box = arith::AddIOp::create(builder, loc, first,
                                    indexConstant(builder, loc, number * 16));
  Value pointer =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, soFar);
  Value bytes = indexConstant(builder, loc,
                              type.getNumElements() *
                                  int64_t(wide.getIntOrFloatBitWidth() / 8));
  auto forEach = [&](OpBuilder b,
                     function_ref<void(OpBuilder &, ValueRange)> body) {
    loopOver(b, loc, type.getShape(),
             [&](OpBuilder &inner, Location, ValueRange indices) {
               body(inner, indices);
             });
  };
  auto own = [&](OpBuilder &b, ValueRange indices) {
    Value value = memref::LoadOp::create(b, loc, op.getTarget(), indices);
    return castElement(b, loc, value, wide);
  };
  auto equals = [&](int64_t constant) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, place,
                                 indexConstant(builder, loc, constant));
  };

  auto take =
      scf::IfOp::create(builder, loc, equals(0), /*withElseRegion=*/true);
  forEach(take.getThenBodyBuilder(), [&](OpBuilder &b, ValueRange indices) {
    memref::StoreOp::create(b, loc, own(b, indices), soFar, indices);
  });
  OpBuilder goesOn = take.getElseBodyBuilder();
  runtime.call(goesOn, "cluster_take", {box, pointer, bytes});
  forEach(goesOn, [&](OpBuilder &b, ValueRange indices) {
    Value before = memref::LoadOp::create(b, loc, soFar, indices);
    memref::StoreOp::create(
        b, loc, combination.combine(b, loc, before, own(b, indices)), soFar,
        indices);
  });
  Value isLast = equals(static_cast<int64_t>(op.getBlocks()) - 1);
  auto give = scf::IfOp::create(builder, loc, isLast, /*withElseRegion=*/true);
  forEach(give.getThenBodyBuilder(), [&](OpBuilder &b, ValueRange indices) {
    Value sum = memref::LoadOp::create(b, loc, soFar, indices);
    memref::StoreOp::create(b, loc, castElement(b, loc, sum, element),
                            op.getTarget(), indices);
  });
  OpBuilder hands = give.getElseBodyBuilder();
  runtime.call(hands, "cluster_give", {box, pointer, bytes});
  op.erase();
}

static void lowerParts(ClusterPartsOp op, Value rank) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto blocks = static_cast<int64_t>(op.getBlocks());
  Value place = placeAmong(builder, loc, rank, blocks,
                           static_cast<int64_t>(op.getStride()));
  Value isLast =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, place,
                            indexConstant(builder, loc, blocks - 1));
  Value none = indexConstant(builder, loc, 0);
  Value all = arith::SelectOp::create(
      builder, loc, isLast, indexConstant(builder, loc, blocks), none);
  op.replaceAllUsesWith(ValueRange{none, all});
  op.erase();
}

static void lowerPart(ClusterPartOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(op.getTarget().getType());
  std::optional<unsigned> dim = op.getDividedDim();
  Value first =
      arith::MulIOp::create(builder, loc, op.getPart(),
                            indexConstant(builder, loc, type.getDimSize(*dim)));
  loopOver(builder, loc, type.getShape(),
           [&](OpBuilder &b, Location, ValueRange indices) {
             SmallVector<Value> from(indices);
             from[*dim] = arith::AddIOp::create(b, loc, from[*dim], first);
             Value value = memref::LoadOp::create(b, loc, op.getSource(), from);
             memref::StoreOp::create(b, loc, value, op.getTarget(), indices);
           });
  op.erase();
}

void tile::lowerClusterReduces(func::FuncOp function, Value rank) {
  SmallVector<ClusterPartsOp> shares;
  SmallVector<ClusterPartOp> parts;
  function.walk([&](Operation *op) {
    if (auto share = dyn_cast<ClusterPartsOp>(op))
      shares.push_back(share);
    else if (auto part = dyn_cast<ClusterPartOp>(op))
      parts.push_back(part);
  });
  llvm::for_each(shares, [&](ClusterPartsOp op) { lowerParts(op, rank); });
  llvm::for_each(parts, lowerPart);
  SmallVector<ClusterReduceOp> reduces;
  function.walk([&](ClusterReduceOp op) { reduces.push_back(op); });
  for (auto [number, op] : llvm::enumerate(reduces))
    lowerReduce(op, static_cast<int64_t>(number), rank);
}

//===----------------------------------------------------------------------===//
// Meetings by hand
//===----------------------------------------------------------------------===//

/// The tile of this number, of type `type`, as the block of the cluster with
/// the place `block` has it.
static Value peerTile(OpBuilder &builder, Operation *op, MemRefType type,
                      int64_t number, Value block) {
  Location loc = op->getLoc();
  Value address = RuntimeCalls(op)
                      .call(builder, "cluster_peer",
                            {indexConstant(builder, loc, number), block},
                            builder.getIndexType())
                      .getResult(0);
  Value word =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), address);
  return FromAddressOp::create(builder, loc, type, word, ValueRange());
}

/// Copies to where the other block has the tile of this number.
static void lowerClusterCopy(ClusterCopyOp copy, int64_t number) {
  OpBuilder builder(copy);
  Location loc = copy.getLoc();
  auto type = cast<MemRefType>(copy.getTarget().getType());
  Value peer = peerTile(builder, copy, type, number, copy.getBlock());
  CopyOp::create(builder, loc, copy.getSource(), copy.getSourceOffsets(), peer,
                 copy.getTargetOffsets(), copy.getSourceExtents(),
                 copy.getTargetExtents());
  if (copy.getBarriers()) {
    auto arrive = MbarrierArriveOp::create(builder, loc, copy.getBarriers(),
                                           copy.getIndex(), copy.getBlock(),
                                           /*after_copies=*/false);
    arrive->setAttr(kThreadsAttrName, builder.getI64IntegerAttr(1));
  }
  copy.erase();
}

/// Each block says where its tile lies, and reads those of the others between
/// two barriers: the tile is there, and is not written again before.
static void lowerGather(ClusterGatherOp gather, int64_t number) {
  OpBuilder builder(gather);
  RuntimeCalls runtime(gather);
  Location loc = gather.getLoc();
  auto type = cast<MemRefType>(gather.getSource().getType());
  auto to = cast<MemRefType>(gather.getTarget().getType());
  int64_t blocks = to.getDimSize(0);
  SmallVector<int64_t> sizes = {1};
  llvm::append_range(sizes, type.getShape());
  SmallVector<Value> offsets(to.getRank(), indexConstant(builder, loc, 0));
  auto copyFrom = [&](Value source, int64_t block) {
    offsets.front() = indexConstant(builder, loc, block);
    CopyOp::create(builder, loc, source, ValueRange(), gather.getTarget(),
                   offsets, type.getShape(), sizes);
  };
  if (blocks == 1) {
    copyFrom(gather.getSource(), 0);
  } else {
    Value own = memref::ExtractAlignedPointerAsIndexOp::create(
        builder, loc, gather.getSource());
    runtime.call(builder, "cluster_tile",
                 {indexConstant(builder, loc, number), own});
    runtime.call(builder, "cluster_barrier", {});
    for (int64_t block = 0; block < blocks; ++block)
      copyFrom(peerTile(builder, gather, type, number,
                        indexConstant(builder, loc, block)),
               block);
    runtime.call(builder, "cluster_barrier", {});
  }
  gather.erase();
}

FailureOr<bool> tile::lowerClusterMeetings(func::FuncOp function) {
  SmallVector<ClusterCopyOp> copies;
  SmallVector<ClusterBarrierOp> barriers;
  SmallVector<ClusterGatherOp> gathers;
  bool meets = false;
  function.walk([&](Operation *op) {
    if (auto copy = dyn_cast<ClusterCopyOp>(op))
      copies.push_back(copy);
    else if (auto barrier = dyn_cast<ClusterBarrierOp>(op))
      barriers.push_back(barrier);
    else if (auto gather = dyn_cast<ClusterGatherOp>(op)) {
      gathers.push_back(gather);
      meets |= cast<MemRefType>(gather.getTarget().getType()).getDimSize(0) > 1;
    } else if (auto create = dyn_cast<MbarrierCreateOp>(op))
      meets |= create.getCluster();
  });
  meets |= !copies.empty() || !barriers.empty();
  auto outer = *function.getBody().front().getOps<scf::ForOp>().begin();
  if (meets && outer->hasAttr(kClusterLoopAttrName))
    return function.emitError()
           << "expected a kernel without `tile.cluster_reduce`, whose blocks "
              "run one after the other, got meetings of a cluster by hand "
              "beside it";
  llvm::MapVector<Value, int64_t> tiles;
  for (ClusterCopyOp copy : copies)
    tiles.try_emplace(copy.getTarget(), static_cast<int64_t>(tiles.size()));
  for (auto [tile, number] : tiles) {
    OpBuilder builder(function.getContext());
    builder.setInsertionPointAfterValue(tile);
    Location loc = tile.getLoc();
    Value address =
        memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, tile);
    RuntimeCalls(tile.getDefiningOp())
        .call(builder, "cluster_tile",
              {indexConstant(builder, loc, number), address});
  }
  for (ClusterCopyOp copy : copies)
    lowerClusterCopy(copy, tiles.lookup(copy.getTarget()));
  for (ClusterBarrierOp barrier : barriers) {
    OpBuilder builder(barrier);
    RuntimeCalls(barrier).call(builder, "cluster_barrier", {});
    barrier.erase();
  }
  for (auto [number, gather] : llvm::enumerate(gathers))
    lowerGather(gather, static_cast<int64_t>(tiles.size() + number));
  return meets;
}
