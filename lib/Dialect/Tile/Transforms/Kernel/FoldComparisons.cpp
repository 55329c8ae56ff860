//===- FoldComparisons.cpp - comparisons that bounds decide ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs before layouts, in front of a canonicalization. A block's index is below
// the grid's extent, which is an expression of the arguments' extents: in a
// grid of `dim(%A, 0)` blocks the guard `%b < dim(%A, 0)` always holds. Guards
// of this kind come from front ends that guard every access whose index they
// cannot bound themselves; they keep loops from being copies, and cost
// registers and branches.
//
// The two sides become affine expressions of variables (block indices, counters
// of loops, extents, and values that nothing is known of), each with its
// bounds. A comparison holds always where the bounds and its opposite have no
// common point (Presburger library of MLIR).
//
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tile/Analysis/IndexFacts.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include <map>

namespace mlir::tile {
#define GEN_PASS_DEF_FOLDCOMPARISONSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;
using presburger::BoundType;

/// Definitions are followed this far, and an elimination has at most so many
/// variables: beyond, nothing is known.
static constexpr unsigned kMaxDepth = 16, kMaxVariables = 16;
/// Products with constants up to this one do not leave 64 bits: indices and
/// extents are numbers of elements in memory.
static constexpr int64_t kMaxFactor = int64_t(1) << 20;

namespace {
/// A dimension of a memref argument, or a scalar argument (dimension -1), as in
/// the operands of a grid.
using Extent = std::pair<int64_t, int64_t>;

/// Extents that are promised to be equal, by one of them each.
class EqualExtents {
public:
  explicit EqualExtents(KernelOp kernel) : kernel(kernel) {
    for (auto assume : kernel.getBodyRegion().front().getOps<AssumeOp>()) {
      if (!assume.getEquals())
        continue;
      std::optional<Extent> a = extentOf(assume.getValue()),
                            b = extentOf(assume.getEquals());
      if (a && b && find(*a) != find(*b))
        parents[find(*b)] = find(*a);
    }
  }

  Extent find(Extent extent) const {
    for (auto it = parents.find(extent); it != parents.end();
         it = parents.find(extent))
      extent = it->second;
    return extent;
  }

  std::optional<Extent> extentOf(Value value) const {
    auto number = [&](Value argument) -> std::optional<int64_t> {
      auto own = dyn_cast<BlockArgument>(argument);
      if (!own || getKernelOfArgument(own) != kernel ||
          own.getArgNumber() >= KernelOp(kernel).getNumKernelArguments())
        return std::nullopt;
      return own.getArgNumber();
    };
    if (auto dim = value.getDefiningOp<memref::DimOp>()) {
      std::optional<int64_t> argument = number(dim.getSource()),
                             index = dim.getConstantIndex();
      if (!argument || !index)
        return std::nullopt;
      return Extent(*argument, *index);
    }
    if (std::optional<int64_t> argument = number(value))
      return Extent(*argument, -1);
    return std::nullopt;
  }

private:
  KernelOp kernel;
  std::map<Extent, Extent> parents;
};

/// One comparison: the variables of its sides, and what bounds them.
class Question {
public:
  Question(KernelOp kernel, const EqualExtents &equal, Operation *user)
      : kernel(kernel), equal(equal), user(user), context(kernel.getContext()) {
  }

  /// An expression of variables; one of its own for what is not affine.
  AffineExpr expressionOf(Value value, unsigned depth = 0);
  /// Whether `expression` is `least` or more at no point.
  bool isBelow(AffineExpr expression, int64_t least) const;

private:
  struct Variable {
    AffineExpr least, end; // null: no bound
  };

  AffineExpr variableOf(Value value, unsigned depth);
  AffineExpr variableOf(Extent extent);
  AffineExpr blockIndex(unsigned dim);
  AffineExpr constant(int64_t value) {
    return getAffineConstantExpr(value, context);
  }
  AffineExpr add(AffineExpr least, AffineExpr end) {
    variables.push_back({least, end});
    return getAffineDimExpr(variables.size() - 1, context);
  }
  void bound(AffineExpr variable, AffineExpr least, AffineExpr end) {
    variables[cast<AffineDimExpr>(variable).getPosition()] = {least, end};
  }
  std::optional<int64_t> factorOf(Value value) {
    std::optional<int64_t> factor = getConstantIntValue(value);
    return factor && std::abs(*factor) <= kMaxFactor ? factor : std::nullopt;
  }
  bool isNotNegative(Value value) {
    return getIndexFacts(value, user).min.value_or(-1) >= 0;
  }

  KernelOp kernel;
  const EqualExtents &equal;
  Operation *user;
  MLIRContext *context;
  SmallVector<Variable> variables;
  llvm::DenseMap<Value, AffineExpr> values;
  std::map<Extent, AffineExpr> extents;
};

struct FoldComparisonsPass
    : tile::impl::FoldComparisonsPassBase<FoldComparisonsPass> {
  void runOnOperation() override {
    if (failed(requireBefore(*this, getOperation(), {Need::Numbers})))
      return signalPassFailure();
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      EqualExtents equal(kernel);
      SmallVector<arith::CmpIOp> comparisons;
      kernel.walk([&](arith::CmpIOp comparison) {
        Type type = comparison.getLhs().getType();
        if (type.isIndex() || type.isInteger(64))
          comparisons.push_back(comparison);
      });
      for (arith::CmpIOp comparison : comparisons)
        if (std::optional<bool> holds = decide(kernel, equal, comparison)) {
          OpBuilder builder(comparison);
          comparison.replaceAllUsesWith(
              arith::ConstantIntOp::create(builder, comparison.getLoc(), *holds,
                                           /*width=*/1)
                  .getResult());
          comparison.erase();
          ++foldedComparisons;
        }
    }
  }

private:
  static std::optional<bool> decide(KernelOp kernel, const EqualExtents &equal,
                                    arith::CmpIOp comparison);
};
} // namespace

AffineExpr Question::variableOf(Extent extent) {
  extent = equal.find(extent);
  auto [it, isNew] = extents.try_emplace(extent);
  if (!isNew)
    return it->second;
  if (extent.second < 0)
    return extents[extent] = add(AffineExpr(), AffineExpr());
  auto type =
      cast<MemRefType>(kernel.getKernelArgument(extent.first).getType());
  if (!type.isDynamicDim(extent.second))
    return extents[extent] = constant(type.getDimSize(extent.second));
  // An extent of memory is not negative.
  return extents[extent] = add(constant(0), AffineExpr());
}

/// The index of a block along a dimension of the grid. Hardware launches whole
/// clusters: where they do not divide the grid, indices may lie outside of it.
AffineExpr Question::blockIndex(unsigned dim) {
  AffineExpr extent = kernel.getGrid().getResult(dim);
  if (kernel.getCluster() &&
      extent.getLargestKnownDivisor() % (*kernel.getCluster())[dim] != 0)
    return add(constant(0), AffineExpr());
  ArrayRef<int64_t> operands = kernel.getGridOperands();
  SmallVector<AffineExpr> symbols;
  for (size_t i = 0; i < operands.size(); i += 2)
    symbols.push_back(variableOf(Extent(operands[i], operands[i + 1])));
  return add(constant(0), extent.replaceSymbols(symbols));
}

AffineExpr Question::variableOf(Value value, unsigned depth) {
  if (std::optional<Extent> extent = equal.extentOf(value))
    return variableOf(*extent);
  if (auto coordinates = value.getDefiningOp<BlockCoordinatesOp>())
    return blockIndex(cast<OpResult>(value).getResultNumber());
  // Numbers of fewer bits wrap: nothing else is known of them.
  if (!value.getType().isIndex() && !value.getType().isInteger(64)) {
    unsigned bits = std::min(value.getType().getIntOrFloatBitWidth(), 62u);
    int64_t end = int64_t(1) << bits;
    return add(constant(-end), constant(end));
  }
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument) {
    IndexFacts facts = getIndexFacts(value, user);
    return add(facts.min ? constant(*facts.min) : AffineExpr(),
               facts.max && *facts.max < INT64_MAX ? constant(*facts.max + 1)
                                                   : AffineExpr());
  }
  if (KernelOp own = getKernelOfArgument(argument)) {
    unsigned arguments = own.getNumKernelArguments();
    return argument.getArgNumber() < arguments
               ? add(AffineExpr(), AffineExpr())
               : blockIndex(argument.getArgNumber() - arguments);
  }
  auto loop =
      dyn_cast_or_null<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
  auto ivs = loop ? loop.getLoopInductionVars() : std::nullopt;
  if (!ivs || !llvm::is_contained(*ivs, argument))
    return add(AffineExpr(), AffineExpr());
  auto lowers = loop.getLoopLowerBounds(), uppers = loop.getLoopUpperBounds();
  if (!lowers || !uppers)
    return add(AffineExpr(), AffineExpr());
  size_t at = llvm::find(*ivs, Value(argument)) - ivs->begin();
  auto boundOf = [&](OpFoldResult bound) -> AffineExpr {
    if (std::optional<int64_t> number = getConstantIntValue(bound))
      return constant(*number);
    return expressionOf(cast<Value>(bound), depth + 1);
  };
  AffineExpr counter = add(AffineExpr(), AffineExpr());
  AffineExpr least = boundOf((*lowers)[at]), end = boundOf((*uppers)[at]);
  bound(counter, least, end);
  return counter;
}

AffineExpr Question::expressionOf(Value value, unsigned depth) {
  if (auto it = values.find(value); it != values.end())
    return it->second;
  auto keep = [&](AffineExpr expression) { return values[value] = expression; };
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)) &&
      number.getSignificantBits() < 48)
    return keep(constant(number.getSExtValue()));
  Operation *op = value.getDefiningOp();
  bool isWide = value.getType().isIndex() || value.getType().isInteger(64);
  if (!op || depth >= kMaxDepth || !isWide)
    return keep(variableOf(value, depth));
  auto operand = [&](unsigned i) {
    return expressionOf(op->getOperand(i), depth + 1);
  };
  if (isa<arith::AddIOp>(op))
    return keep(operand(0) + operand(1));
  if (isa<arith::SubIOp>(op))
    return keep(operand(0) - operand(1));
  if (isa<arith::MulIOp>(op))
    for (unsigned i : {0u, 1u})
      if (std::optional<int64_t> factor = factorOf(op->getOperand(i)))
        return keep(operand(1 - i) * *factor);
  if (isa<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp,
          arith::FloorDivSIOp>(op)) {
    std::optional<int64_t> by = factorOf(op->getOperand(1));
    bool isFloor = isa<arith::FloorDivSIOp>(op);
    // All of them round down what is not negative.
    if (by && *by > 0 && (isFloor || isNotNegative(op->getOperand(0)))) {
      bool isRest = isa<arith::RemUIOp, arith::RemSIOp>(op);
      return keep(isRest ? operand(0) % *by : operand(0).floorDiv(*by));
    }
  }
  if (isa<arith::IndexCastOp>(op)) {
    auto bits = [](Type type) {
      return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    };
    if (bits(value.getType()) >= bits(op->getOperand(0).getType()))
      return keep(operand(0));
  }
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    AffineMap map = apply.getAffineMap();
    SmallVector<AffineExpr> operands;
    for (Value v : apply.getMapOperands())
      operands.push_back(expressionOf(v, depth + 1));
    ArrayRef<AffineExpr> all(operands);
    return keep(map.getResult(0).replaceDimsAndSymbols(
        all.take_front(map.getNumDims()), all.drop_front(map.getNumDims())));
  }
  return keep(variableOf(value, depth));
}

bool Question::isBelow(AffineExpr expression, int64_t least) const {
  unsigned count = variables.size();
  if (count > kMaxVariables)
    return false;
  FlatLinearConstraints points(count + 1);
  auto map = [&](AffineExpr result) {
    return AffineMap::get(count + 1, 0, result);
  };
  // A bound that is no affine expression is left out: more points remain.
  for (auto [i, variable] : llvm::enumerate(variables)) {
    if (variable.least)
      (void)points.addBound(BoundType::LB, i, map(variable.least));
    if (variable.end)
      (void)points.addBound(BoundType::UB, i, map(variable.end));
  }
  if (failed(points.addBound(BoundType::EQ, count, map(expression))))
    return false;
  points.addBound(BoundType::LB, count, least);
  return points.isEmpty();
}

std::optional<bool> FoldComparisonsPass::decide(KernelOp kernel,
                                                const EqualExtents &equal,
                                                arith::CmpIOp comparison) {
  using Predicate = arith::CmpIPredicate;
  Question question(kernel, equal, comparison);
  AffineExpr lhs = question.expressionOf(comparison.getLhs()),
             rhs = question.expressionOf(comparison.getRhs());
  Predicate predicate = comparison.getPredicate();
  auto isNotNegative = [&](AffineExpr side) {
    return question.isBelow(-1 - side, 0);
  };
  // Comparisons without a sign are those with one of what is not negative.
  auto withSign = [&](Predicate own) -> std::optional<Predicate> {
    switch (own) {
    case Predicate::ult:
      return Predicate::slt;
    case Predicate::ule:
      return Predicate::sle;
    case Predicate::ugt:
      return Predicate::sgt;
    case Predicate::uge:
      return Predicate::sge;
    case Predicate::slt:
    case Predicate::sle:
    case Predicate::sgt:
    case Predicate::sge:
      return own;
    default:
      return std::nullopt;
    }
  };
  std::optional<Predicate> ordered = withSign(predicate);
  if (!ordered ||
      (*ordered != predicate && !(isNotNegative(lhs) && isNotNegative(rhs))))
    return std::nullopt;
  // As `lhs < rhs` or as `lhs <= rhs`.
  if (*ordered == Predicate::sgt || *ordered == Predicate::sge)
    std::swap(lhs, rhs);
  bool isStrict = *ordered == Predicate::slt || *ordered == Predicate::sgt;
  if (question.isBelow(lhs - rhs, isStrict ? 0 : 1))
    return true;
  if (question.isBelow(rhs - lhs, isStrict ? 1 : 0))
    return false;
  return std::nullopt;
}
