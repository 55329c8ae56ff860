//===- Matrix.h - matrix instructions in software ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data movement and arithmetic of ldmatrix, stmatrix, mma.sync, wgmma and
// tcgen05 (PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions",
// "Asynchronous Warpgroup Level ...", "TensorCore 5th Generation ..."). Written
// from the manual's formulas, not from the compiler's layout tables: the two
// are compared in tests. Nothing here knows threads, time or races: the caller
// gathers the lanes' registers and reads shared memory.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_LOWERED_MATRIX_H
#define TILE_LIB_LOWERED_MATRIX_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir::tile::lowered {

/// Types of elements of matrix instructions.
enum class MatrixType : uint8_t {
  F16,
  BF16,
  TF32,
  F32,
  F64,
  E4M3,
  E5M2,
  E2M1,
  S8,
  U8,
  S4,
  U4,
  S32,
  B1
};
unsigned bitsOf(MatrixType type);
/// Bits of one element to a value (integers exactly), and back (floats round to
/// nearest even; S32 wraps). TF32 reads the upper 19 bits of a word.
double toDouble(MatrixType type, uint64_t bits);
uint64_t fromDouble(MatrixType type, double value);

//===----------------------------------------------------------------------===//
// ldmatrix, stmatrix
//===----------------------------------------------------------------------===//

/// m8n8 matrices of 16-bit elements. `rows`: 8 * count rows of 16 bytes, the
/// first matrix's first. `out[lane][i]`: register i of the lane.
void ldmatrix(unsigned count, bool transposed,
              llvm::ArrayRef<std::array<uint8_t, 16>> rows,
              uint32_t (&out)[32][4]);
void stmatrix(unsigned count, bool transposed, const uint32_t (&in)[32][4],
              llvm::MutableArrayRef<std::array<uint8_t, 16>> rows);

//===----------------------------------------------------------------------===//
// mma.sync
//===----------------------------------------------------------------------===//

/// One mma.sync, from its mnemonic, `mma.sync.aligned.m16n8k16.row.col.f32...`,
/// or one mma.sp, `mma.sp::ordered_metadata.sync.aligned...`.
struct MmaSync {
  unsigned m = 0, n = 0, k = 0;
  MatrixType a, b, c, d;
  bool saturate = false;
  bool sparse = false;
  unsigned kOfA() const { return sparse ? k / 2 : k; }
  /// Registers of a lane: 32 bits each, 64 for F64.
  unsigned aRegisters = 0, bRegisters = 0, cRegisters = 0, dRegisters = 0;
};
std::optional<MmaSync> parseMmaSync(llvm::StringRef mnemonic);
/// `in[lane]`: a's registers, then b's, then c's, then the metadata of a sparse
/// A, which `selector` belongs to. `out[lane]`: d's. Products are exact, sums
/// are formed in double (integers in 64 bits) and rounded once. Returns the
/// rule that the metadata breaks, or "".
std::string mmaSync(const MmaSync &mma, llvm::ArrayRef<const uint64_t *> in,
                    unsigned selector, llvm::ArrayRef<uint64_t *> out);

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

/// One wgmma.mma_async, from its mnemonic.
struct Wgmma {
  unsigned n = 0, k = 0; ///< m is 64
  MatrixType a, b, d;
  bool saturate = false;
  bool sparse = false; ///< wgmma.mma_async.sp
  unsigned kOfA() const { return sparse ? k / 2 : k; }
  unsigned dRegisters = 0; ///< of a thread, 32 bits each
};
std::optional<Wgmma> parseWgmma(llvm::StringRef mnemonic);

/// Where an operand lies: the 64 bits that the instruction takes, with the
/// immediates that belong to it.
struct WgmmaOperand {
  bool inRegisters = false; ///< A only
  uint64_t descriptor = 0;  ///< otherwise
  bool transposed = false;  ///< imm-trans: MN-major
  bool negated = false;     ///< imm-scale = -1
};

/// Bytes of shared memory that an instruction reads through a descriptor, in
/// the order in which `wgmma` takes them: for each element in row-major order
/// (A: 64 x kOfA; B: k x n) its address in the shared window. Returns the rule
/// that is broken (alignment of the base, modes, strides, base offset), or "".
std::string wgmmaAddresses(const Wgmma &instruction, bool isA,
                           const WgmmaOperand &operand,
                           std::vector<uint32_t> &addresses);

/// d (+)= a * b for the whole warpgroup. a: 64 x k and b: k x n elements as
/// bits, row-major. `accumulators[thread]`: 128 threads, dRegisters each, in
/// and out. `keep`: scale-d, false overwrites.
void wgmma(const Wgmma &instruction, llvm::ArrayRef<uint64_t> a,
           llvm::ArrayRef<uint64_t> b, bool negateA, bool negateB, bool keep,
           llvm::ArrayRef<uint32_t *> accumulators);
/// A from registers: thread `t` of the warpgroup holds registers[t][0..3];
/// gives 64 x kOfA elements, row-major.
void wgmmaRegistersToA(const Wgmma &instruction,
                       llvm::ArrayRef<const uint32_t *> registers,
                       std::vector<uint64_t> &a);

//===----------------------------------------------------------------------===//
// Sparse operands
//===----------------------------------------------------------------------===//

/// Gives a sparse A its zeros back: `kept` has rows x k/2 elements, row-major,
/// `metadata` a word of each lane of the warps that have 16 rows each. Returns
/// the rule that is broken (a selector or places that do not exist), or "".
/// Sources: PTX ISA, "Sparse matrix storage" of mma.sp (granularities,
/// selector) and of wgmma.mma_async.sp.
std::string expandSparse(MatrixType type, unsigned rows, unsigned k,
                         unsigned selector, llvm::ArrayRef<uint32_t> metadata,
                         llvm::ArrayRef<uint64_t> kept,
                         std::vector<uint64_t> &whole);

//===----------------------------------------------------------------------===//
// tcgen05
//===----------------------------------------------------------------------===//

/// The tensor memory of one block: 128 lanes of 512 columns of 32 bits. An
/// address has the lane in its upper and the column in its lower 16 bits.
struct TensorMemory {
  std::vector<uint32_t> words = std::vector<uint32_t>(128 * 512);
  /// Whether a word has been written since its columns were allocated.
  std::vector<bool> written = std::vector<bool>(128 * 512);
  uint32_t &at(unsigned lane, unsigned column) {
    return words[lane * 512 + column];
  }
};

/// One tcgen05.mma, from its mnemonic (cta_group, kind) and instruction
/// descriptor.
struct Tcgen05Mma {
  unsigned blocks = 1; ///< cta_group
  unsigned m = 0, n = 0, k = 0;
  MatrixType a, b, d;
  bool negateA = false, negateB = false, transposeA = false, transposeB = false;
  bool saturate = false; ///< integers only
};
/// Returns the rule that is broken, or "".
std::string decodeTcgen05Mma(llvm::StringRef mnemonic, uint32_t descriptor,
                             Tcgen05Mma &mma);
/// As wgmmaAddresses, for the shared memory descriptors of tcgen05; for a pair
/// of blocks, of the part that the block `rank` of the pair holds (A: its half
/// of the rows, B: its half of the columns).
std::string tcgen05Addresses(const Tcgen05Mma &mma, bool isA,
                             uint64_t descriptor, bool transposed,
                             std::vector<uint32_t> &addresses);
/// d (+)= a * b in tensor memory, a: m x k, b: k x n, row-major bits. `memory`:
/// of each block of the pair. Returns the rule that is broken, or "".
std::string tcgen05Mma(const Tcgen05Mma &mma, llvm::ArrayRef<uint64_t> a,
                       llvm::ArrayRef<uint64_t> b, bool keep, uint32_t d,
                       llvm::ArrayRef<TensorMemory *> memory);
/// A from tensor memory at address `a` of each block of the pair: m x k bits.
std::string tcgen05ReadA(const Tcgen05Mma &mma, uint32_t a,
                         llvm::ArrayRef<TensorMemory *> memory,
                         std::vector<uint64_t> &elements);

/// tcgen05.ld and tcgen05.st of one warp: shape and count from the mnemonic
/// (`tcgen05.ld.sync.aligned.32x32b.x64.b32`). For each lane of the warp and
/// register, the lane and column of tensor memory; `warp` is its rank in the
/// block (a warp reaches lanes 32 * (warp % 4) and up). Returns the rule that
/// is broken, or "".
struct TensorPlace {
  uint16_t lane, column;
};
std::string tcgen05Places(llvm::StringRef mnemonic, uint32_t address,
                          unsigned warp,
                          std::vector<TensorPlace> (&places)[32]);

} // namespace mlir::tile::lowered
#endif // TILE_LIB_LOWERED_MATRIX_H
