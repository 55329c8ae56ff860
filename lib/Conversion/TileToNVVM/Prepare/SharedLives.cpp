//===- SharedLives.cpp - when buffers in shared memory live ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions count the operations of a kernel in program order. The life of a
// buffer goes from its first use to its last; a use inside a loop that its
// home is outside of counts as the whole loop, because the loop comes around.
// Roles run side by side; but one that has read a ring to its end may keep
// tiles in the slots.
//
//===----------------------------------------------------------------------===//
#include "SharedLives.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/Meeting.h"
#include "tile/Dialect/Tile/IR/Tokens.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

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
    const CopyTraits *move = moveTraits(user);
    return move && move->byAsyncProxy;
  });
}

static bool isCopiedByProxy(RingCreateOp ring) {
  if (ring.getRing().getType().getProducer() == RingProducer::Tma)
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

int64_t tile::nvvm::ringBytes(RingCreateOp ring) {
  int64_t bytes;
  ringBufferOffsets(ring, bytes);
  return bytes * ring.getRing().getType().getStages();
}

/// Bytes and alignment of what `op` allocates: false where it allocates nothing
/// in shared memory.
static FailureOr<bool> measure(Operation *op, SharedBufferLife &buffer) {
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
  buffer.bytes = ringBytes(ring);
  buffer.alignment = ringAlignment(ring);
  return true;
}

//===----------------------------------------------------------------------===//
// Lives
//===----------------------------------------------------------------------===//

/// The one operation of `block` that all of `uses` are inside; null where they
/// are inside several, or outside.
static Operation *aroundAll(Block &block, ArrayRef<Operation *> uses) {
  Operation *around = nullptr;
  for (Operation *use : uses) {
    Operation *ancestor = block.findAncestorOpInBlock(*use);
    if (!ancestor || (around && ancestor != around))
      return nullptr;
    around = ancestor;
  }
  return around;
}

/// Whether the first of `uses` in `body` overwrites all of `tile`.
static bool isOverwrittenFirst(Value tile, Block &body,
                               ArrayRef<Operation *> uses) {
  Operation *first = nullptr;
  for (Operation *use : uses) {
    Operation *ancestor = body.findAncestorOpInBlock(*use);
    if (!first || ancestor->isBeforeInBlock(first))
      first = ancestor;
  }
  return first && overwrites(first, tile);
}

/// See SharedBufferLife::home. Programs allocate tiles in front of the loop
/// that fills them.
static Block *homeOf(Operation *owner) {
  Block *home = owner->getBlock();
  auto alloc = dyn_cast<AllocOp>(owner);
  SmallVector<Operation *> uses;
  if (!alloc || collectUses(alloc.getResult(), uses))
    return home;
  while (auto loop =
             dyn_cast_or_null<LoopLikeOpInterface>(aroundAll(*home, uses))) {
    SmallVector<Region *> bodies = loop.getLoopRegions();
    if (isa<ParallelOp>(loop) || bodies.size() != 1 ||
        !bodies.front()->hasOneBlock() ||
        !isOverwrittenFirst(alloc.getResult(), bodies.front()->front(), uses))
      break;
    home = &bodies.front()->front();
  }
  return home;
}

SharedLives::SharedLives(KernelOp kernel) : kernel(kernel) {
  kernel.getBodyRegion().walk<WalkOrder::PreOrder>([&](Operation *op) {
    position[op] = size();
    operations.push_back(op);
  });
}

int64_t SharedLives::endOf(Operation *op) {
  int64_t last = position[op];
  op->walk([&](Operation *inner) { last = std::max(last, position[inner]); });
  return last;
}

void SharedLives::addUses(SharedBufferLife &buffer, Value value) {
  SmallVector<Operation *> uses;
  if (collectUses(value, uses)) {
    // Nobody knows where what was issued has ended.
    buffer.last = size();
    buffer.isAwaited = true;
  }
  // A copy that completes at a barrier is under way until somebody waits there.
  for (Operation *user : llvm::to_vector(uses)) {
    auto copy = dyn_cast<TileMoveOpInterface>(user);
    if (!copy || !copy.getCompletion())
      continue;
    size_t known = uses.size();
    for (Operation *other : copy.getCompletion().getUsers())
      if (auto use = dyn_cast<TileMbarrierUseOpInterface>(other);
          use && use.getAwaitedParity())
        uses.push_back(other);
    if (uses.size() == known)
      buffer.last = size();
  }
  for (Operation *user : uses) {
    // What was issued in one round of a loop may be awaited in the next.
    buffer.isAwaited |= !awaitedBy(user).empty();
    // A use inside nested regions keeps the buffer alive during the whole
    // enclosing operation at the level of its home: loops come around.
    Operation *ancestor = buffer.home->findAncestorOpInBlock(*user);
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

LogicalResult SharedLives::collect() {
  WalkResult walk = kernel.getBodyRegion().walk([&](Operation *op) {
    SharedBufferLife buffer;
    buffer.owner = op;
    buffer.first = size();
    FailureOr<bool> isBuffer = measure(op, buffer);
    if (failed(isBuffer))
      return WalkResult::interrupt();
    if (!*isBuffer)
      return WalkResult::advance();
    buffer.home = homeOf(op);
    addUses(buffer, op->getResult(0));
    if (buffer.last < 0)
      return WalkResult::advance();
    // Other blocks of the cluster write the slots, too: the first ones as soon
    // as the kernel runs, whatever this block has come to.
    if (cast<TileStorageOpInterface>(op).isFilledByPeers())
      buffer.first = 0;
    if (isWrittenByPeers(op->getResult(0))) {
      buffer.first = 0;
      buffer.last = size();
    }
    for (Operation *parent = buffer.home->getParentOp(); parent != kernel;
         parent = parent->getParentOp())
      if (isa<LoopLikeOpInterface, TileAgentsOpInterface>(parent))
        buffer.around.push_back({parent, position[parent], endOf(parent)});
    all.push_back(std::move(buffer));
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

FailureOr<SharedLives> SharedLives::create(KernelOp kernel) {
  SharedLives lives(kernel);
  if (failed(lives.collect()))
    return failure();
  return lives;
}

/// The life of `buffer` as `other` sees it.
static std::pair<int64_t, int64_t> lifeBeside(const SharedBufferLife &buffer,
                                              const SharedBufferLife &other,
                                              bool isTight) {
  std::pair<int64_t, int64_t> life = {buffer.first, buffer.last};
  for (const SharedBufferLife::Around &around : buffer.around) {
    bool isCommon = isa<LoopLikeOpInterface>(around.op) &&
                    around.op->isAncestor(other.home->getParentOp());
    if (isCommon && isTight && !buffer.isAwaited && !other.isAwaited)
      continue;
    life.first = std::min(life.first, around.first);
    life.second = std::max(life.second, around.last);
  }
  return life;
}

/// Whether an operation on a ring can be another agent's that only fills it.
static bool producesOnly(Operation *user) {
  auto ringOp = dyn_cast<TileRingOpInterface>(user);
  return ringOp && (ringOp.fillsSlots() || !ringOp.getUse());
}

bool tile::nvvm::isIdleFrom(RingCreateOp ring, Operation *op) {
  if (!ring.getRing().getType().usesMbarriers())
    return false;
  Region *agent = getAgent(op);
  for (Region *region = op->getParentRegion(); region != agent;
       region = region->getParentRegion())
    if (isa<LoopLikeOpInterface>(region->getParentOp()))
      return false;
  Operation *here = agent->front().findAncestorOpInBlock(*op);
  return llvm::all_of(ring->getUsers(), [&](Operation *user) {
    if (!agent->isAncestor(user->getParentRegion()))
      return producesOnly(user);
    return agent->front().findAncestorOpInBlock(*user)->isBeforeInBlock(here);
  });
}

/// Whether a tile is used only where a ring is idle, in one agent.
static bool followsRing(const SharedBufferLife &tile,
                        const SharedBufferLife &slots) {
  auto alloc = dyn_cast<AllocOp>(tile.owner);
  auto ring = dyn_cast<RingCreateOp>(slots.owner);
  SmallVector<Operation *> uses;
  if (!alloc || !ring || isWrittenByPeers(alloc.getResult()) ||
      collectUses(alloc.getResult(), uses) || uses.empty())
    return false;
  if (combinesInCluster(ring->getParentOfType<KernelOp>()))
    return false;
  Region *agent = getAgent(uses.front());
  return llvm::all_of(uses, [&](Operation *use) {
    return getAgent(use) == agent && isIdleFrom(ring, use);
  });
}

bool tile::nvvm::aliveTogether(const SharedBufferLife &a,
                               const SharedBufferLife &b, bool isTight) {
  if (isTight && (followsRing(a, b) || followsRing(b, a)))
    return false;
  auto lifeA = lifeBeside(a, b, isTight), lifeB = lifeBeside(b, a, isTight);
  return lifeA.first <= lifeB.second && lifeB.first <= lifeA.second;
}
