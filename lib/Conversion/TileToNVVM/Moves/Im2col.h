//===- Im2col.h - where the pixels of a convolution lie ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of tile.im2col, for threads that load and for the one thread
// that issues tensor copies.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_IM2COL_H
#define TILE_LIB_CONVERSION_TILETONVVM_IM2COL_H

#include "Lowering.h"

namespace mlir::tile::nvvm {

class Im2colPixels {
public:
  Im2colPixels(KernelLowering &lowering, Im2colOp op,
               const GlobalBuffer &source);

  /// Where output pixel number `pixel` (i64) takes its first element from: the
  /// image, and the position in it under the filter's first tap (i64 each).
  struct Place {
    Value image;
    SmallVector<Value> position;
  };
  Place place(Value pixel);

  /// Whether there is such a pixel (i1).
  Value exists(Value pixel);
  /// Whether there is none (i1); null when there are some.
  Value isEmpty();
  /// How far the filter's position of this tile is from the first tap, along a
  /// spatial dimension (i64).
  Value reach(unsigned spatial);

private:
  KernelLowering &lowering;
  Im2colOp op;
  /// Outputs along each spatial dimension, at least one; of all of them (i64).
  SmallVector<Value> outputs;
  Value total;
  /// Pixels of a tile are numbered in 32 bits.
  bool isNarrow = false;
};

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_IM2COL_H
