//===- PlaceSharedMemory.cpp - what lies where in shared memory -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// After the schedule, before barriers. Tiles and slots of rings come first, by
// their lives: those that are never alive together share bytes, and barriers
// (BarrierPlacement.cpp) order their reuse. Then come mbarriers, which keep
// their bytes to themselves because they are initialized once, and last the
// scratch memory of each agent. The decisions are attributes; the lowering
// reads them.
//
//===----------------------------------------------------------------------===//
#include "Prepare/Scratch.h"
#include "Prepare/SharedArena.h"
#include "Prepare/SharedLives.h"
#include "Reduce/ClusterExchange.h"
#include "Tcgen05/TensorPlan.h"
#include "tile/Conversion/Passes.h"
#include "tile/Conversion/SharedBytes.h"
#include "tile/Dialect/Tile/IR/Meeting.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/IR/Placement.h"
#include "tile/Dialect/Tile/IR/Tunables.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tile {
#define GEN_PASS_DEF_PLACESHAREDMEMORYPASS
#include "tile/Conversion/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

//===----------------------------------------------------------------------===//
// Tiles and rings
//===----------------------------------------------------------------------===//

/// Largest first, each at the lowest offset free during its life.
static void placeBuffers(ArrayRef<const SharedBufferLife *> buffers,
                         bool isTight, SharedArena &arena) {
  arena.offsets.clear();
  arena.bytes = 0;
  SmallVector<std::pair<const SharedBufferLife *, int64_t>> placed;
  for (const SharedBufferLife *buffer : buffers) {
    SmallVector<std::pair<int64_t, int64_t>> taken;
    for (auto [other, offset] : placed)
      if (aliveTogether(*other, *buffer, isTight))
        taken.push_back({offset, offset + other->bytes});
    llvm::sort(taken);
    int64_t offset = 0;
    for (auto [from, to] : taken) {
      if (offset + buffer->bytes <= from)
        break;
      offset = std::max<int64_t>(offset, llvm::alignTo(to, buffer->alignment));
    }
    placed.push_back({buffer, offset});
    arena.offsets[buffer->owner] = offset;
    arena.bytes = std::max(arena.bytes, offset + buffer->bytes);
  }
  arena.bytes = llvm::alignTo(arena.bytes, 16);
}

static void placeBuffers(const SharedLives &lives, const TargetInfo &target,
                         SharedArena &arena) {
  SmallVector<const SharedBufferLife *> buffers;
  for (const SharedBufferLife &buffer : lives.buffers())
    buffers.push_back(&buffer);
  llvm::stable_sort(buffers,
                    [](const SharedBufferLife *a, const SharedBufferLife *b) {
                      return a->bytes > b->bytes;
                    });
  placeBuffers(buffers, /*isTight=*/false, arena);
  // Bytes that buffers of one iteration share, or a ring and what its reader
  // keeps behind it, cost barriers between them, so only where there is no
  // other way.
  if (arena.bytes > target.sharedPerBlock)
    placeBuffers(buffers, /*isTight=*/true, arena);
}

//===----------------------------------------------------------------------===//
// Mbarriers
//===----------------------------------------------------------------------===//

static void placeMbarriers(KernelOp kernel, const TensorPlan &tensors,
                           SharedArena &arena) {
  for (auto ring : kernel.getBodyRegion().front().getOps<RingCreateOp>())
    if (RingType type = ring.getRing().getType(); type.usesMbarriers()) {
      arena.mbarriers[ring] = arena.bytes;
      arena.bytes += llvm::alignTo(2 * kMbarrierBytes * type.getStages(), 16);
    }
  for (auto create :
       kernel.getBodyRegion().front().getOps<MbarrierCreateOp>()) {
    arena.mbarriers[create] = arena.bytes;
    arena.bytes += llvm::alignTo(
        kMbarrierBytes * create.getBarriers().getType().getCount(), 16);
  }
  if (combinesInCluster(kernel)) {
    arena.clusterBarriers = arena.bytes;
    arena.bytes += 2 * kMbarrierBytes;
  }
  if (tensors.columns) {
    arena.tensorBarriers = llvm::alignTo(arena.bytes, kMbarrierBytes);
    arena.bytes = *arena.tensorBarriers + tensors.barrierBytes();
  }
}

//===----------------------------------------------------------------------===//
// Scratch memory
//===----------------------------------------------------------------------===//

namespace {
/// Places the scratch memory of operations. Roles run side by side, so that
/// none may use another's; an agent's own operations may have the same bytes.
///
/// Who writes bytes that others may still read has to meet them first. So
/// small users of an agent get two places by turns: the meeting inside of one
/// tells that all have read what the one before left. Three places where they
/// are odd in number, for the sake of a loop around them.
class ScratchPlacement {
public:
  ScratchPlacement(KernelOp kernel, const TargetInfo &target,
                   SharedArena &arena)
      : kernel(kernel), target(target), arena(arena),
        start(llvm::alignTo(arena.bytes, 16)), end(start) {}

  LogicalResult run();

private:
  /// An operation and the bytes that it takes; 0 for a `tile.cluster_reduce`,
  /// which is placed by itself.
  using User = std::pair<Operation *, int64_t>;
  /// Users above this size lie in the same bytes as all others of their agent.
  static constexpr int64_t kMostBytesByTurns = 8192;

  LogicalResult collect(Block &block, SmallVectorImpl<User> &users,
                        SmallVectorImpl<WarpSpecializeOp> &roles);
  LogicalResult visit(Block &block);
  LogicalResult place(ClusterReduceOp reduce, int64_t scratch);
  void place(ArrayRef<User> users, int64_t scratch);

  KernelOp kernel;
  const TargetInfo &target;
  SharedArena &arena;
  /// Where all scratch memory begins, and where it ends so far.
  int64_t start, end;
  bool isByTurns = true;
};
} // namespace

LogicalResult ScratchPlacement::run() {
  for (bool byTurns : {true, false}) {
    isByTurns = byTurns;
    end = start;
    if (failed(visit(kernel.getBodyRegion().front())))
      return failure();
    if (end <= target.sharedPerBlock)
      break;
  }
  arena.bytes = end;
  return success();
}

/// What the agent that runs `block` uses, in program order, roles inside left
/// out.
LogicalResult
ScratchPlacement::collect(Block &block, SmallVectorImpl<User> &users,
                          SmallVectorImpl<WarpSpecializeOp> &roles) {
  for (Operation &op : block) {
    if (auto inner = dyn_cast<WarpSpecializeOp>(op)) {
      roles.push_back(inner);
    } else if (isa<ClusterReduceOp>(op)) {
      users.push_back({&op, 0});
    } else if (mayUseScratch(&op)) {
      FailureOr<int64_t> bytes =
          scratchBytes(&op, getAgentThreads(&op), kernel, target);
      if (failed(bytes))
        return failure();
      if (*bytes)
        users.push_back({&op, *bytes});
    } else if (!isa<TileOpInterface>(op)) {
      for (Region &region : op.getRegions())
        for (Block &nested : region)
          if (failed(collect(nested, users, roles)))
            return failure();
    }
  }
  return success();
}

void ScratchPlacement::place(ArrayRef<User> users, int64_t scratch) {
  SmallVector<User> small;
  for (const User &user : users)
    if (isByTurns && user.second > 0 && user.second <= kMostBytesByTurns)
      small.push_back(user);
  auto put = [&](const User &user, int64_t offset) {
    arena.scratch[user.first] = {offset, offset + user.second};
    end = std::max(end, offset + user.second);
  };
  size_t turns = std::min<size_t>(small.size(), 2 + small.size() % 2);
  int64_t bytes[3] = {0, 0, 0};
  auto turnOf = [&](size_t i) {
    return turns == 3 && i + 1 == small.size() ? 2 : i % 2;
  };
  for (auto [i, user] : llvm::enumerate(small))
    bytes[turnOf(i)] =
        std::max<int64_t>(bytes[turnOf(i)], llvm::alignTo(user.second, 16));
  int64_t offsets[3] = {scratch, scratch + bytes[0],
                        scratch + bytes[0] + bytes[1]};
  for (auto [i, user] : llvm::enumerate(small))
    put(user, offsets[turnOf(i)]);
  for (const User &user : users)
    if (user.second && !arena.scratch.contains(user.first))
      put(user, scratch);
}

/// The agent that runs `block`, then the roles inside. What they use beside it,
/// and what the block used before, lies elsewhere.
LogicalResult ScratchPlacement::visit(Block &block) {
  SmallVector<User> users;
  SmallVector<WarpSpecializeOp> roles;
  if (failed(collect(block, users, roles)))
    return failure();
  int64_t scratch = llvm::alignTo(end, 16);
  for (const User &user : users)
    arena.scratch.erase(user.first);
  place(users, scratch);
  for (const User &user : users)
    if (auto reduce = dyn_cast<ClusterReduceOp>(user.first))
      if (failed(place(reduce, scratch)))
        return failure();
  for (WarpSpecializeOp inner : roles)
    for (Region &role : inner.getRoles())
      if (failed(visit(role.front())))
        return failure();
  return success();
}

/// Blocks exchange through the slots of a ring that nobody needs any more,
/// where these hold at least as much as scratch memory would; else through
/// scratch.
LogicalResult ScratchPlacement::place(ClusterReduceOp reduce, int64_t scratch) {
  FragmentLayoutAttr layout = getFragmentLayout(reduce.getTarget());
  if (!layout)
    return reduce.emitOpError()
           << "expected a layout of its fragment: run --tile-infer-layouts";
  ClusterExchange exchange(reduce, layout.getLayout().numRegisters(),
                           getAgentThreads(reduce));
  int64_t piece = exchange.choosePiece(kernel, target, start);
  if (RingCreateOp idle = findIdleRing(reduce, arena)) {
    int64_t inRing = exchange.largestPiece(ringBytes(idle));
    if (inRing >= piece) {
      arena.exchanges[reduce] = {arena.offsets.lookup(idle), inRing,
                                 /*inRing=*/true};
      return success();
    }
  }
  arena.exchanges[reduce] = {scratch, piece, /*inRing=*/false};
  end = std::max(end, scratch + exchange.shapeOf(piece).bytes());
  return success();
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

namespace {
/// Where everything lies, and when it is needed, which says why.
struct Arrangement {
  SharedLives lives;
  SharedArena arena;
};
} // namespace

/// Fails with an error where places cannot be chosen. What nobody uses in
/// tensor memory becomes fragments before.
static FailureOr<Arrangement> arrange(KernelOp kernel,
                                      const TargetInfo &target) {
  moveUnusedToRegisters(kernel);
  FailureOr<SharedLives> lives = SharedLives::create(kernel);
  if (failed(lives))
    return failure();
  FailureOr<TensorPlan> tensors = planTensorMemory(kernel, target);
  if (failed(tensors))
    return failure();
  SharedArena arena;
  placeBuffers(*lives, target, arena);
  placeMbarriers(kernel, *tensors, arena);
  if (failed(ScratchPlacement(kernel, target, arena).run()))
    return failure();
  arena.bytes =
      std::max(arena.bytes, tensors->leastSharedBytes(kernel, target));
  return Arrangement{std::move(*lives), std::move(arena)};
}

FailureOr<int64_t> tile::sharedBytesNeeded(KernelOp kernel,
                                           const TargetInfo &target) {
  FailureOr<Arrangement> arranged = arrange(kernel, target);
  if (failed(arranged))
    return failure();
  return arranged->arena.bytes;
}

int64_t tile::scratchBytesAtMost(KernelOp kernel, const TargetInfo &target) {
  int64_t bytes = 0;
  ScopedDiagnosticHandler silence(kernel.getContext(), [](Diagnostic &) {});
  kernel.getBodyRegion().walk([&](Operation *op) {
    if (!mayUseScratch(op))
      return;
    FailureOr<int64_t> own =
        scratchBytes(op, getAgentThreads(op), kernel, target);
    bytes += succeeded(own) ? llvm::alignTo(*own, 16) : 0;
  });
  return bytes;
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct PlaceSharedMemoryPass
    : tile::impl::PlaceSharedMemoryPassBase<PlaceSharedMemoryPass> {
  using PlaceSharedMemoryPassBase::PlaceSharedMemoryPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(requireChosen(module)))
      return signalPassFailure();
    const TargetInfo *target = requireTarget(module);
    if (!target)
      return signalPassFailure();
    for (KernelOp kernel : module.getOps<KernelOp>())
      if (failed(place(kernel, *target)))
        return signalPassFailure();
  }

private:
  LogicalResult place(KernelOp kernel, const TargetInfo &target);
  void explain(KernelOp kernel, const SharedLives &lives,
               const SharedArena &arena) const;
};
} // namespace

LogicalResult PlaceSharedMemoryPass::place(KernelOp kernel,
                                           const TargetInfo &target) {
  if (kernel->hasAttr(kHasBarriersAttrName))
    return kernel.emitOpError() << "expected no barriers: they are right for "
                                   "the places that they were inserted for. "
                                   "Run before --tile-insert-barriers";
  FailureOr<Arrangement> arranged = arrange(kernel, target);
  if (failed(arranged))
    return failure();
  const SharedArena &arena = arranged->arena;
  if (arena.bytes > target.sharedPerBlock) {
    InFlightDiagnostic diag = kernel.emitOpError()
                              << "expected at most " << target.sharedPerBlock
                              << " bytes of shared memory on " << target.arch
                              << ", got " << arena.bytes;
    diag.attachNote() << "use smaller tiles or fewer stages";
    return diag;
  }
  writeSharedArena(kernel, arena);
  placedBuffers += arena.offsets.size();
  explain(kernel, arranged->lives, arena);
  return success();
}

/// "bytes 0 to 1023".
static std::string bytesText(int64_t offset, int64_t bytes) {
  return "bytes " + std::to_string(offset) + " to " +
         std::to_string(offset + bytes - 1);
}

void PlaceSharedMemoryPass::explain(KernelOp kernel, const SharedLives &lives,
                                    const SharedArena &arena) const {
  if (!remarks)
    return;
  ArrayRef<SharedBufferLife> buffers = lives.buffers();
  for (const SharedBufferLife &buffer : buffers) {
    int64_t offset = arena.offsets.lookup(buffer.owner);
    Remark remark = remarkAt(remarks, buffer.owner);
    remark << "placed: " << bytesText(offset, buffer.bytes)
           << " of shared memory";
    Operation *first = lives.at(buffer.first), *last = lives.at(buffer.last);
    if (first && last && placeOf(first) == placeOf(last)) {
      remark.attachNote(first) << "needed while this runs";
    } else {
      if (first)
        remark.attachNote(first) << "needed from here on";
      if (last)
        remark.attachNote(last) << "needed last here";
      else
        remark.attachNote(kernel) << "needed until the kernel ends";
    }
    for (const SharedBufferLife &other : buffers) {
      int64_t start = arena.offsets.lookup(other.owner);
      if (&other != &buffer && start < offset + buffer.bytes &&
          offset < start + other.bytes)
        remark.attachNote(other.owner) << "the same bytes hold this one, "
                                       << bytesText(start, other.bytes);
    }
  }
  remarkAt(remarks, kernel)
      << "shared memory: " << plural(arena.bytes, "byte") << " of a block, "
      << (arena.bytes - arena.scratchBegin()) << " of them scratch";
}
