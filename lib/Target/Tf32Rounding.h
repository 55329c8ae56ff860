//===- Tf32Rounding.h - roundings to tf32 that change nothing ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_LIB_TARGET_TF32ROUNDING_H
#define TILE_LIB_TARGET_TF32ROUNDING_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::tile {

/// Removes `cvt.rna.tf32.f32` of numbers that tf32 (10 bits of mantissa, the
/// exponent of f32) has: extensions of f16 and bf16, small integers, floats
/// whose 13 lowest bits are known to be zero. ptxas makes two instructions of
/// each for sm_90, where one product of tensor cores takes six operands.
void dropExactRoundings(llvm::Module &module);

} // namespace mlir::tile

#endif // TILE_LIB_TARGET_TF32ROUNDING_H
