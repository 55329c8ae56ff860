//===- WarpShuffle.h - fragments moved between a warp's lanes --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A conversion between two layouts whose warps keep their elements needs
// neither shared memory nor a barrier: shuffles bring each register to the lane
// that wants it. Which register of which lane that is follows from the bits of
// the register's and of the lane's number, because the digits of both layouts
// are powers of two (or the same in both).
//
// A bit of an element's place (a dimension and a power of two along it) belongs
// in each layout to the register number or to the lane number. So it does one
// of four things:
//
//   register -> register   the same lane, or another, has it in that register
//   lane -> lane           the lane's number is permuted
//   lane -> register       registers come from different lanes
//   register -> lane       which register a lane wants depends on the lane
//
// In a shuffle each lane gives one register. With a bit of the fourth kind,
// lanes that read from one lane want different registers of it. Such a bit, b
// of the receiving lane's number, is paired with one of the third kind, a of
// the target register's. Let it be bit s of the giving lane's number that a
// stands for, and bit r of the source register's that b stands for. In the
// round for register n a lane with b set receives what belongs in the register
// that differs from n in a. Then the lane that gives differs in s, so that
// each lane gives to one, and s of its own number says which register that is.
// Lanes with s set exchange registers that differ in r before the rounds, and
// lanes with b set those that differ in a afterwards: a select for each
// register.
//
// Elements narrower than 32 bits travel together, as many as fit a word. Bits
// of the first kind say which.
//
// Source: bits of layouts as a vector space over F2 are those of Zhou et al.,
// "Linear Layouts: Robust Code Generation of Efficient Tensor Computation
// Using F2", 2025, section 5 (conversions within a warp).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LAYOUT_WARPSHUFFLE_H
#define TILE_LAYOUT_WARPSHUFFLE_H

#include "tile/Layout/FragmentLayout.h"
#include <array>
#include <optional>

namespace mlir::tile {

struct WarpShuffle {
  /// Pairs of words that a lane exchanges where `lanes`, a bit of its number,
  /// is set. Words are named by the register of their first element.
  struct Swap {
    unsigned lanes = 0;
    llvm::SmallVector<std::pair<int64_t, int64_t>> words;
  };
  /// Each lane receives word `source` of the lane `laneOf(own) ^ lanes`, as its
  /// word `target`.
  struct Round {
    int64_t source = 0, target = 0;
    unsigned lanes = 0;
  };

  /// Where the elements of a word lie, from the first one on.
  llvm::SmallVector<int64_t, 4> sourceElements, targetElements;
  llvm::SmallVector<int64_t> sourceWords; ///< all that are given or exchanged
  llvm::SmallVector<Swap> before, after;  ///< the rounds
  llvm::SmallVector<Round> rounds;
  /// For each bit of the receiving lane's number, the bit of the giving one's
  /// that is set with it, or 0.
  std::array<unsigned, 5> laneBits = {};

  /// How `from` becomes `to`, of elements that take `elementBits` in a register
  /// (8, 16, 32 or 64). Nothing where warps do not keep their elements, or hold
  /// them in digits that are neither powers of two nor the same in both
  /// layouts.
  static std::optional<WarpShuffle>
  plan(const FragmentLayout &from, const FragmentLayout &to, int elementBits);

  /// The lane from which `lane` receives, but for a round's own XOR.
  unsigned laneOf(unsigned lane) const;
  /// Whether each lane receives from itself in a round without an own XOR.
  bool keepsLanes() const;
  bool isShuffle(const Round &round) const {
    return round.lanes || !keepsLanes();
  }
  /// Instructions of a warp, for words of at most 32 bits.
  int64_t numShuffles() const;
  int64_t numSelects() const;
};

} // namespace mlir::tile
#endif // TILE_LAYOUT_WARPSHUFFLE_H
