//===- RingProtocol.h - what the operations of a ring become ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A protocol per kind of producer (docs/Rings.md):
//
//   GroupRing         cp_async, threads            one agent fills and reads
//   TmaRing           tma                          copies count bytes
//   RoleRing          cp_async_mbarrier,           all threads of a role fill
//                     threads_mbarrier
//   AccumulatorRing   mma                          the tensor core fills
//
// The last three signal by mbarriers and share MbarrierRing. In a pair of
// blocks that multiply as one, PairRing.cpp puts other threads and barriers in
// place of theirs. What a phase counts is the ring's `tile.arrivals`; which
// wait precedes which production is the pipeliner's business. Nothing is
// decided here.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_RINGS_RINGPROTOCOL_H
#define TILE_LIB_CONVERSION_TILETONVVM_RINGS_RINGPROTOCOL_H

#include "Lowering.h"
#include <memory>

namespace mlir::tile::nvvm {

class RingProtocol {
public:
  RingProtocol(KernelLowering &lowering, RingCreateOp ring)
      : lowering(lowering), ring(ring), type(ring.getRing().getType()) {}
  virtual ~RingProtocol() = default;

  virtual LogicalResult create() = 0;
  /// Before the views of the slot are bound to addresses.
  virtual void acquire(Value use, ValueRange views) = 0;
  virtual void commit(Value use) = 0;
  virtual void wait(RingWaitOp wait) = 0;
  virtual void release(RingReleaseOp release) = 0;
  /// Nothing of the ring is in flight afterwards, and every thread of the agent
  /// has read it.
  virtual void drain() = 0;

protected:
  KernelLowering &lowering;
  RingCreateOp ring;
  RingType type;
};

/// Full and empty are mbarriers in shared memory. Their phase is the parity of
/// how often the slot was used.
class MbarrierRing : public RingProtocol {
public:
  MbarrierRing(KernelLowering &lowering, RingCreateOp ring, int64_t base)
      : RingProtocol(lowering, ring), base(base), stages(type.getStages()) {}

  LogicalResult create() final;
  void acquire(Value use, ValueRange views) final;
  void wait(RingWaitOp wait) override;
  void release(RingReleaseOp release) final;
  void drain() final;

  /// Waits until the slot of a use is empty. The first round passes: a fresh
  /// barrier's preceding phase counts as complete.
  void waitEmpty(Value use, bool ofCluster = false);

protected:
  using Body = llvm::function_ref<void()>;
  /// Why the target cannot signal the ring this way; empty: it can.
  virtual std::string whyNotHere() = 0;
  /// Who waits for an empty slot: those who fill it.
  virtual void byProducer(Body wait) = 0;
  /// Who waits for a full slot.
  virtual void byConsumer(Body wait);
  /// Whether the arrivals on the empty barrier come from another block, whose
  /// accesses have to be visible.
  virtual bool isEmptiedAcrossBlocks() const { return false; }
  /// Orders the threads' reads of a slot before what fills it next.
  virtual void orderReads() {}
  /// One thread of each `span` arrives on the empty barrier of a use; `blocks`:
  /// on those of blocks whose bits are set (i32), null for all peers.
  virtual void arriveEmpty(Value use, int64_t span, Value blocks);
  /// What the copies into a slot have to know.
  virtual SlotBinding bindingOf(Value use, unsigned view);

  /// Pointers to the mbarriers of the slot of a use.
  Value full(Value use) { return pointer(base, slotOf(use)); }
  Value empty(Value use) {
    return pointer(base + stages * kMbarrierBytes, slotOf(use));
  }
  /// The thread's place (i32) among each `span`, and whether (i1) it is one of
  /// the first `count`.
  std::pair<Value, Value> placeIn(int64_t span, int64_t count);
  int64_t peers() { return ring.getPeers().value_or(1); }
  /// One thread issues all that reads the ring: gemms by tcgen05, stores by
  /// TMA. The others must not wait for full slots: this thread alone empties
  /// them, so it can fill them twice meanwhile, and the parity that another
  /// thread waits for would be over.
  bool isReadByOneThread() const {
    return llvm::all_of(type.getConsumers(), [](RingConsumer consumer) {
      return consumer == RingConsumer::Tcgen05 ||
             consumer == RingConsumer::TmaStore;
    });
  }

private:
  Value pointer(int64_t offset, Value slot);
  Value slotOf(Value use);
  Value parityOf(Value use);
  /// Remembers how often the ring was used, for `emitProducerTails`.
  void countUse(Value use);

  int64_t base, stages;
};

/// One thread issues copies by TMA, which complete on the full barrier by
/// counting bytes; a commit is that thread's arrival.
class TmaRing : public MbarrierRing {
public:
  using MbarrierRing::MbarrierRing;
  void commit(Value use) override;

protected:
  std::string whyNotHere() final;
  void byProducer(Body wait) final;
  void orderReads() final;
};

/// All threads of a role fill the slots through the generic proxy.
class RoleRing final : public MbarrierRing {
public:
  using MbarrierRing::MbarrierRing;
  void commit(Value use) final;
  void wait(RingWaitOp wait) final;

protected:
  std::string whyNotHere() final;
  void byProducer(Body wait) final { wait(); }
};

/// Slots are accumulators in tensor memory; the tensor core says that they are
/// full.
class AccumulatorRing : public MbarrierRing {
public:
  using MbarrierRing::MbarrierRing;
  void commit(Value use) override;
  void wait(RingWaitOp wait) final;

protected:
  std::string whyNotHere() final;
  void byProducer(Body wait) final;
};

/// One agent fills and reads: full is a group of cp.async, one per commit, then
/// a barrier; empty is the barrier of a later wait.
std::unique_ptr<RingProtocol> makeGroupRing(KernelLowering &lowering,
                                            RingCreateOp ring);
/// A ring with `pair`: of operands, or of accumulators.
std::unique_ptr<MbarrierRing> makePairRing(KernelLowering &lowering,
                                           RingCreateOp ring, int64_t base);

/// Whether something that a wait gives is read through the async proxy.
bool isReadByAsyncProxy(RingWaitOp wait);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_RINGS_RINGPROTOCOL_H
