//===- RingReuse.h - loops that go on with an earlier ring ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to --tile-pipeline. A ring with mbarriers lives as long as the
// kernel, so one ring for each loop would add up. A loop that follows another
// one in the same block and fills the same kind of slots in the same way uses
// the ring of the first, and goes on counting its uses.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_TRANSFORMS_RINGREUSE_H
#define TILE_LIB_TRANSFORMS_RINGREUSE_H

#include "RingLoop.h"

namespace mlir::tile {

/// The rings with mbarriers of a kernel's loops so far.
class RingReuse {
public:
  /// Gives `plan`, of `loop`, the ring of an earlier loop, the count of its
  /// uses and what carries it on. False where there is no such ring.
  bool take(PipelinedOp loop, RingPlan &plan);

  /// Remembers what carries the count of `plan`, before its loop is built;
  /// `added` after that.
  void add(const RingPlan &plan);
  void added(const RingPlan &plan);

private:
  struct Built {
    Value ring;
    Value end; // the count after its last loop
    /// The operation after which its uses have ended; null while the loop is
    /// being built.
    Operation *last = nullptr;
    Ahead ahead;
    /// `multicast` and `multicast_along` of each copy.
    SmallVector<std::pair<std::optional<uint64_t>, Attribute>> multicasts;
    /// Operands of the block's terminator that carry the count on.
    SmallVector<unsigned> carriers;
    /// The plan whose loop is being built; null when it has been.
    const RingPlan *plan = nullptr;
  };
  static bool fits(const Built &built, PipelinedOp loop, const RingPlan &plan);

  SmallVector<Built> rings;
};

} // namespace mlir::tile
#endif // TILE_LIB_TRANSFORMS_RINGREUSE_H
