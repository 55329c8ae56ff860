//===- Iterations.cpp - what a loop of a schedule says of itself ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Dialect/Tile/IR/Iterations.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Meaning
//===----------------------------------------------------------------------===//

LogicalResult IterationOp::verify() {
  bool needsIndex = getQuestion() != IterationQuestion::Exists;
  if (needsIndex != static_cast<bool>(getIndex()))
    return emitOpError() << "[iteration-1] expected `"
                         << stringifyIterationQuestion(getQuestion())
                         << (needsIndex ? "` with the loop's induction "
                                          "variable, `of %i`, got none"
                                        : "` without `of`, got one");
  auto count = static_cast<int64_t>(getCount());
  if (count < 0)
    return emitOpError()
           << "[iteration-2] expected a count that is not negative, got "
           << count;
  return success();
}

IterationComparison tile::comparisonOf(IterationOp op) {
  auto count = static_cast<int64_t>(op.getCount());
  switch (op.getQuestion()) {
  case IterationQuestion::Exists:
    return {op.getLower(), op.getUpper(), count, 0};
  case IterationQuestion::Ahead:
    return {op.getIndex(), op.getUpper(), count, 0};
  case IterationQuestion::Past:
    // The index of an iteration is not before the first one's.
    if (count == 1)
      return {op.getIndex(), op.getLower(), 0, 0, arith::CmpIPredicate::ne};
    return {op.getIndex(), op.getLower(), 0, count, arith::CmpIPredicate::sge};
  case IterationQuestion::Is:
    return {op.getIndex(), op.getLower(), 0, count, arith::CmpIPredicate::eq};
  }
  llvm_unreachable("all cases are listed");
}

Value tile::buildComparison(OpBuilder &builder, IterationOp op) {
  Location loc = op.getLoc();
  IterationComparison compared = comparisonOf(op);
  auto side = [&](Value value, int64_t steps) -> Value {
    if (steps == 0)
      return value;
    Value offset = builder.createOrFold<arith::MulIOp>(
        loc, op.getStep(), arith::ConstantIndexOp::create(builder, loc, steps));
    return builder.createOrFold<arith::AddIOp>(loc, value, offset);
  };
  Value left = side(compared.left, compared.leftSteps),
        right = side(compared.right, compared.rightSteps);
  return builder.createOrFold<arith::CmpIOp>(loc, compared.predicate, left,
                                             right);
}

OpFoldResult IterationOp::fold(FoldAdaptor) {
  IterationComparison compared = comparisonOf(*this);
  std::optional<int64_t> left = getConstantIntValue(compared.left),
                         right = getConstantIntValue(compared.right),
                         step = getConstantIntValue(getStep());
  if (!compared.leftSteps && !compared.rightSteps)
    step = 0; // matters to nothing
  if (!left || !right || !step)
    return {};
  // As arithmetic on indices does, without an overflow of its own.
  auto sum = [&](int64_t value, int64_t steps) {
    return APInt(64, value, /*isSigned=*/true) +
           APInt(64, steps, /*isSigned=*/true) *
               APInt(64, *step, /*isSigned=*/true);
  };
  return BoolAttr::get(
      getContext(), arith::applyCmpPredicate(compared.predicate,
                                             sum(*left, compared.leftSteps),
                                             sum(*right, compared.rightSteps)));
}

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

static Value ask(OpBuilder &builder, Location loc, IterationQuestion question,
                 int64_t count, Value index, LoopBounds loop) {
  return builder.createOrFold<IterationOp>(loc, builder.getI1Type(), question,
                                           count, index, loop.lower, loop.upper,
                                           loop.step);
}

Value tile::hasIteration(OpBuilder &builder, Location loc, LoopBounds loop,
                         int64_t number) {
  return ask(builder, loc, IterationQuestion::Exists, number, Value(), loop);
}

Value tile::hasNoIteration(OpBuilder &builder, Location loc, LoopBounds loop,
                           int64_t number) {
  Value yes = arith::ConstantIntOp::create(builder, loc, 1, /*width=*/1);
  return builder.createOrFold<arith::XOrIOp>(
      loc, hasIteration(builder, loc, loop, number), yes);
}

Value tile::hasIterationAfter(OpBuilder &builder, Location loc, LoopBounds loop,
                              Value index, int64_t count) {
  return ask(builder, loc, IterationQuestion::Ahead, count, index, loop);
}

Value tile::isInIteration(OpBuilder &builder, scf::ForOp loop, int64_t number) {
  return ask(builder, loop.getLoc(), IterationQuestion::Is, number,
             loop.getInductionVar(), loop);
}

Value tile::isPast(OpBuilder &builder, scf::ForOp loop, int64_t count) {
  return ask(builder, loop.getLoc(), IterationQuestion::Past, count,
             loop.getInductionVar(), loop);
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

/// What `condition` asks; null where it is no question, or another one.
static IterationOp questionOf(Value condition, IterationQuestion question) {
  auto op = condition.getDefiningOp<IterationOp>();
  return op && op.getQuestion() == question ? op : IterationOp();
}

static bool isSame(Value a, Value b) { return isEqualConstantIntOrValue(a, b); }

bool tile::isCountedLoop(Operation *op) {
  auto loop = dyn_cast_or_null<LoopLikeOpInterface>(op);
  return loop && loop.getSingleInductionVar();
}

scf::IfOp tile::guardOf(scf::ForOp loop) {
  auto guard = dyn_cast<scf::IfOp>(loop->getParentOp());
  if (!guard || loop->getBlock() != guard.thenBlock())
    return {};
  auto asked = questionOf(guard.getCondition(), IterationQuestion::Exists);
  auto loops = guard.thenBlock()->getOps<scf::ForOp>();
  bool isGuard = asked && asked.getCount() == 0 && *loops.begin() == loop &&
                 isSame(asked.getLower(), loop.getLowerBound()) &&
                 isSame(asked.getUpper(), loop.getUpperBound());
  return isGuard ? guard : scf::IfOp();
}

bool tile::runsAtLeastOnce(scf::ForOp loop) {
  std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound()),
                         last = getConstantIntValue(loop.getUpperBound());
  return (first && last && *first < *last) || guardOf(loop);
}

bool tile::isFalseInFirst(Value flag, scf::ForOp loop) {
  auto asked = questionOf(flag, IterationQuestion::Past);
  return asked && asked.getCount() == 1 &&
         asked.getIndex() == loop.getInductionVar() &&
         isSame(asked.getLower(), loop.getLowerBound());
}

std::optional<int64_t> tile::iterationsAhead(scf::IfOp branch) {
  auto asked = questionOf(branch.getCondition(), IterationQuestion::Ahead);
  auto loop = dyn_cast<scf::ForOp>(branch->getParentOp());
  if (!asked || !loop || asked.getIndex() != loop.getInductionVar() ||
      !isSame(asked.getUpper(), loop.getUpperBound()) ||
      !isSame(asked.getStep(), loop.getStep()))
    return std::nullopt;
  return static_cast<int64_t>(asked.getCount());
}

bool tile::leavesGemmsInFlight(scf::ForOp loop) {
  bool leaves = false;
  for (auto gemm : loop.getBody()->getOps<GemmOp>()) {
    if (!gemm.getToken() ||
        traitsOf(gemm).completion != MmaCompletion::WarpgroupGroups)
      return false;
    leaves |= llvm::is_contained(loop.getYieldedValues(), gemm.getToken());
  }
  return leaves;
}

namespace {
/// What of a loop's body is a function of its index.
class IndexFunctions {
public:
  explicit IndexFunctions(scf::ForOp loop) : loop(loop) {}

  bool contains(Value value) {
    if (value == loop.getInductionVar() || loop.isDefinedOutsideOfLoop(value) ||
        known.contains(value))
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumRegions() || !isPure(op) ||
        !llvm::all_of(op->getOperands(),
                      [&](Value operand) { return contains(operand); }))
      return false;
    known.insert_range(op->getResults());
    return true;
  }

  /// Builds `value` where the index is what `mapping` says.
  Value build(OpBuilder &builder, Value value, IRMapping &mapping) {
    if (mapping.contains(value) || loop.isDefinedOutsideOfLoop(value))
      return mapping.lookupOrDefault(value);
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      build(builder, operand, mapping);
    Operation *copy = builder.clone(*op, mapping);
    SmallVector<Value> folded;
    if (succeeded(builder.tryFold(copy, folded))) {
      mapping.map(op->getResults(), folded);
      copy->erase();
    }
    return mapping.lookup(value);
  }

private:
  scf::ForOp loop;
  llvm::SmallDenseSet<Value> known;
};
} // namespace

bool tile::isFunctionOfIndex(scf::ForOp loop, Value value) {
  return IndexFunctions(loop).contains(value);
}

Value tile::valueAt(OpBuilder &builder, scf::ForOp loop, Value value,
                    Value index) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), index);
  return IndexFunctions(loop).build(builder, value, mapping);
}
