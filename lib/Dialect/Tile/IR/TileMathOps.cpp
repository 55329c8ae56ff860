//===- TileMathOps.cpp - gemm ---------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "MoveSyntax.h"
#include "TileRegions.h"
#include "TileTunables.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "tile/Dialect/Tile/IR/Aliasing.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/MmaTypes.h"

using namespace mlir;
using namespace mlir::tile;

using EffectList =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

//===----------------------------------------------------------------------===//
// GemmOp
//===----------------------------------------------------------------------===//

static MemRefType rank2(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  return type && type.getRank() == 2 &&
                 (type.hasStaticShape() || isOpenTile(buffer))
             ? type
             : MemRefType();
}

int64_t GemmOp::getM() {
  return cast<MemRefType>(getC().getType()).getDimSize(0);
}
int64_t GemmOp::getN() {
  return cast<MemRefType>(getC().getType()).getDimSize(1);
}
int64_t GemmOp::getK() {
  if (isSparse())
    return cast<MemRefType>(getB().getType())
        .getDimSize(getTransposeB() ? 1 : 0);
  return cast<MemRefType>(getA().getType()).getDimSize(getTransposeA() ? 0 : 1);
}

static bool isFp8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

/// gemm-4.
static bool isGemmTriple(Type a, Type b, Type c) {
  if (isFp8(a) && isFp8(b))
    return isa<Float32Type, Float16Type>(c);
  if (a != b)
    return false;
  if (isa<Float16Type>(a))
    return isa<Float32Type, Float16Type>(c);
  if (isa<BFloat16Type>(a))
    return isa<Float32Type>(c);
  if (isa<Float32Type, Float64Type>(a))
    return c == a;
  return a.isInteger(8) && c.isInteger(32);
}

/// gemm-9 and gemm-10. `k` is that of the product.
static LogicalResult verifyMetadata(GemmOp gemm, MemRefType a, int64_t m,
                                    int64_t k) {
  if (gemm.getPlanAttr() &&
      traitsOf(gemm.getPlanAttr()).readsMetadata != gemm.isSparse())
    return gemm.emitOpError()
           << "[gemm-10] expected a plan by an instruction for "
           << (gemm.isSparse() ? "a sparse A"
                               : "a whole A, as there is no `metadata`")
           << ", got `"
           << stringifyMmaInstruction(gemm.getPlanAttr().getInstruction())
           << "`";
  Value metadata = gemm.getMetadata();
  if (!metadata) {
    if (gemm.getTransposeMetadata())
      return gemm.emitOpError() << "[gemm-10] expected `transpose_metadata` on "
                                   "a gemm with `metadata`";
    return success();
  }
  MemRefType type = rank2(metadata);
  Type element = a.getElementType();
  if (!type || !(isShared(metadata) || isFragment(metadata)) ||
      metadata == gemm.getC() ||
      !llvm::is_contained({8u, 16u, 32u},
                          getStorageBits(type.getElementType())) ||
      !isa<IntegerType>(type.getElementType()))
    return gemm.emitOpError()
           << "[gemm-9] expected `metadata` in a buffer of its own, in shared "
              "memory or a fragment, of rank 2 and of integers of 8, 16 or 32 "
              "bits, got "
           << metadata.getType();
  if (element.isF64() || gemm.getPrecision() == Precision::Ieee)
    return gemm.emitOpError()
           << "[gemm-9] expected a sparse A of 8, 16 or 32 bits, and f32 in "
              "tf32, got "
           << element << (element.isF64() ? "" : " with precision `ieee`");
  int64_t perElement = getStorageBits(type.getElementType()) / 4;
  int64_t columns = ShapedType::isDynamic(k)
                        ? k
                        : k / SparseGroup::of(element).columns / perElement;
  bool turned = gemm.getTransposeMetadata();
  bool isWhole = ShapedType::isDynamic(k) ||
                 k % (SparseGroup::of(element).columns * perElement) == 0;
  if (!isWhole || !mayBeEqual(type.getDimSize(turned ? 1 : 0), m) ||
      !mayBeEqual(type.getDimSize(turned ? 0 : 1), columns))
    return gemm.emitOpError()
           << "[gemm-9] expected `metadata` with four bits for each "
           << SparseGroup::of(element).columns << " of " << k
           << " columns in each of " << m << " rows, "
           << SparseGroup::of(element).columns * perElement
           << " columns an element, got " << type;
  return success();
}

LogicalResult GemmOp::verify() {
  MemRefType a = rank2(getA()), b = rank2(getB()), c = rank2(getC());
  if (!a || !b || !c)
    return emitOpError()
           << "[gemm-1] expected operands of rank 2 and static shape, got "
           << getA().getType() << ", " << getB().getType() << ", "
           << getC().getType();
  int64_t m = a.getDimSize(getTransposeA() ? 1 : 0);
  int64_t k = a.getDimSize(getTransposeA() ? 0 : 1);
  int64_t kOfB = b.getDimSize(getTransposeB() ? 1 : 0);
  int64_t n = b.getDimSize(getTransposeB() ? 0 : 1);
  // A sparse A has half of the columns.
  int64_t kOfA = isSparse() && !ShapedType::isDynamic(k) ? 2 * k : k;
  if (!mayBeEqual(kOfA, kOfB) || !mayBeEqual(m, c.getDimSize(0)) ||
      !mayBeEqual(n, c.getDimSize(1)))
    return emitOpError() << "[gemm-2] expected (M x "
                         << (isSparse() ? "K/2" : "K")
                         << ") * (K x N) = (M x N), got (" << m << " x " << k
                         << ") * (" << kOfB << " x " << n << ") = ("
                         << c.getDimSize(0) << " x " << c.getDimSize(1) << ")";
  for (Value operand : {getA(), getB()})
    if (!isShared(operand) && !isFragment(operand))
      return emitOpError() << "[gemm-3] expected A and B in shared memory or "
                              "fragments, got "
                           << operand.getType();
  bool mayUseTensorMemory = !getPlan() || traitsOf(*this).usesTensorMemory;
  if (!isFragment(getC()) && !(mayUseTensorMemory && isTensorMemory(getC())))
    return emitOpError() << "[gemm-3] expected C in a fragment, got " << c;
  if (!isGemmTriple(a.getElementType(), b.getElementType(), c.getElementType()))
    return emitOpError()
           << "[gemm-4] expected element types that multiply, got "
           << a.getElementType() << " x " << b.getElementType() << " into "
           << c.getElementType();
  if (getPrecision() && !a.getElementType().isF32())
    return emitOpError()
           << "[gemm-5] expected `precision` on f32 operands only, "
              "got "
           << a.getElementType();
  if ((getUnsignedA() || getUnsignedB()) && !a.getElementType().isInteger(8))
    return emitOpError() << "[gemm-5] expected signedness on i8 operands only, "
                            "got "
                         << a.getElementType();
  if (llvm::is_contained({getViewedTile(getA()), getViewedTile(getB())},
                         getViewedTile(getC())))
    return emitOpError() << "[gemm-6] expected C to be a buffer of its own";
  if (auto every = getPromoteEvery()) {
    bool isFp8 = a.getElementType().getIntOrFloatBitWidth() == 8 &&
                 isa<FloatType>(a.getElementType());
    if (static_cast<int64_t>(*every) < 1 || !isFp8 ||
        !c.getElementType().isF32())
      return emitOpError() << "[gemm-7] expected a positive `promote_every` on "
                              "fp8 operands into f32, got "
                           << static_cast<int64_t>(*every) << " on "
                           << a.getElementType() << " into "
                           << c.getElementType();
  }
  if (getAccumulate()) {
    if (!traitsOf(*this).takesAccumulateFlag)
      return emitOpError() << "[gemm-8] expected `accumulate(...)` with a plan "
                              "by wgmma";
    if (getClear() || getPromoteEvery())
      return emitOpError() << "[gemm-8] expected `accumulate(...)` without "
                           << (getClear() ? "`clear`" : "`promote_every`");
  }
  return verifyMetadata(*this, a, m, kOfB);
}

std::optional<ReduceKind> GemmOp::getAccumulation(Value buffer) {
  bool adds = buffer == getC() && !getClear();
  return adds ? std::optional(ReduceKind::Sum) : std::nullopt;
}

void GemmOp::getAccesses(SmallVectorImpl<TileAccess> &accesses) {
  accesses.push_back({getA(), {}, {}, false, false});
  accesses.push_back({getB(), {}, {}, false, false});
  if (isSparse())
    accesses.push_back({getMetadata(), {}, {}, false, false});
  if (!getClear())
    accesses.push_back({getC(), {}, {}, false, false});
  accesses.push_back({getC(), {}, {}, true, false});
}

void GemmOp::getEffects(EffectList &effects) {
  effectsFromAccesses(*this, effects);
}
