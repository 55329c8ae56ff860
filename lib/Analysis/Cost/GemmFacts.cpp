//===- GemmFacts.cpp - what a gemm costs ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of the plan that layout inference is offered first: cycles of tensor cores or
// threads, bytes that instructions read from shared memory, registers.
//
//===----------------------------------------------------------------------===//
#include "tile/Analysis/CostFacts.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/LayoutConstraints.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::cost;

/// Registers of a thread that hold the fragments of a gemm.
static int64_t registersHeld(GemmOp op, int64_t threads) {
  int64_t bits = 0;
  for (Value buffer : {op.getA(), op.getB(), op.getC()})
    if (isFragment(buffer))
      bits += cast<MemRefType>(buffer.getType()).getNumElements() *
              storageBitsOf(buffer);
  return llvm::divideCeil(bits, 32 * threads);
}

/// The plan that layout inference is offered first.
const FactsReader::GemmFacts &FactsReader::gemm(GemmOp op) {
  int64_t threads = getAgentThreads(op);
  auto [it, isNew] = gemms.try_emplace(
      {const_cast<void *>(op.getA().getType().getAsOpaquePointer()),
       const_cast<void *>(op.getB().getType().getAsOpaquePointer()),
       const_cast<void *>(op.getC().getType().getAsOpaquePointer()),
       op->getAttrDictionary().getAsOpaquePointer(), threads});
  GemmFacts &facts = it->second;
  if (!isNew)
    return facts;
  LayoutConstraints constraints(target, threads);
  op.getLayoutConstraints(constraints);
  if (constraints.alternatives.empty()) {
    facts.refused = constraints.refusal.empty() ? "a gemm that has no plan"
                                                : constraints.refusal;
    return facts;
  }
  const LayoutAlternative &first = constraints.alternatives.front();
  auto plan = dyn_cast_or_null<MmaPlanAttr>(first.decision.value);
  double m = op.getM(), n = op.getN(), k = op.getK();
  double bitsA = storageBitsOf(op.getA()), bitsB = storageBitsOf(op.getB());
  double products = m * n * k;
  bool sharedA = isShared(op.getA()), sharedB = isShared(op.getB());
  Work &work = facts.work;
  const MmaTraits &traits = plan ? traitsOf(plan) : traitsOf(op);
  facts.registers = kBaseRegisters;
  double tensor =
      products * std::max(bitsA, bitsB) / 16 / device.rates.tensorMultiplyAdds;
  facts.held = registersHeld(op, threads);
  if (traits.reader == RingConsumer::Wgmma) {
    int64_t bits = plan.getM() * plan.getN() * storageBitsOf(op.getC()) +
                   (isFragment(op.getA())
                        ? plan.getM() * plan.getK() * storageBitsOf(op.getA())
                        : 0);
    facts.widest = bits / 32 / 128;
    work.tensorCycles = tensor;
    double shape = double(plan.getM()) * plan.getN() * plan.getK();
    work.sharedRead =
        products / shape *
        (double(plan.getN()) * plan.getK() * bitsB +
         (sharedA ? double(plan.getM()) * plan.getK() * bitsA : 0)) /
        8;
    if (auto every = op.getPromoteEvery()) {
      // A second accumulator, added to the first.
      facts.registers += static_cast<int64_t>(m * n / double(threads));
      work.threadCycles +=
          m * n * std::max(1.0, k / double(*every)) / device.rates.multiplyAdds;
    }
  } else if (traits.loadsOperandFragments) {
    work.tensorCycles = tensor / device.rates.mmaSyncPart;
    double warpsM = plan.getWarpsM(), warpsN = plan.getWarpsN();
    work.sharedRead = (sharedA ? m * k * warpsN * bitsA / 8 : 0) +
                      (sharedB ? n * k * warpsM * bitsB / 8 : 0);
    // Operands of two steps of k, 256 bits long, in each lane of a warp.
    double operands = 2 * (m / warpsM + n / warpsN) * 256 / (32.0 * 32.0);
    facts.registers += static_cast<int64_t>(operands);
  } else {
    work.threadCycles = products / device.rates.multiplyAdds;
    work.sharedRead = products / 4 * std::max(bitsA, bitsB) / 8 / 8;
    facts.registers += kBaseRegisters;
  }
  return facts;
}
