//===- FloatMagic.h - small numbers in the mantissa of a float --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Codes of few bits become floats as the last bits of a power of two's mantissa
// (PackedCasts.cpp): a mask takes them out of a word, and the power is put
// around them. What of it only the optimized code shows is here, and the mask
// that takes four codes out of a word on their way to four bytes.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_TARGET_FLOATMAGIC_H
#define TILE_LIB_TARGET_FLOATMAGIC_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::tile {

/// Leaves codes of four bits where they are in a byte: f16 has ten bits of
/// mantissa, and a code four bits up counts sixteenfold, which the addition
/// that takes the power off undoes as a multiplication and addition. That saves
/// the shift of every other code.
///
///   ((w >> 4) & 0x000f000f) ^ 0x64086408, + -1032   becomes
///   (w & 0x00f000f0) ^ 0x64806480, * 1/16 + -72
///
/// Then writes each mask and power as one `lop3.b32`: ptxas keeps two, as its
/// instruction has room for one constant (measured: 208 instructions of a step
/// of a product of weights of four bits become 177).
void joinMasksAndPowers(llvm::Module &module);

} // namespace mlir::tile

#endif // TILE_LIB_TARGET_FLOATMAGIC_H
