//===- AssemblerFaults.h - what ptxas gets wrong ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Correct PTX of which ptxas makes wrong or needlessly slow machine code is not
// generated. Runs on LLVM IR after the optimizer, last before code generation.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_TARGET_ASSEMBLERFAULTS_H
#define TILE_LIB_TARGET_ASSEMBLERFAULTS_H

namespace llvm {
class Module;
}

namespace mlir::tile {

/// Rewrites 64-bit subtractions whose minuend is, or may become in LLVM's
/// selection, the zero-extended upper half of a 32-bit product: divisions by a
/// constant, those of 64 bits among them. ptxas 13.0 (from -O1 on, sm_80 to
/// sm_90) adds the negated subtrahend within the product's `IMAD.HI` and takes
/// the carry of that for the absence of a borrow: where the lower half of the
/// subtrahend is 0, its negation is 0, nothing is carried, and the difference
/// is 2^32 too small. `test/GPU/ptxas_mulhi.cu` shows it.
void avoidMiscompiledSubtractions(llvm::Module &module);

/// Adds the elements of short vectors of bytes and 16-bit integers one by one
/// where one operand is a constant that differs between elements. LLVM adds two
/// at a time on sm_90 and later (`add.s16x2`); where only the upper sum is
/// used, ptxas 12.8 and 13.0 add the lower half of the constant to it.
/// `test/GPU/ptxas_packed_add.cu` shows it. Also where a minimum or maximum
/// reads the sums: of one whose operands both are such sums, and of which one
/// half is used, ptxas 13.0 drops the addition of the second operand
/// (`test/GPU/ptxas_packed_min.cu`).
void splitPackedAdditions(llvm::Module &module);

/// Makes each negation that a minimum or maximum of 32 or 16 bits reads its
/// complement plus one. ptxas 13.0 makes one instruction of two such operations
/// in a row from sm_90 on (`VIMNMX3`), which takes no negation, and drops that
/// of the inner one's second operand: max(a, max(b, -c)) becomes max(a, b, c).
/// Products with and quotients by -2, -4, ... are negations after LLVM's
/// selection. `test/GPU/ptxas_max3_neg.cu` shows it.
void hideNegations(llvm::Module &module);

/// Moves instructions between the start of a block and a wait for groups of
/// wgmma that other blocks issued, so that they come after the wait. LLVM sinks
/// indices that only an epilogue uses out of the loops around it, to the exit
/// of the loop of gemms; ptxas 13.0 takes any arithmetic there for readers of
/// accumulators in flight, and serializes every wgmma of the loop (C7514).
void putWaitsFirst(llvm::Module &module);

/// Gives accumulators of wgmma that are kept, while others are computed in
/// their registers (the results of a tile that are stored during the next one),
/// other registers after the wait. LLVM inserts copies of the operands of an
/// assembly statement before the statement. They read accumulators in flight,
/// and ptxas 13.0 then serializes every wgmma of the loop (C7514).
void copyBehindWaits(llvm::Module &module);

} // namespace mlir::tile
#endif // TILE_LIB_TARGET_ASSEMBLERFAULTS_H
