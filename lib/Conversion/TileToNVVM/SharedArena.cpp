//===- SharedArena.cpp - places shared buffers by liveness ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One arena per kernel in dynamic shared memory. Buffers that are never alive
// together share bytes; barriers (Barriers.cpp) order their reuse.
//
//===----------------------------------------------------------------------===//
#include "Lowering.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

namespace {
struct Buffer {
  Operation *owner;
  int64_t bytes, alignment;
  int64_t first, last; // positions in program order, inclusive
};
} // namespace

/// Where the asynchronous proxy reads and writes shared memory (PTX ISA,
/// "cp.async.bulk.tensor").
static constexpr int64_t kProxyAlignment = 128;

/// Alignment of a buffer, which tensor or bulk copies may fill or empty.
static int64_t alignmentOf(const SharedLayout &layout, bool isCopiedByProxy) {
  return std::max(layout.alignment(), isCopiedByProxy ? kProxyAlignment : 1);
}

static bool isCopiedByProxy(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [](Operation *user) {
    auto move = dyn_cast<TileMoveOpInterface>(user);
    return move && move.isMovedByProxy();
  });
}

static bool isCopiedByProxy(RingCreateOp ring) {
  if (ring.getRing().getType().getProducer() == RingSide::Tma)
    return true;
  return llvm::any_of(ring->getUsers(), [](Operation *user) {
    return llvm::any_of(user->getResults(),
                        [](Value view) { return isCopiedByProxy(view); });
  });
}

SmallVector<int64_t> tile::nvvm::ringBufferOffsets(RingCreateOp ring,
                                                   int64_t &stageBytes) {
  SmallVector<int64_t> offsets;
  stageBytes = 0;
  int64_t alignment = 16;
  for (Attribute attr : ring.getLayoutsAttr()) {
    SharedLayout layout = cast<SharedLayoutAttr>(attr).getLayout();
    int64_t own = alignmentOf(layout, isCopiedByProxy(ring));
    alignment = std::max(alignment, own);
    stageBytes = llvm::alignTo(stageBytes, own);
    offsets.push_back(stageBytes);
    stageBytes += layout.sizeInBytes();
  }
  stageBytes = llvm::alignTo(stageBytes, alignment);
  return offsets;
}

static int64_t ringAlignment(RingCreateOp ring) {
  int64_t alignment = 16;
  for (Attribute attr : ring.getLayoutsAttr())
    alignment = std::max(alignment,
                         alignmentOf(cast<SharedLayoutAttr>(attr).getLayout(),
                                     isCopiedByProxy(ring)));
  return alignment;
}

FailureOr<SharedArena> tile::nvvm::allocateSharedMemory(KernelOp kernel) {
  // Program order: the position of each operation, and of the last inside it.
  DenseMap<Operation *, int64_t> position, end;
  int64_t counter = 0;
  kernel.getBodyRegion().walk<WalkOrder::PreOrder>(
      [&](Operation *op) { position[op] = counter++; });
  auto endOf = [&](Operation *op) {
    int64_t last = position[op];
    op->walk([&](Operation *inner) { last = std::max(last, position[inner]); });
    return last;
  };

  SmallVector<Buffer> buffers;
  auto addUses = [&](Buffer &buffer, Value value, Block *home,
                     auto &&self) -> void {
    for (Operation *user : value.getUsers()) {
      // A use inside nested regions keeps the buffer alive during the whole
      // enclosing operation at the buffer's own level: loops come around.
      Operation *ancestor = home->findAncestorOpInBlock(*user);
      int64_t from = position[ancestor];
      int64_t to = ancestor == user ? from : endOf(ancestor);
      buffer.first = std::min(buffer.first, from);
      buffer.last = std::max(buffer.last, to);
      if (isa<RingAcquireOp, RingWaitOp>(user))
        for (Value view : user->getResults())
          self(buffer, view, home, self);
    }
  };
  WalkResult walk = kernel.getBodyRegion().walk([&](Operation *op) {
    Buffer buffer{op, 0, 16, counter, -1};
    if (auto alloc = dyn_cast<AllocOp>(op)) {
      if (!isShared(alloc.getResult()))
        return WalkResult::advance();
      auto layout = getSharedLayout(alloc.getResult());
      if (!layout) {
        alloc.emitOpError() << "expected a layout: run --tile-infer-layouts";
        return WalkResult::interrupt();
      }
      buffer.bytes = layout.getLayout().sizeInBytes();
      buffer.alignment =
          alignmentOf(layout.getLayout(), isCopiedByProxy(alloc.getResult()));
    } else if (auto ring = dyn_cast<RingCreateOp>(op)) {
      if (ring.getRing().getType().inTensorMemory())
        return WalkResult::advance();
      if (!ring.getLayouts()) {
        ring.emitOpError() << "expected layouts: run --tile-infer-layouts";
        return WalkResult::interrupt();
      }
      ringBufferOffsets(ring, buffer.bytes);
      buffer.bytes *= ring.getRing().getType().getStages();
      buffer.alignment = ringAlignment(ring);
    } else {
      return WalkResult::advance();
    }
    addUses(buffer, op->getResult(0), op->getBlock(), addUses);
    if (buffer.last >= 0) {
      // An allocation inside a loop lives as long as the outermost loop body
      // iterates: its address is fixed, but another iteration's use of bytes
      // shared with a buffer outside would clash.
      // Roles run side by side: what one allocates lives while any runs.
      for (Operation *parent = op->getParentOp(); parent != kernel;
           parent = parent->getParentOp()) {
        if (!isa<LoopLikeOpInterface, WarpSpecializeOp>(parent))
          continue;
        buffer.first = std::min(buffer.first, position[parent]);
        buffer.last = std::max(buffer.last, endOf(parent));
      }
      buffers.push_back(buffer);
    }
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();

  // Largest first, each at the lowest offset free during its life.
  llvm::stable_sort(buffers, [](const Buffer &a, const Buffer &b) {
    return a.bytes > b.bytes;
  });
  SharedArena arena;
  SmallVector<std::pair<Buffer, int64_t>> placed;
  for (const Buffer &buffer : buffers) {
    SmallVector<std::pair<int64_t, int64_t>> taken;
    for (auto &[other, offset] : placed)
      if (other.first <= buffer.last && buffer.first <= other.last)
        taken.push_back({offset, offset + other.bytes});
    llvm::sort(taken);
    int64_t offset = 0;
    for (auto [from, to] : taken) {
      if (offset + buffer.bytes <= from)
        break;
      offset = std::max<int64_t>(offset, llvm::alignTo(to, buffer.alignment));
    }
    placed.push_back({buffer, offset});
    arena.offsets[buffer.owner] = offset;
    arena.bytes = std::max(arena.bytes, offset + buffer.bytes);
  }
  arena.bytes = llvm::alignTo(arena.bytes, 16);
  // Barriers keep their bytes to themselves: they are initialized once.
  for (auto ring : kernel.getBodyRegion().front().getOps<RingCreateOp>())
    if (ring.getRing().getType().usesMbarriers()) {
      arena.mbarriers[ring] = arena.bytes;
      arena.bytes += llvm::alignTo(
          2 * kMbarrierBytes * ring.getRing().getType().getStages(), 16);
    }
  if (kernel.walk([](ClusterReduceOp) { return WalkResult::interrupt(); })
          .wasInterrupted()) {
    arena.clusterBarriers = arena.bytes;
    arena.bytes += 2 * kMbarrierBytes;
  }
  return arena;
}

std::pair<int64_t, int64_t> SharedArena::range(Value buffer) const {
  Operation *owner = buffer.getDefiningOp();
  if (!owner)
    return {0, 0};
  if (isa<RingAcquireOp, RingWaitOp>(owner))
    owner = owner->getOperand(0).getDefiningOp();
  auto it = owner ? offsets.find(owner) : offsets.end();
  if (it == offsets.end())
    return {0, 0};
  int64_t bytes = 0;
  if (auto ring = dyn_cast<RingCreateOp>(owner)) {
    ringBufferOffsets(ring, bytes);
    bytes *= ring.getRing().getType().getStages();
  } else {
    bytes = getSharedLayout(buffer).getLayout().sizeInBytes();
  }
  return {it->second, it->second + bytes};
}
