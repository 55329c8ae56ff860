//===- AccumulatorRing.cpp - rings of accumulators in tensor memory -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread that issues gemms waits for an empty slot and commits a full one;
// the arrival is the tensor core's, once these gemms have ended. Threads read
// the slots, ordered by the fences of tcgen05 instead of proxy fences.
//
//===----------------------------------------------------------------------===//
#include "Rings/RingProtocol.h"
#include "Tcgen05/TensorMemory.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

std::string AccumulatorRing::whyNotHere() {
  return lowering.target.hasTcgen05() ? ""
                                      : "expected a ring from cp_async or "
                                        "threads on " +
                                            lowering.target.arch.str();
}

void AccumulatorRing::byProducer(Body wait) { onIssuer(lowering, wait); }

void AccumulatorRing::commit(Value use) {
  onIssuer(lowering, [&] {
    emitTcgen05Commit(lowering, sharedAddress(lowering, full(use)));
  });
}

void AccumulatorRing::wait(RingWaitOp wait) {
  MbarrierRing::wait(wait);
  emitTcgen05Fence(lowering, /*before=*/false);
}
