//===- Wgmma.cpp - wgmma.mma_async ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sources: PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate
// Operation": "Register Fragments", "Matrix Descriptor", "wgmma.mma_async".
//
//===----------------------------------------------------------------------===//
#include "MatrixMath.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir::tile::lowered;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

namespace {
constexpr unsigned kM = 64, kThreads = 128;
constexpr unsigned kLargestN = 256;
} // namespace

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static bool hasN(const Wgmma &wgmma) {
  if (wgmma.n < 8 || wgmma.n > kLargestN)
    return false;
  if (wgmma.d == MatrixType::S32)
    return wgmma.n == 8 || wgmma.n == 24 || wgmma.n % 16 == 0;
  return wgmma.n % 8 == 0;
}

static bool hasTypes(const Wgmma &wgmma) {
  bool isHalf = wgmma.d == MatrixType::F16;
  bool isSingle = wgmma.d == MatrixType::F32;
  auto isByteFloat = [](MatrixType type) {
    return type == MatrixType::E4M3 || type == MatrixType::E5M2;
  };
  auto isByte = [](MatrixType type) {
    return type == MatrixType::S8 || type == MatrixType::U8;
  };
  switch (wgmma.a) {
  case MatrixType::F16:
    return wgmma.b == wgmma.a && (isHalf || isSingle);
  case MatrixType::BF16:
  case MatrixType::TF32:
    return wgmma.b == wgmma.a && isSingle;
  default:
    if (isByteFloat(wgmma.a))
      return isByteFloat(wgmma.b) && (isHalf || isSingle);
    return isByte(wgmma.a) && isByte(wgmma.b) && wgmma.d == MatrixType::S32;
  }
}

std::optional<Wgmma> mlir::tile::lowered::parseWgmma(StringRef mnemonic) {
  if (!mnemonic.consume_front("wgmma.mma_async."))
    return std::nullopt;
  Wgmma wgmma;
  wgmma.sparse = mnemonic.consume_front("sp.");
  if (!mnemonic.consume_front("sync.aligned."))
    return std::nullopt;
  SmallVector<StringRef> parts;
  mnemonic.split(parts, '.');
  unsigned m;
  if (!parseMatrixShape(parts.front(), m, wgmma.n, wgmma.k) || m != kM)
    return std::nullopt;
  ArrayRef<StringRef> types = ArrayRef<StringRef>(parts).drop_front();
  if (!types.empty() && types.front() == "satfinite") {
    wgmma.saturate = true;
    types = types.drop_front();
  }
  if (types.size() != 3)
    return std::nullopt;
  std::optional<MatrixType> d = parseMatrixType(types[0]),
                            a = parseMatrixType(types[1]),
                            b = parseMatrixType(types[2]);
  if (!d || !a || !b)
    return std::nullopt;
  wgmma.d = *d, wgmma.a = *a, wgmma.b = *b;
  if (!hasTypes(wgmma) || !hasN(wgmma) ||
      wgmma.kOfA() != 256 / bitsOf(wgmma.a) ||
      wgmma.k != wgmma.kOfA() * (wgmma.sparse ? 2 : 1) ||
      (wgmma.saturate && wgmma.d != MatrixType::S32))
    return std::nullopt;
  wgmma.dRegisters = kM * wgmma.n * bitsOf(wgmma.d) / 32 / kThreads;
  return wgmma;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

std::string
mlir::tile::lowered::wgmmaAddresses(const Wgmma &instruction, bool isA,
                                    const WgmmaOperand &operand,
                                    std::vector<uint32_t> &addresses) {
  // Bits 14, 15, 30, 31, 46 to 48 and 52 to 61.
  constexpr uint64_t kUnused = 0x3ff1'c000'c000'c000;
  std::string rule = checkUnusedBits(operand.descriptor, kUnused);
  if (!rule.empty())
    return rule;
  unsigned bits = bitsOf(isA ? instruction.a : instruction.b);
  if (operand.transposed && bits != 16)
    return "expected elements of 16 bits along m or n, got " +
           std::to_string(bits);
  // Swizzle modes 0 to 3: none, 128, 64 and 32 bytes.
  constexpr unsigned kSpans[] = {16, 128, 64, 32};
  SharedMatrix matrix = decodeSharedMatrix(operand.descriptor);
  matrix.span = kSpans[operand.descriptor >> 62];
  matrix.alongMn = operand.transposed;
  matrix.elementBytes = bits / 8;
  return sharedMatrixAddresses(matrix, isA ? kM : instruction.n,
                               isA ? instruction.kOfA() : instruction.k, isA,
                               addresses);
}

void mlir::tile::lowered::wgmmaRegistersToA(
    const Wgmma &instruction, ArrayRef<const uint32_t *> registers,
    std::vector<uint64_t> &a) {
  unsigned bits = bitsOf(instruction.a), perRegister = 32 / bits;
  uint64_t mask = (uint64_t(1) << bits) - 1;
  a.resize(kM * instruction.kOfA());
  for (unsigned thread = 0; thread < kThreads; ++thread)
    for (unsigned r = 0; r < 4; ++r)
      for (unsigned e = 0; e < perRegister; ++e) {
        auto [row, column] = elementOfA(thread % 32, r, e, perRegister);
        a[(thread / 32 * 16 + row) * instruction.kOfA() + column] =
            registers[thread][r] >> (e * bits) & mask;
      }
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// One row of D in a warpgroup's registers: warp w has rows 16w to 16w + 15,
/// four neighbouring lanes have the columns of a row.
template <typename F>
static void forRow(const Wgmma &wgmma, unsigned row,
                   ArrayRef<uint32_t *> accumulators, F element) {
  uint32_t *const *threads = accumulators.data() + row / 16 * 32 + row % 8 * 4;
  bool isHalf = wgmma.d == MatrixType::F16;
  for (unsigned column = 0; column < wgmma.n; ++column) {
    uint32_t *registers = threads[column / 2 % 4];
    // The inverse of elementOfC.
    unsigned i = column / 8 * 4 + row / 8 % 2 * 2 + column % 2;
    if (isHalf)
      element(column, registers[i / 2], i % 2 * 16);
    else
      element(column, registers[i], 0u);
  }
}

void mlir::tile::lowered::wgmma(const Wgmma &instruction, ArrayRef<uint64_t> a,
                                ArrayRef<uint64_t> b, bool negateA,
                                bool negateB, bool keep,
                                ArrayRef<uint32_t *> accumulators) {
  unsigned n = instruction.n, k = instruction.k;
  std::vector<double> values(size_t(kM) * k + size_t(k) * n);
  double *valuesA = values.data(), *valuesB = valuesA + size_t(kM) * k;
  toDoubles(instruction.a, a, negateA, valuesA);
  toDoubles(instruction.b, b, negateB, valuesB);
  uint32_t mask = instruction.d == MatrixType::F16 ? 0xffff : ~uint32_t(0);
  for (unsigned row = 0; row < kM; ++row) {
    uint64_t bits[kLargestN] = {};
    double sums[kLargestN] = {};
    if (keep) {
      forRow(instruction, row, accumulators,
             [&](unsigned column, uint32_t &word, unsigned shift) {
               bits[column] = word >> shift & mask;
             });
      toDoubles(instruction.d, {bits, n}, false, sums);
    }
    multiplyAdd(1, n, k, valuesA + size_t(row) * k, valuesB, sums);
    fromDoubles(instruction.d, {sums, n}, instruction.saturate, bits);
    forRow(instruction, row, accumulators,
           [&](unsigned column, uint32_t &word, unsigned shift) {
             word = (word & ~(mask << shift)) | uint32_t(bits[column]) << shift;
           });
  }
}
