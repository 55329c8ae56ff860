//===- BarrierAccesses.cpp - what barriers have to order ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations list the regions they touch; here these become entries of one
// table, with what decides whether a barrier has to part two of them:
//   - bytes in the arena, also where liveness gave them to another buffer; of a
//     tile that cp.async fills for a program without rings, parts of it;
//   - the slot of a ring. A ring orders its producers against its consumers;
//     what threads of one side do in a slot among themselves it does not;
//   - in global memory, which thread touches which element. Tiles that a loop
//     stores by one layout at multiples of their size are each thread's own,
//     and so are rows by index.
//
//===----------------------------------------------------------------------===//
#include "BarrierAccesses.h"
#include "Reduce/ClusterExchange.h"
#include "Schedule/Tokens.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Analysis/Divisibility.h"
#include "tile/Dialect/Tile/IR/Aliasing.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/LayoutConstraints.h"
#include "tile/Dialect/Tile/IR/ScheduleFacts.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

bool MemoryAccess::operator==(const MemoryAccess &other) const {
  return buffer == other.buffer && range == other.range &&
         scope == other.scope && ring == other.ring && view == other.view &&
         slotBuffer == other.slotBuffer && part == other.part &&
         isEarlier == other.isEarlier && isWrite == other.isWrite &&
         isAtomic == other.isAtomic && isCpAsync == other.isCpAsync &&
         isOwnCopy == other.isOwnCopy && isAsyncProxy == other.isAsyncProxy &&
         issue == other.issue && groups == other.groups &&
         owner == other.owner && isReplicated == other.isReplicated &&
         peer == other.peer;
}

bool tile::nvvm::isBlockLoop(Operation *op) {
  return isa<LoopLikeOpInterface>(op) && !isa<TileOpInterface>(op);
}

/// So many pairs of parts are compared that are not numbers, and so many parts
/// are looked at; beyond, all are taken to overlap.
static constexpr size_t kMaxQuestions = 2048, kMaxPartsOfKernel = 1024;

/// The scratch memory through which the blocks of a cluster exchange; an empty
/// range where they do so through a ring.
static std::pair<int64_t, int64_t> exchangedBytes(ClusterReduceOp reduce,
                                                  const SharedArena &arena) {
  ExchangePlace place = arena.exchanges.lookup(reduce);
  FragmentLayoutAttr layout = getFragmentLayout(reduce.getTarget());
  if (place.inRing || !layout)
    return {0, 0};
  ClusterExchange exchange(reduce, layout.getLayout().numRegisters(),
                           getAgentThreads(reduce));
  return {place.offset,
          place.offset + exchange.shapeOf(place.registers).bytes()};
}

static Operation *scopeAround(Operation *op) {
  for (Operation *parent : getEnclosingOps(op))
    if (isBlockLoop(parent) || isa<TileAgentsOpInterface>(parent))
      return parent;
  return nullptr;
}

AccessTable::AccessTable(KernelOp kernel, const SharedArena &arena,
                         const TargetInfo &target)
    : kernel(kernel), arena(arena), target(target), order(kernel) {
  findCopiedTiles();
  kernel.getBodyRegion().walk<WalkOrder::PreOrder>([&](Operation *op) {
    collect(op);
    return isa<TileOpInterface>(op) ? WalkResult::skip()
                                    : WalkResult::advance();
  });
  findEntries();
  findEarlier();
  noteScopes();
}

/// Accesses that loops behind them find pending when they begin: in the first
/// iterations the loop's counter is known.
void AccessTable::findEntries() {
  llvm::MapVector<Operation *, llvm::SmallSetVector<Value, 4>> loops;
  unsigned parts = 0;
  for (const MemoryAccess &access : accesses) {
    parts += !access.part.isWhole();
    for (Operation *scope = access.scope; scope; scope = scopeAround(scope))
      if (isa<scf::ForOp>(scope) && access.part.dependsOn(scope))
        loops[scope].insert(access.buffer);
  }
  if (parts * loops.size() > kMaxQuestions)
    return;
  for (unsigned id = 0, e = accesses.size(); id < e; ++id)
    for (auto &[loop, buffers] : loops) {
      MemoryAccess entered = accesses[id];
      if (entered.part.isWhole() || !buffers.contains(entered.buffer) ||
          loop->isAncestor(firstOperations[id]))
        continue;
      entered.isEarlier = true;
      // The last one first: after it, any iteration may be the current one.
      unsigned next = id;
      for (int64_t ended = kMaxIterations; ended >= 0; --ended) {
        entered.part.iteration = {cast<scf::ForOp>(loop), -ended};
        unsigned number = intern(firstOperations[id], entered);
        entries[{number, loop}] = {id, next};
        next = number;
      }
      enteredIds[{id, loop}] = next;
    }
}

/// Views show another use of their ring each time around, and offsets of parts
/// have other values: accesses of earlier iterations are entries of their own.
void AccessTable::findEarlier() {
  for (unsigned id = 0; id < accesses.size(); ++id) {
    agedIds.push_back(id);
    MemoryAccess earlier = accesses[id];
    if (!earlier.view && earlier.part.isWhole())
      continue;
    earlier.view = nullptr;
    earlier.isEarlier = !earlier.part.isWhole();
    // The loops around it have the access itself again at their ends.
    if (earlier.part.iteration.loop && earlier.part.iteration.before <= 0)
      continue;
    AccessPart part = std::exchange(earlier.part, AccessPart());
    agedIds[id] = intern(firstOperations[id], earlier);
    for (Operation *scope = earlier.scope; scope; scope = scopeAround(scope)) {
      if (!part.dependsOn(scope))
        continue;
      earlier.part = part.afterIteration(scope);
      earlierIds[{id, scope}] = intern(firstOperations[id], earlier);
    }
  }
}

void AccessTable::noteScopes() {
  none.resize(size());
  cpAsyncIds.resize(size());
  aheadIds.resize(size());
  auto mark = [&](llvm::DenseMap<Operation *, llvm::BitVector> &sets,
                  Operation *op, unsigned id) {
    llvm::BitVector &set = sets[op];
    set.resize(size());
    set.set(id);
  };
  for (auto [id, access] : llvm::enumerate(accesses)) {
    if (access.isCpAsync)
      cpAsyncIds.set(id);
    if (access.isOwnCopy)
      aheadIds.set(id);
    if (access.view)
      mark(byView, access.view, id);
    for (Operation *scope = access.scope; scope; scope = scopeAround(scope)) {
      mark(byScope, scope, id);
      if (access.part.dependsOn(scope))
        mark(byMoving, scope, id);
    }
  }
  // Both sides of such a copy, of this iteration and of earlier ones.
  for (auto &[op, ids] : byOperation) {
    auto isOfPart = [&](unsigned id) {
      const MemoryAccess &access = accesses[id];
      return access.isCpAsync && access.isWrite && !access.part.isWhole() &&
             ArrayRef<int64_t>(access.part.extents) !=
                 cast<MemRefType>(access.buffer.getType()).getShape();
    };
    if (llvm::none_of(ids, isOfPart))
      continue;
    for (unsigned id : ids)
      if (accesses[id].isCpAsync)
        aheadIds.set(id);
  }
  // An access has a smaller number than the same one of an earlier iteration.
  for (unsigned id : aheadIds.set_bits())
    aheadIds.set(aged(id));
  for (auto [entered, access] : entries)
    if (aheadIds.test(access.first))
      aheadIds.set(entered.first);
  for (auto [access, earlier] : earlierIds)
    if (accesses[earlier].isCpAsync && accesses[earlier].isWrite)
      aheadIds.set(earlier);
}

const llvm::BitVector &AccessTable::movingWith(Operation *loop) const {
  auto it = byMoving.find(loop);
  return it == byMoving.end() ? none : it->second;
}

ArrayRef<unsigned> AccessTable::of(Operation *op) const {
  auto it = byOperation.find(op);
  return it == byOperation.end() ? ArrayRef<unsigned>() : it->second;
}

const llvm::BitVector &AccessTable::inside(Operation *op) const {
  auto it = byScope.find(op);
  return it == byScope.end() ? none : it->second;
}

const llvm::BitVector &AccessTable::throughViewsOf(Operation *op) const {
  auto it = byView.find(op);
  return it == byView.end() ? none : it->second;
}

unsigned AccessTable::intern(Operation *op, const MemoryAccess &access) {
  SmallVector<unsigned> &known = byBuffer[access.buffer];
  for (unsigned id : known)
    if (accesses[id] == access)
      return id;
  known.push_back(accesses.size());
  accesses.push_back(access);
  firstOperations.push_back(op);
  return known.back();
}

//===----------------------------------------------------------------------===//
// Description of accesses
//===----------------------------------------------------------------------===//

MemoryAccess AccessTable::describe(Operation *op, Value buffer, bool isWrite,
                                   bool isAtomic) const {
  MemoryAccess access;
  buffer = getViewedTile(buffer);
  // Views are parts of the memory that they view.
  access.buffer = isGlobal(buffer) ? getBaseBuffer(buffer) : buffer;
  access.scope = scopeAround(op);
  access.isWrite = isWrite;
  access.isAtomic = isAtomic;
  access.isShared = tile::isShared(buffer);
  if (!access.isShared)
    return access;
  access.range = arena.range(buffer);
  if (Value ring = ringOf(buffer)) {
    access.ring = ring.getDefiningOp();
    access.view = buffer.getDefiningOp();
    access.slotBuffer = cast<OpResult>(buffer).getResultNumber();
  }
  if (!access.ring && asyncKind(op) == AsyncKind::Wgmma)
    access.issue = op;
  return access;
}

void AccessTable::describeMove(TileMoveOpInterface move,
                               MemoryAccess &access) const {
  // Of global memory, too, a group moves a part of its own.
  access.groups = move.getGroupsAttr();
  bool fillsShared = access.isShared && access.isWrite;
  if (auto copy = dyn_cast<ClusterCopyOp>(move.getOperation());
      copy && fillsShared)
    access.peer = getConstantIntValue(copy.getBlock());
  // The source is read late, too. Copies into rings are waited for there.
  const CopyTraits &traits = traitsOf(move);
  if (traits.completion == CopyCompletion::ThreadGroups &&
      !ringOf(move.getTarget()))
    access.isCpAsync = true;
  access.isAsyncProxy = fillsShared && traits.byAsyncProxy;
}

/// Who touches which element of a region of global memory: the loop's layout,
/// the region's extents, and which of the loop's dimensions runs along each of
/// the buffer's. Null where two such regions may overlap in part.
static Attribute ownerOf(FragmentLayoutAttr layout, const LoopDemand &loop,
                         const LoopAccess &access) {
  SmallVector<int64_t> extents, dims;
  llvm::SmallDenseSet<unsigned> used;
  for (const LoopIndex &index : access.indices) {
    int64_t dim = -1, extent = 1;
    // What an iteration loads may stand for a row, where all load the same.
    if (index.isIrregular && index.irregularIn.any())
      return {};
    for (auto [d, coefficient] : llvm::enumerate(index.coefficients)) {
      if (coefficient == 0 || loop.shape[d] == 1)
        continue;
      if (coefficient != 1 || dim >= 0 || !used.insert(d).second)
        return {};
      dim = d;
      extent = loop.shape[d];
    }
    if (extent != 1) {
      if (extent <= 0 || index.isIrregular || index.constant % extent)
        return {};
      for (Value uniform : index.uniforms)
        if (!uniform || knownDivisor(uniform) % extent)
          return {};
    }
    extents.push_back(extent);
    dims.push_back(dim);
  }
  for (auto [d, extent] : llvm::enumerate(loop.shape))
    if (extent != 1 && !used.contains(d))
      return {};
  MLIRContext *context = layout.getContext();
  return ArrayAttr::get(context,
                        {layout, DenseI64ArrayAttr::get(context, extents),
                         DenseI64ArrayAttr::get(context, dims)});
}

/// Whether the loop's layout says which thread touches what: no instruction
/// that deals elements out in a way of its own.
static bool isDealtByLayout(Operation *op) {
  auto move = dyn_cast<TileMoveOpInterface>(op);
  if (!move)
    return true;
  return traitsOf(move).isPlain && !move.getGroupsAttr() &&
         !move.getMulticast() && move.getAddressing() == MoveAddressing::Box;
}

void AccessTable::findOwners(Operation *op,
                             MutableArrayRef<MemoryAccess> found) const {
  auto layout = cast<TileOpInterface>(op).getLoopLayout();
  if (!layout || !isDealtByLayout(op) ||
      llvm::none_of(
          found, [](const MemoryAccess &access) { return !access.isShared; }))
    return;
  LayoutConstraints constraints(target, KernelOp(kernel).getThreads());
  cast<TileOpInterface>(op).getLayoutConstraints(constraints);
  if (!constraints.loopDemand)
    return;
  for (MemoryAccess &access : found) {
    if (access.isShared)
      continue;
    // One owner for all that the operation does to the buffer, or none.
    Attribute owner;
    bool isOne = true;
    for (const LoopAccess &inner : constraints.loopDemand->accesses) {
      if (getBaseBuffer(inner.buffer()) != access.buffer)
        continue;
      // Where a view starts is not known, nor whether it moves.
      Attribute own;
      if (inner.buffer() == access.buffer)
        own = ownerOf(layout, *constraints.loopDemand, inner);
      isOne &= own && (!owner || owner == own);
      owner = own;
    }
    // Two elements of half a byte are one word of the atomics that store them.
    bool isPacked = storageBitsOf(access.buffer) < 8;
    if (isOne && !isPacked)
      access.owner = owner;
    access.isReplicated = layout.getLayout().replication() > 1;
  }
}

/// Accesses to what a thread's loops copy asynchronously.
static void markOwnCopies(ParallelOp parallel,
                          MutableArrayRef<MemoryAccess> found) {
  auto mark = [&](Value buffer, bool isWrite) {
    buffer = getViewedTile(buffer);
    Value base = isGlobal(buffer) ? getBaseBuffer(buffer) : buffer;
    for (MemoryAccess &access : found)
      if (access.buffer == base && access.isWrite == isWrite &&
          !access.isAtomic)
        access.isCpAsync = access.isOwnCopy = true;
  };
  parallel.getBodyRegion().walk([&](scf::ForOp loop) {
    if (!loop->hasAttr(kAsyncCopyAttrName))
      return;
    for (Operation &op : *loop.getBody())
      if (auto load = dyn_cast<memref::LoadOp>(op))
        mark(load.getMemRef(), /*isWrite=*/false);
      else if (auto store = dyn_cast<memref::StoreOp>(op))
        mark(store.getMemRef(), /*isWrite=*/true);
  });
}

/// Scratch memory is written and read; what is pending of it after the
/// operation is that threads read.
void AccessTable::collectScratch(Operation *op,
                                 SmallVectorImpl<MemoryAccess> &found) {
  MemoryAccess access;
  if (auto it = arena.scratch.find(op); it != arena.scratch.end())
    access.range = it->second;
  else if (auto reduce = dyn_cast<ClusterReduceOp>(op))
    access.range = exchangedBytes(reduce, arena);
  if (access.range.first == access.range.second)
    return;
  access.scope = scopeAround(op);
  access.isShared = access.isWrite = true;
  found.push_back(access);
}

void AccessTable::findCopiedTiles() {
  kernel.getBodyRegion().walk([&](TileMoveOpInterface move) {
    Value target = getViewedTile(move.getTarget());
    if (tile::isShared(target) && !ringOf(target) &&
        traitsOf(move).completion == CopyCompletion::ThreadGroups)
      copiedTiles.insert(target);
  });
}

void AccessTable::collect(Operation *op) {
  SmallVector<MemoryAccess> found;
  auto note = [&](Value buffer, bool isWrite, bool isAtomic) {
    if (tile::isShared(buffer) || isGlobal(buffer))
      found.push_back(describe(op, buffer, isWrite, isAtomic));
  };
  if (auto tileOp = dyn_cast<TileOpInterface>(op)) {
    SmallVector<TileAccess> touched;
    tileOp.getAccesses(touched);
    for (const TileAccess &access : touched)
      note(access.buffer, access.isWrite, access.isAtomic);
    findOwners(op, found);
    if (auto move = dyn_cast<TileMoveOpInterface>(op))
      for (MemoryAccess &access : found)
        describeMove(move, access);
    if (auto parallel = dyn_cast<ParallelOp>(op))
      markOwnCopies(parallel, found);
    for (Value operand : op->getOperands())
      if (tile::isShared(operand) && (readsThroughAsyncProxy(op, operand)))
        asyncRanges.insert(arena.range(operand));
  } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
    note(load.getMemRef(), false, false);
  } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
    note(store.getMemRef(), true, false);
  } else if (auto rmw = dyn_cast<memref::AtomicRMWOp>(op)) {
    note(rmw.getMemref(), true, true);
  } else if (auto arrival = dyn_cast<LastArrivalOp>(op)) {
    note(arrival.getCounters(), true, true);
  }
  collectScratch(op, found);
  for (MemoryAccess &access : found) {
    if (access.isAsyncProxy) {
      asyncRanges.insert(access.range);
      asyncFills.insert({access.ring, access.range});
    }
    SmallVector<unsigned, 2> &ids = byOperation[op];
    auto add = [&] {
      unsigned id = intern(op, access);
      if (!llvm::is_contained(ids, id))
        ids.push_back(id);
    };
    if (!access.buffer || !copiedTiles.contains(access.buffer) ||
        accesses.size() > kMaxPartsOfKernel) {
      add();
      continue;
    }
    for (AccessPart &part : partsOf(op, access.buffer, access.isWrite)) {
      access.part = std::move(part);
      add();
    }
  }
}

//===----------------------------------------------------------------------===//
// Conflicts
//===----------------------------------------------------------------------===//

static bool overlap(std::pair<int64_t, int64_t> a,
                    std::pair<int64_t, int64_t> b) {
  return a.first < b.second && b.first < a.second;
}

/// Two accesses to slots of one ring.
static bool meetInRing(const MemoryAccess &before, const MemoryAccess &now) {
  // Another use is another slot, or comes after the ring's own waits.
  if (!before.view || !now.view || before.slotBuffer != now.slotBuffer)
    return false;
  // Producers and consumers wait for each other.
  if (before.isProduction() != now.isProduction())
    return false;
  // Consumers may look at one slot through several waits.
  return !now.isProduction() ||
         (before.view == now.view && !before.isAsyncProxy);
}

/// Of two accesses to parts of one tile.
bool AccessTable::haveCommonElements(unsigned before, unsigned now) const {
  const AccessPart &first = accesses[before].part, &second = accesses[now].part;
  if (first.isWhole() || second.isWhole() || before == now)
    return true;
  // Numbers are compared at once.
  if (first.isConstant() && second.isConstant())
    return !areApart(first, second, order);
  auto it = common.find({before, now});
  if (it != common.end())
    return it->second;
  if (common.size() >= kMaxQuestions)
    return true;
  return common[{before, now}] = !areApart(first, second, order);
}

bool AccessTable::conflict(unsigned beforeId, unsigned nowId) const {
  const MemoryAccess &before = accesses[beforeId], &now = accesses[nowId];
  if ((!before.isWrite && !now.isWrite) || now.isEarlier)
    return false;
  if ((before.isAtomic && now.isAtomic) || before.isShared != now.isShared ||
      (before.isOwnCopy && now.isOwnCopy) ||
      (before.peer && now.peer && *before.peer != *now.peer))
    return false;
  if (before.isShared)
    return before.ring && before.ring == now.ring
               ? meetInRing(before, now)
               : overlap(before.range, now.range) &&
                     (before.buffer != now.buffer ||
                      haveCommonElements(beforeId, nowId));
  if (before.buffer == now.buffer) {
    bool isOwn = before.owner && before.owner == now.owner &&
                 !before.isAtomic && !now.isAtomic && !before.isCpAsync;
    bool readsReplicas =
        before.isReplicated && !(before.isWrite && now.isWrite);
    return !isOwn || readsReplicas;
  }
  return mayAlias(before.buffer, now.buffer);
}

bool AccessTable::isAsyncTouched(const MemoryAccess &access) const {
  return llvm::any_of(asyncRanges, [&](std::pair<int64_t, int64_t> range) {
    return overlap(range, access.range);
  });
}

bool AccessTable::needsFence(unsigned id) const {
  const MemoryAccess &access = accesses[id];
  // Copies in flight are fenced where they are waited for.
  if (!access.isShared || access.isCpAsync || access.isAsyncProxy)
    return false;
  // The wait of a ring fences what its own producers wrote, its release what
  // threads read.
  if (access.isWrite)
    return !access.isProduction() && isAsyncTouched(access);
  return !access.ring && isFilledByProxy(access);
}

bool AccessTable::needsFenceAfter(RingDrainOp drain) const {
  Operation *ring = drain.getRing().getDefiningOp();
  return llvm::any_of(accesses, [&](const MemoryAccess &access) {
    return access.ring == ring && !access.isAsyncProxy &&
           (access.isProduction() || !access.isWrite) &&
           isFilledByProxy(access);
  });
}

bool AccessTable::isFilledByProxy(const MemoryAccess &access) const {
  return llvm::any_of(asyncFills, [&](auto &fill) {
    return (!access.ring || fill.first != access.ring) &&
           overlap(fill.second, access.range);
  });
}
