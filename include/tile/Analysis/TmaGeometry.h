//===- TmaGeometry.h - a copy as boxes of a tensor map ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the tensor memory accelerator moves the region of a copy between global
// and shared memory: the order of the tensor map's dimensions, its box, and
// where each box lies on both sides. Copy selection asks whether there is such
// a geometry, the lowering emits it; neither does index arithmetic of its own.
// What is known of addresses and strides at run time is not asked here.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_TMAGEOMETRY_H
#define TILE_ANALYSIS_TMAGEOMETRY_H

#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Layout/Descriptors.h"

namespace mlir::tile {

/// Blocks of a cluster that share a copy, or groups of warps that it is dealt
/// out to, move one part each; `boxes` are those of part 0, and the others lie
/// at multiples of a step from it.
struct TmaGeometry {
  /// Dimensions of the global buffer, the tensor map's innermost first, and the
  /// box extents in that order. Of a move by rows: of the matrix, 1 (along
  /// rows) and then 0.
  SmallVector<unsigned> order;
  SmallVector<int64_t> box;
  TmaSwizzle swizzle = TmaSwizzle::None;
  /// Elements that the tensor map counts as one along its innermost dimension:
  /// two where they share a byte, which it moves as an unsigned one. Extents,
  /// coordinates and steps here count what the map does.
  int64_t elementsPerUnit = 1;
  struct Box {
    SmallVector<int64_t> coords; // from the region's first element, in `order`
    int64_t sharedByte;          // from the shared buffer's first byte
  };
  std::vector<Box> boxes;
  int64_t bytesPerBox = 0;

  int64_t parts = 1;
  unsigned partDim = 0;  // index in `order`
  int64_t partStep = 0;  // elements from part to part
  int64_t partBytes = 0; // bytes from part to part in the shared buffer

  /// What lands in one block, all parts together; in both blocks of a pair.
  int64_t totalBytes() const {
    return bytesPerBox * static_cast<int64_t>(boxes.size()) * parts;
  }
};

/// The geometry of a copy between a global buffer and a shared one with this
/// layout, shared among `copy.getMulticast()` blocks if it says so. With
/// `pairDim`, the blocks of a pair hold a half of the buffer each along that
/// dimension, and the layout is that of a half.
OrRefusal<TmaGeometry> tmaGeometry(TileMoveOpInterface copy,
                                   const SharedLayout &shared,
                                   int64_t pairDim = -1);

/// What keeps a convolution's matrix from being loaded by im2col copies,
/// whatever its addresses are: corners, offsets and strides that the tensor map
/// or the instruction cannot state; empty when nothing does.
std::string whyNotIm2colMap(Im2colOp op);

/// Why the region is not one run of bytes on both sides, as a 1-D bulk copy
/// needs; empty when it is. Overhang and alignment are not asked.
std::string whyNotOneRun(TileMoveOpInterface copy, const SharedLayout &shared);

/// Whether a move to global memory may begin at a negative index of its target.
/// No tensor copy may: an H200 reports an illegal instruction, even where the
/// buffer has nothing of the box (NVIDIA's CUDA C++ Programming Guide, "Using
/// TMA to transfer multi-dimensional arrays"). Loads may begin there.
bool mayBeginInFront(TileMoveOpInterface store);

/// The kernel argument that a buffer is, seen through casts; null when there is
/// none.
BlockArgument getKernelArgumentOf(Value buffer);

} // namespace mlir::tile
#endif // TILE_ANALYSIS_TMAGEOMETRY_H
