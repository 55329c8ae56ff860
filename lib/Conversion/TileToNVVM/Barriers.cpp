//===- Barriers.cpp - block barriers where accesses need them -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tile operations run on all threads of a block, in order per thread only. A
// barrier is needed between two operations that touch the same bytes of shared
// or global memory when one of them writes. This walk keeps the accesses made
// since the last barrier and inserts one before the first operation that
// conflicts; between operations that deal a tile out alike among groups of
// warps, one for each group. Rings order their own slots; their waits are
// barriers. Where bytes are read through the async proxy (wgmma, tcgen05, bulk
// stores), those who wrote them otherwise fence before they meet (PTX ISA,
// "Async proxy").
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
  bool isAsyncProxy = false; // by TMA
  /// The division among groups of warps, each in its own part; null for none.
  DenseI64ArrayAttr groups;

  bool operator==(const Access &o) const {
    return buffer == o.buffer && ring == o.ring && isWrite == o.isWrite &&
           isAtomic == o.isAtomic && isAsync == o.isAsync && groups == o.groups;
  }
};
struct State {
  SmallVector<Access, 8> pending;
  /// Something that the async proxy reads was written, and not fenced since.
  bool unfenced = false;
};

class BarrierInserter {
public:
  BarrierInserter(KernelOp kernel, const SharedArena &arena)
      : kernel(kernel), arena(arena) {}

  void run() {
    kernel.getBodyRegion().walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (tile::isShared(operand) && readsThroughAsyncProxy(op, operand))
          asyncReads.push_back(arena.range(operand));
    });
    State state;
    simulate(kernel.getBodyRegion().front(), state, /*insert=*/true);
  }

private:
  void simulate(Block &block, State &state, bool insert) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      SmallVector<Access> accesses = accessesOf(&op);
      if (DenseI64ArrayAttr groups = groupsThatMeet(state, accesses)) {
        meetInGroups(&op, state, groups, insert);
      } else if (conflicts(state, accesses) || isBetterBefore(&op, state)) {
        meet(&op, state, insert);
        state = State();
      }
      for (Access &access : accesses) {
        // A ring's wait fences what its own producers wrote; copies in flight
        // are fenced where they are waited for.
        if (access.isShared && access.isWrite && !access.ring &&
            !access.isAsync && !access.isAsyncProxy && isAsyncRead(access))
          state.unfenced = true;
        if (!llvm::is_contained(state.pending, access))
          state.pending.push_back(access);
      }
      if (isBarrier(&op)) {
        if (state.unfenced) {
          ++inserted;
          OpBuilder builder(&op);
          if (insert)
            emitFence(builder, op.getLoc());
        }
        state.unfenced = false;
        int64_t groups = 1;
        if (auto await = dyn_cast<AwaitOp>(op))
          groups = await.getGroups().value_or(1);
        llvm::erase_if(state.pending, [&](const Access &a) {
          return !a.isAsync && (groups == 1 || isOfGroups(a, groups));
        });
      }
      if (auto roles = dyn_cast<WarpSpecializeOp>(op)) {
        simulateRoles(roles, state, insert);
        continue;
      }
      if (!isa<TileOpInterface>(op))
        for (Region &region : op.getRegions())
          simulateRegion(&op, region, state, insert);
    }
  }

  /// A barrier before `op`, with everything that has to precede it.
  void meet(Operation *op, const State &state, bool insert) {
    ++inserted;
    if (!insert)
      return;
    OpBuilder builder(op);
    bool fence = state.unfenced;
    if (llvm::any_of(state.pending,
                     [](const Access &a) { return a.isAsync; })) {
      NVVM::CpAsyncCommitGroupOp::create(builder, op->getLoc());
      NVVM::CpAsyncWaitGroupOp::create(builder, op->getLoc(), 0);
      fence |= llvm::any_of(state.pending, [&](const Access &access) {
        return access.isAsync && isAsyncRead(access);
      });
    }
    if (fence)
      emitFence(builder, op->getLoc());
    gpu::BarrierOp::create(builder, op->getLoc());
  }

  static bool isOfGroups(const Access &access, int64_t groups) {
    int64_t count = 1;
    if (access.groups)
      for (int64_t part : access.groups.asArrayRef())
        count *= part;
    return count == groups;
  }

  /// The division that all conflicts between what is pending and what comes
  /// stay inside the parts of; null where there is none, or no conflict.
  DenseI64ArrayAttr groupsThatMeet(const State &state,
                                   ArrayRef<Access> accesses) {
    DenseI64ArrayAttr groups;
    for (const Access &before : state.pending)
      for (const Access &now : accesses) {
        if (!conflict(before, now))
          continue;
        if (!now.groups || before.groups != now.groups ||
            before.buffer != now.buffer || before.isAsync)
          return {};
        groups = now.groups;
      }
    return groups;
  }

  /// A barrier of each group of warps on its own: what others have pending
  /// stays pending. The fence covers all that its thread has written.
  void meetInGroups(Operation *op, State &state, DenseI64ArrayAttr groups,
                    bool insert) {
    ++inserted;
    int64_t count = 1;
    for (int64_t part : groups.asArrayRef())
      count *= part;
    if (insert) {
      OpBuilder builder(op);
      if (state.unfenced)
        emitFence(builder, op->getLoc());
      auto barrier = gpu::BarrierOp::create(builder, op->getLoc());
      barrier->setAttr(kBarrierGroups, builder.getI64IntegerAttr(count));
    }
    state.unfenced = false;
    llvm::erase_if(state.pending,
                   [&](const Access &a) { return a.groups == groups; });
  }

  /// Whether a barrier before a loop saves one (or a fence) in each iteration:
  /// what is pending from before would meet the first iteration's accesses.
  bool isBetterBefore(Operation *op, const State &state) {
    if (state.pending.empty() || !isa<LoopLikeOpInterface>(op) ||
        isa<TileOpInterface>(op))
      return false;
    SmallVector<Access> inside;
    op->walk([&](Operation *inner) {
      llvm::append_range(inside, accessesOf(inner));
    });
    return conflicts(state, inside) &&
           insertedInside(op, state) > insertedInside(op, State());
  }

  /// Barriers and fences in the body of a loop that starts from `state`.
  int64_t insertedInside(Operation *op, State state) {
    int64_t before = inserted;
    for (Region &region : op->getRegions())
      simulateRegion(op, region, state, /*insert=*/false);
    int64_t result = inserted - before;
    inserted = before;
    return result;
  }

  /// Operations whose lowering makes all threads of the agent meet.
  static bool isBarrier(Operation *op) {
    if (auto wait = dyn_cast<RingWaitOp>(op))
      return !wait.getAgain() && !wait.getRing().getType().usesMbarriers();
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
      int64_t before = inserted;
      for (Block &block : region)
        simulate(block, around, /*insert=*/false);
      inserted = before;
      merge(entry, around);
    }
    for (Block &block : region)
      simulate(block, entry, insert);
    merge(state, entry);
  }

  static void merge(State &into, const State &from) {
    into.unfenced |= from.unfenced;
    for (const Access &access : from.pending)
      if (!llvm::is_contained(into.pending, access))
        into.pending.push_back(access);
  }

  static void emitFence(OpBuilder &builder, Location loc) {
    MLIRContext *context = builder.getContext();
    NVVM::FenceProxyOp::create(
        builder, loc,
        NVVM::ProxyKindAttr::get(context, NVVM::ProxyKind::async_shared),
        NVVM::SharedSpaceAttr::get(context, NVVM::SharedSpace::shared_cta));
  }

  /// Whether the async proxy reads bytes of an access anywhere in the kernel.
  bool isAsyncRead(const Access &access) {
    return llvm::any_of(asyncReads, [&](std::pair<int64_t, int64_t> range) {
      return range.first < access.range.second &&
             access.range.first < range.second;
    });
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
      auto copy = dyn_cast<TileMoveOpInterface>(op);
      for (const TileAccess &access : accesses) {
        add(access.buffer, access.isWrite, access.isAtomic);
        // Of global memory, too, a group moves a part of its own.
        if (copy && !result.empty() && result.back().buffer == access.buffer)
          result.back().groups = copy.getGroupsAttr();
        if (copy && access.isWrite && tile::isShared(access.buffer) &&
            !result.back().ring && copy.getPlanAttr() &&
            copy.getPlanAttr().getInstruction() == CopyInstruction::CpAsync)
          result.back().isAsync = true;
        if (copy && access.isWrite && tile::isShared(access.buffer) &&
            copy.isMovedByProxy())
          result.back().isAsyncProxy = true;
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

  bool conflict(const Access &before, const Access &now) {
    return (before.isWrite || now.isWrite) &&
           !(before.isAtomic && now.isAtomic) && overlap(before, now);
  }

  bool conflicts(const State &state, ArrayRef<Access> accesses) {
    return llvm::any_of(state.pending, [&](const Access &before) {
      return llvm::any_of(
          accesses, [&](const Access &now) { return conflict(before, now); });
    });
  }

  KernelOp kernel;
  const SharedArena &arena;
  /// Barriers and fences so far, those of trial runs included.
  int64_t inserted = 0;
  /// Bytes that the async proxy reads somewhere.
  SmallVector<std::pair<int64_t, int64_t>> asyncReads;
};
} // namespace

bool tile::nvvm::readsThroughAsyncProxy(Operation *op, Value buffer) {
  if (auto gemm = dyn_cast<GemmOp>(op))
    return gemm.getPlan() &&
           (gemm.getPlan()->getInstruction() == MmaInstruction::Wgmma ||
            gemm.getPlan()->getInstruction() == MmaInstruction::Tcgen05);
  auto move = dyn_cast<TileMoveOpInterface>(op);
  return move && move.getSource() == buffer && move.isMovedByProxy();
}

void tile::nvvm::insertBarriers(KernelOp kernel, const SharedArena &arena) {
  BarrierInserter(kernel, arena).run();
}
