//===- ClusterSharing.cpp - what the blocks of a cluster share ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Analysis/ClusterSharing.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mlir::tile;

ClusterSharing::ClusterSharing(KernelOp kernel) : kernel(kernel) {
  // Panels reorder the blocks of an ordinary launch one by one: the blocks of a
  // cluster are then anywhere. Persistent kernels reorder whole clusters.
  bool scattered = kernel.getPanel() && !kernel.getPersistent() &&
                   kernel.getClusterSize() > 1;
  for (unsigned d = 0; d < kernel.getGridRank(); ++d)
    varies.push_back(scattered ||
                     (kernel.getCluster() && (*kernel.getCluster())[d] > 1));
}

bool ClusterSharing::isUniform(Value value) { return !differs(value); }

/// A value differs when something it is computed from does. Loops make that
/// circular: what is being asked about counts as uniform meanwhile, and stays
/// so unless another way in is not.
bool ClusterSharing::differs(Value value) {
  auto [it, isNew] = known.try_emplace(value, false);
  if (!isNew)
    return it->second;
  bool result = false;
  auto any = [&](ValueRange values) {
    return llvm::any_of(values, [&](Value v) { return differs(v); });
  };
  auto enclosing = [&](Operation *op) {
    for (Operation *parent = op; parent && !isa<KernelOp>(parent);
         parent = parent->getParentOp())
      if (parent->getNumRegions() && any(parent->getOperands()))
        return true;
    return false;
  };
  auto yields = [&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (!block.empty() && block.back().hasTrait<OpTrait::IsTerminator>() &&
            any(block.back().getOperands()))
          return true;
    return false;
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (parent == kernel) {
      unsigned count = kernel.getNumKernelArguments();
      unsigned position = argument.getArgNumber();
      result = position >= count && varies[position - count];
    } else {
      // An induction variable or something carried: what the loop starts from,
      // how often it runs, and what it yields.
      result = enclosing(parent) || yields(parent);
    }
  } else {
    Operation *op = value.getDefiningOp();
    if (isa<BlockCoordinatesOp>(op))
      result = varies[cast<OpResult>(value).getResultNumber()];
    else if (op->getNumRegions())
      result = any(op->getOperands()) || yields(op);
    else
      // Memory is the same for all blocks, but for what one of them writes.
      result = any(op->getOperands()) ||
               (!isPure(op) && !hasSingleEffect<MemoryEffects::Read>(op));
  }
  known[value] = result;
  return result;
}

bool ClusterSharing::isRunAlike(Operation *op) {
  for (Operation *parent = op; !isa<KernelOp>(parent);
       parent = parent->getParentOp())
    if (parent->getNumRegions())
      for (Value operand : parent->getOperands())
        if (differs(operand))
          return false;
  return true;
}

bool ClusterSharing::copiesSame(TileMoveOpInterface copy) {
  // Whatever says what is copied: offsets, and global memory.
  return llvm::all_of(copy->getOperands(), [&](Value operand) {
    return operand == copy.getTarget() ||
           (isa<MemRefType>(operand.getType()) ? isGlobal(operand)
                                               : isUniform(operand));
  });
}
