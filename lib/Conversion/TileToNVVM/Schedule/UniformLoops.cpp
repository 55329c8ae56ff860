//===- UniformLoops.cpp - loops around products, for ptxas ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block level is the same in all threads, but ptxas does not know it. wgmma
// takes its descriptors from uniform registers. Where ptxas cannot show that
// all lanes leave a loop together, it keeps what changes with the iteration in
// registers of each thread, and moves it over for every instruction. Memory
// and divisions are what it does not see through; a broadcast says it.
//
//===----------------------------------------------------------------------===//
#include "UniformLoops.h"
#include "Reduce/Exchange.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

bool tile::nvvm::usesWgmma(Region &region) {
  return region
      .walk([](GemmOp gemm) {
        const MmaTraits *traits = gemmTraits(gemm);
        bool isWgmma =
            traits && traits->completion == MmaCompletion::WarpgroupGroups;
        return isWgmma ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// What of a value of block level ptxas takes for different in each lane: what
/// comes from memory, from a division by a number of run time, or out of a
/// branch.
static void findSources(Value value, llvm::SetVector<Value> &sources) {
  Operation *op = value.getDefiningOp();
  // An argument, or what a loop carries; a broadcast, or a number of the block.
  if (!op || isa<NVVM::NVVMDialect>(op->getDialect()))
    return;
  bool divides =
      isa<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp,
          arith::CeilDivUIOp, arith::CeilDivSIOp, arith::FloorDivSIOp>(op) &&
      !matchPattern(op->getOperand(1), m_Constant());
  if (divides || op->getNumRegions() != 0 || !isPure(op)) {
    Type type = value.getType();
    if (type.isIndex() ||
        (type.isInteger() && type.getIntOrFloatBitWidth() <= 64))
      sources.insert(value);
    return;
  }
  for (Value operand : op->getOperands())
    findSources(operand, sources);
}

/// An integer or index as the first lane has it.
static Value broadcast(KernelLowering &lowering, Value value) {
  if (value.getType().isIndex())
    return lowering.toIndex(broadcast(lowering, lowering.toI64(value)));
  return shuffle(lowering, value, NVVM::ShflKind::idx, lowering.i32(0));
}

void tile::nvvm::keepLoopsUniform(KernelLowering &lowering) {
  llvm::SetVector<Value> sources;
  lowering.function.walk([&](scf::ForOp loop) {
    if (usesWgmma(loop.getRegion()))
      for (Value bound :
           {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
        findSources(bound, sources);
  });
  auto &b = lowering.builder;
  OpBuilder::InsertionGuard guard(b);
  for (Value source : sources) {
    b.setInsertionPointAfterValue(source);
    b.setLoc(source.getLoc());
    // Who uses it now: not the broadcast itself.
    auto uses = llvm::to_vector(llvm::make_pointer_range(source.getUses()));
    Value same = broadcast(lowering, source);
    for (OpOperand *use : uses)
      use->set(same);
  }
}
