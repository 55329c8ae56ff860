//===- Aliasing.cpp - which buffers are the same memory, who writes them --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Dialect/Tile/IR/Aliasing.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Tokens.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// The same memory
//===----------------------------------------------------------------------===//

Value tile::getBaseBuffer(Value buffer) {
  while (auto result = dyn_cast<OpResult>(buffer)) {
    Operation *op = result.getOwner();
    if (auto view = dyn_cast<ViewLikeOpInterface>(op);
        view && view.getViewDest() == buffer)
      buffer = view.getViewSource();
    else if (Value ring = ringOf(buffer))
      return ring;
    else
      break;
  }
  return buffer;
}

Value tile::getViewedTile(Value buffer) {
  while (Value source = getTileViewSource(buffer.getDefiningOp()))
    buffer = source;
  return buffer;
}

/// Memory that did not exist before the defining operation, or that is nobody
/// else's.
static bool isAllocation(Value base) {
  return allocationOf(base) || isa<RingType>(base.getType()) ||
         base.getDefiningOp<WorkspaceOp>();
}

/// The argument of the kernel, a table, whose number the address of `base` is;
/// null for other memory.
static BlockArgument tableOf(Value base) {
  auto memory = base.getDefiningOp<FromAddressOp>();
  auto load = memory ? memory.getAddress().getDefiningOp<memref::LoadOp>()
                     : memref::LoadOp();
  if (!load)
    return {};
  auto table = dyn_cast<BlockArgument>(getBaseBuffer(load.getMemRef()));
  return table && getKernelOfArgument(table) ? table : BlockArgument();
}

bool tile::mayAlias(Value a, Value b) {
  a = getBaseBuffer(a);
  b = getBaseBuffer(b);
  if (a == b)
    return true;
  auto spaceOf = [](Value base) {
    return isa<RingType>(base.getType()) ? MemorySpace::Shared
                                         : getMemorySpace(base);
  };
  MemorySpace spaceA = spaceOf(a), spaceB = spaceOf(b);
  if (spaceA != MemorySpace::Unknown && spaceB != MemorySpace::Unknown &&
      spaceA != spaceB)
    return false;
  if (isAllocation(a) && isAllocation(b))
    return false;
  KernelOp kernelA = getKernelOfArgument(a), kernelB = getKernelOfArgument(b);
  // Promised of memory at an address, unless the argument says otherwise.
  for (auto [kernel, argument, other] :
       {std::tuple(kernelA, a, b), std::tuple(kernelB, b, a)})
    if (kernel && other.getDefiningOp<FromAddressOp>())
      return kernel.mayAlias(cast<BlockArgument>(argument).getArgNumber());
  if (kernelA && kernelB)
    return kernelA.mayAlias(cast<BlockArgument>(a).getArgNumber()) &&
           kernelB.mayAlias(cast<BlockArgument>(b).getArgNumber());
  // Promised of what two tables point to.
  if (BlockArgument tableA = tableOf(a), tableB = tableOf(b);
      tableA && tableB && tableA != tableB)
    return getKernelOfArgument(tableA).mayAlias(tableA.getArgNumber()) &&
           getKernelOfArgument(tableB).mayAlias(tableB.getArgNumber());
  // A kernel argument is older than any allocation of the kernel.
  return !((kernelA && isAllocation(b)) || (kernelB && isAllocation(a)));
}

//===----------------------------------------------------------------------===//
// Reads and writes
//===----------------------------------------------------------------------===//

/// Whether an operation that was issued before `await` may read the buffer, or
/// write it, until there.
static bool awaitsAccess(Operation *await, Value buffer, bool isWrite) {
  SmallVector<Operation *> issues;
  if (collectIssues(await, issues))
    return true;
  return llvm::any_of(issues, [&](Operation *issue) {
    SmallVector<TileAccess> accesses;
    cast<TileOpInterface>(issue).getAccesses(accesses);
    return llvm::any_of(accesses, [&](const TileAccess &access) {
      return (access.isAtomic || access.isWrite == isWrite) &&
             mayAlias(access.buffer, buffer);
    });
  });
}

/// Whether an effect is a read, or a write.
static bool isOne(MemoryEffects::Effect *effect, bool isWrite) {
  return isWrite ? isa<MemoryEffects::Write, MemoryEffects::Free>(effect)
                 : isa<MemoryEffects::Read>(effect);
}

/// Whether `op` may do it, what its regions hold aside.
static bool accessesItself(Operation *op, Value buffer, bool isWrite) {
  if (!awaitedBy(op).empty())
    return awaitsAccess(op, buffer, isWrite);
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return op->getNumRegions() == 0 && !isMemoryEffectFree(op);
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  return llvm::any_of(
      effects, [&](const MemoryEffects::EffectInstance &effect) {
        if (!isOne(effect.getEffect(), isWrite))
          return false;
        // Operations of the dialect name each buffer that they touch; what else
        // they have an effect on is the order of others.
        Value touched = effect.getValue();
        if (!touched)
          return !isa<TileDialect>(op->getDialect());
        return !isa<MemRefType>(touched.getType()) || mayAlias(touched, buffer);
      });
}

static bool mayAccess(Operation *root, Value buffer, bool isWrite) {
  return root
      ->walk([&](Operation *op) {
        return accessesItself(op, buffer, isWrite) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
      })
      .wasInterrupted();
}

bool tile::mayWrite(Operation *root, Value buffer) {
  return mayAccess(root, buffer, /*isWrite=*/true);
}
bool tile::mayRead(Operation *root, Value buffer) {
  return mayAccess(root, buffer, /*isWrite=*/false);
}
