//===- TmaRing.cpp - rings that copies by TMA fill ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One elected thread of the producer arms the full barrier with the bytes of
// its copies (TmaCopy.cpp), issues them and arrives. It waits for an empty slot
// alone or with its warp (byProducer).
//
//===----------------------------------------------------------------------===//
#include "Rings/RingProtocol.h"
#include "Schedule/Mbarriers.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

std::string TmaRing::whyNotHere() {
  return lowering.target.hasTma() ? ""
                                  : "expected a ring from cp_async or threads "
                                    "on " +
                                        lowering.target.arch.str();
}

/// The whole warp of the elected thread waits: a loop of one thread alone takes
/// the descriptors of products around it out of uniform registers
/// (docs/Rationale/Wgmma.md). The warp meets, so that no thread is late for the
/// phase. Where all threads copy, one waits: mamba2 took 7 % longer on the H200
/// with its whole warp.
void TmaRing::byProducer(Body wait) {
  if (lowering.agent.isSingleThread || lowering.agent.isCopying ||
      !lowering.target.electsThreads())
    return onOneThread(lowering, lowering.elected(), wait);
  onOneThread(lowering, lowering.inFirstWarp(), [&] {
    wait();
    NVVM::SyncWarpOp::create(lowering.builder, lowering.i32(-1));
  });
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
