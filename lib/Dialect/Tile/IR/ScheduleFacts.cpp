//===- ScheduleFacts.cpp - what a schedule says of itself -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Dialect/Tile/IR/ScheduleFacts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::tile;

/// The most that one mbarrier counts (PTX ISA, "mbarrier.init").
static constexpr int64_t kMostArrivals = (1 << 20) - 1;

static constexpr StringLiteral kArrivalNames[] = {"none", "agent", "warpgroup",
                                                  "warp"};

StringRef tile::stringify(RingArrival by) {
  return kArrivalNames[static_cast<size_t>(by)];
}

static std::optional<RingArrivals> parseArrivals(Attribute attribute) {
  auto fields = dyn_cast_if_present<DictionaryAttr>(attribute);
  if (!fields || fields.size() != 3)
    return std::nullopt;
  auto full = fields.getAs<IntegerAttr>("full");
  auto empty = fields.getAs<IntegerAttr>("empty");
  auto by = fields.getAs<StringAttr>("by");
  if (!full || !empty || !by)
    return std::nullopt;
  const auto *name = llvm::find(kArrivalNames, by.getValue());
  RingArrivals result{full.getInt(), empty.getInt(), RingArrival::None};
  if (name == std::end(kArrivalNames) || result.full < 1 || result.empty < 1 ||
      result.full > kMostArrivals || result.empty > kMostArrivals)
    return std::nullopt;
  result.by = static_cast<RingArrival>(name - std::begin(kArrivalNames));
  return result;
}

std::optional<RingArrivals> RingArrivals::of(RingCreateOp ring) {
  return parseArrivals(ring->getAttr(kArrivalsAttrName));
}

void RingArrivals::writeTo(RingCreateOp ring) const {
  Builder builder(ring.getContext());
  ring->setAttr(
      kArrivalsAttrName,
      builder.getDictionaryAttr(
          {builder.getNamedAttr("full", builder.getI64IntegerAttr(full)),
           builder.getNamedAttr("empty", builder.getI64IntegerAttr(empty)),
           builder.getNamedAttr("by", builder.getStringAttr(stringify(by)))}));
}

scf::IfOp tile::guardOf(scf::ForOp loop) {
  auto guard = dyn_cast<scf::IfOp>(loop->getParentOp());
  if (!guard || !guard->hasAttr(kGuardsLoopAttrName) ||
      loop->getBlock() != guard.thenBlock())
    return {};
  auto loops = guard.thenBlock()->getOps<scf::ForOp>();
  return *loops.begin() == loop ? guard : scf::IfOp();
}

bool tile::runsAtLeastOnce(scf::ForOp loop) {
  std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound()),
                         last = getConstantIntValue(loop.getUpperBound());
  return (first && last && *first < *last) || guardOf(loop);
}

bool tile::isPackedFragment(Value fragment) {
  while (auto view = fragment.getDefiningOp<ViewLikeOpInterface>())
    fragment = view.getViewSource();
  auto alloc = fragment.getDefiningOp<AllocOp>();
  return alloc && alloc->hasAttr(kPackedAttrName);
}

std::optional<int64_t> tile::iterationsAhead(scf::IfOp branch) {
  auto ahead = branch->getAttrOfType<IntegerAttr>(kIterationAheadAttrName);
  return ahead ? std::optional(ahead.getInt()) : std::nullopt;
}

/// What a ring loop adds to its index for the number of a use: null for
/// nothing, nullopt where that is no such number. RingLoop.cpp writes it.
static std::optional<Value> baseOfUse(scf::ForOp loop, Value use) {
  if (!loop->hasAttr(kRingLoopAttrName))
    return std::nullopt;
  if (use == loop.getInductionVar())
    return Value();
  auto sum = use.getDefiningOp<arith::AddIOp>();
  if (!sum)
    return std::nullopt;
  for (auto [base, index] : {std::pair(sum.getLhs(), sum.getRhs()),
                             std::pair(sum.getRhs(), sum.getLhs())})
    if (index == loop.getInductionVar() && loop.isDefinedOutsideOfLoop(base))
      return base;
  return std::nullopt;
}

bool tile::countsWithLoop(scf::ForOp loop, Value use) {
  return baseOfUse(loop, use).has_value();
}

Value tile::useInIteration(OpBuilder &builder, scf::ForOp loop, Value use,
                           Value iteration) {
  std::optional<Value> base = baseOfUse(loop, use);
  assert(base && "expected a use that counts with its loop");
  return *base ? builder.createOrFold<arith::AddIOp>(loop.getLoc(), *base,
                                                     iteration)
               : iteration;
}

//===----------------------------------------------------------------------===//
// What they may stand on
//===----------------------------------------------------------------------===//

namespace {
/// An attribute: where it may stand, in words and as a test.
struct Fact {
  StringRef name, expected;
  bool (*fits)(Operation *op, Attribute value);
};
} // namespace

static bool isPackable(Operation *op) {
  auto alloc = dyn_cast<AllocOp>(op);
  auto type =
      alloc ? dyn_cast<MemRefType>(alloc.getResult().getType()) : MemRefType();
  return type && isFragment(alloc.getResult()) &&
         (type.getElementType().isF16() || type.getElementType().isBF16());
}

static constexpr Fact kFacts[] = {
    {kArrivalsAttrName,
     "{by = \"none\", \"agent\", \"warpgroup\" or \"warp\", empty = a count, "
     "full = a count} on a ring that is signalled by mbarriers",
     [](Operation *op, Attribute value) {
       auto ring = dyn_cast<RingCreateOp>(op);
       return ring && ring.getRing().getType().usesMbarriers() &&
              parseArrivals(value);
     }},
    {kMeetAttrName, "a unit attribute on the release of a ring with mbarriers",
     [](Operation *op, Attribute value) {
       auto release = dyn_cast<RingReleaseOp>(op);
       return release && release.getRing().getType().usesMbarriers() &&
              isa<UnitAttr>(value);
     }},
    {kClearFirstAttrName, "a unit attribute on a gemm with `accumulate(...)`",
     [](Operation *op, Attribute value) {
       auto gemm = dyn_cast<GemmOp>(op);
       return gemm && gemm.getAccumulate() && isa<UnitAttr>(value);
     }},
    {kPackedAttrName, "a unit attribute on a fragment of f16 or bf16",
     [](Operation *op, Attribute value) {
       return isPackable(op) && isa<UnitAttr>(value);
     }},
    {kRingLoopAttrName, "a unit attribute on 'scf.for'",
     [](Operation *op, Attribute value) {
       return isa<scf::ForOp>(op) && isa<UnitAttr>(value);
     }},
    {kIterationAheadAttrName,
     "a count of iterations, not negative, on 'scf.if' without results",
     [](Operation *op, Attribute value) {
       auto branch = dyn_cast<scf::IfOp>(op);
       auto count = dyn_cast<IntegerAttr>(value);
       return branch && branch.getNumResults() == 0 && count &&
              count.getInt() >= 0;
     }},
    {kGuardsLoopAttrName, "a unit attribute on 'scf.if'",
     [](Operation *op, Attribute value) {
       return isa<scf::IfOp>(op) && isa<UnitAttr>(value);
     }},
    {kGemmsInFlightAttrName, "a unit attribute on 'scf.for'",
     [](Operation *op, Attribute value) {
       return isa<scf::ForOp>(op) && isa<UnitAttr>(value);
     }},
    {kDeliveryAttrName, "a number on a wait or a copy",
     [](Operation *op, Attribute value) {
       return isa<AwaitOp, TileMoveOpInterface>(op) && isa<IntegerAttr>(value);
     }}};

std::optional<LogicalResult>
tile::verifyScheduleFact(Operation *op, NamedAttribute attribute) {
  const Fact *fact = llvm::find_if(kFacts, [&](const Fact &known) {
    return known.name == attribute.getName().getValue();
  });
  if (fact == std::end(kFacts))
    return std::nullopt;
  if (fact->fits(op, attribute.getValue()))
    return success();
  return LogicalResult(op->emitOpError()
                       << "expected '" << fact->name << "' to be "
                       << fact->expected << ", got " << attribute.getValue());
}

ArrayRef<StringRef> tile::scheduleFactNames() {
  static constexpr StringRef names[] = {
      kArrivalsAttrName,   kMeetAttrName,          kClearFirstAttrName,
      kPackedAttrName,     kRingLoopAttrName,      kIterationAheadAttrName,
      kGuardsLoopAttrName, kGemmsInFlightAttrName, kDeliveryAttrName};
  return names;
}
