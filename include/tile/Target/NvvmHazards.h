//===- NvvmHazards.h - hazards that NVVM lets through -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks, in functions of the LLVM and NVVM dialects, for what assembles and
// goes wrong. Only what is certain from the text is reported; addresses are not
// compared, but for those of mbarriers.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TARGET_NVVMHAZARDS_H
#define TILE_TARGET_NVVMHAZARDS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace mlir::tile {

/// Emits an error, with the PTX manual's section, at
/// - a use of an accumulator that an asynchronous wgmma may still write;
/// - a wait for an mbarrier in a loop, always for the same phase;
/// - a bulk copy that more than one thread issues;
/// - a wgmma that reads what generic stores wrote, without a proxy fence;
/// - an mbarrier on which other threads arrive than it was initialized for.
LogicalResult verifyHazards(ModuleOp module);

} // namespace mlir::tile
#endif // TILE_TARGET_NVVMHAZARDS_H
