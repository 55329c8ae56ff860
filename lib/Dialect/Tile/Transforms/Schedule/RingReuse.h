//===- RingReuse.h - uses of a ring beside those of one loop ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to --tile-pipeline. A ring with mbarriers lives as long as the
// kernel, so one ring for each loop would add up. Loops around its loop count
// its uses. A copy by TMA behind the loop into a tile that became a slot is the
// next use. A loop that follows another one in the same block and fills the
// same kind of slots in the same way uses the ring of the first, and goes on
// counting its uses.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_TRANSFORMS_RINGREUSE_H
#define TILE_LIB_TRANSFORMS_RINGREUSE_H

#include "RingLoop.h"

namespace mlir::tile {

/// Carries the count of a ring's uses through the enclosing loops. What an
/// iteration adds is filled in when the loop is built.
void countUses(PipelinedOp loop, RingPlan &plan);
/// The count before the loop, once all rings are counted.
Value resolveCount(PipelinedOp loop, RingPlan::Carried carried);

/// Copies by TMA after `loop` into tiles of its ring, each read before the next
/// one is made: the next uses of the ring. Returns none if such a tile is used
/// after the loop in any other way.
SmallVector<FollowingUse> findFollowing(PipelinedOp loop, const RingPlan &plan);

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
