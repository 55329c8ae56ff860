//===- CopyFacts.h - what decides how a copy is made ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that the rules of copy selection look at, gathered once per copy.
// Facts are of the copy and its buffers; what an architecture can do with them
// is in CopyRules.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_COPYFACTS_H
#define TILE_ANALYSIS_COPYFACTS_H

#include "tile/Analysis/IndexFacts.h"
#include "tile/Analysis/Reason.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Layout/Plural.h"
#include <memory>
#include <optional>
#include <string>

namespace mlir::tile {

/// What several reasons advise.
inline constexpr char kPromiseMore[] =
    "`tile.assume` with `divisible_by` can promise more";
inline constexpr char kPromiseLeast[] =
    "`tile.assume` with `min = 0` can promise that it does not";
inline constexpr char kAskForTma[] = "`prefer` asks for TMA";
inline constexpr char kZeroPad[] = "zero as the pad, or none, lets it";
inline constexpr char kOtherLayout[] =
    "`layout(#tile.shared_layout<...>)` on the tile states another";

/// "4 bytes", or "4 bits" where they are no whole byte.
inline std::string sizeText(int64_t bits) {
  return bits % 8 ? plural(bits, "bit") : plural(bits / 8, "byte");
}

/// Something that bounds how many consecutive elements a thread moves at a
/// time.
struct WidthLimit {
  int64_t elements; // power of two
  Reason reason;
  /// It follows from where elements lie in memory, not from which threads move
  /// them.
  bool fromMemory = false;
  /// It comes from where rows of a global buffer start: loads that shift what
  /// they read into place do without.
  bool ofGlobalRows = false;
};

/// One side of a copy.
struct CopySide {
  Value buffer;
  MemorySpace space = MemorySpace::Unknown;
  unsigned elementBits = 8;
  SmallVector<int64_t> extents; // one per dimension of the buffer
  SmallVector<IndexFacts> offsets;
  /// Dimension of the buffer for each dimension of the tile. Where rows of the
  /// tile lie at places of their own, only the last entry says something.
  SmallVector<unsigned> dimOfTile;
  /// The region may reach outside a global buffer.
  bool mayOverhang = false;
  int64_t alignment = 1; // bytes promised for the buffer's first element
  std::string name;      // for diagnostics: 'A', "the shared buffer"
};

/// Answers that the copies of a kernel share, each found when it is first asked
/// for. They hold as long as the kernel keeps its operations and what these
/// read and write: attributes and pads may change.
struct CopyAnswers {
  /// Why a tile cannot be a slot of a ring; empty where it can.
  llvm::DenseMap<Value, Reason> whyNotSlot;
  /// Whether blocks meet and one may read what another has stored: by the
  /// argument, and whether the copy loads it.
  llvm::DenseMap<std::pair<Value, unsigned>, bool> meetAround;
  /// Whether the kernel has an atomic load or store of this order.
  llvm::DenseMap<unsigned, bool> meetsByFlags;
};

/// The facts of a copy or of an atomic.
struct CopyFacts {
  TileMoveOpInterface op;
  std::shared_ptr<CopyAnswers> answers;
  CopySide source, target;
  /// Extents other than one; of a move by rows both.
  SmallVector<int64_t> tileShape;
  /// Element types differ.
  bool converts = false;
  /// Overhanging parts are filled with something that is not known to be zero.
  bool padsNonZero = false;
  /// Which thread moves which element, once inferred.
  FragmentLayoutAttr layout;
  /// Dimension of the tile along which threads move consecutive elements: where
  /// a global side, else a shared side, is contiguous. None for one element, or
  /// without such a dimension.
  std::optional<unsigned> vectorDim;
  /// What bounds the width of a vector.
  SmallVector<WidthLimit> limits;
  /// A vector of more than one element may lie partly inside the global buffer:
  /// its extent along `vectorDim` is not known to be a multiple of the width.
  bool mayBePartial(int64_t elements) const;

  /// The side whose elements `bytes` of a copy plan counts: the global one,
  /// else the shared one, else the source.
  const CopySide &countedSide() const;
  /// The widest vector (elements, a power of two) that the limits allow.
  int64_t maxElements() const;
  /// Why threads cannot move `elements` at a time (the tightest limit); empty
  /// when they can.
  Reason whyNotWide(int64_t elements) const;
  /// The same, wherever rows of global buffers start.
  Reason whyNotWideRealigned(int64_t elements) const;

  /// `answers`: those of the kernel's other copies.
  static CopyFacts
  get(TileMoveOpInterface op,
      std::shared_ptr<CopyAnswers> answers = std::make_shared<CopyAnswers>());
};

/// Layout of a shared buffer; row-major as long as none is stated.
SharedLayout sharedLayoutOf(const CopySide &side);

/// Largest power of two V for which every thread moves aligned runs of V
/// consecutive elements along `dim` (register digit zero first).
int64_t alignedRun(const FragmentLayout &layout, unsigned dim);

} // namespace mlir::tile
#endif // TILE_ANALYSIS_COPYFACTS_H
