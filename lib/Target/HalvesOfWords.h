//===- HalvesOfWords.h - the two floats of a word as a vector ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that takes a word of 32 bits apart into two floats of 16 (codes of
// weights with the exponent's bits around them) says so by a shift and two
// truncations. As elements of one vector the two are computed with together,
// and the word is known to be floats only (FloatMagic.h).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_TARGET_HALVESOFWORDS_H
#define TILE_LIB_TARGET_HALVESOFWORDS_H

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace mlir::tile {

/// Has the optimizer take such floats from a vector, before it makes pairs.
void showHalvesOfWords(llvm::PassBuilder &builder);

} // namespace mlir::tile
#endif // TILE_LIB_TARGET_HALVESOFWORDS_H
