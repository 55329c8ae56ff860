//===- ClusterSharing.cpp - what the blocks of a cluster share ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Analysis/ClusterSharing.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tile/Dialect/Tile/IR/Surroundings.h"

using namespace mlir;
using namespace mlir::tile;

/// Beside the dimensions: not followed to its end.
static constexpr ClusterDims kGuess = ClusterDims(1) << 31;

ClusterSharing::ClusterSharing(KernelOp kernel)
    : kernel(kernel), groups(kernel) {
  // Panels reorder whole clusters.
  for (unsigned d = 0; d < kernel.getGridRank(); ++d)
    indices.push_back(groups.all() & ClusterDims(1) << d);
}

ClusterDims ClusterSharing::variesWith(Value value) {
  return find(value) & ~kGuess;
}

bool ClusterSharing::isGuess(Value value) { return find(value) & kGuess; }

/// A value varies with everything that its operands vary with. Loops make this
/// circular: the analysis runs in rounds, starts from nothing, and ends with
/// the first round that adds nothing.
ClusterDims ClusterSharing::find(Value value) {
  do {
    changed = false;
    visited.clear();
    visit(value);
  } while (changed);
  settled.insert(visited.begin(), visited.end());
  return known.lookup(value);
}

ClusterDims ClusterSharing::visit(Value value) {
  if (settled.contains(value) || !visited.insert(value).second)
    return known.lookup(value);
  ClusterDims found = compute(value);
  ClusterDims &entry = known[value];
  changed |= found != entry;
  return entry = found;
}

ClusterDims ClusterSharing::visitAll(ValueRange values) {
  ClusterDims dims = 0;
  for (Value value : values)
    dims |= visit(value);
  return dims;
}

ClusterDims ClusterSharing::compute(Value value) {
  auto yields = [&](Operation *op) {
    ClusterDims dims = 0;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (!block.empty() && block.back().hasTrait<OpTrait::IsTerminator>())
          dims |= visitAll(block.back().getOperands());
    return dims;
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (owner == kernel) {
      unsigned count = kernel.getNumKernelArguments();
      unsigned position = argument.getArgNumber() - count;
      bool isIndex = argument.getArgNumber() >= count;
      return isIndex && position < indices.size() ? indices[position] : 0;
    }
    // An induction variable or a carried value varies with the start of the
    // loop, its number of iterations, and the values that it yields.
    ClusterDims dims = yields(owner);
    dims |= visitAll(owner->getOperands());
    for (Operation *parent : getEnclosingOps(owner))
      if (parent->getNumRegions())
        dims |= visitAll(parent->getOperands());
    return dims ? dims | kGuess : 0;
  }
  Operation *op = value.getDefiningOp();
  if (std::optional<unsigned> dim = blockCoordinate(value))
    return indices[*dim];
  ClusterDims dims = visitAll(op->getOperands());
  if (op->getNumRegions()) {
    dims |= yields(op);
    return dims ? dims | kGuess : 0;
  }
  // Memory is the same for all blocks, but for what one of them writes.
  if (!isMemoryEffectFree(op) && !hasSingleEffect<MemoryEffects::Read>(op))
    dims |= groups.all() | kGuess;
  return dims;
}

ClusterDims ClusterSharing::runsAlikeAlong(Operation *op) {
  ClusterDims varies = 0;
  SmallVector<Operation *> around = getEnclosingOps(op);
  around.push_back(op);
  for (Operation *parent : around)
    if (parent->getNumRegions())
      for (Value operand : parent->getOperands())
        varies |= variesWith(operand);
  return groups.all() & ~varies;
}

/// What lies in a block's own memory is its own.
static bool isOwnMemory(Value operand) {
  return isa<MemRefType>(operand.getType()) && !isGlobal(operand);
}

ClusterDims ClusterSharing::copiesSameAlong(TileMoveOpInterface copy) {
  ClusterDims varies = 0;
  for (Value operand : copy->getOperands()) {
    if (operand == copy.getTarget())
      continue;
    if (isOwnMemory(operand))
      return 0;
    varies |= variesWith(operand);
  }
  return groups.all() & ~varies;
}

bool ClusterSharing::copiesDiffer(TileMoveOpInterface copy, ClusterDims dims) {
  return llvm::any_of(copy->getOperands(), [&](Value operand) {
    return operand != copy.getTarget() && !isOwnMemory(operand) &&
           !isGuess(operand) && (variesWith(operand) & dims);
  });
}
