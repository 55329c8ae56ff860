//===- Descriptors.h - shared layouts as the hardware sees them -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts that instructions need about a *region* of a shared-memory buffer: its
// TMA boxes, its wgmma matrix descriptor, and the layout of a slice. Each is
// exact or refused; nothing is rounded. Fragments that ldmatrix moves are
// recognized by tile/Analysis/MatrixAccess.h.
//
// All byte offsets are relative to the buffer's base, which the allocator
// aligns to SharedLayout::alignment() (and to 128 bytes for TMA). They are
// *before* the swizzle, which the hardware applies itself.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LAYOUT_DESCRIPTORS_H
#define TILE_LAYOUT_DESCRIPTORS_H

#include "tile/Layout/SharedLayout.h"
#include <vector>

namespace mlir::tile {

/// A box of coordinates of a buffer.
struct Region {
  llvm::SmallVector<int64_t> offsets, sizes;
};

/// The layout of a region seen as a buffer of its own, which starts
/// `byteOffset` bytes after the buffer.
struct SharedSlice {
  SharedLayout layout;
  int64_t byteOffset;
};
/// Refuses a region that leaves the buffer, whose coordinates carry between
/// digits of the layout, or that starts inside a period of the swizzle.
OrRefusal<SharedSlice> sliceShared(const SharedLayout &shared,
                                   const Region &region);

//===----------------------------------------------------------------------===//
// Swizzle modes
//===----------------------------------------------------------------------===//

/// Swizzles that TMA and wgmma know: none, or 16-byte chunks permuted within
/// rows of 32, 64 or 128 bytes.
enum class TmaSwizzle : uint8_t { None, B32, B64, B128 };
/// Bytes of a swizzled row: 16 (no swizzle), 32, 64, 128.
int64_t swizzleSpan(TmaSwizzle mode);
llvm::StringRef stringify(TmaSwizzle mode);
OrRefusal<TmaSwizzle> tmaSwizzleMode(const SharedLayout &shared);

//===----------------------------------------------------------------------===//
// TMA
//===----------------------------------------------------------------------===//

/// How a region is filled (or drained) by tensor copies of one box shape.
struct TmaTiling {
  TmaSwizzle swizzle = TmaSwizzle::None;
  /// Dimensions of the buffer in the order of the tensor map, innermost first,
  /// and the box extent along each, in elements. Every dimension appears once.
  llvm::SmallVector<unsigned> order;
  llvm::SmallVector<int64_t> box;
  /// One copy each: where the box starts (coordinates of the buffer) and the
  /// byte offset of its destination.
  struct Copy {
    llvm::SmallVector<int64_t> coords;
    int64_t byteOffset;
  };
  std::vector<Copy> copies;
  int64_t bytesPerCopy = 0;
};
/// Refuses layouts that TMA cannot write: padding inside a row, foreign
/// swizzles, an inner box that is no multiple of 16 bytes or (swizzled) not the
/// swizzle's row, destinations off 128 bytes, more than five dimensions,
/// sub-byte elements. `innerDim` is the dimension that is contiguous in global
/// memory; it must be the contiguous one in the buffer.
OrRefusal<TmaTiling> tmaTiling(const SharedLayout &shared, const Region &region,
                               unsigned innerDim);

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

enum class Major : uint8_t { K, MN };

/// The fields of a wgmma matrix descriptor (PTX ISA, "Matrix Descriptor
/// Format"), in bytes.
struct WgmmaDescriptor {
  Major major = Major::K;
  TmaSwizzle swizzle = TmaSwizzle::None;
  /// Start of the region; multiple of 16.
  int64_t startBytes = 0;
  int64_t leadingBytes = 0, strideBytes = 0;
  /// The 64-bit word for a buffer at `sharedAddress` (its low 18 bits count).
  uint64_t encode(uint64_t sharedAddress = 0) const;
  /// The word that tcgen05.mma takes for the same operand: the fields are in
  /// the same places, the version and the swizzle modes are its own (PTX ISA,
  /// "Shared Memory Descriptor" of tcgen05).
  uint64_t encodeTcgen05(uint64_t sharedAddress = 0) const;
};
/// Bits of an operand along k that one instruction reads.
inline constexpr int64_t kDescriptorBits = 256;
/// Descriptor of the operand of one instruction: a region of extent `stepBits`
/// along `kDim` and a multiple of 8 along the other dimension of a rank-2
/// buffer (or of the two dimensions given, all others having extent 1 in the
/// region). Checked against the instruction's addresses for every 16-byte chunk
/// of the region. `bytesAlongMn`: elements of 8 bits may be contiguous along
/// the other dimension, too (tcgen05).
OrRefusal<WgmmaDescriptor> wgmmaDescriptor(const SharedLayout &shared,
                                           unsigned mnDim, unsigned kDim,
                                           const Region &region,
                                           bool bytesAlongMn = false,
                                           int64_t stepBits = kDescriptorBits);
/// Byte offset (before the swizzle) at which wgmma reads the 16-byte chunk that
/// holds element (mn, k) of the operand: the hardware's side of the descriptor.
int64_t wgmmaChunkOffset(const WgmmaDescriptor &descriptor, int64_t mn,
                         int64_t k, unsigned elementBits);

} // namespace mlir::tile
#endif // TILE_LAYOUT_DESCRIPTORS_H
