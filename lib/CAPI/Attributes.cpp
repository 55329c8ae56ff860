//===- Attributes.cpp - types and attributes in the C interface -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything here is a translation of one name into another; verification is
// the dialect's own, through getChecked.
//
//===----------------------------------------------------------------------===//
#include "mlir/CAPI/AffineMap.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Builders.h"
#include "tile-c/Dialect.h"
#include "tile/Dialect/Tile/IR/MoveAttributes.h"
#include "tile/Dialect/Tile/IR/TileDialect.h"

using namespace mlir;
using namespace mlir::tile;

static ArrayRef<int64_t> unwrap(TileIntegers integers) {
  return {integers.data, static_cast<size_t>(integers.size)};
}
static TileIntegers wrap(ArrayRef<int64_t> integers) {
  return {integers.data(), static_cast<intptr_t>(integers.size())};
}

/// The dialect's storage exists once the dialect is loaded.
static MLIRContext *load(MLIRContext *context) {
  context->loadDialect<TileDialect>();
  return context;
}
static auto errorAt(MlirLocation location) {
  return [location] { return emitError(unwrap(location)); };
}

/// Makes an attribute or a type that verifies, or null.
template <typename T, typename... Parameters>
static auto getChecked(MlirLocation location, Parameters &&...parameters) {
  auto emit = errorAt(location);
  return T::getChecked(llvm::function_ref<InFlightDiagnostic()>(emit),
                       load(unwrap(location)->getContext()),
                       std::forward<Parameters>(parameters)...);
}

/// A case of an enumeration by its number; an error where there is none.
template <typename Enum>
static std::optional<Enum> getCase(MlirLocation location, int32_t value,
                                   std::optional<Enum> (*symbolize)(uint32_t),
                                   StringRef name) {
  std::optional<Enum> found = symbolize(static_cast<uint32_t>(value));
  if (!found)
    emitError(unwrap(location))
        << "expected the number of a case of " << name << ", got " << value;
  return found;
}

//===----------------------------------------------------------------------===//
// Memory spaces
//===----------------------------------------------------------------------===//

#define TILE_DEFINE_CLASS(Name)                                                \
  bool tileAttributeIsA##Name(MlirAttribute attribute) {                       \
    return isa<Name##Attr>(unwrap(attribute));                                 \
  }                                                                            \
  MlirTypeID tile##Name##AttrGetTypeID() {                                     \
    return wrap(Name##Attr::getTypeID());                                      \
  }
#define TILE_DEFINE_SPACE(Name)                                                \
  TILE_DEFINE_CLASS(Name)                                                      \
  MlirAttribute tile##Name##AttrGet(MlirContext context) {                     \
    return wrap(Name##Attr::get(load(unwrap(context))));                       \
  }

TILE_DEFINE_SPACE(FragmentSpace)
TILE_DEFINE_SPACE(LocalSpace)
TILE_DEFINE_SPACE(TensorMemorySpace)

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

TILE_DEFINE_CLASS(FragmentLayout)
TILE_DEFINE_CLASS(SharedLayout)

MlirAttribute tileFragmentLayoutAttrGetChecked(MlirLocation location,
                                               TileIntegers shape,
                                               const TileIntegers axes[4]) {
  return wrap(getChecked<FragmentLayoutAttr>(
      location, unwrap(shape), unwrap(axes[TILE_AXIS_REGISTER]),
      unwrap(axes[TILE_AXIS_LANE]), unwrap(axes[TILE_AXIS_WARP]),
      unwrap(axes[TILE_AXIS_BLOCK])));
}

TileIntegers tileFragmentLayoutAttrGetShape(MlirAttribute attribute) {
  return wrap(cast<FragmentLayoutAttr>(unwrap(attribute)).getShape());
}

TileIntegers tileFragmentLayoutAttrGetModes(MlirAttribute attribute,
                                            int32_t axis) {
  auto layout = cast<FragmentLayoutAttr>(unwrap(attribute));
  switch (axis) {
  case TILE_AXIS_REGISTER:
    return wrap(layout.getReg());
  case TILE_AXIS_LANE:
    return wrap(layout.getLane());
  case TILE_AXIS_WARP:
    return wrap(layout.getWarp());
  default:
    return wrap(layout.getBlock());
  }
}

MlirAttribute tileSharedLayoutAttrGetChecked(MlirLocation location,
                                             TileIntegers shape,
                                             int64_t elementBits,
                                             TileIntegers modes,
                                             TileIntegers swizzle) {
  return wrap(getChecked<SharedLayoutAttr>(location, unwrap(shape), elementBits,
                                           unwrap(modes), unwrap(swizzle)));
}

TileIntegers tileSharedLayoutAttrGetShape(MlirAttribute attribute) {
  return wrap(cast<SharedLayoutAttr>(unwrap(attribute)).getShape());
}
int64_t tileSharedLayoutAttrGetElementBits(MlirAttribute attribute) {
  return cast<SharedLayoutAttr>(unwrap(attribute)).getElementBits();
}
TileIntegers tileSharedLayoutAttrGetModes(MlirAttribute attribute) {
  return wrap(cast<SharedLayoutAttr>(unwrap(attribute)).getModes());
}
TileIntegers tileSharedLayoutAttrGetSwizzle(MlirAttribute attribute) {
  return wrap(cast<SharedLayoutAttr>(unwrap(attribute)).getSwizzle());
}

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

#define TILE_DEFINE_ENUM_ATTR(Name)                                            \
  TILE_DEFINE_CLASS(Name)                                                      \
  MlirAttribute tile##Name##AttrGetChecked(MlirLocation location,              \
                                           int32_t value) {                    \
    std::optional<Name> found =                                                \
        getCase<Name>(location, value, symbolize##Name, #Name);                \
    if (!found)                                                                \
      return {nullptr};                                                        \
    return wrap(                                                               \
        Name##Attr::get(load(unwrap(location)->getContext()), *found));        \
  }                                                                            \
  int32_t tile##Name##AttrGetValue(MlirAttribute attribute) {                  \
    return static_cast<int32_t>(                                               \
        cast<Name##Attr>(unwrap(attribute)).getValue());                       \
  }

TILE_DEFINE_ENUM_ATTR(WarpPolicy)
TILE_DEFINE_ENUM_ATTR(ReduceKind)
TILE_DEFINE_ENUM_ATTR(AtomicKind)
TILE_DEFINE_ENUM_ATTR(Precision)
TILE_DEFINE_ENUM_ATTR(CopyInstruction)
TILE_DEFINE_ENUM_ATTR(MmaInstruction)
TILE_DEFINE_ENUM_ATTR(EvictionPolicy)

//===----------------------------------------------------------------------===//
// Targets and tunables
//===----------------------------------------------------------------------===//

TILE_DEFINE_CLASS(Target)
TILE_DEFINE_CLASS(Tunable)
TILE_DEFINE_CLASS(Tuned)

MlirAttribute tileTargetAttrGetChecked(MlirLocation location,
                                       MlirStringRef arch,
                                       MlirStringRef device) {
  return wrap(getChecked<TargetAttr>(location, unwrap(arch), unwrap(device)));
}
MlirStringRef tileTargetAttrGetArch(MlirAttribute attribute) {
  return wrap(cast<TargetAttr>(unwrap(attribute)).getArch());
}
MlirStringRef tileTargetAttrGetDevice(MlirAttribute attribute) {
  return wrap(cast<TargetAttr>(unwrap(attribute)).getDevice());
}

MlirAttribute tileTunableAttrGet(MlirContext context, MlirStringRef name,
                                 TileIntegers values) {
  return wrap(
      TunableAttr::get(load(unwrap(context)), unwrap(name), unwrap(values)));
}
MlirStringRef tileTunableAttrGetName(MlirAttribute attribute) {
  return wrap(cast<TunableAttr>(unwrap(attribute)).getName());
}
TileIntegers tileTunableAttrGetValues(MlirAttribute attribute) {
  return wrap(cast<TunableAttr>(unwrap(attribute)).getValues());
}

MlirAttribute tileTunedAttrGet(MlirContext context, MlirStringRef attribute,
                               MlirAffineMap value) {
  return wrap(TunedAttr::get(load(unwrap(context)), unwrap(attribute),
                             AffineMapAttr::get(unwrap(value))));
}
MlirStringRef tileTunedAttrGetAttribute(MlirAttribute attribute) {
  return wrap(cast<TunedAttr>(unwrap(attribute)).getAttribute());
}
MlirAffineMap tileTunedAttrGetValue(MlirAttribute attribute) {
  return wrap(cast<TunedAttr>(unwrap(attribute)).getValue().getValue());
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

TILE_DEFINE_CLASS(CopyPlan)
TILE_DEFINE_CLASS(MmaPlan)

MlirAttribute tileCopyPlanAttrGetChecked(MlirLocation location,
                                         int32_t instruction, int64_t bytes) {
  std::optional<CopyInstruction> found = getCase<CopyInstruction>(
      location, instruction, symbolizeCopyInstruction, "CopyInstruction");
  if (!found)
    return {nullptr};
  return wrap(
      getChecked<CopyPlanAttr>(location, *found, bytes, DenseI64ArrayAttr()));
}
int32_t tileCopyPlanAttrGetInstruction(MlirAttribute attribute) {
  return static_cast<int32_t>(
      cast<CopyPlanAttr>(unwrap(attribute)).getInstruction());
}
int64_t tileCopyPlanAttrGetBytes(MlirAttribute attribute) {
  return cast<CopyPlanAttr>(unwrap(attribute)).getBytes();
}

//===----------------------------------------------------------------------===//
// What is asked of a move, what is decided
//===----------------------------------------------------------------------===//

TILE_DEFINE_CLASS(MoveRequest)
TILE_DEFINE_CLASS(MoveDecision)

/// A number, or null where it is negative: not stated.
static IntegerAttr numberOrNull(MLIRContext *context, int64_t value) {
  return value < 0 ? IntegerAttr() : Builder(context).getI64IntegerAttr(value);
}
static int64_t numberOf(IntegerAttr attribute) {
  return attribute ? attribute.getInt() : -1;
}
/// Numbers, or null where there are none: not stated.
static DenseI64ArrayAttr numbersOrNull(MLIRContext *context,
                                       TileIntegers values) {
  return values.size ? DenseI64ArrayAttr::get(context, unwrap(values))
                     : DenseI64ArrayAttr();
}
static TileIntegers numbersOf(DenseI64ArrayAttr attribute) {
  return wrap(attribute ? attribute.asArrayRef() : ArrayRef<int64_t>());
}

/// Fails where nothing is stated: an operation has no attribute then.
template <typename PartsT>
static MlirAttribute getStated(MlirLocation location, const PartsT &parts,
                               StringRef what) {
  auto attr = parts.getAttr(unwrap(location)->getContext());
  if (!attr)
    emitError(unwrap(location)) << "expected a " << what << ", got none";
  return wrap(Attribute(attr));
}

MlirAttribute tileMoveRequestAttrGetChecked(MlirLocation location,
                                            TileMoveRequest request) {
  MLIRContext *context = load(unwrap(location)->getContext());
  MoveRequest asked;
  asked.disableTma = request.disableTma;
  asked.coalescedWidth = numberOrNull(context, request.coalescedWidth);
  if (request.prefer >= 0) {
    std::optional<CopyInstruction> found = getCase<CopyInstruction>(
        location, request.prefer, symbolizeCopyInstruction, "CopyInstruction");
    if (!found)
      return {nullptr};
    asked.prefer = CopyInstructionAttr::get(context, *found);
  }
  if (request.evictionPolicy >= 0) {
    std::optional<EvictionPolicy> found =
        getCase<EvictionPolicy>(location, request.evictionPolicy,
                                symbolizeEvictionPolicy, "EvictionPolicy");
    if (!found)
      return {nullptr};
    asked.evictionPolicy = EvictionPolicyAttr::get(context, *found);
  }
  return getStated(location, asked, "request");
}
TileMoveRequest tileMoveRequestAttrGetRequest(MlirAttribute attribute) {
  MoveRequest asked = MoveRequest::of(cast<MoveRequestAttr>(unwrap(attribute)));
  auto caseOf = [](auto attr) {
    return attr ? static_cast<int32_t>(attr.getValue()) : -1;
  };
  return {caseOf(asked.prefer), asked.disableTma,
          numberOf(asked.coalescedWidth), caseOf(asked.evictionPolicy)};
}

MlirAttribute tileMoveDecisionAttrGetChecked(MlirLocation location,
                                             TileMoveDecision decision) {
  MLIRContext *context = load(unwrap(location)->getContext());
  Attribute layout = unwrap(decision.layout), plan = unwrap(decision.plan);
  MoveDecision decided;
  decided.layout = dyn_cast_or_null<FragmentLayoutAttr>(layout);
  decided.plan = dyn_cast_or_null<CopyPlanAttr>(plan);
  if (layout && !decided.layout) {
    emitError(unwrap(location))
        << "expected `layout` to be a #tile.fragment_layout, got " << layout;
    return {nullptr};
  }
  if (plan && !decided.plan) {
    emitError(unwrap(location))
        << "expected `plan` to be a #tile.copy_plan, got " << plan;
    return {nullptr};
  }
  decided.multicast = numberOrNull(context, decision.multicast);
  decided.multicastAlong = numbersOrNull(context, decision.multicastAlong);
  decided.inside = decision.inside;
  decided.inFront = decision.inFront;
  decided.groups = numbersOrNull(context, decision.groups);
  return getStated(location, decided, "decision");
}
TileMoveDecision tileMoveDecisionAttrGetDecision(MlirAttribute attribute) {
  MoveDecision decided =
      MoveDecision::of(cast<MoveDecisionAttr>(unwrap(attribute)));
  return {wrap(Attribute(decided.layout)),
          wrap(Attribute(decided.plan)),
          numberOf(decided.multicast),
          numbersOf(decided.multicastAlong),
          decided.inside,
          decided.inFront,
          numbersOf(decided.groups)};
}

MlirAttribute tileMmaPlanAttrGetChecked(MlirLocation location,
                                        TileMmaPlan plan) {
  std::optional<MmaInstruction> found = getCase<MmaInstruction>(
      location, plan.instruction, symbolizeMmaInstruction, "MmaInstruction");
  if (!found)
    return {nullptr};
  return wrap(getChecked<MmaPlanAttr>(location, *found, plan.m, plan.n, plan.k,
                                      plan.warpsM, plan.warpsN, plan.pair,
                                      plan.swapped));
}
TileMmaPlan tileMmaPlanAttrGetPlan(MlirAttribute attribute) {
  auto plan = cast<MmaPlanAttr>(unwrap(attribute));
  return {static_cast<int32_t>(plan.getInstruction()),
          plan.getM(),
          plan.getN(),
          plan.getK(),
          plan.getWarpsM(),
          plan.getWarpsN(),
          plan.getPair(),
          plan.getSwapped()};
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool tileTypeIsARing(MlirType type) { return isa<RingType>(unwrap(type)); }
MlirTypeID tileRingTypeGetTypeID() { return wrap(RingType::getTypeID()); }

MlirType tileRingTypeGetChecked(MlirLocation location, int64_t stages,
                                intptr_t numBuffers, const MlirType *buffers,
                                int32_t producer, intptr_t numConsumers,
                                const int32_t *consumers) {
  SmallVector<Type> types;
  for (intptr_t i = 0; i < numBuffers; ++i)
    types.push_back(unwrap(buffers[i]));
  std::optional<RingProducer> filler = getCase<RingProducer>(
      location, producer, symbolizeRingProducer, "RingProducer");
  if (!filler)
    return {nullptr};
  SmallVector<RingConsumer> readers;
  for (intptr_t i = 0; i < numConsumers; ++i) {
    std::optional<RingConsumer> reader = getCase<RingConsumer>(
        location, consumers[i], symbolizeRingConsumer, "RingConsumer");
    if (!reader)
      return {nullptr};
    readers.push_back(*reader);
  }
  return wrap(getChecked<RingType>(location, stages, ArrayRef<Type>(types),
                                   *filler, ArrayRef<RingConsumer>(readers)));
}

int64_t tileRingTypeGetStages(MlirType type) {
  return cast<RingType>(unwrap(type)).getStages();
}
intptr_t tileRingTypeGetNumBuffers(MlirType type) {
  return static_cast<intptr_t>(
      cast<RingType>(unwrap(type)).getBuffers().size());
}
MlirType tileRingTypeGetBuffer(MlirType type, intptr_t index) {
  return wrap(cast<RingType>(unwrap(type)).getBuffers()[index]);
}
int32_t tileRingTypeGetProducer(MlirType type) {
  return static_cast<int32_t>(cast<RingType>(unwrap(type)).getProducer());
}
intptr_t tileRingTypeGetNumConsumers(MlirType type) {
  return static_cast<intptr_t>(
      cast<RingType>(unwrap(type)).getConsumers().size());
}
int32_t tileRingTypeGetConsumer(MlirType type, intptr_t index) {
  return static_cast<int32_t>(
      cast<RingType>(unwrap(type)).getConsumers()[index]);
}
bool tileRingTypeUsesMbarriers(MlirType type) {
  return cast<RingType>(unwrap(type)).usesMbarriers();
}

bool tileTypeIsAMbarrier(MlirType type) {
  return isa<MbarrierType>(unwrap(type));
}
MlirTypeID tileMbarrierTypeGetTypeID() {
  return wrap(MbarrierType::getTypeID());
}
MlirType tileMbarrierTypeGetChecked(MlirLocation location, int64_t count) {
  return wrap(getChecked<MbarrierType>(location, count));
}
int64_t tileMbarrierTypeGetCount(MlirType type) {
  return cast<MbarrierType>(unwrap(type)).getCount();
}

bool tileTypeIsAToken(MlirType type) { return isa<TokenType>(unwrap(type)); }
MlirTypeID tileTokenTypeGetTypeID() { return wrap(TokenType::getTypeID()); }
MlirType tileTokenTypeGet(MlirContext context) {
  return wrap(TokenType::get(load(unwrap(context))));
}
