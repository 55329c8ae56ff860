//===- TmaRing.cpp - rings that copies by TMA fill ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One elected thread of the producer waits, arms the full barrier with the
// bytes of its copies (TmaCopy.cpp), issues them and arrives.
//
//===----------------------------------------------------------------------===//
#include "Rings/RingProtocol.h"
#include "Schedule/Mbarriers.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

std::string TmaRing::whyNotHere() {
  return lowering.target.hasTma() ? ""
                                  : "expected a ring from cp_async or threads "
                                    "on " +
                                        lowering.target.arch.str();
}

void TmaRing::byProducer(Body wait) {
  onOneThread(lowering, lowering.elected(), wait);
}

void TmaRing::commit(Value use) {
  onOneThread(lowering, lowering.elected(), [&] {
    arriveMbarrier(lowering, sharedAddress(lowering, full(use)));
  });
}

/// What threads read comes before what tensor copies write there next, which is
/// the other proxy's: without the fence, loads that still wait for their turn
/// (ldmatrix with bank conflicts) find the next tile (seen on the H200).
void TmaRing::orderReads() {
  if (type.hasConsumer(RingConsumer::Threads))
    emitProxyFence(lowering);
}
