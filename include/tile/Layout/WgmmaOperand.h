//===- WgmmaOperand.h - a whole gemm's shared operands ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the instructions of one gemm by wgmma read an operand: one matrix
// descriptor, and what each instruction adds to its start. Also the layouts
// that allow this. Used where a gemm is planned and where it is emitted.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LAYOUT_WGMMAOPERAND_H
#define TILE_LAYOUT_WGMMAOPERAND_H

#include "tile/Layout/Descriptors.h"

namespace mlir::tile {

/// Which part of an operand of rank 2 each instruction reads: along m (or n) a
/// warpgroup has a block of `repeats` pieces of `extent`, along k there are
/// `steps` of `stepBits`.
struct WgmmaSplit {
  unsigned mnDim, kDim; // of the buffer
  int64_t groups, repeats, extent, steps;
  /// 8-bit elements may lie along m or n (tcgen05).
  bool bytesAlongMn = false;
  /// 512 for B beside a sparse A.
  int64_t stepBits = kDescriptorBits;
};

/// The descriptors of all instructions: that of the first one, and byte offsets
/// from it.
struct WgmmaOperand {
  WgmmaDescriptor descriptor;
  int64_t bytesPerGroup = 0;
  /// The offset from the warpgroup's first instruction to that of (repeat,
  /// step).
  llvm::SmallVector<int64_t> offsets; // [repeat * steps + step]
};

/// Refuses layouts in which a piece has no descriptor, pieces differ in more
/// than their start, or warpgroups are not evenly spaced.
OrRefusal<WgmmaOperand> wgmmaOperand(const SharedLayout &shared,
                                     const WgmmaSplit &split);

/// Rows (dimension 0) in panels of `mode`'s span along dimension 1, which TMA
/// fills with one box per panel; refused where panels do not divide the rows.
OrRefusal<SharedLayout> panelLayout(llvm::ArrayRef<int64_t> shape,
                                    unsigned elementBits, TmaSwizzle mode);

/// Panel layouts from which wgmma reads the operand and which TMA fills, the
/// widest swizzle first. When there are none, `why` says what the widest one
/// that divides the rows lacks.
llvm::SmallVector<SharedLayout> wgmmaLayouts(llvm::ArrayRef<int64_t> shape,
                                             unsigned elementBits,
                                             const WgmmaSplit &split,
                                             std::string &why);

} // namespace mlir::tile
#endif // TILE_LAYOUT_WGMMAOPERAND_H
