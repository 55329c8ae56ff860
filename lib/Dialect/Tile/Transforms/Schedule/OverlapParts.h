//===- OverlapParts.h - the parts of a loop with two products ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to --tile-overlap-gemms.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_TRANSFORMS_OVERLAPPARTS_H
#define TILE_LIB_TRANSFORMS_OVERLAPPARTS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Analysis/Reason.h"
#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// The operations of a loop's body by the part that they belong to, each in the
/// order of the body. Scalars belong to none: whoever needs one computes it.
struct OverlapParts {
  explicit OverlapParts(scf::ForOp loop);

  /// Whether gemms that run asynchronously stand at both ends of the body, and
  /// something else between them.
  bool hasTwoProducts() const { return !first.empty() && !last.empty(); }
  /// Why the first part may not come before the last part of the iteration
  /// before; empty where it may.
  Reason whyNot();
  /// Divides `between` into `beside` and `after`, and loops over tiles where
  /// that needs it. Says why not where no arithmetic is left in `beside`.
  Reason divide();

  scf::ForOp loop;
  /// Waits for slots and gemms, at the start and at the end of the body.
  SmallVector<Operation *> first, last;
  /// Releases of the slots that these gemms read.
  SmallVector<Operation *> firstReleases, lastReleases;
  SmallVector<Operation *> between;
  /// Of `between`: what runs beside the last part, and what follows that.
  SmallVector<Operation *> beside, after;

private:
  Reason whyNotOperands() const;
  Reason whyNotSlots() const;
  void splitStores(Operation *op);

  /// Operands and accumulators of the last part.
  SmallVector<Value> pending;
};

/// Why `warps` whose threads have so many registers (0: not known) do not run
/// the products of two iterations of `loop` at a time; empty where they do.
Reason whyNoRoomToOverlap(Operation *loop, int64_t warps, int64_t registers);

} // namespace mlir::tile
#endif // TILE_LIB_TRANSFORMS_OVERLAPPARTS_H
