//===- SharedLayout.h - where an element of a buffer lies -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of a tile in shared memory: strided mixed-radix modes per logical
// dimension, then an optional XOR swizzle of the byte address.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LAYOUT_SHAREDLAYOUT_H
#define TILE_LAYOUT_SHAREDLAYOUT_H

#include "tile/Layout/FragmentLayout.h"
#include <optional>

namespace mlir::tile {

/// XOR swizzle of a byte address: bits [base, base+bits) are XORed with bits
/// [base+shift, base+shift+bits). TMA's 128-byte swizzle is (3, 4, 3), 64-byte
/// (2, 4, 3), 32-byte (1, 4, 3). bits == 0 is no swizzle.
struct Swizzle {
  unsigned bits = 0, base = 4, shift = 3;
  int64_t apply(int64_t byteAddress) const {
    int64_t mask = ((int64_t(1) << bits) - 1) << base;
    return byteAddress ^ ((byteAddress >> shift) & mask);
  }
  bool operator==(const Swizzle &o) const {
    return bits == o.bits &&
           (bits == 0 || (base == o.base && shift == o.shift));
  }
};

inline constexpr int64_t kMaxSharedExtent = int64_t(1) << 24;

class SharedLayout {
public:
  SharedLayout() = default;
  /// `modes[i]` are digits of logical coordinates: digit `extent` of dimension
  /// `dim` (fastest digit of each dim first) contributes digit*stride
  /// *elements* to the linear offset.
  SharedLayout(llvm::ArrayRef<int64_t> shape, unsigned elementBits, Modes modes,
               Swizzle swizzle = {});

  llvm::ArrayRef<int64_t> shape() const { return logicalShape; }
  unsigned rank() const { return logicalShape.size(); }
  unsigned elementBits() const { return bitsPerElement; }
  const Modes &modes() const { return digits; }
  Swizzle swizzle() const { return xorSwizzle; }

  /// Element width a power of two up to 128 bits, modes cover the shape, the
  /// swizzle keeps elements whole, and neither offsets (in bytes) nor elements
  /// exceed kMaxSharedExtent, far above any shared memory. The other operations
  /// expect a layout that verifies.
  OrRefusal<bool> verify() const;
  /// Linear element offset before the swizzle.
  int64_t linearOffset(llvm::ArrayRef<int64_t> coords) const;
  /// Byte offset after the swizzle (element bits must be a multiple of 8, else
  /// the byte that holds the element's first bit).
  int64_t byteOffset(llvm::ArrayRef<int64_t> coords) const;
  /// Bytes to allocate, padding and swizzle span included.
  int64_t sizeInBytes() const;
  /// Base alignment that the swizzle needs: 2^(base+shift+bits), at least 16.
  int64_t alignment() const;
  bool isInjective() const;
  /// Longest run of elements along `dim`, starting at multiples of its length,
  /// that stays contiguous in memory after the swizzle. The last run of a
  /// dimension may be shorter.
  int64_t contiguousElements(unsigned dim) const;
  /// Widest access along `dim`, in elements (a power of two, at most
  /// `maxBits`): every run of so many elements that starts at a multiple of
  /// them stays contiguous, and its byte address is a multiple of the access's
  /// bytes. Contiguous rows are not enough: padding moves where rows start.
  int64_t alignedElements(unsigned dim, unsigned maxBits = 128) const;

  bool operator==(const SharedLayout &o) const {
    return logicalShape == o.logicalShape &&
           bitsPerElement == o.bitsPerElement && digits == o.digits &&
           xorSwizzle == o.xorSwizzle;
  }
  bool operator!=(const SharedLayout &o) const { return !(*this == o); }
  ///   shape [128, 32] bits 16 modes [(32, 1:1), (128, 0:32)] swizzle(2, 4, 3)
  void print(llvm::raw_ostream &os) const;
  void describe(llvm::raw_ostream &os) const;

  static SharedLayout rowMajor(llvm::ArrayRef<int64_t> shape,
                               unsigned elementBits, int64_t padElements = 0);
  /// Row-major, swizzled so that 16-byte accesses to 8 consecutive rows (of the
  /// innermost dimension) touch distinct banks. Rows wider than 128 bytes are
  /// split into 128-byte column panels only when `panels` (as TMA needs; then
  /// 64 or 32-byte panels where only those divide the row); otherwise the
  /// swizzle is applied within the row. Falls back to padding where row bytes
  /// are not a power of two >= 32, and to the plain layout where a row is no
  /// longer than one access.
  static SharedLayout swizzled(llvm::ArrayRef<int64_t> shape,
                               unsigned elementBits, bool panels = false);
  /// For a tile of rank two whose rows threads write, 16 bytes at a time in 8
  /// consecutive rows, and tensor copies read: panels of columns, each a box.
  /// Where a span of 64 or 128 bytes divides the rows, `swizzled` in panels.
  /// Else as few panels as a box allows (256 elements), a multiple of `parts`,
  /// whose rows are an odd number of 16-byte chunks, so that 8 of them visit
  /// all banks: 208 columns of 16 bits are two panels of 104, and not 13 of 16.
  static SharedLayout inBoxes(llvm::ArrayRef<int64_t> shape,
                              unsigned elementBits, int64_t parts = 1);

private:
  llvm::SmallVector<int64_t> logicalShape;
  unsigned bitsPerElement = 8;
  Modes digits;
  Swizzle xorSwizzle;
};

/// Number of shared-memory wavefronts one warp-wide access takes divided by the
/// fewest it could take, rounded up (1 = free of conflicts). `addresses` holds
/// one byte address per lane, each of `bytesPerLane` (1..16) bytes; a negative
/// address is an inactive lane. Lanes reading the same 4-byte word broadcast.
/// Up to 4 bytes a lane the whole warp is served together, up to 8 each half,
/// above that each quarter.
int64_t bankConflictDegree(llvm::ArrayRef<int64_t> addresses,
                           unsigned bytesPerLane);
/// Worst degree over all registers and warps when a fragment is loaded from or
/// stored to a shared buffer with `vector` elements per access along `dim`.
int64_t bankConflictDegree(const FragmentLayout &fragment,
                           const SharedLayout &shared, unsigned dim,
                           int64_t vector);
/// An order of a thread's registers that differs from lane to lane: lanes whose
/// number has the bit `lane` set access register r ^ `reg` where the others
/// access r. Both are powers of two.
struct LaneExchange {
  int64_t lane, reg;
};
/// The exchange under which stores of whole runs of `vector` elements from a
/// fragment to a shared buffer have the fewest bank conflicts; nothing where
/// none has fewer than the registers' own order, or where a register lies
/// outside of the buffer for some thread.
std::optional<LaneExchange> findLaneExchange(const FragmentLayout &fragment,
                                             const SharedLayout &shared,
                                             int64_t vector);
/// Worst degree of ldmatrix/stmatrix (8 rows of 16 bytes at a time) reading
/// 8-row groups along `rowDim` at every 16-byte column of `columnDim`.
int64_t ldmatrixConflictDegree(const SharedLayout &shared, unsigned rowDim,
                               unsigned columnDim);
/// Widest vector (elements, power of two, at most maxBits) usable between the
/// registers of a fragment and a shared buffer along `dim`.
int64_t widestVector(const FragmentLayout &fragment, const SharedLayout &shared,
                     unsigned dim, unsigned maxBits = 128);

} // namespace mlir::tile
#endif // TILE_LAYOUT_SHAREDLAYOUT_H
