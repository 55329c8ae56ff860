//===- MmaLayouts.h - fragments of the tensor-core instructions -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Register layouts of mma.sync, ldmatrix and wgmma operands as tables of modes
// (PTX ISA 9.0, sections 9.7.14.5 "mma" and 9.7.15 "wgmma"), and their tiling
// over a block of warps.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LAYOUT_MMALAYOUTS_H
#define TILE_LAYOUT_MMALAYOUTS_H

#include "tile/Layout/FragmentLayout.h"

namespace mlir::tile {

/// Shape of one instruction.
struct MmaShape {
  int64_t m, n, k;
  bool operator==(const MmaShape &o) const {
    return m == o.m && n == o.n && k == o.k;
  }
};
enum class MmaOperand : uint8_t { A, B, C };

/// Fragment of one mma.sync instruction for one warp. `bits` is the width of
/// the operand's elements (A and B: 4, 8, 16, 32 (tf32), 64; C: 16, 32, 64).
/// A is [m, k], B is [k, n], C is [m, n]. Shapes: m16n8k8/k16 (16 bit),
/// m16n8k4/k8 (tf32), m16n8k16/k32 (8 bit), m16n8k32/k64 (4 bit),
/// m8n8k4 and m16n8k4/k8/k16 (f64). Refuses others.
OrRefusal<FragmentLayout> mmaSyncFragment(MmaShape shape, MmaOperand operand,
                                          unsigned bits);
/// Fragment of wgmma m64nNkK for one warpgroup: C [64, n] (32-bit or 16-bit
/// accumulators) or A in registers [64, k].
OrRefusal<FragmentLayout> wgmmaFragment(MmaShape shape, MmaOperand operand,
                                        unsigned bits);

/// How an instruction with a sparse A takes the metadata of one step of k: four
/// bits for each group of A's columns (PTX ISA 9.0, "Sparse matrix storage" of
/// mma.sp and of wgmma.mma_async.sp). Threads hold words of 32 bits. With A of
/// 16 and 32 bits a word has the bits of four groups of a row and, in its upper
/// half, of the row eight below; two threads of each four give the words of a
/// step, and a selector says which two. With A of 8 bits a word has the bits of
/// eight groups of one row, and all threads give theirs.
class SparseMetadata {
public:
  /// `elementBits`: of the buffer that holds the bits. Refuses other widths
  /// than 8 and 16, or 32 with A of 8 bits: two rows share a word.
  static OrRefusal<SparseMetadata> get(unsigned bitsOfA, unsigned elementBits);

  /// The fragment of `steps` steps of a buffer of rows of `elementBits`-bit
  /// elements: for a warp (`m` = 16) or a warpgroup (64). It holds as many
  /// steps as a word of each thread has, `stepsOfWord`, or fewer where there
  /// are fewer; tileMmaFragment repeats it.
  FragmentLayout fragment(int64_t m, int64_t steps) const;
  /// Elements of a row that one step reads.
  int64_t elementsOfStep() const;
  int64_t elementsOfWord() const { return 32 / elementBits; }
  int64_t stepsOfWord() const { return isByRow ? 1 : 2; }
  /// The selector of step `step`.
  int64_t selector(int64_t step) const { return step % stepsOfWord(); }
  /// Row and column of the word's lowest bits in the thread that is the first
  /// of those that give step `step`; its elements are consecutive registers.
  std::array<int64_t, 2> wordOf(int64_t step) const;

private:
  SparseMetadata(bool isByRow, int64_t elementBits)
      : isByRow(isByRow), elementBits(elementBits) {}
  bool isByRow;
  int64_t elementBits;
};

/// Fragment of one mma.sp of `shape` for one warp: A is [m, k / 2], the values
/// that are kept, B is [k, n], C is [m, n]. Refuses what mma.sp has not.
OrRefusal<FragmentLayout> mmaSpFragment(MmaShape shape, MmaOperand operand,
                                        unsigned bits);

/// How warps share the M x N extents of a gemm.
struct WarpGrid {
  int64_t m, n;
};
/// Repeats an instruction fragment over a [rows, cols] tile: instructions of
/// one warp go to registers (columns fastest), warps are spread along dim 0
/// (`warps.m`) and dim 1 (`warps.n`); for operand A the n warps replicate, for
/// operand B the m warps replicate. Warp index = m + warps.m * n. Each warp
/// holds a contiguous block of rows and of columns. Extents that do not divide
/// overshoot. An instruction that spans warps itself (wgmma: 4 along m) counts
/// them in `warps.m`, which must be a multiple of them: {4, 1} is one
/// warpgroup, {8, 1} two of them along m.
OrRefusal<FragmentLayout> tileMmaFragment(const FragmentLayout &instruction,
                                          MmaOperand operand,
                                          llvm::ArrayRef<int64_t> tile,
                                          WarpGrid warps);

/// Neighbouring columns of an accumulator in tensor memory that one warpgroup
/// reads before it is another one's turn along n: all of them where there is
/// one, else a power of two from 8 to 64; 0 when there is none.
int64_t tcgen05Span(int64_t columns, int64_t groupsN);
/// Fragment [M, N] of 32-bit elements as warps read it from the accumulator of
/// tcgen05.mma with `m` rows in tensor memory; `warps.m` counts the 4 warps of
/// a warpgroup. m128: row = lane of the tensor memory, of which each warp
/// reaches 32 (tcgen05.ld.32x32b). m64: the 16 rows of a warp are the lower
/// half of its lanes, and registers are as those of wgmma
/// (tcgen05.ld.16x256b). Refuses extents that do not divide.
OrRefusal<FragmentLayout>
tcgen05Fragment(int64_t m, llvm::ArrayRef<int64_t> tile, WarpGrid warps);

} // namespace mlir::tile
#endif // TILE_LAYOUT_MMALAYOUTS_H
