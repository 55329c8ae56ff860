//===- Tcgen05.cpp - tcgen05.mma ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sources: PTX ISA, "TensorCore 5th Generation Family Instructions": "Matrix
// Shape", "Instruction descriptor", "Shared memory descriptor", "Data path
// layout organization". What sparsity, block scaling and `.ws` add is refused.
// tcgen05.ld and tcgen05.st are Tcgen05Moves.cpp's.
//
//===----------------------------------------------------------------------===//
#include "MatrixMath.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace mlir::tile::lowered;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

namespace {
constexpr unsigned kColumns = 512, kLargestN = 256;
}

//===----------------------------------------------------------------------===//
// Instruction descriptor
//===----------------------------------------------------------------------===//

/// The type that a format field of three bits names.
static std::optional<MatrixType> operandType(StringRef kind, unsigned format) {
  if (kind == "f16" && format < 2)
    return format ? MatrixType::BF16 : MatrixType::F16;
  if (kind == "tf32" && format == 2)
    return MatrixType::TF32;
  // e2m3, e3m2 and e2m1 (3 to 5) lie in shared memory with padding.
  if (kind == "f8f6f4" && format < 2)
    return format ? MatrixType::E5M2 : MatrixType::E4M3;
  if (kind == "i8" && format < 2)
    return format ? MatrixType::S8 : MatrixType::U8;
  return std::nullopt;
}

static std::optional<MatrixType> resultType(StringRef kind, unsigned format,
                                            const Tcgen05Mma &mma) {
  if (kind == "i8")
    return format == 2 ? std::optional(MatrixType::S32) : std::nullopt;
  if (format == 1)
    return MatrixType::F32;
  bool hasHalf =
      kind == "f8f6f4" ||
      (kind == "f16" && mma.a != MatrixType::BF16 && mma.b != MatrixType::BF16);
  return format == 0 && hasHalf ? std::optional(MatrixType::F16) : std::nullopt;
}

static std::string checkShape(const Tcgen05Mma &mma) {
  unsigned least = 64 * mma.blocks;
  if (mma.m != least && mma.m != 2 * least)
    return "expected M of " + std::to_string(least) + " or " +
           std::to_string(2 * least) +
           " for cta_group::" + std::to_string(mma.blocks) + ", got " +
           std::to_string(mma.m);
  bool isInteger = mma.d == MatrixType::S32;
  unsigned step = (isInteger ? 16 : 8) * mma.blocks;
  bool isSmall = isInteger && mma.blocks == 1 && (mma.n == 8 || mma.n == 24);
  if (mma.n == 0 || mma.n > kLargestN || (mma.n % step != 0 && !isSmall))
    return "expected N in steps of " + std::to_string(step) + " up to " +
           std::to_string(kLargestN) + ", got " + std::to_string(mma.n);
  return "";
}

std::string mlir::tile::lowered::decodeTcgen05Mma(StringRef mnemonic,
                                                  uint32_t descriptor,
                                                  Tcgen05Mma &mma) {
  StringRef kind = mnemonic;
  mma = Tcgen05Mma();
  if (kind.consume_front("tcgen05.mma.cta_group::2.kind::"))
    mma.blocks = 2;
  else if (!kind.consume_front("tcgen05.mma.cta_group::1.kind::"))
    kind = "";
  if (kind != "f16" && kind != "tf32" && kind != "f8f6f4" && kind != "i8")
    return "expected tcgen05.mma.cta_group::{1,2}.kind::{f16,tf32,f8f6f4,i8}, "
           "got " +
           mnemonic.str();
  auto field = [&](unsigned first, unsigned bits) {
    return descriptor >> first & ((1u << bits) - 1);
  };
  // Bits 0 to 2 are sparsity's, 30 and 31 those of .ws; 6, 23 and 29 are
  // none's.
  std::string rule = checkUnusedBits(descriptor, 0xe0800047);
  if (!rule.empty())
    return rule;
  std::optional<MatrixType> a = operandType(kind, field(7, 3)),
                            b = operandType(kind, field(10, 3));
  if (!a || !b)
    return "expected a format of A and B that kind::" + kind.str() +
           " has, got " + std::to_string(field(7, 3)) + " and " +
           std::to_string(field(10, 3));
  mma.a = *a, mma.b = *b;
  std::optional<MatrixType> d = resultType(kind, field(4, 2), mma);
  if (!d)
    return "expected a format of D that kind::" + kind.str() + " has, got " +
           std::to_string(field(4, 2));
  mma.d = *d;
  mma.saturate = field(3, 1);
  mma.negateA = field(13, 1);
  mma.negateB = field(14, 1);
  mma.transposeA = field(15, 1);
  mma.transposeB = field(16, 1);
  mma.n = field(17, 6) * 8;
  mma.m = field(24, 5) * 16;
  mma.k = 256 / bitsOf(mma.a);
  bool isInteger = mma.d == MatrixType::S32;
  if (isInteger ? mma.negateA || mma.negateB : mma.saturate)
    return isInteger ? "expected no negation of integers"
                     : "expected no saturation of floats";
  return checkShape(mma);
}

//===----------------------------------------------------------------------===//
// Shared memory descriptor
//===----------------------------------------------------------------------===//

std::string
mlir::tile::lowered::tcgen05Addresses(const Tcgen05Mma &mma, bool isA,
                                      uint64_t descriptor, bool transposed,
                                      std::vector<uint32_t> &addresses) {
  // Bits 14, 15, 30, 31, 47, 48 and 53 to 60; bit 46 is 1, bit 52 (the leading
  // offset is an address) only newer targets have.
  std::string rule = checkUnusedBits(descriptor, 0x1ff1'8000'c000'c000);
  if (!rule.empty())
    return rule;
  if (!(descriptor >> 46 & 1))
    return "expected bit 46 of a descriptor of tcgen05 to be set, got 0x" +
           llvm::utohexstr(descriptor, /*LowerCase=*/true);
  constexpr unsigned kSpans[] = {16, 128, 128, 0, 64, 0, 32, 0};
  unsigned mode = unsigned(descriptor >> 61);
  unsigned bits = bitsOf(isA ? mma.a : mma.b);
  SharedMatrix matrix = decodeSharedMatrix(descriptor);
  matrix.span = kSpans[mode];
  matrix.pairs = mode == 1;
  matrix.alongMn = transposed;
  matrix.elementBytes = bits / 8;
  if (matrix.span == 0)
    return "expected swizzle mode 0, 1, 2, 4 or 6, got " + std::to_string(mode);
  // Words of 32 bits are transposed by pairs of chunks, nothing else is.
  if (matrix.pairs != (transposed && bits == 32))
    return "expected the 128-byte swizzle of 32-byte pieces (mode 1) for "
           "32-bit elements along m or n, and for them alone, got mode " +
           std::to_string(mode);
  return sharedMatrixAddresses(matrix, (isA ? mma.m : mma.n) / mma.blocks,
                               mma.k, isA, addresses);
}

//===----------------------------------------------------------------------===//
// Tensor memory
//===----------------------------------------------------------------------===//

namespace {
/// Where rows of D and A are in tensor memory (the layouts' letters are those
/// of the manual).
///   D: M = 128, and A: M = 256 of a pair: a row is a lane.
///   F: M = 64: sixteen rows in the lower or upper half of each 32 lanes.
///   B: M = 128 of a pair: 64 rows a block; the columns' second half lies in
///      lanes 64 and up.
class DataPath {
public:
  explicit DataPath(const Tcgen05Mma &mma)
      : rowsPerBlock(mma.m / mma.blocks), isHalf(mma.m == 64),
        isFolded(mma.blocks == 2 && mma.m == 128) {}

  unsigned lane(unsigned row) const {
    return isHalf ? row / 16 * 32 + row % 16 : row;
  }
  /// How often the columns of a row are cut.
  unsigned parts() const { return isFolded ? 2 : 1; }

  /// `address` has a lane that the layout may start at, and columns for
  /// `columns`.
  std::string check(StringRef what, uint32_t address, unsigned columns) const {
    unsigned lane = address >> 16, column = address & 0xffff;
    if (lane != 0 && !(isHalf && lane == 16))
      return "expected " + what.str() + " to start at lane 0" +
             (isHalf ? " or 16" : "") + ", got " + std::to_string(lane);
    if (column + columns > kColumns)
      return "expected " + what.str() + " within " + std::to_string(kColumns) +
             " columns of tensor memory, got columns " +
             std::to_string(column) + " to " +
             std::to_string(column + columns - 1);
    return "";
  }

  unsigned rowsPerBlock;
  bool isHalf, isFolded;
};

std::string checkBlocks(const Tcgen05Mma &mma,
                        ArrayRef<TensorMemory *> memory) {
  if (memory.size() == mma.blocks)
    return "";
  return "expected tensor memory of " + std::to_string(mma.blocks) +
         " blocks for cta_group::" + std::to_string(mma.blocks) + ", got " +
         std::to_string(memory.size());
}

/// The words of tensor memory from a place on have been written.
std::string checkWritten(StringRef what, const TensorMemory &memory,
                         unsigned lane, unsigned column, unsigned columns) {
  auto first = memory.written.begin() + lane * kColumns + column;
  auto unwritten = std::find(first, first + columns, false);
  if (unwritten == first + columns)
    return "";
  return "expected " + what.str() +
         " to have been written, got nothing in "
         "lane " +
         std::to_string(lane) + " column " +
         std::to_string(column + (unwritten - first));
}
} // namespace

/// One row of D, in the lane of its first part.
static std::string updateRow(const Tcgen05Mma &mma, const double *a,
                             const double *b, bool keep, uint32_t d,
                             const DataPath &path, unsigned lane,
                             TensorMemory &memory) {
  uint64_t bits[kLargestN];
  double sums[kLargestN] = {};
  unsigned columns = mma.n / path.parts(), first = d & 0xffff;
  auto forParts = [&](auto part) {
    for (unsigned p = 0; p < path.parts(); ++p)
      part(lane + (d >> 16) + 64 * p, p * columns);
  };
  if (keep) {
    std::string rule;
    forParts([&](unsigned lane, unsigned at) {
      if (rule.empty())
        rule =
            checkWritten("D, which is added to,", memory, lane, first, columns);
      for (unsigned i = 0; i < columns; ++i)
        bits[at + i] = memory.at(lane, first + i);
    });
    if (!rule.empty())
      return rule;
    toDoubles(mma.d, {bits, mma.n}, false, sums);
  }
  multiplyAdd(1, mma.n, mma.k, a, b, sums);
  fromDoubles(mma.d, {sums, mma.n}, mma.saturate, bits);
  forParts([&](unsigned lane, unsigned at) {
    // A half is in the lower bits of its column.
    for (unsigned i = 0; i < columns; ++i)
      memory.at(lane, first + i) = uint32_t(bits[at + i]);
    auto written = memory.written.begin() + lane * kColumns + first;
    std::fill(written, written + columns, true);
  });
  return "";
}

std::string mlir::tile::lowered::tcgen05Mma(const Tcgen05Mma &mma,
                                            ArrayRef<uint64_t> a,
                                            ArrayRef<uint64_t> b, bool keep,
                                            uint32_t d,
                                            ArrayRef<TensorMemory *> memory) {
  DataPath path(mma);
  std::string rule = checkBlocks(mma, memory);
  if (rule.empty())
    rule = path.check("D", d, mma.n / path.parts());
  if (!rule.empty())
    return rule;
  std::vector<double> values(size_t(mma.m + mma.n) * mma.k);
  double *valuesA = values.data(), *valuesB = valuesA + size_t(mma.m) * mma.k;
  toDoubles(mma.a, a, mma.negateA, valuesA);
  toDoubles(mma.b, b, mma.negateB, valuesB);
  for (unsigned row = 0; row < mma.m; ++row) {
    rule = updateRow(mma, valuesA + size_t(row) * mma.k, valuesB, keep, d, path,
                     path.lane(row % path.rowsPerBlock),
                     *memory[row / path.rowsPerBlock]);
    if (!rule.empty())
      return rule;
  }
  return "";
}

std::string mlir::tile::lowered::tcgen05ReadA(const Tcgen05Mma &mma, uint32_t a,
                                              ArrayRef<TensorMemory *> memory,
                                              std::vector<uint64_t> &elements) {
  constexpr unsigned kWords = 256 / 32; // of a row
  DataPath path(mma);
  std::string rule = checkBlocks(mma, memory);
  if (rule.empty())
    rule = path.check("A", a, kWords);
  if (rule.empty() && mma.transposeA)
    rule = "expected A in tensor memory along k, got it along m";
  if (!rule.empty())
    return rule;
  unsigned bits = bitsOf(mma.a), perWord = 32 / bits, column = a & 0xffff;
  uint64_t mask = (uint64_t(1) << bits) - 1;
  elements.resize(size_t(mma.m) * mma.k);
  uint64_t *out = elements.data();
  for (unsigned row = 0; row < mma.m; ++row) {
    TensorMemory &own = *memory[row / path.rowsPerBlock];
    unsigned lane = path.lane(row % path.rowsPerBlock) + (a >> 16);
    for (unsigned p = 0; p < path.parts(); ++p) {
      rule = checkWritten("A", own, lane + 64 * p, column, kWords);
      if (!rule.empty())
        return rule;
    }
    for (unsigned i = 0; i < kWords; ++i) {
      uint32_t word = own.at(lane, column + i);
      // Each half of the columns of D is computed from the A beside it.
      if (path.isFolded && own.at(lane + 64, column + i) != word)
        return "expected the same rows of A in lanes 0 to 63 and 64 to 127 for "
               "M = 128 of a pair, got others in lane " +
               std::to_string(lane) + " column " + std::to_string(column + i);
      for (unsigned e = 0; e < perWord; ++e)
        *out++ = word >> (e * bits) & mask;
    }
  }
  return "";
}
