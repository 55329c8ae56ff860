//===- SharedMatrix.cpp - where descriptors find elements -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The canonical layouts of the PTX ISA ("Matrix Descriptor", "Canonical
// Layouts"; "Shared memory layout and swizzling" of tcgen05), in which T is the
// number of elements in 16 bytes, W that of chunks of 16 bytes in a swizzled
// row, LBO and SBO are the leading and the stride byte offset:
//
//   K-major,  no swizzle  ((8,m),(T,2)) : ((1T,SBO),(1,LBO))
//   K-major,  swizzled    ((8,m),(T,2)) : ((WT,SBO),(1,T))
//   MN-major, no swizzle  ((T,1,m),(8,k)) : ((1,T,SBO),(1T,LBO))
//   MN-major, swizzled    ((T,W,m),(8,k)) : ((1,T,LBO),(WT,SBO))
//
// An element's offset is a part that mn tells and a part that k tells. Then
// address bits 4 and up are XORed with bits 7 and up, counted from where the
// pattern starts.
//
//===----------------------------------------------------------------------===//
#include "MatrixMath.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace mlir::tile::lowered;
using llvm::SmallVector;

namespace {
constexpr unsigned kChunk = 16;
/// Descriptors have addresses of 18 bits.
constexpr uint32_t kWindow = 1 << 18;
} // namespace

SharedMatrix mlir::tile::lowered::decodeSharedMatrix(uint64_t descriptor) {
  auto field = [&](unsigned first) {
    return uint32_t(descriptor >> first & 0x3fff) * kChunk;
  };
  SharedMatrix matrix;
  matrix.start = field(0);
  matrix.leading = field(16);
  matrix.stride = field(32);
  matrix.baseOffset = unsigned(descriptor >> 49 & 7);
  return matrix;
}

std::string mlir::tile::lowered::checkUnusedBits(uint64_t descriptor,
                                                 uint64_t unused) {
  if (!(descriptor & unused))
    return "";
  return "expected zeros between the fields of a descriptor, got 0x" +
         llvm::utohexstr(descriptor & unused, /*LowerCase=*/true) +
         " between those of 0x" +
         llvm::utohexstr(descriptor, /*LowerCase=*/true);
}

/// The part of an element's offset that its row (of A; column of B) tells.
static uint32_t offsetOfMn(const SharedMatrix &matrix, unsigned mn) {
  if (!matrix.alongMn)
    return mn % 8 * matrix.span + mn / 8 * matrix.stride;
  unsigned perRow = matrix.span / matrix.elementBytes;
  return mn % perRow * matrix.elementBytes +
         mn / perRow * (matrix.span == kChunk ? matrix.stride : matrix.leading);
}

static uint32_t offsetOfK(const SharedMatrix &matrix, unsigned k) {
  if (matrix.alongMn) {
    // The pattern of pairs repeats after four rows of 128 bytes, not eight.
    unsigned rows = matrix.pairs ? 4 : 8;
    return k % rows * matrix.span +
           k / rows * (matrix.span == kChunk ? matrix.leading : matrix.stride);
  }
  uint32_t bytes = k * matrix.elementBytes;
  return matrix.span == kChunk
             ? bytes % kChunk + bytes / kChunk * matrix.leading
             : bytes;
}

static std::string brokenRule(const SharedMatrix &matrix, unsigned mn,
                              unsigned k) {
  if (matrix.span == kChunk)
    return matrix.baseOffset == 0
               ? ""
               : "expected a base offset of 0 without swizzle, got " +
                     std::to_string(matrix.baseOffset);
  // Chunks beyond the end of a row would be those of the next.
  unsigned first = matrix.start % matrix.span;
  unsigned along = (matrix.alongMn ? mn : k) * matrix.elementBytes;
  unsigned used = std::min(along, matrix.span);
  if (first + used > matrix.span)
    return "expected " + std::to_string(used) +
           " bytes of an operand in one swizzled row of " +
           std::to_string(matrix.span) + ", got a start " +
           std::to_string(first) + " bytes into it";
  return "";
}

std::string
mlir::tile::lowered::sharedMatrixAddresses(const SharedMatrix &matrix,
                                           unsigned mn, unsigned k, bool isA,
                                           std::vector<uint32_t> &addresses) {
  std::string rule = brokenRule(matrix, mn, k);
  if (!rule.empty())
    return rule;
  SmallVector<uint32_t, 256> ofMn(mn), ofK(k);
  for (unsigned i = 0; i < mn; ++i)
    ofMn[i] = offsetOfMn(matrix, i);
  for (unsigned i = 0; i < k; ++i)
    ofK[i] = offsetOfK(matrix, i);
  uint32_t last = matrix.start + *std::max_element(ofMn.begin(), ofMn.end()) +
                  *std::max_element(ofK.begin(), ofK.end());
  if (last >= kWindow)
    return "expected an operand below byte " + std::to_string(kWindow) +
           " of shared memory, got byte " + std::to_string(last);
  uint32_t mask = matrix.pairs ? 0x60 : matrix.span - kChunk;
  unsigned shift = matrix.pairs ? 2 : 3;
  uint32_t pattern = matrix.baseOffset * 128;
  addresses.resize(size_t(mn) * k);
  const auto &slow = isA ? ofMn : ofK, &fast = isA ? ofK : ofMn;
  uint32_t *out = addresses.data();
  for (uint32_t row : slow) {
    uint32_t start = matrix.start + row;
    for (size_t i = 0, e = fast.size(); i < e; ++i) {
      uint32_t address = start + fast[i];
      out[i] = address ^ ((address - pattern) >> shift & mask);
    }
    out += fast.size();
  }
  return "";
}
