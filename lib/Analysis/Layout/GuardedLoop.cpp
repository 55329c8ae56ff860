//===- GuardedLoop.cpp - loops that a warp may skip -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/Analysis/GuardedLoop.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tile/Dialect/Tile/IR/LayoutConstraints.h"
#include <set>

using namespace mlir;
using namespace mlir::tile;

bool tile::paysForGuard(int64_t registers, int64_t conditions) {
  constexpr int64_t kRegistersOfACondition = 8;
  return conditions * kRegistersOfACondition <= registers;
}

/// Adds what computes `value` in the loop's body to `slice`, operands first.
/// False where it depends on the iteration otherwise than through fragments.
static bool collect(Value value, Block &body,
                    llvm::SmallSetVector<Operation *, 8> &slice) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return cast<BlockArgument>(value).getOwner() != &body;
  if (op->getBlock() != &body)
    return true;
  if (slice.contains(op))
    return true;
  auto load = dyn_cast<memref::LoadOp>(op);
  if (load ? !isFragment(load.getMemRef())
           : op->getNumRegions() != 0 || !isPure(op))
    return false;
  if (!load)
    for (Value operand : op->getOperands())
      if (!collect(operand, body, slice))
        return false;
  slice.insert(op);
  return true;
}

std::optional<LoopGuard> tile::findGuard(ParallelOp loop,
                                         const FragmentLayout &layout) {
  Block &body = loop.getBodyRegion().front();
  // Where iterations lie beyond the loop, conditions would be of elements that
  // nobody wrote.
  if (layout.overshoots())
    return std::nullopt;
  LoopGuard guard;
  for (Operation &op : body.without_terminator()) {
    auto branch = dyn_cast<scf::IfOp>(op);
    if (branch && !guard.branch && !branch.getNumResults() &&
        !branch.elseBlock()) {
      guard.branch = branch;
      continue;
    }
    auto load = dyn_cast<memref::LoadOp>(op);
    bool isRead = load && isFragment(load.getMemRef());
    if (guard.branch || (!isRead && (op.getNumRegions() || !isPure(&op))))
      return std::nullopt;
  }
  llvm::SmallSetVector<Operation *, 8> slice;
  if (!guard.branch || !collect(guard.branch.getCondition(), body, slice))
    return std::nullopt;
  guard.slice = slice.takeVector();
  llvm::sort(guard.slice,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });

  // The elements that the condition of a register reads.
  SmallVector<LoopIndex> indices;
  for (Operation *op : guard.slice)
    if (auto load = dyn_cast<memref::LoadOp>(op))
      for (Value index : load.getIndices())
        indices.push_back(analyzeLoopIndex(index, body.getArguments()));
  if (llvm::any_of(indices, [](const LoopIndex &index) {
        return index.isIrregular || index.hasUniform();
      }))
    return std::nullopt;
  std::set<SmallVector<int64_t>> seen;
  for (int64_t reg = 0, e = layout.numRegisters(); reg < e; ++reg) {
    SmallVector<int64_t> own = layout.axisCoordinates(Axis::Register, reg);
    SmallVector<int64_t> read;
    for (const LoopIndex &index : indices)
      read.push_back(index.evaluate(own));
    if (seen.insert(read).second)
      guard.registers.push_back(reg);
  }
  if (!paysForGuard(layout.numRegisters(), guard.registers.size()))
    return std::nullopt;
  return guard;
}
