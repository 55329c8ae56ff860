//===- Phases.h - what passes need of those before them ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass that runs before its time finds nothing to do. It asks here first, so
// that this is an error which names the missing pass. The IR itself says what
// has been done, so IR that is written by hand at any stage is served, too.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_DIALECT_TILE_TRANSFORMS_PHASES_H
#define TILE_LIB_DIALECT_TILE_TRANSFORMS_PHASES_H

#include "mlir/Pass/Pass.h"
#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

enum class Need {
  /// Kernels without tunables: --tile-choose-tunables.
  Numbers,
  /// A layout on each fragment and shared tile: --tile-infer-layouts.
  Layouts,
  /// No pipelined loop is left: --tile-pipeline.
  Rings,
  /// Roles in kernels with `specialize`: --tile-specialize-warps.
  Roles,
  /// A token on each gemm that runs asynchronously: --tile-schedule-gemms.
  GemmTokens,
  /// A token on each store that can have one: --tile-schedule-stores.
  StoreTokens
};

/// Succeeds where `module` has all of `needs`; else an error at the first
/// operation that shows which pass is missing before `pass`.
LogicalResult requireBefore(Pass &pass, ModuleOp module, ArrayRef<Need> needs);

/// The error of a pass that lacks `expected` at `op` because `missing`, a flag
/// without dashes, did not run before it.
LogicalResult reportMissing(Pass &pass, Operation *op, StringRef expected,
                            StringRef missing);

/// A gemm that --tile-schedule-gemms would give a token; null where there is
/// none (ScheduleGemms.cpp).
Operation *findUnscheduledGemm(KernelOp kernel);

/// A store by TMA that --tile-schedule-stores would give a token; null where
/// there is none (ScheduleStores.cpp).
Operation *findUnscheduledStore(KernelOp kernel);

} // namespace mlir::tile
#endif // TILE_LIB_DIALECT_TILE_TRANSFORMS_PHASES_H
