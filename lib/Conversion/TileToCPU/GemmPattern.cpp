//===- GemmPattern.cpp - gemm on the CPU ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C[i, j] accumulates A[i, k] * B[k, j] in increasing k, each step one fused
// multiply-add. An f16 accumulator is rounded every 16 steps, as tensor cores
// do once for each instruction; the sum between is f32. Operands are first
// brought into scratch buffers of the type the arithmetic is done in,
// untransposed, so that a single loop nest serves every element type; it keeps
// a few rows of vectors of C in registers. The order of k, and so the result,
// is that of the plain loop. A sparse A gets its zeros back in its scratch
// buffer.
//
//===----------------------------------------------------------------------===//
#include "TileToCPU.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tile/Dialect/Tile/IR/MmaTypes.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Rows and bytes of a row of C held in registers: eight 32-byte accumulators.
constexpr int64_t kRows = 4;
constexpr int64_t kRowBytes = 64;
/// Steps of k between two roundings of an accumulator below f32: the k of
/// mma.sync and wgmma with such accumulators (PTX ISA, ".m16n8k16").
constexpr int64_t kSumSteps = 16;

/// Rounds to tf32: 10 bits of mantissa, to nearest, ties away from zero, as
/// `cvt.rna.tf32.f32` does (PTX ISA, "cvt"). Infinities and NaN stay.
Value roundToTf32(OpBuilder &b, Location loc, Value x) {
  Type i32 = b.getI32Type();
  auto constant = [&](uint32_t value) -> Value {
    return arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(i32, static_cast<int32_t>(value)));
  };
  Value bits = arith::BitcastOp::create(b, loc, i32, x);
  Value exponent = arith::AndIOp::create(b, loc, bits, constant(0x7f800000));
  Value special = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        exponent, constant(0x7f800000));
  Value rounded = arith::AddIOp::create(b, loc, bits, constant(0x1000));
  rounded = arith::AndIOp::create(b, loc, rounded, constant(0xffffe000));
  Value result = arith::SelectOp::create(b, loc, special, bits, rounded);
  return arith::BitcastOp::create(b, loc, x.getType(), result);
}

class GemmBuilder {
public:
  GemmBuilder(GemmOp op, GemmOp::Adaptor adaptor, OpBuilder &builder)
      : op(op), adaptor(adaptor), b(builder), loc(op.getLoc()), m(op.getM()),
        n(op.getN()), k(op.getK()) {
    resultType = cast<MemRefType>(op.getC().getType()).getElementType();
    // A product of f16 has 22 bits: f32 holds it.
    computeType = resultType;
    if (isa<FloatType>(resultType) && resultType.getIntOrFloatBitWidth() < 32)
      computeType = b.getF32Type();
  }

  void build() {
    a = op.isSparse()
            ? expandA()
            : pack(adaptor.getA(), m, k, op.getTransposeA(), op.getUnsignedA());
    bPacked = pack(adaptor.getB(), k, n, op.getTransposeB(), op.getUnsignedB());
    int64_t width = kRowBytes / (computeType.getIntOrFloatBitWidth() / 8);
    int64_t rows = m / kRows * kRows, columns = n / width * width;
    multiply(0, rows, kRows, 0, columns, width);
    multiply(0, rows, kRows, columns, n, 1);
    multiply(rows, m, 1, 0, columns, width);
    multiply(rows, m, 1, columns, n, 1);
  }

private:
  /// Copies an operand into a rows x columns buffer of the compute type.
  Value pack(Value operand, int64_t rows, int64_t columns, bool transposed,
             bool isUnsigned) {
    Value packed =
        allocateScratch(b, op, MemRefType::get({rows, columns}, computeType));
    // Follow the operand's own order, so that its reads are contiguous.
    SmallVector<int64_t> extents{rows, columns};
    if (transposed)
      std::swap(extents[0], extents[1]);
    loopOver(b, loc, extents, [&](OpBuilder &inner, Location l, ValueRange i) {
      Value x = memref::LoadOp::create(inner, l, operand, i);
      x = toComputeType(inner, l, x, isUnsigned);
      SmallVector<Value> to(i);
      if (transposed)
        std::swap(to[0], to[1]);
      memref::StoreOp::create(inner, l, x, packed, to);
    });
    return packed;
  }

  /// A with its zeros: what is kept of a group goes to the places that the
  /// metadata says.
  Value expandA() {
    Value whole = allocateScratch(b, op, MemRefType::get({m, k}, computeType));
    auto [kept, columns] = SparseGroup::of(op);
    auto metadataType = cast<MemRefType>(op.getMetadata().getType());
    int64_t perWord = metadataType.getElementTypeBitWidth() / 4;
    loopOver(
        b, loc, {m, k / columns},
        [&, kept = kept, columns = columns](OpBuilder &inner, Location l,
                                            ValueRange at) {
          auto index = [&](int64_t value) {
            return indexConstant(inner, l, value);
          };
          auto place = [&](Value column, bool isTurned) {
            return isTurned ? SmallVector<Value>{column, at[0]}
                            : SmallVector<Value>{at[0], column};
          };
          Value word = memref::LoadOp::create(
              inner, l, adaptor.getMetadata(),
              place(arith::DivUIOp::create(inner, l, at[1], index(perWord)),
                    op.getTransposeMetadata()));
          word = arith::IndexCastUIOp::create(inner, l, inner.getIndexType(),
                                              word);
          Value first = arith::MulIOp::create(inner, l, at[1], index(columns));
          Value zero = arith::ConstantOp::create(
              inner, l, inner.getZeroAttr(computeType));
          for (int64_t i = 0; i < columns; ++i)
            memref::StoreOp::create(
                inner, l, zero, whole,
                place(arith::AddIOp::create(inner, l, first, index(i)), false));
          Value shift = arith::MulIOp::create(
              inner, l, arith::RemUIOp::create(inner, l, at[1], index(perWord)),
              index(4));
          // The first value is stored last: it counts where both say one
          // place.
          for (int64_t n = kept; n-- > 0;) {
            Value bits = arith::AddIOp::create(inner, l, shift, index(2 * n));
            Value to = arith::AndIOp::create(
                inner, l, arith::ShRUIOp::create(inner, l, word, bits),
                index(3));
            if (columns == 2)
              to = arith::ShRUIOp::create(inner, l, to, index(1));
            Value from = arith::AddIOp::create(
                inner, l, arith::MulIOp::create(inner, l, at[1], index(kept)),
                index(n));
            Value x = memref::LoadOp::create(inner, l, adaptor.getA(),
                                             place(from, op.getTransposeA()));
            memref::StoreOp::create(
                inner, l, toComputeType(inner, l, x, op.getUnsignedA()), whole,
                place(arith::AddIOp::create(inner, l, first, to), false));
          }
        });
    return whole;
  }

  Value toComputeType(OpBuilder &inner, Location l, Value x, bool isUnsigned) {
    if (isUnsigned)
      return arith::ExtUIOp::create(inner, l, computeType, x);
    bool tf32 = x.getType().isF32() && op.getPrecision() != Precision::Ieee;
    x = castElement(inner, l, x, computeType);
    return tf32 ? roundToTf32(inner, l, x) : x;
  }

  /// Multiplies rows [i0, i1) by columns [j0, j1) in steps of `rows` x `width`.
  void multiply(int64_t i0, int64_t i1, int64_t rows, int64_t j0, int64_t j1,
                int64_t width) {
    if (i0 == i1 || j0 == j1)
      return;
    auto constant = [&](int64_t value) { return indexConstant(b, loc, value); };
    scf::buildLoopNest(b, loc, {constant(i0), constant(j0)},
                       {constant(i1), constant(j1)},
                       {constant(rows), constant(width)},
                       [&](OpBuilder &inner, Location l, ValueRange ij) {
                         multiplyPatch(inner, l, ij[0], ij[1], rows, width);
                       });
  }

  void multiplyPatch(OpBuilder &inner, Location l, Value i, Value j,
                     int64_t rows, int64_t width) {
    auto vector = VectorType::get({width}, computeType);
    auto resultVector = VectorType::get({width}, resultType);
    SmallVector<Value> rowIndices, accumulators;
    for (int64_t r = 0; r < rows; ++r) {
      rowIndices.push_back(
          arith::AddIOp::create(inner, l, i, indexConstant(inner, l, r)));
      Value start;
      if (op.getClear())
        start = arith::ConstantOp::create(inner, l, inner.getZeroAttr(vector));
      else
        start = castElement(
            inner, l,
            vector::LoadOp::create(inner, l, resultVector, adaptor.getC(),
                                   ValueRange{rowIndices.back(), j}),
            computeType);
      if (op.getAccumulate())
        start = arith::SelectOp::create(
            inner, l, adaptor.getAccumulate(), start,
            arith::ConstantOp::create(inner, l, inner.getZeroAttr(vector)));
      accumulators.push_back(start);
    }
    auto index = [&](int64_t value) { return indexConstant(inner, l, value); };
    ValueRange sums;
    if (computeType == resultType) {
      sums = sumOver(inner, l, index(0), index(k), rowIndices, j, accumulators);
    } else {
      auto blocks = scf::ForOp::create(
          inner, l, index(0), index(k), index(kSumSteps), accumulators,
          [&](OpBuilder &body, Location bl, Value from, ValueRange carried) {
            Value to = arith::AddIOp::create(
                body, bl, from, indexConstant(body, bl, kSumSteps));
            if (k % kSumSteps)
              to = arith::MinSIOp::create(body, bl, to,
                                          indexConstant(body, bl, k));
            SmallVector<Value> rounded;
            for (Value sum :
                 sumOver(body, bl, from, to, rowIndices, j, carried))
              rounded.push_back(
                  castElement(body, bl, castElement(body, bl, sum, resultType),
                              computeType));
            scf::YieldOp::create(body, bl, rounded);
          });
      sums = blocks.getResults();
    }
    for (int64_t r = 0; r < rows; ++r)
      vector::StoreOp::create(inner, l,
                              castElement(inner, l, sums[r], resultType),
                              adaptor.getC(), ValueRange{rowIndices[r], j});
  }

  /// Adds the products of k in [from, to) to a patch's accumulators.
  ValueRange sumOver(OpBuilder &builder, Location l, Value from, Value to,
                     ArrayRef<Value> rowIndices, Value j,
                     ValueRange accumulators) {
    auto vector = cast<VectorType>(accumulators.front().getType());
    auto loop = scf::ForOp::create(
        builder, l, from, to, indexConstant(builder, l, 1), accumulators,
        [&](OpBuilder &body, Location bl, Value kk, ValueRange carried) {
          Value row = vector::LoadOp::create(body, bl, vector, bPacked,
                                             ValueRange{kk, j});
          SmallVector<Value> next;
          for (auto [rowIndex, sum] : llvm::zip(rowIndices, carried)) {
            Value x =
                memref::LoadOp::create(body, bl, a, ValueRange{rowIndex, kk});
            Value spread = vector::BroadcastOp::create(body, bl, vector, x);
            next.push_back(step(body, bl, spread, row, sum));
          }
          scf::YieldOp::create(body, bl, next);
        });
    return loop.getResults();
  }

  /// One accumulation.
  Value step(OpBuilder &inner, Location l, Value x, Value y, Value sum) {
    if (isa<IntegerType>(computeType))
      return arith::AddIOp::create(inner, l, sum,
                                   arith::MulIOp::create(inner, l, x, y));
    return vector::FMAOp::create(inner, l, x, y, sum);
  }

  GemmOp op;
  GemmOp::Adaptor adaptor;
  OpBuilder &b;
  Location loc;
  int64_t m, n, k;
  Type resultType, computeType;
  Value a, bPacked;
};

struct GemmLowering : OpConversionPattern<GemmOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(GemmOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    GemmBuilder(op, adaptor, rewriter).build();
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tile::populateGemmPattern(RewritePatternSet &patterns) {
  patterns.add<GemmLowering>(patterns.getContext());
}
