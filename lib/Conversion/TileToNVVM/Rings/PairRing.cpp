//===- PairRing.cpp - rings of two blocks that multiply as one ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The leader of a pair (Pairs.cpp) issues the gemms of both blocks. So there is
// one full barrier for operands and one empty barrier for accumulators that
// count, the leader's: the copies of both blocks complete on the one, and the
// threads of both blocks arrive on the other. The two other barriers are in
// both blocks, and the leader's commits reach them together.
//
//===----------------------------------------------------------------------===//
#include "Rings/RingProtocol.h"
#include "Tcgen05/TensorMemory.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

namespace {
/// What both kinds of rings of a pair tell the copies into their slots.
template <typename RingT> class PairRing : public RingT {
public:
  using RingT::RingT;

protected:
  SlotBinding bindingOf(Value use, unsigned view) final {
    SlotBinding binding = RingT::bindingOf(use, view);
    binding.isPair = true;
    binding.pairDim = this->ring.getPairDim(view);
    return binding;
  }
};

class PairedOperands final : public PairRing<TmaRing> {
public:
  using PairRing::PairRing;
  void commit(Value use) final {
    onOneThread(lowering, lowering.elected(), [&] {
      onOneThread(lowering, isLeader(lowering), [&] {
        arriveMbarrier(lowering, sharedAddress(lowering, full(use)));
      });
    });
  }

protected:
  void byConsumer(Body wait) final { onIssuer(lowering, wait); }
};

class PairedAccumulators final : public PairRing<AccumulatorRing> {
public:
  using PairRing::PairRing;
  void commit(Value use) final {
    onIssuer(lowering, [&] {
      emitTcgen05Commit(lowering, sharedAddress(lowering, full(use)),
                        /*peers=*/2);
    });
  }

protected:
  bool isEmptiedAcrossBlocks() const final { return true; }
  void arriveEmpty(Value use, int64_t span, Value) final {
    Value arrives = placeIn(span, 1).second;
    onOneThread(lowering, arrives, [&] {
      // Tensor memory is no memory of the generic proxy: the scope of the
      // cluster costs nothing here.
      Value address = sharedAddress(lowering, empty(use));
      emitOrdered(
          lowering,
          "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [$0];", "r",
          {atLeader(lowering, address)});
    });
  }
};
} // namespace

std::unique_ptr<MbarrierRing> tile::nvvm::makePairRing(KernelLowering &lowering,
                                                       RingCreateOp ring,
                                                       int64_t base) {
  if (ring.getRing().getType().inTensorMemory())
    return std::make_unique<PairedAccumulators>(lowering, ring, base);
  return std::make_unique<PairedOperands>(lowering, ring, base);
}
