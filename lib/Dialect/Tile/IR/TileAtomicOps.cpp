//===- TileAtomicOps.cpp - where blocks meet ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and effects of loads and stores with a memory order, and of the
// barrier of the grid.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Dialect/Tile/IR/Meeting.h"

using namespace mlir;
using namespace mlir::tile;

using EffectList =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

template <typename OpT>
static LogicalResult verifyAccess(OpT op, MemoryOrder strong,
                                  MemoryOrder other) {
  MemRefType type = op.getMemRefType();
  Value buffer = op.getMemref();
  Type element = type.getElementType();
  bool isWhole =
      element.isIntOrFloat() && (element.getIntOrFloatBitWidth() == 32 ||
                                 element.getIntOrFloatBitWidth() == 64);
  if (!isWhole || (!isGlobal(buffer) && !isShared(buffer)))
    return op.emitOpError() << "[atomic-access-1] expected an element of 32 or "
                               "64 bits in global or shared memory, got "
                            << type;
  if (static_cast<int64_t>(op.getIndices().size()) != type.getRank())
    return op.emitOpError() << "[atomic-access-1] expected " << type.getRank()
                            << " indices, got " << op.getIndices().size();
  if (op.getOrder() == other)
    return op.emitOpError()
           << "[atomic-access-2] expected relaxed, "
           << stringifyMemoryOrder(strong) << " or seq_cst, got "
           << stringifyMemoryOrder(op.getOrder());
  auto kernel = op->template getParentOfType<KernelOp>();
  if (kernel && !op->template getParentOfType<ParallelOp>())
    return op.emitOpError()
           << "[atomic-access-3] expected to stand inside `tile.parallel`: "
              "outside, values are the same for all threads";
  return success();
}

LogicalResult AtomicLoadOp::verify() {
  return verifyAccess(*this, MemoryOrder::Acquire, MemoryOrder::Release);
}
LogicalResult AtomicStoreOp::verify() {
  return verifyAccess(*this, MemoryOrder::Release, MemoryOrder::Acquire);
}

/// Both read and write, so that neither moves nor is merged with another: a
/// loop that waits for a value reads it again and again.
static void accessEffects(OpOperand &buffer, EffectList &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &buffer);
  effects.emplace_back(MemoryEffects::Write::get(), &buffer);
}
void AtomicLoadOp::getEffects(EffectList &effects) {
  accessEffects(getMemrefMutable(), effects);
}
void AtomicStoreOp::getEffects(EffectList &effects) {
  accessEffects(getMemrefMutable(), effects);
}

/// What is around `op` up to `kernel`, other than `scf` loops and conditions.
static Operation *findOtherParent(Operation *op, KernelOp kernel) {
  for (Operation *parent = op->getParentOp(); parent != kernel;
       parent = parent->getParentOp())
    if (!isa<scf::SCFDialect>(parent->getDialect()))
      return parent;
  return nullptr;
}

LogicalResult LastArrivalOp::verify() {
  auto type = cast<MemRefType>(getCounters().getType());
  Type element = type.getElementType();
  if (!isGlobal(getCounters()) ||
      (!element.isInteger(32) && !element.isInteger(64)))
    return emitOpError() << "[last-arrival-1] expected integers of 32 or 64 "
                            "bits in global memory, got "
                         << type;
  if (static_cast<int64_t>(getIndices().size()) != type.getRank())
    return emitOpError() << "[last-arrival-1] expected " << type.getRank()
                         << " indices, got " << getIndices().size();
  if (auto kernel = (*this)->getParentOfType<KernelOp>())
    if (Operation *parent = findOtherParent(*this, kernel);
        parent && !isa<TileAgentsOpInterface>(parent))
      return emitOpError() << "[last-arrival-2] expected to stand in the "
                              "kernel's body, or in `scf` loops and conditions "
                              "there, got '"
                           << parent->getName() << "' around it";
  return success();
}

/// Others' writes come before it, and reads of them after it; of the kernel's
/// own buffers it touches the counters only.
void LastArrivalOp::getEffects(EffectList &effects) {
  accessEffects(getCountersMutable(), effects);
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult GridBarrierOp::verify() {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (!kernel)
    return success();
  if (Operation *parent = findOtherParent(*this, kernel))
    return emitOpError() << "[grid-barrier-1] expected to stand in the "
                            "kernel's body, or in `scf` loops and conditions "
                            "there, got '"
                         << parent->getName() << "' around it";
  if (kernel.getPersistent())
    return emitOpError() << "[grid-barrier-2] expected a kernel without "
                            "`persistent`: a block that takes turns for "
                            "several would wait for itself; write the loop "
                            "over tiles in the kernel";
  if (kernel.getClusterSize() > 1)
    return emitOpError() << "[grid-barrier-2] expected a kernel without "
                            "clusters, got clusters of "
                         << kernel.getClusterSize() << " blocks";
  return success();
}

/// It orders everything around it.
void GridBarrierOp::getEffects(EffectList &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

bool tile::combinesInCluster(KernelOp kernel) {
  return kernel.walk([](ClusterReduceOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

bool tile::meetsInGrid(KernelOp kernel) {
  return kernel.walk([](GridBarrierOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

bool tile::blocksMeet(KernelOp kernel) {
  return kernel
      .walk([](Operation *op) {
        bool repeats = isa<AtomicLoadOp>(op) &&
                       isGlobal(cast<AtomicLoadOp>(op).getMemref()) &&
                       op->getParentOfType<scf::WhileOp>();
        return repeats || isa<GridBarrierOp>(op) ? WalkResult::interrupt()
                                                 : WalkResult::advance();
      })
      .wasInterrupted();
}
