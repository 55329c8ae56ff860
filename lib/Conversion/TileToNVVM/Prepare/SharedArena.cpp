//===- SharedArena.cpp - what lies where in shared memory -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One arena per kernel in dynamic shared memory, written to attributes and read
// from them.
//
//===----------------------------------------------------------------------===//
#include "SharedArena.h"
#include "Scratch.h"
#include "SharedLives.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Placement.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// Bytes of a tile or ring.
static int64_t bytesOf(Operation *owner) {
  if (auto ring = dyn_cast<RingCreateOp>(owner))
    return ringBytes(ring);
  return getSharedLayout(owner->getResult(0)).getLayout().sizeInBytes();
}

std::pair<int64_t, int64_t> SharedArena::range(Value buffer) const {
  buffer = getViewedTile(buffer);
  Value ring = ringOf(buffer);
  Operation *owner = (ring ? ring : buffer).getDefiningOp();
  auto it = owner ? offsets.find(owner) : offsets.end();
  if (it == offsets.end())
    return {0, 0};
  return {it->second, it->second + bytesOf(owner)};
}

int64_t SharedArena::scratchBegin() const {
  int64_t begin = bytes;
  for (auto [op, range] : scratch)
    begin = std::min(begin, range.first);
  for (const auto &[op, place] : exchanges)
    if (!place.inRing)
      begin = std::min(begin, place.offset);
  return begin;
}

//===----------------------------------------------------------------------===//
// To attributes
//===----------------------------------------------------------------------===//

void tile::nvvm::writeSharedArena(KernelOp kernel, const SharedArena &arena) {
  kernel->walk([](Operation *op) {
    for (StringRef name : getPlacementAttributeNames())
      op->removeDiscardableAttr(name);
  });
  for (auto [owner, offset] : arena.offsets)
    setPlacement(owner, kOffsetAttrName, offset);
  for (auto [owner, offset] : arena.mbarriers)
    setPlacement(owner, kMbarriersAttrName, offset);
  for (auto [op, range] : arena.scratch)
    setPlacement(op, kOffsetAttrName, range.first);
  Builder builder(kernel.getContext());
  for (const auto &[op, place] : arena.exchanges) {
    setPlacement(op, kOffsetAttrName, place.offset);
    setPlacement(op, kExchangedAttrName, place.registers);
    if (place.inRing)
      op->setAttr(kInRingAttrName, builder.getUnitAttr());
  }
  setPlacement(kernel, kSharedBytesPlacedAttrName, arena.bytes);
  if (arena.clusterBarriers)
    setPlacement(kernel, kClusterBarriersAttrName, *arena.clusterBarriers);
  if (arena.tensorBarriers)
    setPlacement(kernel, kTensorBarriersAttrName, *arena.tensorBarriers);
}

//===----------------------------------------------------------------------===//
// From attributes
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kRunPass = ": run --tile-place-shared-memory";

/// The place of a tile or ring; nothing where nobody uses it.
static LogicalResult readBuffer(Operation *op, SharedArena &arena) {
  std::optional<int64_t> offset = getPlacement(op, kOffsetAttrName);
  if (!offset) {
    SmallVector<Operation *> uses;
    if (!collectUses(op->getResult(0), uses) && uses.empty())
      return success();
    return op->emitOpError()
           << "expected '" << kOffsetAttrName << "'" << kRunPass;
  }
  if (cast<TileStorageOpInterface>(op).getSharedLayouts().empty())
    return op->emitOpError() << "expected a layout: run --tile-infer-layouts";
  arena.offsets[op] = *offset;
  if (int64_t end = *offset + bytesOf(op); end > arena.bytes)
    return op->emitOpError()
           << "expected to end within the kernel's " << arena.bytes
           << " bytes of shared memory, got " << end << kRunPass;
  return success();
}

static LogicalResult readMbarriers(Operation *owner, SharedArena &arena) {
  std::optional<int64_t> offset = getPlacement(owner, kMbarriersAttrName);
  if (!offset)
    return owner->emitOpError()
           << "expected '" << kMbarriersAttrName << "'" << kRunPass;
  arena.mbarriers[owner] = *offset;
  return success();
}

static LogicalResult readStorage(TileStorageOpInterface storage,
                                 SharedArena &arena) {
  if (storage.isIn(MemorySpace::Shared) && failed(readBuffer(storage, arena)))
    return failure();
  return storage.hasMbarriers() ? readMbarriers(storage, arena) : success();
}

static LogicalResult readExchange(ClusterReduceOp reduce, SharedArena &arena) {
  std::optional<int64_t> offset = getPlacement(reduce, kOffsetAttrName);
  std::optional<int64_t> registers = getPlacement(reduce, kExchangedAttrName);
  if (!offset || !registers)
    return reduce.emitOpError() << "expected '" << kOffsetAttrName << "' and '"
                                << kExchangedAttrName << "'" << kRunPass;
  arena.exchanges[reduce] = {*offset, *registers,
                             reduce->hasAttr(kInRingAttrName)};
  return success();
}

/// The place of what `op` exchanges between threads, where it does.
static LogicalResult readScratch(Operation *op, KernelOp kernel,
                                 const TargetInfo &target, SharedArena &arena) {
  FailureOr<int64_t> bytes =
      scratchBytes(op, getAgentThreads(op), kernel, target);
  if (failed(bytes))
    return failure();
  if (*bytes == 0)
    return success();
  std::optional<int64_t> offset = getPlacement(op, kOffsetAttrName);
  if (!offset)
    return op->emitOpError()
           << "expected '" << kOffsetAttrName << "'" << kRunPass;
  int64_t end = *offset + *bytes;
  if (end > arena.bytes)
    return op->emitOpError()
           << "expected its scratch memory to end within the kernel's "
           << arena.bytes << " bytes of shared memory, got " << end << kRunPass;
  arena.scratch[op] = {*offset, end};
  return success();
}

FailureOr<SharedArena> tile::nvvm::readSharedArena(KernelOp kernel,
                                                   const TargetInfo &target) {
  SharedArena arena;
  std::optional<int64_t> bytes =
      getPlacement(kernel, kSharedBytesPlacedAttrName);
  if (!bytes)
    return kernel.emitOpError()
           << "expected places in shared memory" << kRunPass;
  arena.bytes = *bytes;
  arena.clusterBarriers = getPlacement(kernel, kClusterBarriersAttrName);
  arena.tensorBarriers = getPlacement(kernel, kTensorBarriersAttrName);
  auto walk =
      kernel.getBodyRegion().walk<WalkOrder::PreOrder>([&](Operation *op) {
        LogicalResult read = success();
        if (auto storage = dyn_cast<TileStorageOpInterface>(op))
          read = readStorage(storage, arena);
        else if (auto reduce = dyn_cast<ClusterReduceOp>(op))
          read = readExchange(reduce, arena);
        else if (mayUseScratch(op))
          read = readScratch(op, kernel, target, arena);
        if (failed(read))
          return WalkResult::interrupt();
        // What stands in a tile operation's body runs on single elements.
        return isa<TileOpInterface>(op) ? WalkResult::skip()
                                        : WalkResult::advance();
      });
  if (walk.wasInterrupted())
    return failure();
  return arena;
}
