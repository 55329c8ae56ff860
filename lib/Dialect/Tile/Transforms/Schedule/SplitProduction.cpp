//===- SplitProduction.cpp - iterations whose copies need no check --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of --tile-prefetch-operands. The production in a ring loop is guarded
// (the last iterations have none) and its copies are checked against the bounds
// of their sources. Both are branches, and an assembler moves nothing across
// them: the copies' instructions stand alone while tensor cores idle. Where the
// copies' offsets are linear in the use's number, iterations [lower, middle) of
//
//   middle = min over copies and dimensions of the first use that overhangs,
//            and the trip count; lower when even the first one overhangs
//
// need neither. They get a loop of their own, with the copies marked `inside`
// and dealt out among the gemms. An iteration whose production exists has
// successors, so guards of the next one's operands go as well. What precedes a
// production of the ring (the wait that empties its slot) keeps its place.
//
//===----------------------------------------------------------------------===//
#include "SplitProduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "tile/Analysis/RingUses.h"
#include "tile/Dialect/Tile/IR/Iterations.h"
#include "tile/Dialect/Tile/IR/LayoutConstraints.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// first + use * step, with `first` (null: 0) known before the loop. The use is
/// the one that the production fills.
struct Linear {
  Value first;
  int64_t step = 0;
};

class Splitter {
public:
  explicit Splitter(scf::ForOp loop)
      : loop(loop), builder(loop), loc(loop.getLoc()) {}

  std::string run();

private:
  std::string whyNot();
  std::optional<Linear> linear(Value value);
  std::string limitUses(TileMoveOpInterface copy);
  std::string build();
  static void dealOut(scf::ForOp loop, Operation *commit);

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  template <typename OpT> Value fold(Value a, Value b) {
    return builder.createOrFold<OpT>(loc, a, b);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, a, b);
  }

  scf::ForOp loop;
  OpBuilder builder;
  Location loc;
  Production production;
  int64_t ahead = 0; // the use that it fills - induction variable
  Value limit;       // uses below are inside
  Value always;      // i1: use 0 is
};
} // namespace

/// Whether `op` moves a box as it is: what it overhangs depends on its offsets.
static bool isPlainMove(Operation *op) {
  auto move = dyn_cast<TileMoveOpInterface>(op);
  return move && move.isPlain();
}

static bool isFalse(Value condition) {
  return matchPattern(condition, m_Zero());
}

std::string Splitter::whyNot() {
  SmallVector<Production> productions = productionsIn(*loop.getBody());
  if (productions.size() != 1 || !productions.front().guard ||
      loop.getNumResults())
    return "its production has an unknown form";
  production = productions.front();
  std::optional<int64_t> distance = iterationsAhead(production.guard);
  if (!distance || *distance < 1)
    return "its production has an unknown guard";
  ahead = *distance;
  // The loop's index and the use are the same number, `ahead` apart.
  std::optional<Linear> use = linear(production.use());
  if (!use || use->step != 1 || !use->first || !isZeroInteger(use->first) ||
      !matchPattern(loop.getStep(), m_One()))
    return "its uses are not numbered as its iterations";
  limit = loop.getUpperBound();
  for (Operation &op : production.guard.thenBlock()->without_terminator())
    if (!isMemoryEffectFree(&op) && !isPlainMove(&op))
      return "its production does more than copying";
  return "";
}

/// What `value` is of the use that the production fills: the analysis of
/// indices says how it grows from one iteration to the next, the loop what it
/// is at the iteration that would fill use 0.
std::optional<Linear> Splitter::linear(Value value) {
  LoopIndex form = analyzeLoopIndex(value, loop.getInductionVar());
  if (form.isIrregular || !isFunctionOfIndex(loop, value))
    return std::nullopt;
  return Linear{valueAt(builder, loop, value, constant(-ahead)),
                form.coefficients.front()};
}

/// Lowers `limit`, and extends `always`, so that the copy stays inside.
std::string Splitter::limitUses(TileMoveOpInterface copy) {
  for (auto [d, extent] : llvm::enumerate(copy.getSourceExtents())) {
    Linear offset;
    if (!copy.getSourceOffsets().empty()) {
      auto form = linear(copy.getSourceOffsets()[d]);
      if (!form || form->step < 0)
        return "an offset is not linear in the iteration's number";
      offset = *form;
    }
    Value size = builder.createOrFold<memref::DimOp>(
        loc, copy.getSource(), constant(static_cast<int64_t>(d)));
    Value room = fold<arith::SubIOp>(size, constant(extent));
    if (offset.first)
      room = fold<arith::SubIOp>(room, offset.first);
    auto require = [&](Value condition) {
      always = always ? fold<arith::AndIOp>(always, condition) : condition;
    };
    require(compare(arith::CmpIPredicate::sge, room, constant(0)));
    if (offset.first)
      require(compare(arith::CmpIPredicate::sge, offset.first, constant(0)));
    if (offset.step == 0)
      continue;
    Value count = fold<arith::DivUIOp>(fold<arith::MaxSIOp>(room, constant(0)),
                                       constant(offset.step));
    limit =
        fold<arith::MinSIOp>(limit, fold<arith::AddIOp>(count, constant(1)));
  }
  return "";
}

std::string Splitter::build() {
  Value lower = loop.getLowerBound();
  Value middle =
      fold<arith::MaxSIOp>(fold<arith::SubIOp>(limit, constant(ahead)), lower);
  std::optional<int64_t> first = getConstantIntValue(lower),
                         last = getConstantIntValue(middle);
  if ((first && last && *last <= *first) || (always && isFalse(always)))
    return "no iteration's production lies inside its sources";
  if (always)
    middle = builder.createOrFold<arith::SelectOp>(loc, always, middle, lower);
  IRMapping mapping;
  auto unchecked = cast<scf::ForOp>(builder.clone(*loop, mapping));
  SmallVector<scf::IfOp> implied;
  for (auto branch : unchecked.getBody()->getOps<scf::IfOp>())
    if (auto distance = iterationsAhead(branch); distance && *distance <= ahead)
      implied.push_back(branch);
  unchecked.getUpperBoundMutable().assign(middle);
  loop.getLowerBoundMutable().assign(middle);
  Operation *guard = mapping.lookup(production.guard.getOperation());
  for (scf::IfOp branch : implied) {
    for (Operation &op :
         llvm::make_early_inc_range(branch.thenBlock()->without_terminator())) {
      op.moveBefore(branch);
      if (auto copy = dyn_cast<TileMoveOpInterface>(op);
          copy && branch == guard)
        copy.setInside(true);
    }
    branch.erase();
  }
  dealOut(unchecked, mapping.lookup(production.commit.getOperation()));
  return "";
}

/// Distributes the copies of a production over all gemms but the last one: the
/// next wait, which counts cp.async groups, follows that one.
void Splitter::dealOut(scf::ForOp loop, Operation *commit) {
  SmallVector<TileMoveOpInterface> copies;
  for (auto copy : loop.getBody()->getOps<TileMoveOpInterface>())
    if (copy.getInside())
      copies.push_back(copy);
  SmallVector<GemmOp> gemms(loop.getBody()->getOps<GemmOp>());
  if (gemms.size() < 2)
    return;
  size_t next = 0, slots = gemms.size() - 1;
  for (size_t s = 0; s < slots; ++s)
    for (; next < copies.size() * (s + 1) / slots; ++next)
      copies[next]->moveBefore(gemms[s]);
  commit->moveAfter(gemms[slots - 1]);
}

std::string Splitter::run() {
  std::string reason = whyNot();
  if (!reason.empty())
    return reason;
  for (auto copy :
       production.guard.thenBlock()->getOps<TileMoveOpInterface>()) {
    reason = limitUses(copy);
    if (!reason.empty())
      return reason;
  }
  return build();
}

std::string tile::splitProduction(scf::ForOp loop) {
  return Splitter(loop).run();
}
