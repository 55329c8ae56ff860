//===- OutlineRegions.cpp - marked regions become functions ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last step of the conversion: a role, or an operation that is put off,
// becomes a function of one pointer to what it captures. Captured values are
// stored in their LLVM form, so that a memref of any kind can be captured.
//
//===----------------------------------------------------------------------===//
#include "RuntimeCalls.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
class Outliner {
public:
  Outliner(scf::ExecuteRegionOp region, StringRef name)
      : region(region), name(name), loc(region.getLoc()),
        converter(region.getContext()), builder(region) {}

  /// Moves the region into a function, and gives the captures at this place.
  void run() {
    findCaptures();
    SmallVector<Type> fields = llvm::map_to_vector(
        captures, [&](Value value) { return convert(value.getType()); });
    frameType = LLVM::LLVMStructType::getLiteral(builder.getContext(), fields);
    storeFrame();
    moveBody();
    Type functionType = builder.getFunctionType({pointer()}, {});
    function = func::ConstantOp::create(
        builder, loc, functionType,
        FlatSymbolRefAttr::get(builder.getContext(), name));
  }

  /// Bytes of the frame.
  Value frameBytes() {
    Value null = LLVM::ZeroOp::create(builder, loc, pointer());
    Value end = LLVM::GEPOp::create(builder, loc, pointer(), frameType, null,
                                    ArrayRef<LLVM::GEPArg>{1});
    Value bytes =
        LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), end);
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      bytes);
  }

  OpBuilder &getBuilder() { return builder; }
  Value frame, function;

private:
  Type pointer() { return LLVM::LLVMPointerType::get(builder.getContext()); }
  Type convert(Type type) { return converter.convertType(type); }
  Value cast(OpBuilder &b, Value value, Type type) {
    if (value.getType() == type)
      return value;
    return UnrealizedConversionCastOp::create(b, loc, type, value).getResult(0);
  }
  Value field(OpBuilder &b, Value base, size_t i) {
    return LLVM::GEPOp::create(
        b, loc, pointer(), frameType, base,
        ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(i)});
  }

  /// Constants are copied into the region instead.
  void findCaptures() {
    SetVector<Value> used;
    getUsedValuesDefinedAbove(region.getRegion(), used);
    OpBuilder inside = OpBuilder::atBlockBegin(&region.getRegion().front());
    for (Value value : used) {
      Operation *definition = value.getDefiningOp();
      if (!definition || !definition->hasTrait<OpTrait::ConstantLike>()) {
        captures.push_back(value);
        continue;
      }
      Value copy = inside.clone(*definition)->getResult(0);
      replaceInside(value, copy);
    }
  }
  void replaceInside(Value value, Value replacement) {
    value.replaceUsesWithIf(replacement, [&](OpOperand &use) {
      return region.getRegion().isAncestor(use.getOwner()->getParentRegion());
    });
  }

  void storeFrame() {
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&enclosingEntry(region));
      Value one =
          arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(1));
      frame = LLVM::AllocaOp::create(builder, loc, pointer(), frameType, one,
                                     /*alignment=*/16);
    }
    for (auto [i, capture] : llvm::enumerate(captures))
      LLVM::StoreOp::create(builder, loc,
                            cast(builder, capture, convert(capture.getType())),
                            field(builder, frame, i));
  }

  void moveBody() {
    OpBuilder::InsertionGuard guard(builder);
    auto parent = region->getParentOfType<func::FuncOp>();
    builder.setInsertionPoint(parent);
    auto outlined = func::FuncOp::create(
        builder, loc, name, builder.getFunctionType({pointer()}, {}));
    outlined.setPrivate();
    Block &body = region.getRegion().front();
    outlined.getBody().takeBody(region.getRegion());
    Value base = body.addArgument(pointer(), loc);
    builder.setInsertionPointToStart(&body);
    for (auto [i, capture] : llvm::enumerate(captures)) {
      Value stored = LLVM::LoadOp::create(
          builder, loc, convert(capture.getType()), field(builder, base, i));
      Value loaded = cast(builder, stored, capture.getType());
      capture.replaceUsesWithIf(loaded, [&](OpOperand &use) {
        return outlined.getBody().isAncestor(use.getOwner()->getParentRegion());
      });
    }
    Operation *yield = body.getTerminator();
    builder.setInsertionPoint(yield);
    func::ReturnOp::create(builder, loc);
    yield->erase();
  }

  scf::ExecuteRegionOp region;
  std::string name;
  Location loc;
  LLVMTypeConverter converter;
  OpBuilder builder;
  SmallVector<Value> captures;
  LLVM::LLVMStructType frameType;
};
} // namespace

/// `before`: how many roles of the same name there are before it.
static void outlineRole(scf::ExecuteRegionOp region, StringRef prefix,
                        unsigned before) {
  StringRef role = region->getAttrOfType<StringAttr>(kRoleAttrName).getValue();
  RuntimeCalls runtime(region);
  std::string symbol = (prefix + ".role." + role).str();
  if (before)
    symbol += "." + std::to_string(before);
  Outliner outliner(region, symbol);
  outliner.run();
  OpBuilder &b = outliner.getBuilder();
  Value name = runtime.message(b, ("role \"" + role + "\"").str());
  runtime.call(b, "role", {name, outliner.function, outliner.frame});
  region.erase();
}

static void outlineDeferred(scf::ExecuteRegionOp region, StringRef prefix,
                            unsigned number) {
  StringRef operation =
      region->getAttrOfType<StringAttr>(kDeferredAttrName).getValue();
  RuntimeCalls runtime(region);
  Outliner outliner(region, (prefix + ".deferred." + Twine(number)).str());
  outliner.run();
  OpBuilder &b = outliner.getBuilder();
  Value isGemm =
      indexConstant(b, region.getLoc(), region->hasAttr(kGemmAttrName));
  Value name = runtime.message(b, operation);
  auto call = runtime.call(
      b, "defer",
      {isGemm, name, outliner.function, outliner.frame, outliner.frameBytes()},
      b.getIndexType());
  region.replaceAllUsesWith(call.getResults());
  region.erase();
}

void tile::outlineRegions(func::FuncOp function) {
  // Inner regions first: what they capture, the outer ones have to.
  SmallVector<scf::ExecuteRegionOp> roles, deferred;
  function.walk([&](scf::ExecuteRegionOp region) {
    if (region->hasAttr(kRoleAttrName))
      roles.push_back(region);
    else if (region->hasAttr(kDeferredAttrName))
      deferred.push_back(region);
  });
  std::string prefix = function.getSymName().str();
  for (auto [number, region] : llvm::enumerate(deferred))
    outlineDeferred(region, prefix, number);
  llvm::StringMap<unsigned> seen;
  for (scf::ExecuteRegionOp region : roles)
    outlineRole(region, prefix,
                seen[region->getAttrOfType<StringAttr>(kRoleAttrName)]++);
}
