//===- SharedBytes.h - how much shared memory a kernel takes ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --tile-place-shared-memory would find, for passes that choose something
// by it: the same function answers both.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_SHAREDBYTES_H
#define TILE_CONVERSION_SHAREDBYTES_H

#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Target/TargetInfo.h"

namespace mlir::tile {

/// Bytes that a block of `kernel`, whose schedule is complete, needs. Fails
/// with an error where places cannot be chosen. What nobody uses in tensor
/// memory becomes fragments, as the pass makes it.
FailureOr<int64_t> sharedBytesNeeded(KernelOp kernel, const TargetInfo &target);

/// Bytes of scratch memory that the operations of `kernel` take, each by
/// itself: no fewer than any order of them takes.
int64_t scratchBytesAtMost(KernelOp kernel, const TargetInfo &target);

} // namespace mlir::tile
#endif // TILE_CONVERSION_SHAREDBYTES_H
