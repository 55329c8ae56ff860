//===- ScheduleFacts.cpp - what a schedule says of itself -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Dialect/Tile/IR/ScheduleFacts.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tile/Dialect/Tile/IR/Buffers.h"

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

bool tile::isPackedFragment(Value fragment) {
  while (auto view = fragment.getDefiningOp<ViewLikeOpInterface>())
    fragment = view.getViewSource();
  AllocOp alloc = allocationOf(fragment);
  return alloc && alloc->hasAttr(kPackedAttrName);
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
    {kPackedAttrName, "a unit attribute on a fragment of f16 or bf16",
     [](Operation *op, Attribute value) {
       return isPackable(op) && isa<UnitAttr>(value);
     }},
    {kAsyncCopyAttrName, "a unit attribute on an `scf.for`",
     [](Operation *op, Attribute value) {
       return isa<scf::ForOp>(op) && isa<UnitAttr>(value);
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
  static constexpr StringRef names[] = {kArrivalsAttrName, kMeetAttrName,
                                        kPackedAttrName, kAsyncCopyAttrName};
  return names;
}
