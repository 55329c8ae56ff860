//===- SplitRest.cpp - what follows a loop that blocks share --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Analysis/SplitRest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"

using namespace mlir;
using namespace mlir::tile;

std::pair<Value, ValueRange> tile::elementOf(Operation *op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return {load.getMemRef(), load.getIndices()};
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return {store.getMemRef(), store.getIndices()};
  return {};
}

bool tile::isWholeFragment(Value buffer, OperandRange offsets,
                           ArrayRef<int64_t> extents) {
  return isFragment(buffer) && offsets.empty() &&
         cast<MemRefType>(buffer.getType()).getShape() == extents;
}

static std::string whyNotByElements(ParallelOp loop) {
  bool isKnown =
      loop.getExtents().size() <= 2 && loop.getDynamicExtents().empty();
  loop.getBodyRegion().walk([&](Operation *op) {
    if (Value buffer = elementOf(op).first)
      isKnown &= isFragment(buffer) || isGlobal(buffer);
    else
      isKnown &= isMemoryEffectFree(op) || isa<scf::IfOp>(op);
  });
  return isKnown ? "" : "a loop over elements does more than loads and stores";
}

/// Of a move: whole fragments to or from global memory, or one another.
static std::string whyNotByElements(TileMoveOpInterface move) {
  Value source = move.getSource(), target = move.getTarget();
  bool fromFragment = isWholeFragment(source, move.getSourceOffsets(),
                                      move.getSourceExtents()),
       toFragment = isWholeFragment(target, move.getTargetOffsets(),
                                    move.getTargetExtents());
  bool isPlain =
      move.getAddressing() == MoveAddressing::Box && !move.isAsync() &&
      !move.getCompletion() && (fromFragment || isGlobal(source)) &&
      (toFragment || isGlobal(target)) && (fromFragment || toFragment);
  if (!isPlain)
    return "it moves more than whole fragments to or from global memory";
  if (fromFragment && toFragment &&
      cast<MemRefType>(source.getType()).getShape() !=
          cast<MemRefType>(target.getType()).getShape())
    return "it moves a fragment into another one of another shape";
  return "";
}

std::string tile::whyNotByElements(Operation *op) {
  if (auto loop = dyn_cast<ParallelOp>(op))
    return ::whyNotByElements(loop);
  if (auto move = dyn_cast<TileMoveOpInterface>(op))
    return ::whyNotByElements(move);
  bool isFine = op->hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(op);
  if (auto fill = dyn_cast<FillOp>(op)) {
    isFine =
        isWholeFragment(fill.getTarget(), fill.getOffsets(), fill.getExtents());
  } else if (isa<TileStorageOpInterface>(op)) {
    isFine = op->getNumResults() == 1 &&
             isa<MemRefType>(op->getResultTypes().front()) &&
             isFragment(op->getResult(0));
  } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
    isFine = isGlobal(load.getMemRef());
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    isFine = branch->getNumResults() == 0;
    for (Region &region : branch->getRegions())
      for (Operation &inner : region.getOps())
        if (std::string why = whyNotByElements(&inner); !why.empty())
          return why;
  }
  return isFine ? ""
                : "`" + op->getName().getStringRef().str() +
                      "` works on more than single elements";
}

bool tile::isFollowedByElements(Operation *loop) {
  for (Operation *op = loop->getNextNode(); op; op = op->getNextNode())
    if (!whyNotByElements(op).empty())
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// What only the last block does
//===----------------------------------------------------------------------===//

static bool isConstant(Value value, int64_t number) {
  return getConstantIntValue(value) == number;
}

namespace {
/// A block's number along a dimension of the grid, or that of the tile that it
/// computes, which tells the blocks that share a tile from each other: as it
/// is, or by its remainder.
struct Place {
  Value id;
  bool isRemainder = false;
};

/// What differs between the blocks that share a tile: values, and buffers that
/// are written by what depends on such values.
class Differing {
public:
  /// Of the kernel without `rest`.
  Differing(scf::IfOp rest, const Place &place, int64_t blocks,
            ArrayRef<ClusterReduceOp> reduces)
      : rest(rest), place(place), blocks(blocks) {
    // What blocks combine is the same in all of them again; so are the places
    // of the tile that they share.
    isShared.insert(rest);
    for (ClusterReduceOp reduce : reduces) {
      isShared.insert(reduce);
      combined.insert(getBaseBuffer(reduce.getTarget()));
    }
    if (Operation *places = place.id.getDefiningOp())
      isShared.insert(places);
    for (bool changed = true; changed;) {
      size_t before = found.size();
      visit(kernelOf(rest).getBodyRegion(),
            /*isWithin=*/false);
      changed = found.size() != before;
    }
  }
  bool contains(Value value) const {
    return found.contains(value) || (isa<MemRefType>(value.getType()) &&
                                     found.contains(getBaseBuffer(value)));
  }

private:
  bool isUse(Operation *op) const {
    if (!llvm::is_contained(op->getOperands(), place.id))
      return false;
    // The quotient is the same in all of them.
    auto quotient = dyn_cast<arith::DivUIOp>(op);
    return !place.isRemainder || !quotient || quotient.getLhs() != place.id ||
           !isConstant(quotient.getRhs(), blocks);
  }
  /// Numbers from nowhere, but for constants, are of the block.
  static bool asksOfBlock(Operation &op) {
    return op.getNumOperands() == 0 && !op.hasTrait<OpTrait::ConstantLike>() &&
           llvm::any_of(op.getResultTypes(),
                        [](Type type) { return type.isIntOrIndexOrFloat(); });
  }
  void visit(Region &region, bool isWithin) {
    for (Operation &op : region.getOps()) {
      if (isShared.contains(&op))
        continue;
      bool differs = isWithin || isUse(&op) || asksOfBlock(op) ||
                     llvm::any_of(op.getOperands(), [&](Value operand) {
                       return contains(operand);
                     });
      if (differs)
        take(op);
      // Blocks come to `rest` together, however its loops count.
      bool isAround = op.isProperAncestor(rest);
      for (Region &inner : op.getRegions())
        visit(inner, isAround ? isWithin : differs);
    }
  }
  void take(Operation &op) {
    found.insert_range(op.getResults());
    for (Region &region : op.getRegions())
      for (BlockArgument argument : region.getArguments())
        found.insert(argument);
    auto write = [&](Value buffer) {
      if (Value base = getBaseBuffer(buffer); !combined.contains(base))
        found.insert(base);
    };
    if (auto effects = dyn_cast<MemoryEffectOpInterface>(op)) {
      SmallVector<MemoryEffects::EffectInstance> instances;
      effects.getEffects(instances);
      for (const MemoryEffects::EffectInstance &instance : instances)
        if (isa<MemoryEffects::Write>(instance.getEffect()) &&
            instance.getValue() &&
            isa<MemRefType>(instance.getValue().getType()))
          write(instance.getValue());
    } else if (op.getNumRegions() == 0) {
      for (Value operand : op.getOperands())
        if (isa<MemRefType>(operand.getType()))
          write(operand);
    }
  }

  scf::IfOp rest;
  Place place;
  int64_t blocks;
  llvm::SmallPtrSet<Operation *, 4> isShared;
  llvm::SmallDenseSet<Value> combined, found;
};
} // namespace

/// The place of a block, among those that `reduce` combines, that `value` is;
/// none where it is something else.
static std::optional<Place> placeOf(Value value, ClusterReduceOp reduce) {
  auto kernel = kernelOf(reduce);
  auto blocks = static_cast<int64_t>(reduce.getBlocks());
  Place place{value};
  if (auto remainder = value.getDefiningOp<arith::RemUIOp>()) {
    if (!isConstant(remainder.getRhs(), blocks))
      return std::nullopt;
    place = {remainder.getLhs(), /*isRemainder=*/true};
  }
  if (!kernel.getCluster())
    return std::nullopt;
  ArrayRef<int64_t> cluster = *kernel.getCluster();
  int64_t stride = 1;
  for (unsigned dim = 0; dim < kernel.getGridRank(); ++dim) {
    auto tile = place.id.getDefiningOp<BlockCoordinatesOp>();
    if (place.id !=
        (tile ? Value(tile->getResult(dim)) : kernel.getBlockId(dim))) {
      stride *= cluster[dim];
      continue;
    }
    auto extent = dyn_cast<AffineConstantExpr>(kernel.getGrid().getResult(dim));
    bool isWhole = extent && extent.getValue() == blocks;
    if (stride == static_cast<int64_t>(reduce.getStride()) &&
        cluster[dim] % blocks == 0 && (place.isRemainder || isWhole))
      return place;
    return std::nullopt;
  }
  return std::nullopt;
}

std::string tile::whyNotOfLastBlock(scf::IfOp rest,
                                    ArrayRef<ClusterReduceOp> reduces,
                                    SmallVectorImpl<Value> &others) {
  ClusterReduceOp last = reduces.back();
  auto blocks = static_cast<int64_t>(last.getBlocks());
  SmallVector<Value> conditions{rest.getCondition()};
  std::optional<Place> place;
  while (!conditions.empty()) {
    Value condition = conditions.pop_back_val();
    if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
      conditions.append({both.getRhs(), both.getLhs()});
      continue;
    }
    auto compare = condition.getDefiningOp<arith::CmpIOp>();
    std::optional<Place> found;
    if (compare && compare.getPredicate() == arith::CmpIPredicate::eq &&
        isConstant(compare.getRhs(), blocks - 1))
      found = placeOf(compare.getLhs(), last);
    if (found)
      place = found;
    else
      others.push_back(condition);
  }
  if (!place)
    return "what follows is not what the last of the blocks does";
  Differing differing(rest, *place, blocks, reduces);
  bool isAlike = llvm::none_of(
      others, [&](Value condition) { return differing.contains(condition); });
  rest->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (op != rest.getOperation() &&
          !rest->isAncestor(operand.getParentRegion()->getParentOp()))
        isAlike &= operand != place->id && !differing.contains(operand);
  });
  return isAlike ? "" : "what follows depends on which of the blocks does it";
}
