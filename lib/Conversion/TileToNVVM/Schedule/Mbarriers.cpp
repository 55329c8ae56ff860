//===- Mbarriers.cpp - one thread, and its signals ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instructions of mbarriers as inline PTX: NVVM's operations would say less
// than is needed of what they order, and LLVM moves accesses across them. Here
// every one clobbers memory.
//
//===----------------------------------------------------------------------===//
#include "Mbarriers.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Target/PtxMnemonics.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

void tile::nvvm::onOneThread(KernelLowering &lowering, Value predicate,
                             llvm::function_ref<void()> body) {
  if (!predicate)
    return body();
  auto &b = lowering.builder;
  auto branch = scf::IfOp::create(b, predicate, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

void tile::nvvm::emitOrdered(KernelLowering &lowering, StringRef text,
                             StringRef constraints, ValueRange operands) {
  std::string clobbering =
      constraints.empty() ? "~{memory}" : constraints.str() + ",~{memory}";
  lowering.inlineAsm(TypeRange(), text, clobbering, operands);
}

Value tile::nvvm::sharedAddress(KernelLowering &lowering, Value pointer) {
  return LLVM::PtrToIntOp::create(lowering.builder,
                                  lowering.builder.getI32Type(), pointer);
}

void tile::nvvm::initMbarrier(KernelLowering &lowering, Value address,
                              int64_t count) {
  emitOrdered(lowering, ptx::kMbarrierInit.str() + ".shared::cta.b64 [$0], $1;",
              "r,r", {address, lowering.i32(count)});
}

void tile::nvvm::arriveMbarrier(KernelLowering &lowering, Value address) {
  // The default scope (release.cta): release.cluster costs a memory barrier of
  // the whole GPU.
  emitOrdered(lowering,
              ptx::kMbarrierArrive.str() + ".shared::cta.b64 _, [$0];", "r",
              {address});
}

Value tile::nvvm::mapToBlock(KernelLowering &lowering, Value address,
                             Value rank) {
  return lowering
      .inlineAsm(lowering.builder.getI32Type(),
                 "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r",
                 {address, rank}, /*sideEffects=*/false)
      .getRes();
}

void tile::nvvm::arriveAtPeer(KernelLowering &lowering, Value address,
                              Value rank) {
  emitOrdered(lowering,
              ptx::kMbarrierArrive.str() +
                  ".release.cluster.shared::cluster.b64 _, [$0];",
              "r", mapToBlock(lowering, address, rank));
}

bool tile::nvvm::usesAsyncProxy(KernelLowering &lowering) {
  return lowering.function
      .walk([](Operation *op) {
        for (Value operand : op->getOperands())
          if (tile::isShared(operand) && readsThroughAsyncProxy(op, operand))
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

void tile::nvvm::waitParity(KernelLowering &lowering, Value barrier,
                            Value parity, bool ofCluster) {
  std::string test =
      (lowering.target.hasMbarrierTryWait() ? ptx::kMbarrierTryWait
                                            : ptx::kMbarrierTestWait)
          .str();
  emitOrdered(lowering,
              "{ .reg .pred done; again: " + test +
                  (ofCluster ? ".acquire.cluster" : "") +
                  ".shared::cta.b64 done, [$0], $1; @!done bra again; }",
              "r,r", {sharedAddress(lowering, barrier), parity});
}

void tile::nvvm::emitProxyFence(KernelLowering &lowering) {
  emitOrdered(lowering, ptx::kProxyFence.str() + ".shared::cta;", "", {});
}
