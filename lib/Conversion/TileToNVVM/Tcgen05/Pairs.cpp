//===- Pairs.cpp - two blocks that multiply as one ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of a pair differ in the last bit of their rank; the even one, the
// leader, issues every tcgen05.mma and commit. Here is how they reach each
// other; which barriers are whose is the business of
// Rings/PairRing.cpp.
// Source: PTX ISA 9.0, "tcgen05: CTA Pair", "Issue Granularity", "mapa",
// "mbarrier.arrive".
//
//===----------------------------------------------------------------------===//
#include "TensorMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

Value tile::nvvm::isLeader(KernelLowering &lowering) {
  auto &b = lowering.builder;
  Value rank = NVVM::ClusterId::create(b, b.getI32Type());
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rank,
                               lowering.i32(0));
}

Value tile::nvvm::atLeader(KernelLowering &lowering, Value address) {
  return lowering
      .inlineAsm(lowering.builder.getI32Type(),
                 "mapa.shared::cluster.u32 $0, $1, 0;", "=r,r", address,
                 /*sideEffects=*/false)
      .getRes();
}

void tile::nvvm::onIssuer(KernelLowering &lowering,
                          llvm::function_ref<void()> body) {
  onOneThread(lowering, lowering.elected(), [&] {
    onOneThread(lowering,
                lowering.tensorMemory.isPair ? isLeader(lowering) : Value(),
                body);
  });
}

void tile::nvvm::meetPair(KernelLowering &lowering) {
  TensorMemory &memory = lowering.tensorMemory;
  if (!memory.isPair)
    return;
  auto &b = lowering.builder;
  int64_t agent = lowering.agent.barrier;
  Value barrier = LLVM::GEPOp::create(
      b, memory.meetings.getType(), b.getI8Type(), memory.meetings,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(agent * kMbarrierBytes)});
  Value parity =
      LLVM::LoadOp::create(b, b.getI32Type(), memory.meetingParities[agent]);
  onOneThread(lowering, lowering.elected(), [&] {
    Value address = LLVM::PtrToIntOp::create(b, b.getI32Type(), barrier);
    // At both barriers, which count two: neither block can be a phase ahead.
    for (int64_t rank : {0, 1})
      lowering.inlineAsm(
          TypeRange(),
          "{ .reg .b32 remote; mapa.shared::cluster.u32 remote, $0, " +
              std::to_string(rank) +
              "; mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
              "[remote]; }",
          "r,~{memory}", address);
    waitParity(lowering, barrier, parity, /*ofCluster=*/true);
  });
  LLVM::StoreOp::create(b,
                        b.createOrFold<arith::XOrIOp>(parity, lowering.i32(1)),
                        memory.meetingParities[agent]);
}
