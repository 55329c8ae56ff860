//===- RingLoop.h - the loop that replaces a pipelined one ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to --tile-pipeline: what was decided about the copies of a loop, and
// the ring loop that is built from it. Decides nothing. dropRowPromises is also
// called by the passes that rotate a loop after it.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_TRANSFORMS_RINGLOOP_H
#define TILE_LIB_TRANSFORMS_RINGLOOP_H

#include "UseCounter.h"
#include "tile/Analysis/Dependence.h"

namespace mlir::tile {

/// When production i is issued, relative to iteration i.
enum class Ahead {
  AfterWait,    // i + N - 1, after the wait that empties its slot
  BeforeWait,   // i: another agent issues it as early as it can
  AfterRelease, // i + N, after the release that empties its slot
};

/// A copy after a loop into a tile that became a slot of the loop's ring, and
/// the operations that read it: one more use of the ring, with only this buffer
/// filled.
struct FollowingUse {
  TileMoveOpInterface copy;
  unsigned buffer;         // its place in the ring
  Operation *first, *last; // readers, in the block of the copy
};

/// The copies of one loop that run ahead in one ring.
struct RingPlan {
  /// Several may fill a tile together.
  SmallVector<AheadCopy> copies;
  /// The tiles that they fill, each once: the buffers of a slot, in order.
  SmallVector<Value> tiles() const;
  /// Whether `op` is one of the copies.
  bool has(Operation *op) const;
  /// Operations of the body to repeat for a production, in body order.
  SmallVector<Operation *> slice;
  RingProducer producer = RingProducer::Threads;
  Ahead ahead = Ahead::AfterWait;

  /// Whether one of several products is all that reads the slots: an agent
  /// waits for them right before it, and releases them right after it.
  bool nearReaders = false;

  /// Blocks of a cluster that fill each other's slots.
  int64_t peers = 1;

  /// Uses of the ring after the loop, in program order.
  SmallVector<FollowingUse> following;

  /// The ring of an earlier loop, or the one that building the loop makes.
  Value ring;
  /// The number of uses of the ring before this loop.
  Value base;
  /// Where an enclosing loop carries that number: how many operations further
  /// out the loop is, and which of its arguments carries it. Counting for
  /// another ring replaces such loops and invalidates their values; the places
  /// stay.
  struct Carried {
    unsigned level, argument;
  };
  std::optional<Carried> carried;
  /// Operands of the terminator of the loop's block that carry the number on.
  SmallVector<unsigned> carriers;
  /// Results of building the loop: the number of uses after it, and the
  /// operation after which its uses have ended.
  Value end;
  Operation *last = nullptr;
  bool usesMbarriers() const {
    return producer != RingProducer::Threads &&
           producer != RingProducer::CpAsync;
  }
};

/// Replaces `loop` by the loop over the rings of `plans`.
void buildRingLoop(PipelinedOp loop, MutableArrayRef<RingPlan> plans);

/// Takes the promises of rows out of a loop whose body works for several
/// iterations from here on: they are about one of them.
void dropRowPromises(scf::ForOp loop);

/// The type of a ring for buffers, by who reads them, and the layouts of its
/// slots: all, or null where none was inferred.
RingType ringTypeFor(int64_t stages, ArrayRef<Value> buffers,
                     RingProducer producer);
ArrayAttr ringLayoutsFor(ArrayRef<Value> buffers);

/// A ring of `stages` slots for the buffers; at the top of the kernel when its
/// slots are signalled by mbarriers, else at the builder's place.
Value createRing(OpBuilder &builder, Location loc, int64_t stages,
                 ArrayRef<Value> buffers, RingProducer producer,
                 int64_t peers = 1);

} // namespace mlir::tile
#endif // TILE_LIB_TRANSFORMS_RINGLOOP_H
