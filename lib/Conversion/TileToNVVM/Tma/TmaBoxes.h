//===- TmaBoxes.h - where boxes of tensor copies lie ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared addresses and tensor coordinates of each instruction of one copy:
// boxes of a region, of pixels under a filter, and of rows by index. Which
// instruction moves them is TmaCopy.cpp's.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_TMABOXES_H
#define TILE_LIB_CONVERSION_TILETONVVM_TMABOXES_H

#include "Lowering.h"
#include "tile/Analysis/TmaGeometry.h"

namespace mlir::tile::nvvm {

/// Everything both directions need of one copy.
struct CopyParts {
  TileMoveOpInterface copy;
  bool isLoad;
  BlockArgument argument;
  GlobalBuffer global;
  SharedBuffer shared;
  OperandRange globalOffsets;
  SmallVector<int64_t> globalExtents;
};

/// An index of a tensor as a coordinate of a tensor copy, which has 32 bits. An
/// index that has more of them becomes one that is as much outside of the
/// tensor: without its upper bits it could name an element that exists. The
/// launcher and the rules of tensor copies leave 2^20 coordinates behind every
/// tensor (kMaxDim, kMaxExtent), so that no box beside it wraps around.
Value toCoordinate(KernelLowering &lowering, Value index, Operation *copy);

/// Calls `emit` with the shared address and the coordinates of each box that
/// this block moves.
void forEachBox(KernelLowering &lowering, const CopyParts &parts,
                const TmaGeometry &geometry,
                llvm::function_ref<void(Value, ArrayRef<Value>)> emit);

/// Whether the part of a store that this thread's group makes begins at a
/// negative index of the buffer (i1, the same in all lanes); null where it
/// never does. No tensor copy may begin there (tile::mayBeginInFront).
Value beginsInFront(KernelLowering &lowering, const CopyParts &parts,
                    const TmaGeometry &geometry);
/// Makes that part element by element: by all threads of the group, to which
/// what they read of shared memory is visible, or from the slot of a ring by
/// the one that issues the copy.
LogicalResult storeByElements(KernelLowering &lowering, const CopyParts &parts,
                              const TmaGeometry &geometry);

/// Calls `emit` with the shared address and the coordinates (column, four rows)
/// of each four rows of each box. An empty buffer's map has column 0 alone.
LogicalResult
forEachFourRows(KernelLowering &lowering, const CopyParts &parts,
                const TmaGeometry &geometry, Value indices, Value firstIndex,
                llvm::function_ref<void(Value, ArrayRef<Value>)> emit);

/// Orders what threads did to the copy's global buffer before the copy, which
/// goes through another proxy (PTX ISA, "Async proxy"): a load sees what they
/// wrote, and a store does not overtake what they still read, either.
void fenceGlobal(KernelLowering &lowering, const CopyParts &parts);

/// How far this tile's tap is from the filter's first, innermost first.
SmallVector<Value> im2colOffsets(KernelLowering &lowering, Im2colOp op);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_TMABOXES_H
