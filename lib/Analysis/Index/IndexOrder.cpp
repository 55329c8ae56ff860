//===- IndexOrder.cpp - comparisons that bounds decide --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Analysis/IndexOrder.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tile/Analysis/IndexFacts.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/Surroundings.h"

using namespace mlir;
using namespace mlir::tile;
using presburger::BoundType;

/// Definitions are followed this far, and an elimination has at most so many
/// variables: beyond, nothing is known.
static constexpr unsigned kMaxDepth = 16, kMaxVariables = 16;
/// Integer points are looked for among so many variables; among more, points
/// with fractions count as well.
static constexpr unsigned kMaxExact = 24;
/// Products with constants up to this one do not leave 64 bits: indices and
/// extents are numbers of elements in memory.
static constexpr int64_t kMaxFactor = int64_t(1) << 20;

/// Conditions of branches around a comparison that are looked at.
static constexpr unsigned kMaxFacts = 8;

//===----------------------------------------------------------------------===//
// Extents that are promised to be equal
//===----------------------------------------------------------------------===//

IndexOrder::IndexOrder(KernelOp kernel) : kernel(kernel) {
  for (auto assume : kernel.getBodyRegion().front().getOps<AssumeOp>()) {
    if (!assume.getEquals())
      continue;
    std::optional<Extent> a = extentOf(assume.getValue()),
                          b = extentOf(assume.getEquals());
    if (a && b && representative(*a) != representative(*b))
      parents[representative(*b)] = representative(*a);
  }
}

IndexOrder::Extent IndexOrder::representative(Extent extent) const {
  for (auto it = parents.find(extent); it != parents.end();
       it = parents.find(extent))
    extent = it->second;
  return extent;
}

std::optional<IndexOrder::Extent> IndexOrder::extentOf(Value value) const {
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

//===----------------------------------------------------------------------===//
// One comparison
//===----------------------------------------------------------------------===//

namespace {
using Extent = IndexOrder::Extent;

/// One comparison: the variables of its sides, and what bounds them.
class Question {
public:
  /// With `inBranch`, the conditions of branches around `user` hold; then
  /// nothing is said of arithmetic that may wrap around, whose values are not
  /// those of the expressions.
  Question(KernelOp kernel, const IndexOrder &order, Operation *user,
           bool inBranch)
      : kernel(kernel), order(order), user(user), context(kernel.getContext()),
        inBranch(inBranch) {
    if (inBranch)
      collectConditions();
  }

  /// Whether the arithmetic that computes `value` stays within its type.
  bool isExact(Value value, unsigned depth = 0);

  /// An expression of variables; one of its own for what is not affine.
  AffineExpr expressionOf(Value value, unsigned depth = 0);
  AffineExpr expressionOf(OpFoldResult value) {
    std::optional<int64_t> number = getConstantIntValue(value);
    return number ? constant(*number) : expressionOf(cast<Value>(value));
  }
  /// Whether `expression` is `least` or more at no point; with `most`, whether
  /// it is none of the numbers from `least` to `most` at any point.
  bool isBelow(AffineExpr expression, int64_t least,
               std::optional<int64_t> most = std::nullopt) const;

  /// Values that `iteration` computed instead of the current one are asked for
  /// from here on.
  void goBackTo(LoopIteration iteration);

  /// From here on it counts that a block runs: no extent of the grid is zero.
  void assumeBlock() {
    for (unsigned dim = 0; dim < kernel.getGrid().getNumResults(); ++dim)
      blockIndex(dim);
    blockExists = true;
  }

private:
  void collectConditions();
  void collectCondition(Value condition, bool holds);
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
    return factsOf(value).min.value_or(-1) >= 0;
  }
  /// The same, where bounds have to be compared for it: with a block of the
  /// grid `(n - 1) / 64` divides no negative number.
  bool isNeverNegative(Value value, unsigned depth) {
    return isNotNegative(value) ||
           (blockExists && isBelow(-1 - expressionOf(value, depth + 1), 0));
  }
  /// Whether an earlier iteration computed `value`.
  bool isPast(Value value) {
    return past.loop &&
           past.loop->isAncestor(value.getParentBlock()->getParentOp());
  }
  /// What is known of a value where it is used. What holds at `user` says
  /// nothing of other iterations.
  IndexFacts factsOf(Value value) {
    Operation *place = user;
    if (isPast(value) && !(place = value.getDefiningOp()))
      place = past.loop;
    return getIndexFacts(value, place, /*wraps=*/true);
  }
  AffineExpr pastCounter();

  KernelOp kernel;
  const IndexOrder &order;
  Operation *user;
  MLIRContext *context;
  bool inBranch, blockExists = false;
  SmallVector<Variable> variables;
  /// Expressions that are not negative where `user` stands.
  SmallVector<AffineExpr> facts;
  llvm::DenseMap<Value, AffineExpr> values, pastValues;
  std::map<Extent, AffineExpr> extents;
  LoopIteration past;
};

} // namespace

AffineExpr Question::variableOf(Extent extent) {
  extent = order.representative(extent);
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

void Question::goBackTo(LoopIteration iteration) {
  scf::ForOp loop = iteration.loop;
  if (!loop || iteration.before > 0) {
    past = iteration;
    return;
  }
  std::optional<int64_t> step = factorOf(loop.getStep());
  if (!step || loop.getUnsignedCmp())
    return;
  AffineExpr counter = expressionOf(loop.getInductionVar()),
             first = expressionOf(getAsOpFoldResult(loop.getLowerBound())),
             passed = counter - first + *step * iteration.before;
  facts.push_back(passed);
  facts.push_back(-passed);
}

/// The counter of the loop, some iterations ago: not below where it starts.
AffineExpr Question::pastCounter() {
  LoopIteration iteration = std::exchange(past, {});
  scf::ForOp loop = iteration.loop;
  AffineExpr now = expressionOf(loop.getInductionVar()),
             first = expressionOf(getAsOpFoldResult(loop.getLowerBound()));
  past = iteration;
  std::optional<int64_t> step = factorOf(loop.getStep());
  if (!step || loop.getUnsignedCmp())
    return add(AffineExpr(), AffineExpr());
  AffineExpr counter = now - *step * iteration.before;
  facts.push_back(counter - first);
  return counter;
}

AffineExpr Question::variableOf(Value value, unsigned depth) {
  if (isPast(value) && value == past.loop.getInductionVar())
    return pastCounter();
  if (std::optional<Extent> extent = order.extentOf(value))
    return variableOf(*extent);
  if (std::optional<unsigned> dim = blockCoordinate(value))
    return blockIndex(*dim);
  // Numbers of fewer bits wrap: nothing else is known of them.
  if (!value.getType().isIndex() && !value.getType().isInteger(64)) {
    unsigned bits = std::min(value.getType().getIntOrFloatBitWidth(), 62u);
    int64_t end = int64_t(1) << bits;
    return add(constant(-end), constant(end));
  }
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument) {
    IndexFacts facts = factsOf(value);
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
  if (ParallelOp tile = elementLoopOf(argument)) {
    int64_t extent = tile.getExtents()[argument.getArgNumber()];
    return add(constant(0),
               ShapedType::isDynamic(extent) ? AffineExpr() : constant(extent));
  }
  auto loop =
      dyn_cast_or_null<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
  if (auto counted = dyn_cast_or_null<scf::ForOp>(loop.getOperation());
      counted && counted.getUnsignedCmp())
    return add(AffineExpr(), AffineExpr());
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
  llvm::DenseMap<Value, AffineExpr> &known =
      isPast(value) ? pastValues : values;
  if (auto it = known.find(value); it != known.end())
    return it->second;
  auto keep = [&](AffineExpr expression) { return known[value] = expression; };
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
    if (by && *by > 0 &&
        (isFloor || isNeverNegative(op->getOperand(0), depth)) &&
        (!inBranch || isExact(op->getOperand(0)))) {
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
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op);
      apply && (!inBranch || isExact(value))) {
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

bool Question::isBelow(AffineExpr expression, int64_t least,
                       std::optional<int64_t> most) const {
  unsigned count = variables.size();
  if (count > kMaxVariables)
    return false;
  // One more dimension for the expression, and one for each fact.
  unsigned dims = count + 1 + facts.size();
  FlatLinearConstraints points(dims);
  auto map = [&](AffineExpr result) { return AffineMap::get(dims, 0, result); };
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
  if (most)
    points.addBound(BoundType::UB, count, *most);
  for (auto [i, fact] : llvm::enumerate(facts))
    if (succeeded(points.addBound(BoundType::EQ, count + 1 + i, map(fact))))
      points.addBound(BoundType::LB, count + 1 + i, 0);
  // Of few numbers it matters, too, of what they are multiples.
  return points.isEmpty() ||
         (most && points.getNumVars() <= kMaxExact && points.isIntegerEmpty());
}

bool Question::isExact(Value value, unsigned depth) {
  Operation *op = value.getDefiningOp();
  bool isWide = value.getType().isIndex() || value.getType().isInteger(64);
  // A variable, whatever it is.
  if (!op || !isWide ||
      !isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp,
           arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp,
           arith::FloorDivSIOp, arith::IndexCastOp, affine::AffineApplyOp>(op))
    return true;
  if (depth >= kMaxDepth)
    return false;
  // What has both bounds has not wrapped around; inside of a map only what
  // comes from small numbers has not.
  constexpr int64_t kSmall = int64_t(1) << 40;
  if (isa<affine::AffineApplyOp>(op)) {
    for (Value operand : op->getOperands()) {
      IndexFacts own = getIndexFacts(operand, user, /*wraps=*/true);
      if (!own.min || !own.max || *own.min < -kSmall || *own.max > kSmall)
        return false;
    }
  } else if (!isa<arith::IndexCastOp>(op)) {
    IndexFacts own = getIndexFacts(value, user, /*wraps=*/true);
    if (!own.min || !own.max)
      return false;
  }
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return isExact(operand, depth + 1);
  });
}

/// What the branches around `user` compare.
void Question::collectConditions() {
  for (Operation *parent : getEnclosingOps(user))
    if (auto branch = dyn_cast<scf::IfOp>(parent))
      collectCondition(
          branch.getCondition(),
          /*holds=*/branch.getThenRegion().findAncestorOpInRegion(*user));
}

void Question::collectCondition(Value condition, bool holds) {
  Operation *op = condition.getDefiningOp();
  // All parts of what holds hold, and none of what does not.
  if (holds ? isa_and_nonnull<arith::AndIOp>(op)
            : isa_and_nonnull<arith::OrIOp>(op)) {
    collectCondition(op->getOperand(0), holds);
    collectCondition(op->getOperand(1), holds);
    return;
  }
  auto comparison = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!comparison || facts.size() >= kMaxFacts)
    return;
  Type type = comparison.getLhs().getType();
  if (!type.isIndex() && !type.isInteger(64))
    return;
  if (!isExact(comparison.getLhs()) || !isExact(comparison.getRhs()))
    return;
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = comparison.getPredicate();
  AffineExpr lhs = expressionOf(comparison.getLhs()),
             rhs = expressionOf(comparison.getRhs());
  if (!holds)
    predicate = arith::invertPredicate(predicate);
  switch (predicate) {
  case Predicate::eq:
    facts.push_back(lhs - rhs);
    facts.push_back(rhs - lhs);
    return;
  case Predicate::slt:
    facts.push_back(rhs - lhs - 1);
    return;
  case Predicate::sle:
    facts.push_back(rhs - lhs);
    return;
  case Predicate::sgt:
    facts.push_back(lhs - rhs - 1);
    return;
  case Predicate::sge:
    facts.push_back(lhs - rhs);
    return;
  // Without a sign, what is below a number that is not negative is not negative
  // either.
  case Predicate::ult:
  case Predicate::ule:
    if (!isNotNegative(comparison.getRhs()))
      return;
    facts.push_back(lhs);
    facts.push_back(rhs - lhs - (predicate == Predicate::ult ? 1 : 0));
    return;
  case Predicate::ugt:
  case Predicate::uge:
    if (!isNotNegative(comparison.getLhs()))
      return;
    facts.push_back(rhs);
    facts.push_back(lhs - rhs - (predicate == Predicate::ugt ? 1 : 0));
    return;
  case Predicate::ne:
    return;
  }
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

bool IndexOrder::isNotNegative(Value index, Operation *user) const {
  // As in `decide`: indices do not wrap around, but what a branch says is
  // compared with exact values only.
  for (bool inBranch : {false, true}) {
    Question question(kernel, *this, user, inBranch);
    if (inBranch && !question.isExact(index))
      return false;
    question.assumeBlock();
    AffineExpr expression = question.expressionOf(index);
    if (question.isBelow(-1 - expression, 0))
      return true;
  }
  return false;
}

bool IndexOrder::isInside(Value index, int64_t extent, Operation *user) const {
  IndexFacts facts = getIndexFacts(index, user, /*wraps=*/true);
  if (facts.min && facts.max && *facts.min >= 0 && *facts.max < extent)
    return true;
  // Sums and products are right up to multiples of 2^64, of which only one lies
  // inside.
  Question question(kernel, *this, user, /*inBranch=*/true);
  AffineExpr expression = question.expressionOf(index);
  return question.isBelow(-1 - expression, 0) &&
         question.isBelow(expression - extent, 0);
}

bool IndexOrder::areApart(OpFoldResult first, int64_t extent,
                          OpFoldResult other, int64_t otherExtent,
                          Operation *user, LoopIteration iteration) const {
  std::optional<int64_t> number = getConstantIntValue(first),
                         otherNumber = getConstantIntValue(other);
  if (number && otherNumber)
    return *number + extent <= *otherNumber ||
           *otherNumber + otherExtent <= *number;
  if (first == other && !iteration.loop)
    return false;
  // Indices are numbers of elements, which do not wrap around.
  Question question(kernel, *this, user, /*inBranch=*/false);
  AffineExpr now = question.expressionOf(other);
  question.goBackTo(iteration);
  AffineExpr distance = question.expressionOf(first) - now;
  return question.isBelow(distance, 1 - extent, otherExtent - 1);
}

std::optional<bool> IndexOrder::decide(arith::CmpIPredicate predicate,
                                       Value lhs, Value rhs,
                                       Operation *user) const {
  // Indices and extents are numbers of elements, which do not wrap around; of
  // what a branch says only exact values are compared.
  if (std::optional<bool> always = decideIn(predicate, lhs, rhs, user, false))
    return always;
  Question question(kernel, *this, user, /*inBranch=*/true);
  if (!question.isExact(lhs) || !question.isExact(rhs))
    return std::nullopt;
  return decideIn(predicate, lhs, rhs, user, true);
}

std::optional<bool> IndexOrder::decideIn(arith::CmpIPredicate predicate,
                                         Value left, Value right,
                                         Operation *user, bool inBranch) const {
  using Predicate = arith::CmpIPredicate;
  Question question(kernel, *this, user, inBranch);
  AffineExpr lhs = question.expressionOf(left),
             rhs = question.expressionOf(right);
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
