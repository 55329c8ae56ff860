//===- GuardedValues.h - values that only guarded stores use ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What keeps LLVM's code generation from moving arithmetic behind branches.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_TARGET_GUARDEDVALUES_H
#define TILE_LIB_TARGET_GUARDEDVALUES_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::tile {

/// Keeps floating-point results where they are computed when nothing but stores
/// behind a branch uses them, most of them inside the bounds of a tensor; but
/// for the results of blocks that have only a few.
/// MachineSink moves one after the other behind the branch, and whatever they
/// are computed from stays in registers up to there: in the place of one result
/// all the operands of a chain. ptxas does not move it back.
void keepGuardedValues(llvm::Module &module);

} // namespace mlir::tile

#endif // TILE_LIB_TARGET_GUARDEDVALUES_H
