//===- ModuleTarget.h - the target that a module states ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one way from a module's `tile.target` to the row of its architecture.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_IR_MODULETARGET_H
#define TILE_DIALECT_TILE_IR_MODULETARGET_H

#include "tile/Dialect/Tile/IR/TileDialect.h"
#include "tile/Target/DeviceInfo.h"
#include "tile/Target/TargetInfo.h"

namespace mlir::tile {

/// The target of the module that `op` is or stands in; null where the module
/// states none.
const TargetInfo *findTarget(Operation *op);

/// The same for a pass that cannot go on without one: null after an error at
/// the module, with `why` as a note at `op`.
const TargetInfo *requireTarget(Operation *op, llvm::StringRef why = "");

/// The device that the module's code is chosen for: the one that its target
/// names, or the architecture's first. The module states `target`.
const DeviceInfo &deviceOf(Operation *op, const TargetInfo &target);

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_IR_MODULETARGET_H
