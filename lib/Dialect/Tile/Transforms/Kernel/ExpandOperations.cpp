//===- ExpandOperations.cpp - operations that others express --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs before layouts. Sorts become networks over shared memory (RowSort.h), a
// selection of few elements reductions that each take the next one. The carry
// of a scan is combined with the results of the piece's scan, and then with the
// piece's total: a reduction of the piece, or, where a region combines, the
// last result. What a cluster gathers, each block copies into the shared memory
// of all others, between barriers of the cluster.
//
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "RowSort.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tile/Conversion/Combination.h"
#include "tile/Conversion/ElementCast.h"
#include "tile/Dialect/Tile/IR/Aliasing.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_EXPANDOPERATIONSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// The most elements that are selected one after the other. Chosen, not
/// measured: 8 of 256 are 8 times as fast as PyTorch's (docs/Operators.md);
/// where runs that are sorted become faster is not known.
static constexpr int64_t kMostReductions = 8;

/// The elements of keys that are not selected any more: all bits are set.
static Value removed(ImplicitLocOpBuilder &b, Type type) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, -1));
}

static Value allocate(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape,
                      Type element, Attribute space) {
  return AllocOp::create(
      b, MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space),
      Attribute());
}

static Attribute fragmentSpace(OpBuilder &b) {
  return FragmentSpaceAttr::get(b.getContext());
}
static Attribute sharedSpace(OpBuilder &b) {
  return gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
}

static void copyWhole(ImplicitLocOpBuilder &b, Value from, Value to) {
  CopyOp::create(b, from, ValueRange(), to, ValueRange());
}

/// A loop over a tile of `shape`.
static void forEach(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape,
                    function_ref<void(ValueRange)> body) {
  auto loop = ParallelOp::create(b, shape);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&loop.getBodyRegion().front());
  body(loop.getBodyRegion().getArguments());
}

static SmallVector<Value> withIndex(ValueRange outer, unsigned dim,
                                    Value index) {
  SmallVector<Value> indices(outer);
  indices.insert(indices.begin() + dim, index);
  return indices;
}

/// Whether an operation has no lowering of its own.
static bool isExpanded(SortOp) { return true; }
static bool isExpanded(TopKOp) { return true; }
static bool isExpanded(ScanOp op) { return bool(op.getCarry()); }
static bool isExpanded(ScanWithOp op) { return !op.getCarries().empty(); }

namespace {
struct ExpandOperationsPass
    : tile::impl::ExpandOperationsPassBase<ExpandOperationsPass> {
  using ExpandOperationsPassBase::ExpandOperationsPassBase;

  void runOnOperation() override {
    if (failed(requireBefore(*this, getOperation(), {Need::Numbers})))
      return signalPassFailure();
    expandEach<SortOp>();
    expandEach<TopKOp>();
    expandEach<ScanOp>();
    expandEach<ScanWithOp>();
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      expandGathers(kernel);
  }

private:
  template <typename OpT> void expandEach() {
    getOperation().walk([&](OpT op) {
      if (!isExpanded(op))
        return;
      ImplicitLocOpBuilder b(op.getLoc(), op);
      expand(op, b);
      op.erase();
      ++numExpanded;
    });
  }
  void expand(ScanOp op, ImplicitLocOpBuilder &b) { expandCarry(op, b); }
  void expand(ScanWithOp op, ImplicitLocOpBuilder &b) { expandCarry(op, b); }
  void expand(SortOp op, ImplicitLocOpBuilder &b);
  void expand(TopKOp op, ImplicitLocOpBuilder &b);
  void expandGathers(KernelOp kernel);
  void expand(ArrayRef<ClusterGatherOp> gathers, KernelOp kernel);
  void selectByReductions(TopKOp op, ImplicitLocOpBuilder &b,
                          const PackedKey &key);
  template <typename OpT> void expandCarry(OpT op, ImplicitLocOpBuilder &b);
  void explain(Operation *op, const RowSort &rows) {
    remarkAt(remarks, op) << "sorts rows by " << rows.numPasses()
                          << " trips through registers and " << rows.bytes()
                          << " bytes of shared memory";
  }
};
} // namespace

void ExpandOperationsPass::expand(SortOp op, ImplicitLocOpBuilder &b) {
  auto type = cast<MemRefType>(op.getKeys().getType());
  unsigned dim = op.getDim();
  if (type.getDimSize(dim) < 2)
    return;
  // Payloads move when all places are known.
  SmallVector<Value> before;
  for (Value payload : op.getPayloads()) {
    auto own = cast<MemRefType>(payload.getType());
    before.push_back(
        allocate(b, own.getShape(), own.getElementType(), sharedSpace(b)));
    copyWhole(b, payload, before.back());
  }
  RowSort rows(b, type.getShape(), dim,
               {type.getElementType(), op.getIsUnsigned(), op.getDescending()},
               /*keepsPlaces=*/!before.empty());
  rows.sort(op.getKeys(), type.getDimSize(dim));
  explain(op, rows);
  forEach(b, type.getShape(), [&](ValueRange indices) {
    SmallVector<Value> outer(indices);
    outer.erase(outer.begin() + dim);
    SortedElement element = rows.load(outer, indices[dim]);
    memref::StoreOp::create(b, element.number, op.getKeys(), indices);
    for (auto [from, to] : llvm::zip(before, op.getPayloads())) {
      Value moved =
          memref::LoadOp::create(b, from, withIndex(outer, dim, element.place));
      memref::StoreOp::create(b, moved, to, indices);
    }
  });
}

void ExpandOperationsPass::expand(TopKOp op, ImplicitLocOpBuilder &b) {
  auto type = cast<MemRefType>(op.getSource().getType());
  auto to = cast<MemRefType>(op.getPlaces().getType());
  unsigned dim = op.getDim();
  KeyOrder order{type.getElementType(), op.getIsUnsigned(), !op.getSmallest()};
  PackedKey key(order, type.getDimSize(dim));
  if (to.getDimSize(dim) <= kMostReductions && key.bits() != 0) {
    selectByReductions(op, b, key);
    return;
  }
  RowSort rows(b, type.getShape(), dim, order, /*keepsPlaces=*/true);
  rows.sort(op.getSource(), to.getDimSize(dim));
  explain(op, rows);
  forEach(b, to.getShape(), [&](ValueRange indices) {
    SmallVector<Value> outer(indices);
    outer.erase(outer.begin() + dim);
    SortedElement element = rows.load(outer, indices[dim]);
    memref::StoreOp::create(b, element.number, op.getValues(), indices);
    Value place =
        arith::IndexCastUIOp::create(b, to.getElementType(), element.place);
    memref::StoreOp::create(b, place, op.getPlaces(), indices);
  });
}

/// Each reduction finds the least packed key, whose place is known with it, and
/// all bits of that key are set before the next one.
void ExpandOperationsPass::selectByReductions(TopKOp op,
                                              ImplicitLocOpBuilder &b,
                                              const PackedKey &key) {
  auto type = cast<MemRefType>(op.getSource().getType());
  auto to = cast<MemRefType>(op.getPlaces().getType());
  unsigned dim = op.getDim();
  int64_t count = to.getDimSize(dim);
  Type integer = b.getIntegerType(key.bits());
  SmallVector<int64_t> one = llvm::to_vector(type.getShape());
  one[dim] = 1;
  Value keys = allocate(b, type.getShape(), integer, fragmentSpace(b));
  Value values =
      allocate(b, to.getShape(), type.getElementType(), sharedSpace(b));
  Value places =
      allocate(b, to.getShape(), to.getElementType(), sharedSpace(b));
  forEach(b, type.getShape(), [&](ValueRange indices) {
    Value number = memref::LoadOp::create(b, op.getSource(), indices);
    memref::StoreOp::create(b, key.pack(b, number, indices[dim]), keys,
                            indices);
  });
  for (int64_t i = 0; i < count; ++i) {
    Value best = allocate(b, one, integer, fragmentSpace(b));
    ReduceOp::create(b, ReduceKind::Min, keys, best, dim, /*accumulate=*/false,
                     /*propagate_nan=*/false, /*is_unsigned=*/true);
    forEach(b, one, [&](ValueRange indices) {
      SortedElement element =
          key.unpack(b, memref::LoadOp::create(b, best, indices));
      SmallVector<Value> target(indices);
      target[dim] = arith::ConstantIndexOp::create(b, i);
      memref::StoreOp::create(b, element.number, values, target);
      Value place = element.place ? element.place : indices[dim];
      memref::StoreOp::create(
          b, arith::IndexCastUIOp::create(b, to.getElementType(), place),
          places, target);
    });
    if (i + 1 == count)
      break;
    forEach(b, type.getShape(), [&](ValueRange indices) {
      SmallVector<Value> row(indices);
      row[dim] = arith::ConstantIndexOp::create(b, 0);
      Value own = memref::LoadOp::create(b, keys, indices);
      Value taken = memref::LoadOp::create(b, best, row);
      Value isTaken =
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq, own, taken);
      memref::StoreOp::create(
          b, arith::SelectOp::create(b, isTaken, removed(b, integer), own),
          keys, indices);
    });
  }
  copyWhole(b, values, op.getValues());
  copyWhole(b, places, op.getPlaces());
  remarkAt(remarks, op) << "selects by " << count << " reductions of keys of "
                        << key.bits() << " bits";
}

/// The block's place in its cluster, x first.
static Value rankInCluster(ImplicitLocOpBuilder &b, KernelOp kernel) {
  Value rank;
  int64_t below = 1;
  for (auto [d, extent] : llvm::enumerate(*kernel.getCluster())) {
    if (extent == 1)
      continue;
    Value place = arith::RemUIOp::create(
        b, kernel.getBlockId(d), arith::ConstantIndexOp::create(b, extent));
    place = arith::MulIOp::create(b, place,
                                  arith::ConstantIndexOp::create(b, below));
    rank = rank ? arith::AddIOp::create(b, rank, place) : place;
    below *= extent;
  }
  return rank;
}

/// The region of a gather's target that is a block's.
static SmallVector<int64_t> sizesOfPart(ClusterGatherOp gather) {
  SmallVector<int64_t> sizes = llvm::to_vector(
      cast<MemRefType>(gather.getTarget().getType()).getShape());
  sizes.front() = 1;
  return sizes;
}

/// Copies to where each block of the cluster gets what this one has. The tile
/// lies at one place in all blocks. Returns it.
static Value sendToAll(ImplicitLocOpBuilder &b, ClusterGatherOp gather,
                       KernelOp kernel, Value rank) {
  auto type = cast<MemRefType>(gather.getTarget().getType());
  Value received;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&kernel.getBodyRegion().front());
    received =
        allocate(b, type.getShape(), type.getElementType(), sharedSpace(b));
  }
  SmallVector<Value> offsets(type.getRank(),
                             arith::ConstantIndexOp::create(b, 0));
  offsets.front() = rank;
  for (int64_t block = 0; block < type.getDimSize(0); ++block)
    ClusterCopyOp::create(b, gather.getSource(), ValueRange(), received,
                          offsets, arith::ConstantIndexOp::create(b, block),
                          /*barriers=*/Value(), /*index=*/Value(),
                          /*source_sizes=*/DenseI64ArrayAttr(),
                          b.getDenseI64ArrayAttr(sizesOfPart(gather)),
                          MoveRequestAttr(), MoveDecisionAttr());
  return received;
}

/// Gathers that nothing parts: one wait for the other blocks serves all.
void ExpandOperationsPass::expand(ArrayRef<ClusterGatherOp> gathers,
                                  KernelOp kernel) {
  ClusterGatherOp last = gathers.back();
  ImplicitLocOpBuilder b(last.getLoc(), last);
  int64_t blocks = kernel.getClusterSize();
  if (blocks == 1) {
    for (ClusterGatherOp gather : gathers) {
      SmallVector<Value> offsets(sizesOfPart(gather).size(),
                                 arith::ConstantIndexOp::create(b, 0));
      CopyOp::create(b, gather.getSource(), ValueRange(), gather.getTarget(),
                     offsets,
                     cast<MemRefType>(gather.getSource().getType()).getShape(),
                     sizesOfPart(gather));
    }
    return;
  }
  // Others may still read what they got the last time around.
  bool isRepeated = bool(last->getParentOfType<LoopLikeOpInterface>());
  if (isRepeated)
    ClusterBarrierOp::create(b);
  Value rank = rankInCluster(b, kernel);
  SmallVector<Value> received;
  for (ClusterGatherOp gather : gathers)
    received.push_back(sendToAll(b, gather, kernel, rank));
  ClusterBarrierOp::create(b);
  for (auto [from, gather] : llvm::zip(received, gathers))
    copyWhole(b, from, ClusterGatherOp(gather).getTarget());
  for (ClusterGatherOp gather : gathers.drop_back())
    remarkAt(remarks, gather) << "gathered together with the last of "
                              << gathers.size() << " that follow each other";
  auto type = cast<MemRefType>(last.getSource().getType());
  remarkAt(remarks, last)
      << "each of " << blocks << " blocks stores " << type.getNumElements()
      << (type.getNumElements() == 1 ? " element" : " elements")
      << " in the shared memory of all"
      << (isRepeated
              ? ", between two barriers of the cluster: in a loop others "
                "may still read those of the iteration before"
              : ", and waits for the others once");
}

/// Whether nothing that may touch a tile stands between two gathers of a block,
/// and the second one does not read what those `before` it write.
static bool areNeighbours(ArrayRef<ClusterGatherOp> before,
                          ClusterGatherOp next) {
  for (Operation *op = before.back()->getNextNode(); op != next;
       op = op->getNextNode())
    if (!isPure(op) && !hasSingleEffect<MemoryEffects::Allocate>(op))
      return false;
  return llvm::none_of(before, [&](ClusterGatherOp other) {
    return getBaseBuffer(getViewedTile(other.getTarget())) ==
           getBaseBuffer(getViewedTile(next.getSource()));
  });
}

void ExpandOperationsPass::expandGathers(KernelOp kernel) {
  SmallVector<SmallVector<ClusterGatherOp>> groups;
  kernel.walk([&](Block *block) {
    bool isFirst = true;
    for (ClusterGatherOp gather : block->getOps<ClusterGatherOp>()) {
      if (isFirst || !areNeighbours(groups.back(), gather))
        groups.emplace_back();
      groups.back().push_back(gather);
      isFirst = false;
    }
  });
  for (ArrayRef<ClusterGatherOp> group : groups) {
    expand(group, kernel);
    for (ClusterGatherOp gather : group)
      gather.erase();
    numExpanded += group.size();
  }
}

static void scanLike(ImplicitLocOpBuilder &b, ScanOp scan,
                     ArrayRef<Value> tiles) {
  ScanOp::create(b, scan.getKind(), tiles.front(), tiles.front(), Value(),
                 scan.getDim(), scan.getReverse(), scan.getExclusive(),
                 scan.getPropagateNan(), scan.getIsUnsigned(),
                 scan.getLayoutAttr());
}

static void scanLike(ImplicitLocOpBuilder &b, ScanWithOp scan,
                     ArrayRef<Value> tiles) {
  auto inner = ScanWithOp::create(
      b, tiles, tiles, scan.getNeutral(), ValueRange(), scan.getDim(),
      scan.getReverse(), scan.getExclusive(), scan.getLayoutAttr());
  IRMapping mapping;
  scan.getCombiner().cloneInto(&inner.getCombiner(), mapping);
}

/// Combines the elements of `pieces`, which are not scanned yet, into `totals`,
/// and scans them. A kind combines in any order.
static void scanWithTotals(ImplicitLocOpBuilder &b, ScanOp op, const Scan &scan,
                           ArrayRef<Value> pieces, ArrayRef<Value> totals) {
  ReduceOp::create(b, op.getKind(), pieces.front(), totals.front(), scan.dim,
                   /*accumulate=*/false, op.getPropagateNan(),
                   op.getIsUnsigned());
  scanLike(b, op, pieces);
}

/// A region combines in one order only. The total is the last result of the
/// scan; where it is exclusive, combined with the last element. A reduction
/// that takes the tuple of the greatest place brings them to who holds the row.
static void scanWithTotals(ImplicitLocOpBuilder &b, ScanWithOp op,
                           const Scan &scan, ArrayRef<Value> pieces,
                           ArrayRef<Value> totals) {
  auto type = cast<MemRefType>(pieces.front().getType());
  auto rows = cast<MemRefType>(totals.front().getType());
  Type i32 = b.getI32Type();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(i32, value));
  };
  Value places = allocate(b, type.getShape(), i32, fragmentSpace(b));
  forEach(b, type.getShape(), [&](ValueRange indices) {
    Value place = arith::IndexCastUIOp::create(b, i32, indices[scan.dim]);
    if (scan.isReverse)
      place = arith::SubIOp::create(b, number(type.getDimSize(scan.dim) - 1),
                                    place);
    memref::StoreOp::create(b, place, places, indices);
  });
  SmallVector<Value> sources = {places}, targets, neutral = {number(-1)};
  targets.push_back(allocate(b, rows.getShape(), i32, fragmentSpace(b)));
  llvm::append_range(targets, totals);
  // The last elements, before the scan overwrites them.
  SmallVector<Value> elements, last;
  if (scan.isExclusive)
    for (Value piece : pieces) {
      Type element = elementTypeOf(piece);
      elements.push_back(
          allocate(b, type.getShape(), element, fragmentSpace(b)));
      last.push_back(allocate(b, rows.getShape(), element, fragmentSpace(b)));
      copyWhole(b, piece, elements.back());
    }
  scanLike(b, op, pieces);
  llvm::append_range(sources, pieces);
  llvm::append_range(sources, elements);
  llvm::append_range(targets, last);
  for (size_t i = 0; i < (scan.isExclusive ? 2 : 1); ++i)
    llvm::append_range(neutral, op.getNeutral());
  auto reduce =
      ReduceWithOp::create(b, sources, targets, neutral, scan.dim,
                           /*accumulate=*/false, FragmentLayoutAttr());
  auto types =
      llvm::map_to_vector(neutral, [](Value value) { return value.getType(); });
  SmallVector<Type> both(types);
  llvm::append_range(both, types);
  {
    OpBuilder::InsertionGuard guard(b);
    Block *body = b.createBlock(&reduce.getCombiner(), {}, both,
                                SmallVector<Location>(both.size(), b.getLoc()));
    Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt,
                                          body->getArgument(0),
                                          body->getArgument(types.size()));
    SmallVector<Value> taken;
    for (size_t i = 0; i < types.size(); ++i)
      taken.push_back(
          arith::SelectOp::create(b, isFirst, body->getArgument(i),
                                  body->getArgument(types.size() + i)));
    YieldOp::create(b, taken);
  }
  if (!scan.isExclusive)
    return;
  forEach(b, rows.getShape(), [&](ValueRange row) {
    auto load = [&](ArrayRef<Value> tiles) {
      return llvm::map_to_vector(tiles, [&](Value tile) -> Value {
        return memref::LoadOp::create(b, tile, row);
      });
    };
    SmallVector<Value> all =
        scan.combiner.combine(b, b.getLoc(), load(totals), load(last));
    for (auto [value, total] : llvm::zip(all, totals))
      memref::StoreOp::create(b, value, total, row);
  });
}

/// The piece is scanned in fragments of the type in which it is combined, so
/// that each result is rounded once.
template <typename OpT>
void ExpandOperationsPass::expandCarry(OpT op, ImplicitLocOpBuilder &b) {
  Scan scan(op);
  const Combiner &combiner = scan.combiner;
  ArrayRef<int64_t> shape =
      cast<MemRefType>(scan.sources.front().getType()).getShape();
  ArrayRef<int64_t> rows =
      cast<MemRefType>(scan.carries.front().getType()).getShape();
  SmallVector<Value> pieces, totals;
  for (auto [source, type] : llvm::zip(scan.sources, combiner.workingTypes())) {
    pieces.push_back(allocate(b, shape, type, fragmentSpace(b)));
    totals.push_back(allocate(b, rows, type, fragmentSpace(b)));
    copyWhole(b, source, pieces.back());
  }
  scanWithTotals(b, op, scan, pieces, totals);
  auto load = [&](ArrayRef<Value> tiles, ValueRange indices) {
    return llvm::map_to_vector(
        llvm::zip(tiles, combiner.workingTypes()), [&](auto pair) -> Value {
          auto [tile, type] = pair;
          return castElement(b, b.getLoc(),
                             memref::LoadOp::create(b, tile, indices), type);
        });
  };
  auto store = [&](ValueRange values, ArrayRef<Value> tiles,
                   ValueRange indices) {
    for (auto [value, tile] : llvm::zip(values, tiles))
      memref::StoreOp::create(
          b, castElement(b, b.getLoc(), value, elementTypeOf(tile)), tile,
          indices);
  };
  bool keepsDim = rows.size() == shape.size();
  forEach(b, shape, [&](ValueRange indices) {
    SmallVector<Value> row(indices);
    if (keepsDim)
      row[scan.dim] = arith::ConstantIndexOp::create(b, 0);
    else
      row.erase(row.begin() + scan.dim);
    store(combiner.combine(b, b.getLoc(), load(scan.carries, row),
                           load(pieces, indices)),
          scan.targets, indices);
  });
  auto carryRow = [&](ValueRange row) {
    store(combiner.combine(b, b.getLoc(), load(scan.carries, row),
                           load(totals, row)),
          scan.carries, row);
  };
  forEach(b, rows, carryRow);
  remarkAt(remarks, op) << "combines the carry with the piece's results, and "
                           "then with the piece's total";
}
