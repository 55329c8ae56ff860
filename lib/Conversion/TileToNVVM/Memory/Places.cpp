//===- Places.cpp - places of elements across loops -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Places.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tile/Analysis/RegisterPressure.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Target/ThreadBudget.h"

using namespace mlir;
using namespace mlir::tile;

/// At two registers for each address, half of what a thread has.
static constexpr int64_t kManyAccesses = 48;

/// Whether a loop stands in `outer` that `op` is not part of.
static bool hasLoopBeside(LoopLikeOpInterface outer, Operation *op) {
  return outer
      ->walk([&](LoopLikeOpInterface inner) {
        bool isBeside = inner != outer && !inner->isAncestor(op);
        return isBeside ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool tile::nvvm::standsBesideLoop(Operation *op) {
  for (auto outer = op->getParentOfType<LoopLikeOpInterface>(); outer;
       outer = outer->getParentOfType<LoopLikeOpInterface>())
    if (hasLoopBeside(outer, op))
      return true;
  return false;
}

bool tile::nvvm::hasManyAddresses(Operation *op, Value buffer,
                                  int64_t accesses) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  return accesses >= kManyAccesses &&
         op->getParentOfType<LoopLikeOpInterface>() &&
         succeeded(type.getStridesAndOffset(strides, offset)) &&
         llvm::all_of(strides, ShapedType::isDynamic);
}

/// The registers of a thread that executes `op`: its role's, if it has some.
static int64_t registersAt(Operation *op, KernelOp kernel,
                           const TargetInfo &target) {
  for (Region *region = op->getParentRegion();
       region != &kernel.getBodyRegion(); region = region->getParentRegion())
    if (auto agents = dyn_cast<TileAgentsOpInterface>(region->getParentOp()))
      if (int64_t own = agents.getRegistersOfAgent(region->getRegionNumber()))
        return own;
  return ThreadBudget(target).share(kernel.getThreads());
}

bool tile::nvvm::leavesFewRegisters(KernelOp kernel, const TargetInfo &target) {
  bool readsShared = false;
  kernel.walk([&](GemmOp gemm) {
    readsShared |= gemm.getPlan() && traitsOf(gemm).loadsOperandFragments &&
                   (isShared(gemm.getA()) || isShared(gemm.getB()));
  });
  std::optional<RegisterPeak> peak = findRegisterPeak(kernel, target);
  return readsShared && peak &&
         peak->registers() + kRegistersForPlaces >
             registersAt(peak->op, kernel, target);
}
