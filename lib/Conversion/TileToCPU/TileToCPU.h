//===- TileToCPU.h - parts of convert-tile-to-cpu ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conversion is one pass in steps: floats are widened on request, each
// kernel becomes a function that runs blocks, rings become buffers, roles and
// asynchronous operations marked regions, and the patterns below turn every
// tile operation into loops. Memory spaces are dropped after that, because the
// patterns ask where a buffer lives; then marked regions become functions.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETOCPU_TILETOCPU_H
#define TILE_LIB_CONVERSION_TILETOCPU_TILETOCPU_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"
#include "tile/Conversion/ElementCast.h"
#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Buffers start on a cache line, which is also the widest vector.
inline constexpr int64_t kCpuAlignment = 64;

/// Types of all floats, and constants of them, become f64.
void widenFloats(ModuleOp module);

/// Asserts that indices of loads and stores lie inside their buffers, views in
/// what they are views of, that steps of loops are positive and that divisions
/// have a result.
void checkAccesses(KernelOp kernel);

/// Moves a kernel's body into a function that runs the blocks `worker`,
/// `worker + workers`, ... of the grid. A kernel that works off ranges is run
/// by `blocks` blocks, where that is positive and less than the grid has.
func::FuncOp buildFunction(KernelOp kernel, int64_t blocks);

/// The loop over blocks of a kernel's function. Where blocks of a cluster meet,
/// it stands in one over clusters, since one worker runs them in turn.
inline constexpr llvm::StringLiteral kClusterLoopAttrName =
    "mlir_tile.clusters";
scf::ForOp getBlockLoop(func::FuncOp function);

/// Operations in which the blocks of a cluster meet; `rank` is a block's place
/// in its cluster.
void lowerClusterReduces(func::FuncOp function, Value rank);
/// Barriers of the cluster become calls of the runtime, and copies to its other
/// blocks copies to the address that the runtime gives, with an arrival behind
/// them. Whether there are any, or mbarriers of the cluster.
FailureOr<bool> lowerClusterMeetings(func::FuncOp function);

/// Rings, roles and tokens. Ring creation becomes a buffer with a copy per
/// stage, acquire and wait views of the copy `use mod stages`, and all of them
/// calls of the runtime, which keeps the protocol. `lazyAsync`: asynchronous
/// operations execute when awaited; `poison`: the pattern by which released
/// slots are overwritten.
LogicalResult lowerAgents(func::FuncOp function, bool lazyAsync,
                          std::optional<unsigned> poison);
LogicalResult lowerRings(func::FuncOp function, std::optional<unsigned> poison);

/// Bytes that compiled code keeps of a buffer, one element in whole bytes.
int64_t bufferBytes(MemRefType type);
/// What every byte of a buffer is overwritten with: pattern 0 is NaN and
/// 0x7f7f..., 1 and 2 are numbers that differ from each other.
int64_t poisonByte(MemRefType type, unsigned pattern);
/// Overwrites `buffer` where `builder` stands, for `user`.
void poisonBuffer(OpBuilder &builder, Operation *user, Value buffer,
                  unsigned pattern);

/// Marks of regions that do not run where they stand: the name of a role, or
/// the description of an operation that is put off, and that it is a gemm.
inline constexpr llvm::StringLiteral kRoleAttrName = "mlir_tile.role";
inline constexpr llvm::StringLiteral kDeferredAttrName = "mlir_tile.deferred";
inline constexpr llvm::StringLiteral kGemmAttrName = "mlir_tile.gemm";
/// How many threads run a `tile.mbarrier.arrive`.
inline constexpr llvm::StringLiteral kThreadsAttrName = "mlir_tile.threads";
/// Notes it on those of `kernel`, while there are threads to ask for.
void noteArrivals(KernelOp kernel);

/// Marked regions become functions, and where they stood calls of the runtime.
void outlineRegions(func::FuncOp function);

/// The first block of what will be the function that `op` stands in.
Block &enclosingEntry(Operation *op);

/// `backwards`: iterations of `tile.parallel` run from last to first; `poison`:
/// the pattern by which new tiles are overwritten.
void populateLoopPatterns(RewritePatternSet &patterns, bool backwards,
                          std::optional<unsigned> poison);
void populateAtomicPatterns(RewritePatternSet &patterns);
void populateMovePatterns(RewritePatternSet &patterns);
void populateRowMovePatterns(RewritePatternSet &patterns);
void populateGemmPattern(RewritePatternSet &patterns);
void populateReducePattern(RewritePatternSet &patterns);
void populateSortPatterns(RewritePatternSet &patterns);
void populateViewPattern(RewritePatternSet &patterns);
void populateDebugPatterns(RewritePatternSet &patterns, bool checkAssumptions);

/// A buffer that lives as long as a call of the function that `user` will stand
/// in: allocated at its entry, freed at its exit.
Value allocateScratch(OpBuilder &builder, Operation *user, MemRefType type);

/// Index constant.
Value indexConstant(OpBuilder &builder, Location loc, int64_t value);

/// A nest of loops over `extents`, in row-major order.
void loopOver(OpBuilder &builder, Location loc, ArrayRef<int64_t> extents,
              function_ref<void(OpBuilder &, Location, ValueRange)> body);

} // namespace mlir::tile
#endif // TILE_LIB_CONVERSION_TILETOCPU_TILETOCPU_H
