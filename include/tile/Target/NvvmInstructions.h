//===- NvvmInstructions.h - which target has which instruction --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers, for a module in the LLVM and NVVM dialects, whether a target has
// every instruction in it, and the lowest PTX version that spells them. LLVM
// aborts on instructions it cannot select, so this is asked first.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TARGET_NVVMINSTRUCTIONS_H
#define TILE_TARGET_NVVMINSTRUCTIONS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include "tile/Target/TargetInfo.h"

namespace mlir::tile {

/// Emits an error at each operation whose instruction `target` lacks.
LogicalResult verifyForTarget(ModuleOp module, const TargetInfo &target);

/// The lowest PTX version (major*10+minor) that has every instruction of the
/// module; at least the target's own.
unsigned requiredPtxVersion(ModuleOp module, const TargetInfo &target);

} // namespace mlir::tile
#endif // TILE_TARGET_NVVMINSTRUCTIONS_H
