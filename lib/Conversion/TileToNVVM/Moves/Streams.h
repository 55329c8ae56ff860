//===- Streams.h - arguments that a kernel reads through --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --tile-find-streams decided: loads that ask the L2 cache to keep their
// lines before those of results, and the last blocks, which tell it that
// nobody needs them any more; loads whose lines leave the cache first.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_STREAMS_H
#define TILE_LIB_CONVERSION_TILETONVVM_STREAMS_H

#include "Lowering.h"

namespace mlir::tile::nvvm {

/// Computes, in the entry block, what the kernel's loads of streams ask.
void beginStreams(KernelLowering &lowering);

/// Whether a copy loads a part of a stream by threads.
bool isStream(KernelLowering &lowering, TileMoveOpInterface move);

/// What a copy asks the cache that the program says nothing of (i64): of a
/// stream, of what all blocks read beside one, or of what is read once; null:
/// nothing. Nobody writes there while the kernel runs.
Value policyOfLoad(KernelLowering &lowering, TileMoveOpInterface move);

/// What an element-wise loop loads of `buffer` at `pointer`, `bytes` of `type`.
/// Where the buffer is a stream, the load is one of it.
Value loadOfLoop(KernelLowering &lowering, Value buffer, Value pointer,
                 Type type, unsigned bytes);

/// At the end of the block of operations that `copy` stands in: gives up the
/// lines that `copy` has loaded under `loop`, where few blocks come after this
/// one.
LogicalResult leaveStream(KernelLowering &lowering, CopyOp copy,
                          const FragmentLayout &loop);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_STREAMS_H
