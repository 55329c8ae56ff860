//===- MmaSync.cpp - ldmatrix, stmatrix and mma.sync ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sources: PTX ISA, "Warp-level matrix load instruction: ldmatrix", "Warp-level
// matrix store instruction: stmatrix", "Matrix Fragments for mma.m16n8k16" and
// its siblings.
//
//===----------------------------------------------------------------------===//
#include "MatrixMath.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <cstring>

using namespace mlir::tile::lowered;
using llvm::ArrayRef;
using llvm::MutableArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// ldmatrix, stmatrix
//===----------------------------------------------------------------------===//

// A lane's register of a matrix holds elements (lane / 4, 2 * (lane % 4)) and
// the next of the row; transposed, row and column change places.

void mlir::tile::lowered::ldmatrix(unsigned count, bool transposed,
                                   ArrayRef<std::array<uint8_t, 16>> rows,
                                   uint32_t (&out)[32][4]) {
  for (unsigned i = 0; i < count; ++i) {
    uint16_t matrix[8][8];
    std::memcpy(matrix, rows.data() + 8 * i, sizeof(matrix));
    for (unsigned lane = 0; lane < 32; ++lane) {
      unsigned row = lane / 4, column = lane % 4 * 2;
      uint32_t low = transposed ? matrix[column][row] : matrix[row][column];
      uint32_t high =
          transposed ? matrix[column + 1][row] : matrix[row][column + 1];
      out[lane][i] = low | high << 16;
    }
  }
}

void mlir::tile::lowered::stmatrix(
    unsigned count, bool transposed, const uint32_t (&in)[32][4],
    MutableArrayRef<std::array<uint8_t, 16>> rows) {
  for (unsigned i = 0; i < count; ++i) {
    uint16_t matrix[8][8];
    for (unsigned lane = 0; lane < 32; ++lane) {
      unsigned row = lane / 4, column = lane % 4 * 2;
      uint16_t low = uint16_t(in[lane][i]), high = uint16_t(in[lane][i] >> 16);
      (transposed ? matrix[column][row] : matrix[row][column]) = low;
      (transposed ? matrix[column + 1][row] : matrix[row][column + 1]) = high;
    }
    std::memcpy(rows.data() + 8 * i, matrix, sizeof(matrix));
  }
}

//===----------------------------------------------------------------------===//
// Names of mma.sync
//===----------------------------------------------------------------------===//

/// Whether the shape is one of PTX for operands of the type, as far as
/// compilers use them: with 8 rows there is F64 alone.
static bool hasShape(const MmaSync &mma) {
  unsigned bits = bitsOf(mma.a);
  if (mma.n != 8 || bitsOf(mma.b) != bits)
    return false;
  switch (mma.a) {
  case MatrixType::F64:
    if (mma.sparse)
      return false;
    return (mma.m == 8 && mma.k == 4) ||
           (mma.m == 16 && (mma.k == 4 || mma.k == 8 || mma.k == 16));
  case MatrixType::S8:
  case MatrixType::U8:
  case MatrixType::S4:
  case MatrixType::U4:
  case MatrixType::F16:
  case MatrixType::BF16:
  case MatrixType::TF32:
  case MatrixType::E4M3:
  case MatrixType::E5M2:
    break;
  default:
    return false;
  }
  return mma.m == 16 && (!mma.sparse || mma.k % 2 == 0) &&
         (mma.kOfA() == 128 / bits || mma.kOfA() == 256 / bits);
}

static bool hasTypes(const MmaSync &mma) {
  auto both = [&](MatrixType type) { return mma.c == type && mma.d == type; };
  auto isFloat = [](MatrixType type) {
    return type == MatrixType::F16 || type == MatrixType::F32;
  };
  switch (mma.a) {
  case MatrixType::F64:
    return mma.b == mma.a && both(MatrixType::F64);
  case MatrixType::BF16:
  case MatrixType::TF32:
    return mma.b == mma.a && both(MatrixType::F32);
  case MatrixType::F16:
    return mma.b == mma.a && isFloat(mma.c) && isFloat(mma.d) &&
           (mma.kOfA() == 16 || mma.c == mma.d);
  case MatrixType::E4M3:
  case MatrixType::E5M2:
    return !isInteger(mma.b) && isFloat(mma.c) && mma.c == mma.d;
  default:
    return isInteger(mma.a) && isInteger(mma.b) && both(MatrixType::S32);
  }
}

/// The four types that the name of an instruction of PTX has, or those that an
/// intrinsic of LLVM leaves out: f16 is told by D and C, others by A and B.
static bool completeTypes(ArrayRef<MatrixType> types, bool isIntrinsic,
                          MmaSync &mma) {
  if (types.size() == 4) {
    mma.d = types[0], mma.a = types[1], mma.b = types[2], mma.c = types[3];
    return true;
  }
  if (!isIntrinsic || types.empty() || types.size() > 2)
    return false;
  MatrixType first = types.front(), last = types.back();
  if (types.size() == 2 && !isInteger(first)) {
    mma.a = mma.b = MatrixType::F16;
    mma.d = first, mma.c = last;
    return true;
  }
  mma.a = first, mma.b = last;
  mma.c = mma.d = isInteger(first)           ? MatrixType::S32
                  : first == MatrixType::F64 ? MatrixType::F64
                                             : MatrixType::F32;
  return true;
}

std::optional<MmaSync> mlir::tile::lowered::parseMmaSync(StringRef mnemonic) {
  bool isIntrinsic = mnemonic.consume_front("llvm.nvvm.mma.");
  MmaSync mma;
  mma.sparse = !isIntrinsic &&
               mnemonic.consume_front("mma.sp::ordered_metadata.sync.aligned.");
  if (!isIntrinsic && !mma.sparse &&
      !mnemonic.consume_front("mma.sync.aligned."))
    return std::nullopt;
  SmallVector<StringRef> parts;
  mnemonic.split(parts, '.');
  if (parts.size() < 4 || !parseMatrixShape(parts[0], mma.m, mma.n, mma.k) ||
      parts[1] != "row" || parts[2] != "col")
    return std::nullopt;
  ArrayRef<StringRef> rest = ArrayRef<StringRef>(parts).drop_front(3);
  if (rest.front() == "satfinite") {
    mma.saturate = true;
    rest = rest.drop_front();
  }
  SmallVector<MatrixType> types;
  for (StringRef part : rest) {
    std::optional<MatrixType> type = parseMatrixType(part);
    if (!type)
      return std::nullopt;
    types.push_back(*type);
  }
  if (!completeTypes(types, isIntrinsic, mma) || !hasShape(mma) ||
      !hasTypes(mma) || (mma.saturate && !isInteger(mma.a)))
    return std::nullopt;
  auto registers = [](unsigned elements, MatrixType type) {
    unsigned bits = bitsOf(type);
    return elements * bits / 32 / std::max(bits, 32u);
  };
  mma.aRegisters = registers(mma.m * mma.kOfA(), mma.a);
  mma.bRegisters = registers(mma.k * mma.n, mma.b);
  mma.cRegisters = registers(mma.m * mma.n, mma.c);
  mma.dRegisters = registers(mma.m * mma.n, mma.d);
  return mma;
}

//===----------------------------------------------------------------------===//
// Data movement and arithmetic
//===----------------------------------------------------------------------===//

namespace {
/// Elements packed into the registers of one operand.
struct Packing {
  explicit Packing(MatrixType type)
      : bits(bitsOf(type)), perRegister(std::max(1u, 32 / bits)),
        mask(bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1) {}
  uint64_t get(uint64_t word, unsigned e) const {
    return word >> (e * bits) & mask;
  }
  unsigned bits, perRegister;
  uint64_t mask;
};
constexpr unsigned kLargestM = 16, kN = 8, kLargestK = 64;
} // namespace

/// A with its zeros, from what is kept.
static std::string expandA(const MmaSync &mma, ArrayRef<const uint64_t *> in,
                           unsigned selector, uint64_t *aBits) {
  uint32_t metadata[32];
  for (unsigned lane = 0; lane < 32; ++lane)
    metadata[lane] =
        uint32_t(in[lane][mma.aRegisters + mma.bRegisters + mma.cRegisters]);
  std::vector<uint64_t> whole;
  std::string wrong = expandSparse(mma.a, mma.m, mma.k, selector, metadata,
                                   {aBits, size_t(mma.m) * mma.kOfA()}, whole);
  if (wrong.empty())
    std::copy(whole.begin(), whole.end(), aBits);
  return wrong;
}

/// Values of A and B in row-major order. Returns the rule that metadata breaks.
static std::string gatherOperands(const MmaSync &mma,
                                  ArrayRef<const uint64_t *> in,
                                  unsigned selector, double *a, double *b) {
  uint64_t aBits[kLargestM * kLargestK], bBits[kLargestK * kN];
  Packing packingA(mma.a), packingB(mma.b);
  for (unsigned lane = 0; lane < 32; ++lane) {
    const uint64_t *registers = in[lane];
    for (unsigned r = 0; r < mma.aRegisters; ++r)
      for (unsigned e = 0; e < packingA.perRegister; ++e) {
        auto [row, column] =
            elementOfA(lane, r, e, packingA.perRegister, mma.m);
        aBits[row * mma.kOfA() + column] = packingA.get(registers[r], e);
      }
    registers += mma.aRegisters;
    // B is as A of 8 rows with row and column exchanged.
    for (unsigned r = 0; r < mma.bRegisters; ++r)
      for (unsigned e = 0; e < packingB.perRegister; ++e) {
        auto [column, row] = elementOfA(lane, r, e, packingB.perRegister, kN);
        bBits[row * kN + column] = packingB.get(registers[r], e);
      }
  }
  if (mma.sparse) {
    std::string wrong = expandA(mma, in, selector, aBits);
    if (!wrong.empty())
      return wrong;
  }
  toDoubles(mma.a, {aBits, size_t(mma.m) * mma.k}, false, a);
  toDoubles(mma.b, {bBits, size_t(mma.k) * kN}, false, b);
  return "";
}

std::string mlir::tile::lowered::mmaSync(const MmaSync &mma,
                                         ArrayRef<const uint64_t *> in,
                                         unsigned selector,
                                         ArrayRef<uint64_t *> out) {
  double a[kLargestM * kLargestK], b[kLargestK * kN], c[kLargestM * kN];
  std::string wrong = gatherOperands(mma, in, selector, a, b);
  if (!wrong.empty())
    return wrong;
  Packing packingC(mma.c), packingD(mma.d);
  unsigned elements = mma.m * kN / 32;
  uint64_t cBits[kLargestM * kN];
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < elements; ++i) {
      uint64_t word =
          in[lane][mma.aRegisters + mma.bRegisters + i / packingC.perRegister];
      auto [row, column] = elementOfC(lane, i);
      cBits[row * kN + column] = packingC.get(word, i % packingC.perRegister);
    }
  toDoubles(mma.c, {cBits, size_t(mma.m) * kN}, false, c);
  if (mma.d == MatrixType::F64)
    fusedMultiplyAdd(mma.m, kN, mma.k, a, b, c);
  else
    multiplyAdd(mma.m, kN, mma.k, a, b, c);
  uint64_t dBits[kLargestM * kN];
  fromDoubles(mma.d, {c, size_t(mma.m) * kN}, mma.saturate, dBits);
  for (unsigned lane = 0; lane < 32; ++lane) {
    std::fill_n(out[lane], mma.dRegisters, 0);
    for (unsigned i = 0; i < elements; ++i) {
      auto [row, column] = elementOfC(lane, i);
      out[lane][i / packingD.perRegister] |=
          dBits[row * kN + column]
          << (i % packingD.perRegister * packingD.bits);
    }
  }
  return "";
}
