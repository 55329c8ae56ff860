//===- Barriers.cpp - block barriers where accesses need them -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tile operations run on all threads of a block, in order per thread only. A
// barrier is needed between two operations that touch the same bytes of shared
// or global memory when one of them writes. This walk keeps the accesses made
// since the last barrier and inserts one before the first operation that
// conflicts. Rings order their own slots; their waits are barriers.
//
//===----------------------------------------------------------------------===//
#include "Lowering.h"
#include "Tokens.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

namespace {
struct Access {
  Value buffer;
  Operation *ring = nullptr; // the ring a view belongs to
  std::pair<int64_t, int64_t> range;
  bool isShared = false, isWrite = false, isAtomic = false;
  bool isAsync = false; // by cp.async outside a ring: complete at a wait only

  bool operator==(const Access &o) const {
    return buffer == o.buffer && ring == o.ring && isWrite == o.isWrite &&
           isAtomic == o.isAtomic && isAsync == o.isAsync;
  }
};
using State = SmallVector<Access, 8>;

class BarrierInserter {
public:
  BarrierInserter(KernelOp kernel, const SharedArena &arena)
      : kernel(kernel), arena(arena) {}

  void run() {
    State state;
    simulate(kernel.getBodyRegion().front(), state, /*insert=*/true);
  }

private:
  void simulate(Block &block, State &state, bool insert) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      SmallVector<Access> accesses = accessesOf(&op);
      if (conflicts(state, accesses)) {
        if (insert) {
          OpBuilder builder(&op);
          if (llvm::any_of(state, [](const Access &a) { return a.isAsync; })) {
            NVVM::CpAsyncCommitGroupOp::create(builder, op.getLoc());
            NVVM::CpAsyncWaitGroupOp::create(builder, op.getLoc(), 0);
          }
          gpu::BarrierOp::create(builder, op.getLoc());
        }
        state.clear();
      }
      for (Access &access : accesses)
        if (!llvm::is_contained(state, access))
          state.push_back(access);
      if (isBarrier(&op))
        llvm::erase_if(state, [](const Access &a) { return !a.isAsync; });
      if (auto roles = dyn_cast<WarpSpecializeOp>(op)) {
        simulateRoles(roles, state, insert);
        continue;
      }
      if (!isa<TileOpInterface>(op))
        for (Region &region : op.getRegions())
          simulateRegion(&op, region, state, insert);
    }
  }

  /// Operations whose lowering makes all threads of the agent meet.
  static bool isBarrier(Operation *op) {
    if (auto wait = dyn_cast<RingWaitOp>(op))
      return !wait.getRing().getType().usesMbarriers();
    if (auto drain = dyn_cast<RingDrainOp>(op))
      return !drain.getRing().getType().usesMbarriers() ||
             !op->getParentOfType<WarpSpecializeOp>();
    if (auto await = dyn_cast<AwaitOp>(op))
      return awaitsCopies(await);
    return isa<gpu::BarrierOp>(op);
  }

  /// Roles meet in rings only: each starts from what was pending before all.
  void simulateRoles(WarpSpecializeOp roles, State &state, bool insert) {
    const State entry = state;
    for (Region &role : roles.getRoles()) {
      State own = entry;
      for (Block &block : role)
        simulate(block, own, insert);
      merge(state, own);
    }
  }

  void simulateRegion(Operation *op, Region &region, State &state,
                      bool insert) {
    if (region.empty())
      return;
    State entry = state;
    if (isa<LoopLikeOpInterface>(op)) {
      // What the end of an iteration leaves pending meets the next one.
      State around = state;
      for (Block &block : region)
        simulate(block, around, /*insert=*/false);
      merge(entry, around);
    }
    for (Block &block : region)
      simulate(block, entry, insert);
    merge(state, entry);
  }

  static void merge(State &into, const State &from) {
    for (const Access &access : from)
      if (!llvm::is_contained(into, access))
        into.push_back(access);
  }

  Access describe(Value buffer, bool isWrite, bool isAtomic) {
    Access access;
    access.buffer = buffer;
    access.isWrite = isWrite;
    access.isAtomic = isAtomic;
    access.isShared = tile::isShared(buffer);
    if (access.isShared)
      access.range = arena.range(buffer);
    if (Operation *owner = buffer.getDefiningOp())
      if (isa<RingAcquireOp, RingWaitOp>(owner))
        access.ring = owner->getOperand(0).getDefiningOp();
    return access;
  }

  SmallVector<Access> accessesOf(Operation *op) {
    SmallVector<Access> result;
    auto add = [&](Value buffer, bool isWrite, bool isAtomic) {
      if (tile::isShared(buffer) || isGlobal(buffer))
        result.push_back(describe(buffer, isWrite, isAtomic));
    };
    if (auto tileOp = dyn_cast<TileOpInterface>(op)) {
      SmallVector<TileAccess> accesses;
      tileOp.getAccesses(accesses);
      auto copy = dyn_cast<CopyOp>(op);
      for (const TileAccess &access : accesses) {
        add(access.buffer, access.isWrite, access.isAtomic);
        if (copy && access.isWrite && tile::isShared(access.buffer) &&
            !result.back().ring && copy.getPlan() &&
            copy.getPlan()->getInstruction() == CopyInstruction::CpAsync)
          result.back().isAsync = true;
      }
    } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
      add(load.getMemRef(), false, false);
    } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
      add(store.getMemRef(), true, false);
    } else if (auto rmw = dyn_cast<memref::AtomicRMWOp>(op)) {
      add(rmw.getMemref(), true, true);
    }
    return result;
  }

  bool overlap(const Access &a, const Access &b) {
    if (a.isShared != b.isShared)
      return false;
    if (a.isShared) {
      if (a.ring && a.ring == b.ring)
        return false;
      return a.range.first < b.range.second && b.range.first < a.range.second;
    }
    if (a.buffer == b.buffer)
      return true;
    auto mayAlias = [&](Value buffer) {
      auto argument = dyn_cast<BlockArgument>(buffer);
      return argument && kernel.mayAlias(argument.getArgNumber());
    };
    return mayAlias(a.buffer) && mayAlias(b.buffer);
  }

  bool conflicts(const State &state, ArrayRef<Access> accesses) {
    for (const Access &before : state)
      for (const Access &now : accesses)
        if ((before.isWrite || now.isWrite) &&
            !(before.isAtomic && now.isAtomic) && overlap(before, now))
          return true;
    return false;
  }

  KernelOp kernel;
  const SharedArena &arena;
};
} // namespace

void tile::nvvm::insertBarriers(KernelOp kernel, const SharedArena &arena) {
  BarrierInserter(kernel, arena).run();
}
