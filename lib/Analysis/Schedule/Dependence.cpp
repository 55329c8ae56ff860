//===- Dependence.cpp - what operations touch, and what overlaps ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of operations, with those of asynchronous ones repeated where they
// are awaited; which buffers may be the same memory; and which copies may run
// iterations ahead of the one they stand in.
//
//===----------------------------------------------------------------------===//
#include "tile/Analysis/Dependence.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/Tokens.h"
#include "tile/Layout/Descriptors.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

std::string tile::describeBuffer(Value buffer) {
  Value base = getBaseBuffer(buffer);
  if (KernelOp kernel = getKernelOfArgument(base)) {
    unsigned i = cast<BlockArgument>(base).getArgNumber();
    if (i < kernel.getNumKernelArguments())
      return "'" + cast<StringAttr>(kernel.getArgNames()[i]).str() + "'";
  }
  if (isa<RingType>(base.getType()))
    return "the ring";
  return "the " + stringifyMemorySpace(getMemorySpace(base)).str() + " buffer";
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Where blocks tell each other what they have written, everything in global
/// memory that blocks write may be another's behind it, and is not read or
/// written across it.
static void appendArrival(LastArrivalOp arrival,
                          SmallVectorImpl<OpAccess> &accesses) {
  auto touch = [&](Value buffer) {
    accesses.push_back({arrival, {buffer, {}, {}, /*isWrite=*/true, false}});
  };
  touch(arrival.getCounters());
  KernelOp kernel = kernelOf(arrival);
  if (!kernel)
    return;
  for (unsigned i = 0; i < kernel.getNumKernelArguments(); ++i) {
    BlockArgument argument = kernel.getKernelArgument(i);
    if (isa<BaseMemRefType>(argument.getType()) && mayWrite(kernel, argument))
      touch(argument);
  }
  kernel.getBodyRegion().walk([&](Operation *op) {
    if (isa<WorkspaceOp, FromAddressOp>(op))
      touch(op->getResult(0));
  });
}

/// Effects of an operation without regions that is no tile operation.
static bool appendEffects(Operation *op, SmallVectorImpl<OpAccess> &accesses) {
  if (isMemoryEffectFree(op))
    return true;
  if (auto arrival = dyn_cast<LastArrivalOp>(op)) {
    appendArrival(arrival, accesses);
    return true;
  }
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return false;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (isa<ProgramOrderResource>(effect.getResource()))
      continue; // ordered with its like, touches no buffer
    bool isWrite =
        isa<MemoryEffects::Write, MemoryEffects::Free>(effect.getEffect());
    if (!isWrite && !isa<MemoryEffects::Read>(effect.getEffect()))
      continue; // an allocation touches nothing that exists
    if (!effect.getValue() || !isa<BaseMemRefType>(effect.getValue().getType()))
      return false;
    accesses.push_back({op, {effect.getValue(), {}, {}, isWrite, false}});
  }
  return true;
}

bool tile::holdsAccessOf(Operation *op, MemoryOrder order) {
  auto has = [&](MemoryOrder own, MemoryOrder strong) {
    return own == order || (own == MemoryOrder::SeqCst && order == strong);
  };
  return isa_and_nonnull<TileOpInterface>(op) &&
         op->walk([&](TileElementOpInterface access) {
             MemoryOrder strong = access.writesElement() ? MemoryOrder::Release
                                                         : MemoryOrder::Acquire;
             return has(access.getOrder(), strong) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
           }).wasInterrupted();
}

Operation *tile::collectAccesses(Operation *root,
                                 SmallVectorImpl<OpAccess> &accesses) {
  if (auto tileOp = dyn_cast<TileOpInterface>(root)) {
    SmallVector<TileAccess> own;
    tileOp.getAccesses(own);
    for (TileAccess &access : own)
      accesses.push_back({root, std::move(access)});
    // What stands around it may not move across it, whatever it touches.
    return holdsAccessOf(root, MemoryOrder::Acquire) ||
                   holdsAccessOf(root, MemoryOrder::Release)
               ? root
               : nullptr;
  }
  // What was issued reads and writes until here.
  if (!awaitedBy(root).empty()) {
    SmallVector<Operation *> issues;
    if (collectIssues(root, issues))
      return root;
    for (Operation *issue : issues) {
      SmallVector<TileAccess> own;
      cast<TileOpInterface>(issue).getAccesses(own);
      for (TileAccess &access : own)
        accesses.push_back({root, std::move(access)});
    }
    return nullptr;
  }
  if (root->getNumRegions() == 0)
    return appendEffects(root, accesses) ? nullptr : root;
  Operation *unknown = nullptr;
  for (mlir::Region &region : root->getRegions())
    for (Block &block : region)
      if (Operation *found = collectAccesses(block, accesses))
        unknown = unknown ? unknown : found;
  return unknown;
}

Operation *tile::collectAccesses(Block &block,
                                 SmallVectorImpl<OpAccess> &accesses) {
  Operation *unknown = nullptr;
  for (Operation &op : block)
    if (Operation *found = collectAccesses(&op, accesses))
      unknown = unknown ? unknown : found;
  return unknown;
}

Operation *tile::collectUses(Value buffer, SmallVectorImpl<Operation *> &uses) {
  SmallVector<Value> pending{buffer};
  while (!pending.empty()) {
    Value shown = pending.pop_back_val();
    for (Operation *user : shown.getUsers()) {
      uses.push_back(user);
      auto view = dyn_cast<ViewLikeOpInterface>(user);
      if (view && view.getViewSource() == shown)
        pending.push_back(view.getViewDest());
      else if (Operation *obstacle = collectAwaits(user, uses))
        return obstacle;
    }
  }
  return nullptr;
}

bool tile::coversWholeBuffer(const TileAccess &access) {
  if (!access.isWrite || access.isAtomic || access.extents.empty())
    return false; // empty extents mean "somewhere in the buffer"
  auto type = cast<MemRefType>(access.buffer.getType());
  return ArrayRef<int64_t>(access.extents) == type.getShape() &&
         llvm::all_of(access.offsets, [](Value offset) {
           return matchPattern(offset, m_Zero());
         });
}

/// True when each iteration of `loop` stores to another element of `buffer`,
/// all elements are reached, and nothing in the loop reads one.
static bool overwritesInLoop(ParallelOp loop, Value buffer) {
  Block *body = &loop.getBodyRegion().front();
  ArrayRef<int64_t> shape = cast<MemRefType>(buffer.getType()).getShape();
  bool covers = false;
  for (Operation *user : buffer.getUsers()) {
    if (isa<ViewLikeOpInterface>(user))
      return false;
    if (!loop->isProperAncestor(user))
      continue;
    auto store = dyn_cast<memref::StoreOp>(user);
    if (!store || store.getMemRef() != buffer)
      return false;
    llvm::SmallDenseSet<Value> used;
    bool reachesAll = user->getBlock() == body;
    for (auto [index, extent] : llvm::zip_equal(store.getIndices(), shape)) {
      auto of = dyn_cast<BlockArgument>(index);
      reachesAll &= of && of.getOwner() == body &&
                    loop.getExtents()[of.getArgNumber()] == extent &&
                    used.insert(index).second;
    }
    covers |= reachesAll;
  }
  return covers;
}

bool tile::overwrites(Operation *op, Value buffer) {
  if (auto loop = dyn_cast<ParallelOp>(op))
    return overwritesInLoop(loop, buffer);
  auto tileOp = dyn_cast<TileOpInterface>(op);
  if (!tileOp || op->getNumRegions())
    return false;
  SmallVector<TileAccess> accesses;
  tileOp.getAccesses(accesses);
  bool covers = false;
  for (const TileAccess &access : accesses) {
    if (access.buffer != buffer)
      continue;
    if (!access.isWrite || access.isAtomic)
      return false;
    covers |= coversWholeBuffer(access);
  }
  return covers;
}

Operation *tile::hoistedReader(Operation *reader, Value buffer) {
  while (auto loop = dyn_cast<LoopLikeOpInterface>(reader->getParentOp())) {
    if (mayWrite(loop, buffer))
      break;
    mlir::Region *home = buffer.getParentRegion();
    if (!home->isAncestor(loop->getParentRegion()))
      break;
    reader = loop;
  }
  return reader;
}

//===----------------------------------------------------------------------===//
// Running ahead
//===----------------------------------------------------------------------===//

/// True when `user`, outside `loop`, cannot see what `loop` left in `buffer`:
/// on the way to it, in a block that encloses it, the whole buffer is written
/// after the loop (or the loop is not on that way at all).
static bool isShielded(Operation *user, Operation *loop, Value buffer) {
  if (isa<ViewLikeOpInterface>(user))
    return false;
  for (Operation *ancestor = user;
       ancestor && !ancestor->hasTrait<OpTrait::IsIsolatedFromAbove>();
       ancestor = ancestor->getParentOp()) {
    Block *block = ancestor->getBlock();
    Operation *loopHere = block->findAncestorOpInBlock(*loop);
    // Both are inside `ancestor`, which may repeat: in its next iteration the
    // user reads what the loop left.
    if (loopHere == ancestor)
      return false;
    for (Operation *op = ancestor; op; op = op->getPrevNode()) {
      if (overwrites(op, buffer))
        return true;
      // The loop ran since the last write: its contents are what is seen.
      if (op == loopHere)
        return false;
    }
  }
  return false;
}

static constexpr char kOtherOffset[] =
    "compute the offset before the loop, or from indices alone";

/// Operations of `body` that `value` is computed by, in `slice`. A read among
/// them must be of memory that the body does not write.
static std::optional<Conflict> addToSlice(Value value, Block &body,
                                          ArrayRef<OpAccess> bodyAccesses,
                                          llvm::SetVector<Operation *> &slice) {
  SmallVector<Value> pending{value};
  while (!pending.empty()) {
    Value current = pending.pop_back_val();
    Operation *op = current.getDefiningOp();
    if (!op || op->getBlock() != &body || !slice.insert(op))
      continue;
    SmallVector<OpAccess> accesses;
    if (op->getNumRegions() || collectAccesses(op, accesses))
      return Conflict{"its offset is computed by '" +
                          op->getName().getStringRef().str() +
                          "', which cannot be repeated earlier",
                      kOtherOffset, op, "computed here"};
    if (llvm::any_of(accesses,
                     [](const OpAccess &own) { return own.access.isWrite; }))
      return Conflict{"its offset is computed by '" +
                          op->getName().getStringRef().str() +
                          "', which writes memory",
                      kOtherOffset, op, "computed here"};
    for (const OpAccess &own : accesses)
      for (const OpAccess &other : bodyAccesses)
        if (other.access.isWrite &&
            mayAlias(other.access.buffer, own.access.buffer))
          return Conflict{"its offset is read from " +
                              describeBuffer(own.access.buffer) +
                              ", which is written in the loop",
                          "read it from a buffer that the loop does not write",
                          other.op, "written here"};
    // An allocation is not repeated, and neither is anything that orders
    // itself.
    if (!isMemoryEffectFree(op) && accesses.empty())
      return Conflict{"its offset is computed by '" +
                          op->getName().getStringRef().str() +
                          "', which cannot be repeated earlier",
                      kOtherOffset, op, "computed here"};
    pending.append(op->operand_begin(), op->operand_end());
  }
  return std::nullopt;
}

/// The part of a tile that a copy writes; none where it is not known.
static std::optional<tile::Region> regionOfTarget(TileMoveOpInterface copy) {
  tile::Region region;
  region.sizes = copy.getTargetExtents();
  region.offsets.assign(region.sizes.size(), 0);
  for (auto [dim, offset] : llvm::enumerate(copy.getTargetOffsets())) {
    std::optional<int64_t> constant = getConstantIntValue(offset);
    if (!constant || *constant < 0)
      return std::nullopt;
    region.offsets[dim] = *constant;
  }
  return region;
}

static bool haveCommonElement(const tile::Region &a, const tile::Region &b) {
  for (size_t dim = 0; dim < a.sizes.size(); ++dim)
    if (a.offsets[dim] >= b.offsets[dim] + b.sizes[dim] ||
        b.offsets[dim] >= a.offsets[dim] + a.sizes[dim])
      return false;
  return true;
}

SmallVector<TileMoveOpInterface> tile::partsOf(Value tile, Block &body) {
  SmallVector<TileMoveOpInterface> parts;
  SmallVector<tile::Region> regions;
  int64_t elements = 0;
  for (auto copy : body.getOps<TileMoveOpInterface>()) {
    if (!copy.isSharedLoad() || copy.getTarget() != tile)
      continue;
    std::optional<tile::Region> region = regionOfTarget(copy);
    if (!region || llvm::any_of(regions, [&](const tile::Region &other) {
          return haveCommonElement(*region, other);
        }))
      return {};
    int64_t size = 1;
    for (int64_t extent : region->sizes)
      size *= extent;
    elements += size;
    parts.push_back(copy);
    regions.push_back(std::move(*region));
  }
  auto type = cast<MemRefType>(tile.getType());
  if (parts.size() < 2 || elements != type.getNumElements())
    return {};
  return parts;
}

std::optional<Conflict> tile::whyNotAhead(TileMoveOpInterface copy, Block &body,
                                          ArrayRef<OpAccess> bodyAccesses,
                                          Operation *unknown,
                                          AheadCopy &result) {
  Value source = copy.getSource(), target = copy.getTarget();
  if (!isGlobal(source) || !isShared(target))
    return Conflict{"only copies from global to shared memory run ahead",
                    "such a copy can"};
  if (copy.getCompletion())
    return Conflict{"the program says itself at which barrier it completes",
                    "without `completes` the copy can run ahead"};
  AllocOp alloc = allocationOf(target);
  if (!alloc)
    return Conflict{"its target is not a whole `tile.alloc`",
                    "give the copy a `tile.alloc` of its own"};
  SmallVector<TileMoveOpInterface> fillers{copy};
  if (!overwrites(copy, target)) {
    fillers = partsOf(target, body);
    if (fillers.empty())
      return Conflict{"it covers only a part of the shared buffer",
                      "give the copy a `tile.alloc` of the part's shape, or "
                      "fill the other parts by copies beside it",
                      alloc, "buffer allocated here"};
  }
  Operation *filled = fillers.back();
  // Operations that use slots by their own shape say themselves what they read.
  for (Operation *user : target.getUsers())
    if (getTileViewSource(user))
      return Conflict{
          "the shared buffer has a view, of another shape or of a slice",
          "use the buffer itself in the loop", user, "viewed here"};
  if (unknown)
    return Conflict{"'" + unknown->getName().getStringRef().str() +
                        "' in the loop may touch any buffer",
                    "move it out of the loop", unknown, "here"};

  // Within an iteration everything else comes after the tile is filled; outside
  // of the loop nothing reads what the loop left.
  Operation *loop = body.getParentOp();
  Operation *early = nullptr, *outside = nullptr;
  for (Operation *user : target.getUsers()) {
    if (llvm::is_contained(fillers, user))
      continue;
    if (Operation *here = body.findAncestorOpInBlock(*user)) {
      // The first one in the body, whatever the order of the use list.
      if (here->isBeforeInBlock(filled) &&
          (!early || here->isBeforeInBlock(body.findAncestorOpInBlock(*early))))
        early = user;
    } else if (!isShielded(user, loop, target)) {
      outside = user; // use lists are reversed: ends as the first one written
    }
  }
  if (early)
    return Conflict{
        "the shared buffer is used before it is overwritten, so its "
        "contents cross iterations",
        "put the copy before all that uses its tile", early, "used here"};
  if (outside)
    return Conflict{"the shared buffer is used outside the loop",
                    "give what is used there a `tile.alloc` of its own",
                    outside, "used here"};

  SmallVector<TileAccess> own;
  cast<TileOpInterface>(copy.getOperation()).getAccesses(own);
  for (const TileAccess &read : own) {
    if (read.isWrite)
      continue;
    for (const OpAccess &other : bodyAccesses) {
      if (!other.access.isWrite || !mayAlias(other.access.buffer, read.buffer))
        continue;
      bool same =
          getBaseBuffer(other.access.buffer) == getBaseBuffer(read.buffer);
      return Conflict{describeBuffer(read.buffer) + " is written in the loop" +
                          (same ? ""
                                : " through " +
                                      describeBuffer(other.access.buffer) +
                                      ", which may alias it"),
                      same ? "write to another buffer than is read"
                           : "leave `tile.may_alias` out of arguments that "
                             "never overlap",
                      other.op, "written here"};
    }
  }

  llvm::SetVector<Operation *> slice;
  for (Value operand : copy->getOperands())
    if (operand != target)
      if (auto conflict = addToSlice(operand, body, bodyAccesses, slice))
        return conflict;
  result.copy = copy;
  SmallVector<Operation *> ordered = slice.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  result.slice.insert(ordered.begin(), ordered.end());
  return std::nullopt;
}
