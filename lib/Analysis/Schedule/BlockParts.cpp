//===- BlockParts.cpp - which blocks read the same part -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Analysis/BlockParts.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tile/Analysis/Divisibility.h"
#include "tile/Dialect/Tile/IR/Surroundings.h"

using namespace mlir;
using namespace mlir::tile;

/// Whether other values of `value` have other quotients.
static bool dividesWhole(Value value, int64_t divisor) {
  return divisor > 0 && knownDivisor(value) % divisor == 0;
}

/// What an expression of an `affine.apply` may be made of: see keepsApart.
static bool keepsApart(AffineExpr expr, affine::AffineApplyOp apply) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return true;
  AffineExpr lhs = binary.getLHS(), rhs = binary.getRHS();
  if (binary.getKind() == AffineExprKind::Add ||
      binary.getKind() == AffineExprKind::Mul)
    return keepsApart(lhs, apply) && keepsApart(rhs, apply);
  auto divisor = dyn_cast<AffineConstantExpr>(rhs);
  if (binary.getKind() == AffineExprKind::Mod || !divisor)
    return false;
  unsigned dims = apply.getAffineMap().getNumDims();
  std::optional<unsigned> position;
  if (auto dim = dyn_cast<AffineDimExpr>(lhs))
    position = dim.getPosition();
  else if (auto symbol = dyn_cast<AffineSymbolExpr>(lhs))
    position = dims + symbol.getPosition();
  return position &&
         dividesWhole(apply.getMapOperands()[*position], divisor.getValue());
}

/// What an index may be made of so that blocks with other numbers have other
/// indices: sums, multiples, and quotients of multiples of the divisor.
static bool keepsApart(Operation *op) {
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return keepsApart(apply.getAffineMap().getResult(0), apply);
  if (isa<arith::DivUIOp, arith::DivSIOp>(op)) {
    std::optional<int64_t> divisor = getConstantIntValue(op->getOperand(1));
    return divisor && dividesWhole(op->getOperand(0), *divisor);
  }
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ConstantOp,
             arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtUIOp,
             arith::ExtSIOp, arith::TruncIOp, memref::DimOp>(op);
}

static bool isCast(Operation *op) {
  return isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp,
                         arith::ExtUIOp, arith::ExtSIOp, arith::TruncIOp>(op);
}

/// Through conversions of integers.
static Value withoutCasts(Value value) {
  while (isCast(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

static bool isOne(Value value) {
  return isConstantIntValue(withoutCasts(value), 1);
}

/// Whether `value` may depend on `id`, a number of the block.
static bool dependsOn(Value value, Value id) {
  llvm::SmallVector<Value> left{value};
  llvm::SmallDenseSet<Value> seen;
  while (!left.empty()) {
    Value next = left.pop_back_val();
    if (next == id)
      return true;
    if (!seen.insert(next).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (!getKernelOfArgument(argument))
        return true;
      continue;
    }
    if (next.getDefiningOp()->getNumRegions())
      return true;
    llvm::append_range(left, next.getDefiningOp()->getOperands());
  }
  return false;
}

/// Whether `next` is what `value` is in the block whose `id` is larger by one.
/// The same operations are asked to have such operands; each pair is looked at
/// once for each of its uses, and `depth` ends what would take too long.
static bool isNext(Value value, Value next, Value id, unsigned depth = 16) {
  if (value == id) {
    auto sum = withoutCasts(next).getDefiningOp<arith::AddIOp>();
    return sum && ((withoutCasts(sum.getLhs()) == id && isOne(sum.getRhs())) ||
                   (withoutCasts(sum.getRhs()) == id && isOne(sum.getLhs())));
  }
  if (value == next)
    return !dependsOn(value, id);
  Operation *op = value.getDefiningOp(), *other = next.getDefiningOp();
  if (!op || !other || depth == 0 || op->getName() != other->getName() ||
      op->getNumOperands() != other->getNumOperands() || op->getNumRegions() ||
      op->getAttrDictionary() != other->getAttrDictionary() || !isPure(op))
    return false;
  return llvm::all_of(llvm::zip(op->getOperands(), other->getOperands()),
                      [&](auto pair) {
                        auto [first, second] = pair;
                        return isNext(first, second, id, depth - 1);
                      });
}

/// Whether `begin` + `chunk` is where the next block begins: `begin` is a
/// multiple of the block's number, `chunk` for each, or the end of all.
static bool isChunk(Value begin, Value chunk, Value id) {
  Operation *op = withoutCasts(begin).getDefiningOp();
  if (isa_and_nonnull<arith::MinSIOp, arith::MinUIOp>(op))
    return isChunk(op->getOperand(0), chunk, id) ||
           isChunk(op->getOperand(1), chunk, id);
  auto product = dyn_cast_or_null<arith::MulIOp>(op);
  if (!product)
    return false;
  Value lhs = withoutCasts(product.getLhs()),
        rhs = withoutCasts(product.getRhs());
  chunk = withoutCasts(chunk);
  return (lhs == id && rhs == chunk) || (rhs == id && lhs == chunk);
}

/// Whether the range from `begin` to `end` ends where the one of the block with
/// the next `id` begins, or before.
static bool endsWhereNextBegins(Value begin, Value end, Value id) {
  if (isNext(begin, end, id))
    return true;
  Operation *op = withoutCasts(end).getDefiningOp();
  if (isa_and_nonnull<arith::MinSIOp, arith::MinUIOp>(op))
    return endsWhereNextBegins(begin, op->getOperand(0), id) ||
           endsWhereNextBegins(begin, op->getOperand(1), id);
  auto sum = dyn_cast_or_null<arith::AddIOp>(op);
  if (!sum)
    return false;
  Value lhs = sum.getLhs(), rhs = sum.getRhs(), from = withoutCasts(begin);
  return (withoutCasts(lhs) == from && isChunk(begin, rhs, id)) ||
         (withoutCasts(rhs) == from && isChunk(begin, lhs, id));
}

namespace {
/// Follows the indices of one access.
class PartFinder {
public:
  explicit PartFinder(KernelOp kernel) : kernel(kernel) {}

  /// False where an index is made of something that is not followed.
  bool follow(Value value) {
    if (!seen.insert(value).second)
      return true;
    // A persistent block goes through tiles, each of them once.
    if (std::optional<unsigned> dim = blockCoordinate(value)) {
      seen.insert(kernel.getBlockId(*dim));
      if (auto tiles =
              value.getDefiningOp()->getParentOfType<LoopLikeOpInterface>())
        if (auto numbers = tiles.getLoopInductionVars())
          seen.insert(numbers->begin(), numbers->end());
      return true;
    }
    if (Operation *op = value.getDefiningOp())
      return keepsApart(op) && llvm::all_of(op->getOperands(), [&](Value v) {
               return isa<MemRefType>(v.getType()) || follow(v);
             });
    auto argument = cast<BlockArgument>(value);
    Operation *owner = argument.getOwner()->getParentOp();
    if (owner == kernel || elementLoopOf(argument))
      return true;
    auto loop = dyn_cast<LoopLikeOpInterface>(owner);
    return loop &&
           llvm::is_contained(
               loop.getLoopInductionVars().value_or(SmallVector<Value>()),
               value) &&
           followRange(loop);
  }

  /// Whether the indices use a number.
  bool uses(Value number) const { return seen.contains(number); }
  /// Whether blocks that differ in it alone have ranges of their own.
  bool hasOwnRange(Value id) const { return ranged.contains(id); }

private:
  bool followRange(LoopLikeOpInterface loop) {
    auto lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds();
    if (!lower || !upper || lower->size() != 1)
      return false;
    auto begin = dyn_cast<Value>(lower->front());
    auto end = dyn_cast<Value>(upper->front());
    if (!begin || !end)
      return true;
    auto tryNumber = [&](Value number, unsigned dim) {
      if (dependsOn(begin, number) && endsWhereNextBegins(begin, end, number))
        ranged.insert(kernel.getBlockId(dim));
    };
    for (unsigned d = 0; d < kernel.getGridRank(); ++d)
      tryNumber(kernel.getBlockId(d), d);
    kernel.walk([&](BlockCoordinatesOp coordinates) {
      for (auto [d, number] : llvm::enumerate(coordinates.getCoordinates()))
        tryNumber(number, d);
    });
    return true;
  }

  KernelOp kernel;
  llvm::SmallDenseSet<Value> seen, ranged;
};
} // namespace

std::optional<BlockPart> tile::partOfBlock(KernelOp kernel, Operation *access,
                                           ValueRange indices) {
  PartFinder finder(kernel);
  for (Value index : indices)
    if (!finder.follow(index))
      return std::nullopt;
  BlockPart part;
  for (auto [d, extent] : llvm::enumerate(kernel.getGrid().getResults())) {
    Value id = kernel.getBlockId(d);
    if (extent != getAffineConstantExpr(1, kernel.getContext()) &&
        !finder.uses(id) && !finder.hasOwnRange(id))
      part.sharedDims.push_back(d);
  }
  for (Operation *op = access->getParentOp(); op && op != kernel;
       op = op->getParentOp()) {
    auto loop = dyn_cast<LoopLikeOpInterface>(op);
    if (!loop || isa<TileOpInterface>(op))
      continue;
    auto numbers = loop.getLoopInductionVars();
    part.onceInBlock &= numbers && llvm::all_of(*numbers, [&](Value number) {
                          return finder.uses(number);
                        });
  }
  return part;
}
