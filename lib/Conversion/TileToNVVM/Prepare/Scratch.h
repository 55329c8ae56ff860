//===- Scratch.h - shared memory that single operations use -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some operations exchange values between the threads of an agent through
// shared memory: a conversion of layouts, a gemm by FMA out of fragments, an
// atomic update of the whole block whose old value is used, the block's arrival
// at a counter, a reduction or scan across warps. Each writes, has the threads
// of the agent meet, and reads. Operations may use the same bytes one after the
// other: --tile-insert-barriers parts them where it has to. How many bytes an
// operation takes, and how its values lie there, is asked here by the pass that
// places them and by the lowering.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_PREPARE_SCRATCH_H
#define TILE_LIB_CONVERSION_TILETONVVM_PREPARE_SCRATCH_H

#include "tile/Conversion/Combination.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Layout/WarpShuffle.h"
#include "tile/Target/TargetInfo.h"

namespace mlir::tile::nvvm {

/// Whether `op` is one of those whose scratch bytes the function below counts:
/// not what stands in the body of a tile operation.
bool mayUseScratch(Operation *op);

/// Bytes that `op`, run by `threads`, uses; 0 for most operations, and for
/// `tile.cluster_reduce`, whose piece is chosen (ClusterExchange.h). Fails with
/// an error where the layouts of `op` do not fit it.
FailureOr<int64_t> scratchBytes(Operation *op, int64_t threads, KernelOp kernel,
                                const TargetInfo &target);

/// A conversion between two layouts that moves registers of each thread only.
bool convertsInRegisters(const ConversionClass &conversion,
                         const FragmentLayout &from, const FragmentLayout &to);
/// How a conversion of elements of `type` moves registers between the lanes of
/// a warp; nothing where it goes through scratch memory instead.
std::optional<WarpShuffle> shuffleOf(const ConversionClass &conversion,
                                     const FragmentLayout &from,
                                     const FragmentLayout &to, Type type);
/// Whether warps convert what they hold without each other.
bool convertsWithinWarps(ConvertLayoutOp op);
/// How a fragment of `type` lies in scratch memory between two layouts.
SharedLayout conversionScratch(MemRefType type);
/// How a fragment of `type` lies there as an operand of a gemm by FMA.
SharedLayout operandScratch(MemRefType type);
/// Whether warps hold different parts of dimension `dim`.
bool isSpreadOverWarps(const FragmentLayout &layout, unsigned dim);
/// Results of a thread that a reduction combines across warps at a time: fewer
/// than it has where they lie in local memory (Memory/RegisterLoops.h).
int64_t resultsAtATime(const Reduction &op, KernelOp kernel,
                       const TargetInfo &target);
/// Whether lanes that differ in a digit hold the same result of a reduction
/// along `dim` of the layout that `mode` is of.
bool haveSameResult(const Mode &mode, unsigned dim);
/// Lanes of a warp that hold results of their own.
int64_t lanesWithResults(const FragmentLayout &layout, unsigned dim);
/// `count` values of one type of each of `threads`.
int64_t warpScratchBytes(Type type, int64_t count, int64_t threads);
/// The same of tuples of values of these types, the values of each type by
/// themselves at a multiple of 16 bytes.
int64_t warpScratchBytes(ArrayRef<Type> types, int64_t count, int64_t threads);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_PREPARE_SCRATCH_H
