//===- TileToCPU.h - parts of convert-tile-to-cpu ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conversion is one pass in four steps: floats are widened on request, each
// kernel becomes a function, rings become buffers, and the patterns below turn
// every tile operation into loops. Memory spaces are dropped last, because the
// patterns ask where a buffer lives.
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

/// Asserts that indices of loads and stores lie inside their buffers and that
/// steps of loops are positive.
void checkAccesses(KernelOp kernel);

/// Ring creation becomes one buffer with a copy per stage; acquire and wait
/// become views of the copy `use mod stages`; commit and release nothing.
LogicalResult lowerRings(func::FuncOp function);

void populateLoopPatterns(RewritePatternSet &patterns);
void populateMovePatterns(RewritePatternSet &patterns);
void populateGemmPattern(RewritePatternSet &patterns);
void populateReducePattern(RewritePatternSet &patterns);
void populateDebugPatterns(RewritePatternSet &patterns, bool checkAssumptions);

/// A buffer that lives as long as a call of the kernel's function: allocated
/// at its entry, freed at its exit.
Value allocateScratch(OpBuilder &builder, Operation *user, MemRefType type);

/// Index constant.
Value indexConstant(OpBuilder &builder, Location loc, int64_t value);

/// A nest of loops over `extents`, in row-major order.
void loopOver(OpBuilder &builder, Location loc, ArrayRef<int64_t> extents,
              function_ref<void(OpBuilder &, Location, ValueRange)> body);

} // namespace mlir::tile
#endif // TILE_LIB_CONVERSION_TILETOCPU_TILETOCPU_H
