//===- FragmentLayout.h - who holds which element of a fragment -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fragment is a tile held in the registers of a thread block. Its layout maps
// a hardware index (register, lane, warp, block-in-cluster) to a logical
// coordinate. Each axis is an ordered list of modes, fastest digit first.
//
// Tutorial
// --------
// Write the index of an axis as a mixed-radix number, one digit per mode. A
// mode (extent, dim:stride) adds digit*stride to the coordinate along `dim`; a
// mode (extent, *) adds nothing, so all its digit values hold the same element.
// The coordinate of (register, lane, warp, block) is the sum over all modes of
// all axes. Every example below is a test in
// unittests/Layout/FragmentLayoutTest.cpp.
//
// 1. The accumulator of mma.m16n8k16. The PTX manual gives, for register i of
//    a lane: row = lane/4 (+8 for i >= 2), column = 2*(lane%4) + i%2. Each
//    quotient and remainder is a digit:
//
//      shape [16, 8] reg [(2, 1:1), (2, 0:8)] lane [(4, 1:2), (8, 0:1)] warp []
//
//    Register 3 is the digits (1, 1): column +1, row +8. Lane 6 is the digits
//    (2, 1): column +4, row +1. So register 3 of lane 6 holds (9, 5), and
//    owners({9, 5}) finds the way back. vectorWidth(1) is 2: registers 0, 1 and
//    2, 3 are neighbours along dimension 1, one 8-byte store in f32.
//
// 2. A coalesced copy. blocked({128, 32}, 128, 8, {1, 0}) gives each thread 8
//    consecutive elements (16 bytes of f16), 4 threads to a row, then rows:
//
//      shape [128, 32] reg [(8, 1:1), (4, 0:32)] lane [(4, 1:8), (8, 0:1)]
//        warp [(4, 0:8)]
//
//    A warp covers 8 whole rows at a time and every thread comes by 4 times.
//
// 3. Replication after a reduction. Summing example 1 along its columns leaves
//    one value per row. sliced(1) forgets the digits of dimension 1: those of
//    registers vanish (each thread adds up its own), those of lanes replicate
//    (the four lanes of a row all end up with the sum):
//
//      shape [16] reg [(2, 0:8)] lane [(4, *), (8, 0:1)] warp []
//
//    replication() is 4. Broadcasting back, expanded(1, 8), makes a tile whose
//    threads hold whole rows; the converse of sliced() that keeps example 1's
//    threads is example 1 itself, and inference picks it where both are read.
//
// 4. No powers of two needed. A 96x96 tile of f16 by 128 threads is
//
//      shape [96, 96] reg [(8, 1:1), (3, 1:32), (3, 0:32)]
//        lane [(4, 1:8), (8, 0:1)] warp [(4, 0:8)]
//
//    96 columns are 3 times (4 lanes of 8), 96 rows are 3 times (8 lanes, 4
//    warps): nothing is left over, and every element has exactly one owner.
//
// 5. Overshoot. A 7x5 tile has no such digits. blocked({7, 5}, 64, 1, {1, 0})
//    is
//
//      shape [7, 5] reg [] lane [(8, 1:1), (4, 0:1)] warp [(2, 0:4)]
//
//    Lanes reach column 7 and row 7, outside of the shape. overshoots() says
//    so: lowering guards accesses by inBounds(coordinates(...)). No thread
//    holds coordinates that are out of bounds (owners() is empty there).
//
// Because a mode moves along one dimension only, questions about a tile split
// into questions about single dimensions and are decided by arithmetic on a few
// digits, exactly. What cannot be decided exactly is refused with a reason.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LAYOUT_FRAGMENTLAYOUT_H
#define TILE_LAYOUT_FRAGMENTLAYOUT_H

#include "tile/Layout/Mode.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include <array>

namespace mlir::tile {

enum class Axis : uint8_t { Register = 0, Lane = 1, Warp = 2, Block = 3 };
inline constexpr unsigned kNumAxes = 4;
inline constexpr int64_t kWarpSize = 32;
/// What verify() admits: CUDA's limits on blocks and clusters, and more
/// elements per thread than any kernel can hold. They bound every enumeration.
inline constexpr int64_t kMaxThreads = 1024, kMaxBlocks = 16,
                         kMaxRegisters = int64_t(1) << 16,
                         kMaxElements = int64_t(1) << 24;

/// A hardware index: which register of which thread.
struct HardwareIndex {
  int64_t reg = 0, lane = 0, warp = 0, block = 0;
  bool operator==(const HardwareIndex &o) const {
    return reg == o.reg && lane == o.lane && warp == o.warp && block == o.block;
  }
};

class FragmentLayout {
public:
  FragmentLayout() = default;
  FragmentLayout(llvm::ArrayRef<int64_t> shape, Modes reg, Modes lane,
                 Modes warp, Modes block = {});

  /// Logical extents. Coordinates at or beyond them are *overshoot*.
  llvm::ArrayRef<int64_t> shape() const { return logicalShape; }
  unsigned rank() const { return logicalShape.size(); }
  const Modes &modes(Axis axis) const { return axes[unsigned(axis)]; }
  /// Number of values of an axis: the product of its extents.
  int64_t size(Axis axis) const;
  int64_t numRegisters() const { return size(Axis::Register); }
  int64_t numThreads() const { return size(Axis::Lane) * size(Axis::Warp); }

  /// Every element is held by some thread, strides and dims are in range, no
  /// arithmetic overflows, sizes are within the limits above. Returns the
  /// reason when not. The other operations expect a layout that verifies.
  OrRefusal<bool> verify() const;

  /// Logical coordinate held at a hardware index (may overshoot).
  llvm::SmallVector<int64_t> coordinates(const HardwareIndex &index) const;
  /// Contribution of one axis index to each dimension (coordinates are the sum
  /// over axes: the map is separable).
  llvm::SmallVector<int64_t> axisCoordinates(Axis axis, int64_t index) const;
  bool inBounds(llvm::ArrayRef<int64_t> coords) const;
  /// True when some hardware index lies outside the shape: accesses need a
  /// predicate.
  bool overshoots() const;
  /// All hardware indices that hold a coordinate, in increasing order of block,
  /// warp, lane, register. Empty out of bounds.
  llvm::SmallVector<HardwareIndex> owners(llvm::ArrayRef<int64_t> coords) const;
  /// How many (lane, warp, block) positions hold one element; where that
  /// differs between elements, the most.
  int64_t replication() const;
  /// True when each element has exactly one owner.
  bool isBijective() const;

  /// Same map from (register, lane, warp, block) to coordinates, whatever the
  /// spelling.
  bool equivalent(const FragmentLayout &other) const;
  /// Same set of elements per thread (registers may be numbered otherwise).
  bool sameOwners(const FragmentLayout &other) const;
  /// Canonical spelling: unit modes dropped, adjacent mergeable modes merged.
  FragmentLayout canonicalized() const;

  /// Layout of a reduction's result: dimension `dim` removed (or kept with
  /// extent 1 when keepDim). Register digits of `dim` disappear; lane, warp and
  /// block digits become replication. Refuses when a digit cannot be split off.
  OrRefusal<FragmentLayout> sliced(unsigned dim, bool keepDim = false) const;
  /// Inverse of slicing, for broadcasting: inserts dimension `dim` of the given
  /// extent, held by new (slowest) register digits.
  FragmentLayout expanded(unsigned dim, int64_t extent) const;
  /// Dimensions reordered: result dimension i is this layout's permutation[i].
  FragmentLayout permuted(llvm::ArrayRef<unsigned> permutation) const;

  /// Length of the longest run of consecutive registers (starting at multiples
  /// of it) whose coordinates step by one along `dim` with all others equal.
  int64_t vectorWidth(unsigned dim) const;
  /// Number of lanes, a power of two, in each group of as many lanes that lie
  /// next to each other along `dim`: each `run` elements behind the one before,
  /// with all other coordinates equal. 1 where no two lanes do.
  int64_t lanesInRow(unsigned dim, int64_t run) const;
  /// Registers reordered so that the run along `dim` is fastest; coordinates
  /// per thread unchanged as a set.
  FragmentLayout withFastestRegisterDim(unsigned dim) const;

  bool operator==(const FragmentLayout &o) const {
    return logicalShape == o.logicalShape && axes == o.axes;
  }
  bool operator!=(const FragmentLayout &o) const { return !(*this == o); }

  /// Structured text, also the attribute's form:
  ///   shape [64, 64] reg [(2, 1:1), (2, 0:8)] lane [(4, 1:2), (8, 0:1)] warp
  ///   []
  /// A mode is (extent, dim:stride); replication is (extent, *).
  void print(llvm::raw_ostream &os) const;
  /// In words, for people: "each thread holds 4 elements: ...".
  void describe(llvm::raw_ostream &os) const;

  /// Coalesced layout of `shape` over `numThreads` threads: `vector`
  /// consecutive elements of the dimension order[0] per thread, then threads
  /// along order[0], order[1], ...; the rest in registers. Works for any
  /// extents (overshoots where they do not divide); threads left over
  /// replicate. numThreads must be a multiple of 32.
  static FragmentLayout blocked(llvm::ArrayRef<int64_t> shape,
                                int64_t numThreads, int64_t vector,
                                llvm::ArrayRef<unsigned> order);
  /// Every thread holds every element.
  static FragmentLayout replicated(llvm::ArrayRef<int64_t> shape,
                                   int64_t numThreads);

private:
  llvm::SmallVector<int64_t> logicalShape;
  std::array<Modes, kNumAxes> axes;
};

/// How to turn a fragment in layout `from` into layout `to`, cheapest first.
enum class ConversionKind : uint8_t {
  Identity,       // same registers
  RegisterRename, // each thread already has its elements, in other registers
  WarpShuffle,    // each warp has its elements: shfl within the warp
  SharedMemory    // elements cross warps: store, barrier, load
};
struct ConversionClass {
  ConversionKind kind;
  std::string reason; // why not the cheaper ones
};
/// Both layouts must have the same shape and as many lanes, warps and blocks.
/// Only elements in bounds count. Refuses when elements would cross blocks.
OrRefusal<ConversionClass> classifyConversion(const FragmentLayout &from,
                                              const FragmentLayout &to);
llvm::StringRef stringify(ConversionKind kind);

} // namespace mlir::tile
#endif // TILE_LAYOUT_FRAGMENTLAYOUT_H
