//===- MoveAttributes.h - what is asked of a move, what is decided -*- C++ -*-//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two attributes of an operation that moves a tile, as values: a program
// writes the request, passes write the decision and nothing else
// (docs/Rationale/CopySelection.md). Operations have a getter and, where it is
// written, a setter of each part (TileMoveOpInterface).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_IR_MOVEATTRIBUTES_H
#define TILE_DIALECT_TILE_IR_MOVEATTRIBUTES_H

#include "tile/Dialect/Tile/IR/TileDialect.h"

namespace mlir::tile {

/// `#tile.move_request`: null or false where nothing is asked for.
struct MoveRequest {
  CopyInstructionAttr prefer;
  bool disableTma = false;
  IntegerAttr coalescedWidth;
  EvictionPolicyAttr evictionPolicy;

  /// Of an attribute, which may be null.
  static MoveRequest of(MoveRequestAttr attr);
  /// Null where nothing is asked for.
  MoveRequestAttr getAttr(MLIRContext *context) const;
};

/// `#tile.move_decision`: null or false where nothing is decided.
struct MoveDecision {
  FragmentLayoutAttr layout;
  CopyPlanAttr plan;
  IntegerAttr multicast;
  DenseI64ArrayAttr multicastAlong;
  bool inside = false, inFront = false;
  DenseI64ArrayAttr groups;

  /// Of an attribute, which may be null.
  static MoveDecision of(MoveDecisionAttr attr);
  /// Null where nothing is decided.
  MoveDecisionAttr getAttr(MLIRContext *context) const;
};

/// The value of an integer attribute, which may be null.
inline std::optional<uint64_t> valueOf(IntegerAttr attr) {
  return attr ? std::optional<uint64_t>(attr.getInt()) : std::nullopt;
}

/// Names of the parts of a request and of a decision of `op`, as they are
/// written; none where it is no move.
ArrayRef<StringRef> getMoveAttributeNames(Operation *op);

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_IR_MOVEATTRIBUTES_H
