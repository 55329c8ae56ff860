//===- SharedArena.cpp - places shared buffers by liveness ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One arena per kernel in dynamic shared memory. Buffers that are never alive
// together share bytes; barriers (Barriers.cpp) order their reuse.
//
//===----------------------------------------------------------------------===//
#include "Lowering.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

namespace {
struct Buffer {
  /// A loop or roles around the allocation.
  struct Around {
    Operation *op;
    int64_t first, last;
  };
  Operation *owner = nullptr;
  int64_t bytes = 0, alignment = 16;
  /// Positions in program order, inclusive, of its uses and of what awaits
  /// asynchronous ones.
  int64_t first = 0, last = -1;
  SmallVector<Around, 2> around;
  /// Something asynchronous uses it.
  bool isAwaited = false;
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
    if (getTileViewSource(user))
      return isCopiedByProxy(user->getResult(0));
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

namespace {
/// The buffers of a kernel and their lives.
class Lives {
public:
  explicit Lives(KernelOp kernel) : kernel(kernel) {
    kernel.getBodyRegion().walk<WalkOrder::PreOrder>(
        [&](Operation *op) { position[op] = counter++; });
  }

  LogicalResult collect(SmallVectorImpl<Buffer> &buffers);

private:
  int64_t endOf(Operation *op) {
    int64_t last = position[op];
    op->walk([&](Operation *inner) { last = std::max(last, position[inner]); });
    return last;
  }
  void addUses(Buffer &buffer, Value value);
  /// Bytes and alignment of what `op` allocates: none where it allocates
  /// nothing in shared memory.
  FailureOr<bool> measure(Operation *op, Buffer &buffer);

  KernelOp kernel;
  DenseMap<Operation *, int64_t> position;
  int64_t counter = 0;
};
} // namespace

void Lives::addUses(Buffer &buffer, Value value) {
  Block *home = buffer.owner->getBlock();
  SmallVector<Operation *> uses;
  if (collectUses(value, uses)) {
    // Nobody knows where what was issued has ended.
    buffer.last = counter;
    buffer.isAwaited = true;
  }
  for (Operation *user : uses) {
    // What was issued in one round of a loop may be awaited in the next.
    buffer.isAwaited |= isa<AwaitOp>(user);
    // A use inside nested regions keeps the buffer alive during the whole
    // enclosing operation at the buffer's own level: loops come around.
    Operation *ancestor = home->findAncestorOpInBlock(*user);
    if (!ancestor)
      ancestor = user; // an await behind the loop that the buffer is in
    int64_t from = position[ancestor];
    int64_t to = ancestor == user ? from : endOf(ancestor);
    buffer.first = std::min(buffer.first, from);
    buffer.last = std::max(buffer.last, to);
    if (showsSlot(user))
      for (Value view : user->getResults())
        addUses(buffer, view);
  }
}

FailureOr<bool> Lives::measure(Operation *op, Buffer &buffer) {
  if (auto alloc = dyn_cast<AllocOp>(op)) {
    if (!isShared(alloc.getResult()))
      return false;
    auto layout = getSharedLayout(alloc.getResult());
    if (!layout) {
      alloc.emitOpError() << "expected a layout: run --tile-infer-layouts";
      return failure();
    }
    buffer.bytes = layout.getLayout().sizeInBytes();
    buffer.alignment =
        alignmentOf(layout.getLayout(), isCopiedByProxy(alloc.getResult()));
    return true;
  }
  auto ring = dyn_cast<RingCreateOp>(op);
  if (!ring || ring.getRing().getType().inTensorMemory())
    return false;
  if (!ring.getLayouts()) {
    ring.emitOpError() << "expected layouts: run --tile-infer-layouts";
    return failure();
  }
  ringBufferOffsets(ring, buffer.bytes);
  buffer.bytes *= ring.getRing().getType().getStages();
  buffer.alignment = ringAlignment(ring);
  return true;
}

LogicalResult Lives::collect(SmallVectorImpl<Buffer> &buffers) {
  WalkResult walk = kernel.getBodyRegion().walk([&](Operation *op) {
    Buffer buffer;
    buffer.owner = op;
    buffer.first = counter;
    FailureOr<bool> isBuffer = measure(op, buffer);
    if (failed(isBuffer))
      return WalkResult::interrupt();
    if (!*isBuffer)
      return WalkResult::advance();
    addUses(buffer, op->getResult(0));
    if (buffer.last < 0)
      return WalkResult::advance();
    // Other blocks of the cluster write the slots, too: the first ones as soon
    // as the kernel runs, whatever this block has come to.
    if (auto ring = dyn_cast<RingCreateOp>(op);
        ring && ring.getPeers().value_or(1) > 1)
      buffer.first = 0;
    for (Operation *parent = op->getParentOp(); parent != kernel;
         parent = parent->getParentOp())
      if (isa<LoopLikeOpInterface, WarpSpecializeOp>(parent))
        buffer.around.push_back({parent, position[parent], endOf(parent)});
    buffers.push_back(std::move(buffer));
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

/// The life of `buffer` as `other` sees it. A buffer inside a loop lives as
/// long as the loop iterates: its address is fixed, and another iteration's use
/// of bytes shared with a buffer outside would clash. Two buffers of one
/// iteration can follow each other (`isTight`; barriers order the iterations),
/// unless one is still read when its iteration ends. Roles run side by side:
/// what one allocates lives while any runs.
static std::pair<int64_t, int64_t>
lifeBeside(const Buffer &buffer, const Buffer &other, bool isTight) {
  std::pair<int64_t, int64_t> life = {buffer.first, buffer.last};
  for (const Buffer::Around &around : buffer.around) {
    bool isCommon = isa<LoopLikeOpInterface>(around.op) &&
                    around.op->isProperAncestor(other.owner);
    if (isCommon && isTight && !buffer.isAwaited && !other.isAwaited)
      continue;
    life.first = std::min(life.first, around.first);
    life.second = std::max(life.second, around.last);
  }
  return life;
}

static bool aliveTogether(const Buffer &a, const Buffer &b, bool isTight) {
  auto lifeA = lifeBeside(a, b, isTight), lifeB = lifeBeside(b, a, isTight);
  return lifeA.first <= lifeB.second && lifeB.first <= lifeA.second;
}

/// Largest first, each at the lowest offset free during its life.
static void place(ArrayRef<Buffer> buffers, bool isTight, SharedArena &arena) {
  arena.offsets.clear();
  arena.bytes = 0;
  SmallVector<std::pair<const Buffer *, int64_t>> placed;
  for (const Buffer &buffer : buffers) {
    SmallVector<std::pair<int64_t, int64_t>> taken;
    for (auto [other, offset] : placed)
      if (aliveTogether(*other, buffer, isTight))
        taken.push_back({offset, offset + other->bytes});
    llvm::sort(taken);
    int64_t offset = 0;
    for (auto [from, to] : taken) {
      if (offset + buffer.bytes <= from)
        break;
      offset = std::max<int64_t>(offset, llvm::alignTo(to, buffer.alignment));
    }
    placed.push_back({&buffer, offset});
    arena.offsets[buffer.owner] = offset;
    arena.bytes = std::max(arena.bytes, offset + buffer.bytes);
  }
  arena.bytes = llvm::alignTo(arena.bytes, 16);
}

/// Bytes that a block of the kernel may have; all there are without a target.
static int64_t roomOf(KernelOp kernel) {
  auto attr = kernel->getParentOfType<ModuleOp>()->getAttrOfType<TargetAttr>(
      kTargetAttrName);
  const TargetInfo *target = attr ? TargetInfo::get(attr.getArch()) : nullptr;
  return target ? target->sharedPerBlock : INT64_MAX;
}

FailureOr<SharedArena> tile::nvvm::allocateSharedMemory(KernelOp kernel) {
  SmallVector<Buffer> buffers;
  if (failed(Lives(kernel).collect(buffers)))
    return failure();
  llvm::stable_sort(buffers, [](const Buffer &a, const Buffer &b) {
    return a.bytes > b.bytes;
  });
  SharedArena arena;
  place(buffers, /*isTight=*/false, arena);
  // Bytes that buffers of one iteration share cost barriers between them, so
  // only where there is no other way.
  if (arena.bytes > roomOf(kernel))
    place(buffers, /*isTight=*/true, arena);
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
  buffer = getViewedTile(buffer);
  Operation *owner = buffer.getDefiningOp();
  if (!owner)
    return {0, 0};
  if (Value ring = ringOf(buffer))
    owner = ring.getDefiningOp();
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
