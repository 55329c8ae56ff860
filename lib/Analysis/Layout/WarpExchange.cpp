//===- WarpExchange.cpp - what other lanes of a warp hold -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program for single threads exchanges values by reading another thread's row
// of a fragment: `x[t / 32 * 32 + (lane + 1) % 32, 0]` is what CUDA's
// __shfl_sync reads. Where an index stays in its warp whatever the numbers in
// it are, a shuffle reads it, and neither shared memory nor a barrier.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tile/Analysis/LayoutAnalysis.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Surroundings.h"

using namespace mlir;
using namespace mlir::tile;

/// The value behind changes of its type that keep small numbers as they are;
/// with `isAny`, all numbers.
static Value withoutCasts(Value value, bool isAny = false) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
             arith::ExtUIOp>(op) ||
        (isAny && !value.getType().isIndex()))
      break;
    value = op->getOperand(0);
  }
  return value;
}

static std::optional<int64_t> constantOf(Value value) {
  return getConstantIntValue(withoutCasts(value));
}

namespace {
/// What is known of an index where an iteration of a thread runs.
class LaneIndex {
public:
  explicit LaneIndex(Value thread) : thread(thread) {}

  /// Whether `value` is a thread of the warp of `thread`.
  bool staysInWarp(Value value) {
    value = withoutCasts(value);
    if (value == thread || groupOf(value))
      return true;
    if (auto select = value.getDefiningOp<arith::SelectOp>()) {
      conditions.push_back(select.getCondition());
      bool stays = staysInWarp(select.getTrueValue());
      conditions.pop_back();
      return stays && staysInWarp(select.getFalseValue());
    }
    auto sum = value.getDefiningOp<arith::AddIOp>();
    if (!sum)
      return false;
    for (auto [base, lane] : {std::pair(sum.getLhs(), sum.getRhs()),
                              std::pair(sum.getRhs(), sum.getLhs())})
      if (int64_t width = groupOf(base); width && isBelow(lane, width))
        return true;
    return false;
  }

private:
  /// The width of the group of lanes whose first thread `value` is: `thread`
  /// divided by it and multiplied by it. 0 of anything else.
  int64_t groupOf(Value value) {
    auto product = withoutCasts(value).getDefiningOp<arith::MulIOp>();
    if (!product)
      return 0;
    for (auto [factor, other] :
         {std::pair(product.getRhs(), product.getLhs()),
          std::pair(product.getLhs(), product.getRhs())}) {
      std::optional<int64_t> width = constantOf(factor);
      Operation *quotient = withoutCasts(other).getDefiningOp();
      if (width && *width > 0 && kWarpSize % *width == 0 && quotient &&
          isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(quotient) &&
          withoutCasts(quotient->getOperand(0)) == thread &&
          constantOf(quotient->getOperand(1)) == width)
        return *width;
    }
    return 0;
  }

  /// Whether `value` is one of the numbers from 0 to `width` - 1; `width` is a
  /// power of two.
  bool isBelow(Value value, int64_t width) {
    return isNonNegative(value) && isLess(value, width);
  }

  bool isNonNegative(Value value) {
    if (withoutCasts(value) == thread)
      return true;
    value = withoutCasts(value, /*isAny=*/true);
    if (std::optional<int64_t> number = getConstantIntValue(value))
      return *number >= 0;
    if (isBounded(value, 0, std::nullopt))
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumOperands() != 2)
      return false;
    bool first = isNonNegative(op->getOperand(0));
    if (isa<arith::RemSIOp>(op))
      return first;
    bool second = isNonNegative(op->getOperand(1));
    if (isa<arith::RemUIOp, arith::DivUIOp>(op))
      return second && constantOf(op->getOperand(1)).value_or(0) > 1;
    if (isa<arith::AndIOp>(op))
      return first || second;
    // Numbers of 32 bits may overflow.
    bool counts =
        isa<arith::AddIOp, arith::MulIOp>(op) && value.getType().isIndex();
    return (counts || isa<arith::OrIOp, arith::XOrIOp>(op)) && first && second;
  }

  bool isLess(Value value, int64_t width) {
    value = withoutCasts(value);
    if (std::optional<int64_t> number = getConstantIntValue(value))
      return *number < width;
    if (isBounded(value, std::nullopt, width))
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumOperands() != 2)
      return false;
    Value lhs = op->getOperand(0), rhs = op->getOperand(1);
    std::optional<int64_t> number = constantOf(rhs);
    if (isa<arith::RemUIOp, arith::RemSIOp>(op))
      return number && *number > 0 && *number <= width;
    if (isa<arith::AddIOp>(op))
      return number && *number <= 0 && isLess(lhs, width);
    if (isa<arith::SubIOp>(op))
      return isLess(lhs, width) && isNonNegative(rhs);
    if (isa<arith::AndIOp>(op))
      return isBelow(lhs, width) || isBelow(rhs, width);
    return isa<arith::OrIOp, arith::XOrIOp>(op) && isBelow(lhs, width) &&
           isBelow(rhs, width);
  }

  /// Whether a condition that holds here says that `value` is at least `least`,
  /// or less than `end`.
  bool isBounded(Value value, std::optional<int64_t> least,
                 std::optional<int64_t> end) {
    SmallVector<Value> open(conditions);
    while (!open.empty()) {
      Value condition = open.pop_back_val();
      if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
        open.append({both.getLhs(), both.getRhs()});
        continue;
      }
      auto compare = condition.getDefiningOp<arith::CmpIOp>();
      if (!compare || withoutCasts(compare.getLhs()) != value)
        continue;
      std::optional<int64_t> bound = constantOf(compare.getRhs());
      if (!bound)
        continue;
      bool holds = false;
      switch (compare.getPredicate()) {
      case arith::CmpIPredicate::sge:
        holds = least && *bound >= *least;
        break;
      case arith::CmpIPredicate::sgt:
        holds = least && *bound >= *least - 1;
        break;
      case arith::CmpIPredicate::slt:
        holds = end && *bound <= *end;
        break;
      case arith::CmpIPredicate::sle:
        holds = end && *bound < *end;
        break;
      case arith::CmpIPredicate::ult: // both, of a bound that is not negative
        holds = *bound >= 0 && (least ? *least <= 0 : *bound <= *end);
        break;
      default:
        break;
      }
      if (holds)
        return true;
    }
    return false;
  }

  Value thread;
  SmallVector<Value> conditions;
};

/// Whether coordinate 0 is the number of the thread, and the others are of
/// registers alone.
bool isByThread(const FragmentLayout &layout) {
  if (layout.size(Axis::Block) != 1 || layout.size(Axis::Lane) != kWarpSize)
    return false;
  for (Axis axis : {Axis::Lane, Axis::Warp})
    for (int64_t i = 0, e = layout.size(axis); i < e; ++i)
      for (auto [dim, coordinate] :
           llvm::enumerate(layout.axisCoordinates(axis, i)))
        if (coordinate != (dim != 0             ? 0
                           : axis == Axis::Lane ? i
                                                : i * kWarpSize))
          return false;
  return layout.shape().front() == layout.numThreads();
}
} // namespace

bool tile::readsWithinWarp(Operation *op) {
  auto load = dyn_cast<memref::LoadOp>(op);
  ParallelOp parallel = elementLoopAround(op);
  if (!load || !parallel || parallel != op->getParentOp() ||
      !isFragment(load.getMemRef()) || parallel.getExtents().size() != 1)
    return false;
  int64_t threads = parallel.getExtents().front();
  if (threads <= 0 || threads % kWarpSize != 0 ||
      load.getMemRefType().getDimSize(0) != threads ||
      !llvm::all_of(load.getIndices().drop_front(), [](Value index) {
        return getConstantIntValue(index).has_value();
      }))
    return false;
  return LaneIndex(parallel.getBodyRegion().getArgument(0))
      .staysInWarp(load.getIndices().front());
}

std::optional<int64_t>
tile::registerOfOtherLane(Operation *op, const FragmentLayout &loop,
                          const FragmentLayout &fragment) {
  if (!readsWithinWarp(op) || !isByThread(loop) || !isByThread(fragment) ||
      loop.numRegisters() != 1)
    return std::nullopt;
  SmallVector<int64_t> element{0};
  for (Value index : cast<memref::LoadOp>(op).getIndices().drop_front())
    element.push_back(*getConstantIntValue(index));
  for (int64_t i = 0, e = fragment.numRegisters(); i < e; ++i)
    if (fragment.axisCoordinates(Axis::Register, i) == element)
      return i;
  return std::nullopt;
}
