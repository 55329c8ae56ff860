//===- FragmentLayout.h - who holds which element of a fragment -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fragment is a tile held in the registers of a thread block. Its layout maps
// a hardware index (register, lane, warp, block-in-cluster) to a logical
// coordinate. Each axis is an ordered list of modes, fastest digit first.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LAYOUT_FRAGMENTLAYOUT_H
#define TILE_LAYOUT_FRAGMENTLAYOUT_H

#include "tile/Layout/Mode.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include <array>

namespace mlir::tile {

enum class Axis : unsigned { Register = 0, Lane = 1, Warp = 2, Block = 3 };
inline constexpr unsigned kNumAxes = 4;
inline constexpr int64_t kWarpSize = 32;

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

  /// Every element is held by somebody, strides and dims are in range, no
  /// arithmetic overflows. Returns the reason when not.
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
enum class ConversionKind {
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
