//===- ForwardStores.cpp - values that an iteration stores and reads ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs before layouts. An iteration of a parallel loop that stores an element
// and reads it again has the value in a register: `s[i] = v; f[i] = s[i] + 1`.
// The load gives way to the value. Without it, threads that repeat an iteration
// because they all hold the fragment `f` would read what only one of them
// stores.
//
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tile/Dialect/Tile/IR/Aliasing.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"

namespace mlir::tile {
#define GEN_PASS_DEF_FORWARDSTORESPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Whether nothing in `op` can change the buffer, and no other thread can have
/// changed it behind `op`: no barrier, no atomic, no loop that might wait.
static bool leavesAsItIs(Operation *op, Value buffer) {
  if (isa<memref::LoadOp>(op) || isMemoryEffectFree(op))
    return true;
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return !mayAlias(store.getMemRef(), buffer);
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch)
    return false;
  return llvm::all_of(branch->getRegions(), [&](Region &way) {
    return llvm::all_of(way.getOps(), [&](Operation &inner) {
      return leavesAsItIs(&inner, buffer);
    });
  });
}

/// The value that `load` reads: that of a store of the same element before it,
/// in its block or before a branch around it. Null where there is none, or
/// where the element may have changed since.
static Value storedValue(memref::LoadOp load) {
  Operation *at = load;
  while (true) {
    for (Operation *op = at->getPrevNode(); op; op = op->getPrevNode()) {
      auto store = dyn_cast<memref::StoreOp>(op);
      if (store && store.getMemRef() == load.getMemRef() &&
          llvm::equal(store.getIndices(), load.getIndices()))
        return store.getValueToStore();
      if (!leavesAsItIs(op, load.getMemRef()))
        return {};
    }
    at = at->getParentOp();
    if (!isa<scf::IfOp>(at))
      return {};
  }
}

namespace {
struct ForwardStoresPass
    : tile::impl::ForwardStoresPassBase<ForwardStoresPass> {
  using ForwardStoresPassBase::ForwardStoresPassBase;

  void runOnOperation() override {
    getOperation().walk([&](ParallelOp loop) {
      loop.getBodyRegion().walk([&](memref::LoadOp load) {
        if (isFragment(load.getMemRef()))
          return;
        if (Value value = storedValue(load)) {
          load.replaceAllUsesWith(value);
          load.erase();
          ++numForwarded;
        }
      });
    });
  }
};
} // namespace
