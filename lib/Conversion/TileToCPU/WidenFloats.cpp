//===- WidenFloats.cpp - every float as f64 -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same kernel computed in wider precision: what results are compared with.
// Types of values, constants and kernel arguments change; casts between floats
// disappear. A bitcast keeps seeing the narrow format it was written for. What
// fast-math flags allow is not made use of: the order of operations is the
// program's, however a loop is vectorized.
//
//===----------------------------------------------------------------------===//
#include "TileToCPU.h"

using namespace mlir;
using namespace mlir::tile;

static Type widen(Type type) {
  Type f64 = Float64Type::get(type.getContext());
  if (isa<FloatType>(type))
    return f64;
  if (auto memref = dyn_cast<MemRefType>(type))
    return isa<FloatType>(memref.getElementType())
               ? MemRefType::get(memref.getShape(), f64, memref.getLayout(),
                                 memref.getMemorySpace())
               : type;
  if (auto vector = dyn_cast<VectorType>(type))
    return isa<FloatType>(vector.getElementType()) ? vector.clone(f64) : type;
  if (auto ring = dyn_cast<RingType>(type)) {
    SmallVector<Type> buffers = llvm::map_to_vector(ring.getBuffers(), widen);
    return RingType::get(ring.getContext(), ring.getStages(), buffers,
                         ring.getProducer(), ring.getConsumers());
  }
  return type;
}

static Attribute widenConstant(Attribute value) {
  auto typed = dyn_cast<TypedAttr>(value);
  if (!typed || widen(typed.getType()) == typed.getType())
    return value;
  auto convert = [](APFloat number) {
    bool lossy = false;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
    return number;
  };
  if (auto scalar = dyn_cast<FloatAttr>(value))
    return FloatAttr::get(widen(scalar.getType()), convert(scalar.getValue()));
  if (auto dense = dyn_cast<DenseFPElementsAttr>(value)) {
    SmallVector<APFloat> numbers;
    for (APFloat number : dense.getValues<APFloat>())
      numbers.push_back(convert(number));
    return DenseElementsAttr::get(cast<ShapedType>(widen(dense.getType())),
                                  numbers);
  }
  return value;
}

static void widenBitcast(arith::BitcastOp cast, Type narrowIn, Type narrowOut) {
  OpBuilder builder(cast);
  if (cast.getIn().getType() != narrowIn)
    cast.getInMutable().assign(
        castElement(builder, cast.getLoc(), cast.getIn(), narrowIn));
  if (cast.getType() == narrowOut)
    return;
  Type wideOut = cast.getType();
  cast.getResult().setType(narrowOut);
  builder.setInsertionPointAfter(cast);
  Value wide = castElement(builder, cast.getLoc(), cast, wideOut);
  cast.getResult().replaceAllUsesExcept(wide, wide.getDefiningOp());
}

void tile::widenFloats(ModuleOp module) {
  SmallVector<std::tuple<arith::BitcastOp, Type, Type>> bitcasts;
  module.walk([&](arith::BitcastOp cast) {
    bitcasts.push_back({cast, cast.getIn().getType(), cast.getType()});
  });
  module.walk([](Operation *op) {
    for (Value result : op->getResults())
      result.setType(widen(result.getType()));
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setType(widen(argument.getType()));
    if (auto fast = dyn_cast<arith::ArithFastMathInterface>(op))
      op->setAttr(fast.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(op->getContext(),
                                                arith::FastMathFlags::none));
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      constant.setValueAttr(
          cast<TypedAttr>(widenConstant(constant.getValue())));
    if (auto kernel = dyn_cast<KernelOp>(op)) {
      SmallVector<Attribute> types;
      for (Attribute type : kernel.getArgTypes())
        types.push_back(TypeAttr::get(widen(cast<TypeAttr>(type).getValue())));
      kernel.setArgTypesAttr(ArrayAttr::get(op->getContext(), types));
    }
  });
  module.walk([](Operation *op) {
    if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      op->erase();
    }
  });
  for (auto [cast, in, out] : bitcasts)
    widenBitcast(cast, in, out);
}
