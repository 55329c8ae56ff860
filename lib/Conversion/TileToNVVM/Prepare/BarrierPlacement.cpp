//===- BarrierPlacement.cpp - where threads meet --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tile operations run on all threads of a block, in order per thread only. A
// barrier is needed between two operations that touch the same bytes of shared
// or global memory when one of them writes (BarrierAccesses.cpp). A walk over
// the kernel keeps the accesses made since the last barrier, on any path, and
// puts a barrier before the first operation that conflicts; between operations
// that deal a tile out alike among groups of warps, one for each group. What
// the end of an iteration leaves meets the next one: the walk is repeated until
// it finds nothing new there, so that its cost is that of some walks, however
// deep loops are nested. Waits of rings that count groups of copies are
// barriers, too, and so is what an operation does between its writes to scratch
// memory and its reads there.
//
// Where bytes are touched through the async proxy (wgmma, tcgen05, bulk and
// tensor copies), those who wrote them otherwise fence before they meet (PTX
// ISA, "Async proxy"). Copies by cp.async that nothing waits for are waited for
// where the kernel ends. Of those that a program makes ahead into one part of a
// tile the walk counts how many groups have begun since, so that a wait leaves
// the newest under way (AccessParts.h, CopyGroups.h).
//
//===----------------------------------------------------------------------===//
#include "BarrierPlacement.h"
#include "BarrierConflicts.h"
#include "BarrierState.h"
#include "CopyGroups.h"
#include "Schedule/Tokens.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/Placement.h"
#include "tile/Dialect/Tile/IR/TileBarrierOps.h"
#include "tile/Dialect/Tile/IR/Tunables.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;
using llvm::BitVector;

namespace {
class BarrierPlacement {
public:
  BarrierPlacement(KernelOp kernel, const SharedArena &arena,
                   const AccessTable &table)
      : kernel(kernel), arena(arena), table(table) {}

  SmallVector<Meeting> run() {
    // What comes around has to be known before a barrier may leave a loop.
    for (bool settled : {false, true}) {
      isSettled = settled;
      do {
        hasChanged = isStale = false;
        meetings.clear();
        BarrierState state(table.size());
        walk(kernel.getBodyRegion().front(), state);
      } while (hasChanged);
    }
    return meetings;
  }

private:
  void walk(Block &block, BarrierState &state) {
    for (Operation &op : block) {
      visit(&op, state);
      if (isa<TileAgentsOpInterface>(op))
        walkRoles(&op, state);
      else if (!isa<TileOpInterface>(op) && op.getNumRegions())
        walkRegions(&op, state);
    }
  }

  void visit(Operation *op, BarrierState &state);
  void walkRegions(Operation *op, BarrierState &state);
  void walkBranch(scf::IfOp branch, unsigned groups, BarrierState &state);
  void walkRoles(Operation *roles, BarrierState &state);
  void age(const BitVector &accesses, BarrierState &state) const {
    state.replace(accesses, [&](unsigned id) { return table.aged(id); });
  }
  void resolve(Operation *op, BitVector conflicts, BarrierState &state);
  bool meetOutside(Operation *op, BitVector &conflicts, BarrierState &state);
  bool meetBeforeBranch(Operation *op, const BitVector &conflicts);
  void meet(Operation *op, BarrierState &state, const BitVector &conflicts,
            bool areAll = false);
  void meetInGroups(Operation *op, DenseI64ArrayAttr groups,
                    BarrierState &state, const BitVector &conflicts);
  bool meetsInside(Operation *op) const;
  void passBarrier(Operation *op, int64_t groups, BarrierState &state);
  void fence(Operation *op, const BitVector &writes, BarrierState &state);
  void handOver(Operation *op, BarrierState &state);
  void land(AwaitOp await, BarrierState &state);

  /// Accesses of the agent that runs `op`: its barriers order no others.
  BitVector ofAgent(Operation *op) const {
    if (runsInRole(op))
      return table.inside(getAgent(op)->getParentOp());
    return BitVector(table.size(), true);
  }
  static BitVector both(BitVector a, const BitVector &b) { return a &= b; }
  static BitVector without(BitVector a, const BitVector &b) {
    return a.reset(b);
  }
  void insert(llvm::SmallPtrSetImpl<Operation *> &set, Operation *op) {
    hasChanged |= set.insert(op).second;
  }

  KernelOp kernel;
  const SharedArena &arena;
  const AccessTable &table;
  SmallVector<Meeting> meetings;
  /// What the ends of iterations leave to the next ones; it only grows.
  llvm::DenseMap<Operation *, BarrierState> around;
  /// Loops and roles in front of which threads meet, and loops in front of
  /// which they fence, for the sake of what comes before them.
  llvm::SmallPtrSet<Operation *, 8> meetBefore, fenceBefore;
  bool hasChanged = false, isSettled = false;
  /// The rest of this walk does not know of a meeting before a branch that it
  /// has passed: it settles nothing more.
  bool isStale = false;
};
} // namespace

static int64_t countOf(DenseI64ArrayAttr groups) {
  int64_t count = 1;
  if (groups)
    for (int64_t part : groups.asArrayRef())
      count *= part;
  return count;
}

/// How many groups of warps meet, each on its own, at an operation whose
/// lowering makes threads meet: 1 where all of the agent do; none elsewhere.
static std::optional<int64_t> groupsThatMeet(Operation *op) {
  if (auto await = dyn_cast<AwaitOp>(op); await && awaitsCopies(await)) {
    if (isLastOfKernel(await))
      return std::nullopt;
    return await.getGroups().value_or(1);
  }
  auto order = dyn_cast<TileOrderOpInterface>(op);
  return order ? order.getMeetingGroups() : std::nullopt;
}

/// Whether threads meet inside of `op`, after they have written to its scratch
/// memory and before they read there.
bool BarrierPlacement::meetsInside(Operation *op) const {
  return arena.scratch.contains(op);
}

void BarrierPlacement::visit(Operation *op, BarrierState &state) {
  // One thread releases what all have written, and acquires for all.
  if (isa<GridBarrierOp, LastArrivalOp>(op) ||
      holdsAccessOf(op, MemoryOrder::Release) ||
      holdsAccessOf(op->getPrevNode(), MemoryOrder::Acquire))
    meet(op, state, BitVector(table.size()));
  if (meetBefore.contains(op))
    if (BitVector conflicts = conflictsInside(table, op, state.pending);
        conflicts.any())
      meet(op, state, conflicts, /*areAll=*/true);
  if (fenceBefore.contains(op) && state.unfenced.any())
    fence(op, both(state.unfenced, ofAgent(op)), state);
  if (!table.of(op).empty())
    if (BitVector conflicts = conflictsOf(table, op, state.pending);
        conflicts.any())
      resolve(op, std::move(conflicts), state);
  // The wait of a ring fences for its own readers only.
  if (auto drain = dyn_cast<RingDrainOp>(op);
      drain && table.needsFenceAfter(drain)) {
    Meeting end{op};
    end.isBarrier = false;
    end.fences = true;
    RingType type = drain.getRing().getType();
    end.waitsForCopies =
        type.getProducer() == RingProducer::CpAsync && !type.usesMbarriers();
    meetings.push_back(end);
  }
  // Copies into a tile that nothing reads must land before the block's shared
  // memory is given to another block.
  if (isa<ReturnOp>(op) && state.pending.anyCommon(table.cpAsyncs())) {
    Meeting end{op};
    end.isBarrier = false;
    end.waitsForCopies = true;
    meetings.push_back(end);
  }
  // A view shows another use of its ring from here on.
  if (showsSlot(op))
    age(table.throughViewsOf(op), state);
  // Some of its accesses may come after that.
  if (meetsInside(op))
    passBarrier(op, 1, state);
  if (table.copies(op))
    state.begin(1, table.cpAsyncs());
  for (unsigned id : table.of(op)) {
    state.pending.set(id);
    state.ages[id] = 0;
    if (table[id].issue)
      state.flying.set(id);
    if (table.needsFence(id))
      state.unfenced.set(id);
  }
  if (auto await = dyn_cast<AwaitOp>(op))
    land(await, state);
  // Tensor copies fill the slot next that threads have written.
  if (auto ringOp = dyn_cast<TileRingOpInterface>(op);
      ringOp && ringOp.releasesSlot()) {
    Operation *ring = ringOp.getRing().getDefiningOp();
    BitVector writes(table.size());
    for (unsigned id : state.unfenced.set_bits())
      if (table[id].ring == ring)
        writes.set(id);
    if (writes.any())
      fence(op, both(state.unfenced, ofAgent(op)), state);
  }
  if (auto order = dyn_cast<TileOrderOpInterface>(op);
      order && order.handsOver())
    handOver(op, state);
  if (std::optional<int64_t> groups = groupsThatMeet(op))
    passBarrier(op, *groups, state);
  // Every thread has waited for its copies in front of it.
  if (isa<ClusterBarrierOp>(op))
    state.pending.reset(both(ofAgent(op), table.cpAsyncs()));
}

/// In front of an arrival by which each thread gives away what it has done: its
/// copies have landed, and tensor copies and tensor cores may use the memory.
/// Among the agent's own threads it orders nothing.
void BarrierPlacement::handOver(Operation *op, BarrierState &state) {
  BitVector agents = ofAgent(op);
  BitVector copies = both(both(state.pending, agents), table.cpAsyncs());
  // These arrive once the copies have landed; who waits fences.
  auto arrival = dyn_cast<MbarrierArriveOp>(op);
  if (arrival && arrival.getAfterCopies())
    copies.reset();
  Meeting meeting{op};
  meeting.isBarrier = false;
  meeting.waitsForCopies = copies.any();
  meeting.fences = state.unfenced.anyCommon(agents);
  for (unsigned id : copies.set_bits())
    meeting.fences |= table[id].isShared && table[id].isWrite &&
                      table.isAsyncTouched(table[id]);
  if (!meeting.waitsForCopies && !meeting.fences)
    return;
  meetings.push_back(meeting);
  state.unfenced.reset(agents);
}

/// A barrier that stands in the program, or that a wait ends with.
void BarrierPlacement::passBarrier(Operation *op, int64_t groups,
                                   BarrierState &state) {
  BitVector agents = ofAgent(op), writes = both(state.unfenced, agents);
  if (writes.any()) {
    // What loops find unfenced from before is fenced once, before them.
    Operation *outermost = nullptr;
    for (Operation *parent = op->getParentOp();
         !isa<TileAgentsOpInterface>(parent); parent = parent->getParentOp())
      if (isBlockLoop(parent) && !writes.anyCommon(table.inside(parent)))
        outermost = parent;
    if (isSettled && outermost && !fenceBefore.contains(outermost)) {
      insert(fenceBefore, outermost);
      state.unfenced.reset(writes);
    } else {
      fence(op, writes, state);
    }
  }
  BitVector ended = without(both(state.pending, agents), table.cpAsyncs());
  ended.reset(state.flying);
  for (unsigned id : ended.set_bits())
    if (groups == 1 || countOf(table[id].groups) == groups)
      state.pending.reset(id);
}

/// Gemms that a token shows to have read their operands.
void BarrierPlacement::land(AwaitOp await, BarrierState &state) {
  if (state.flying.none())
    return;
  llvm::SmallPtrSet<Operation *, 4> ended = issuesEndedBy(await);
  for (unsigned id : state.flying.set_bits())
    if (ended.contains(table[id].issue))
      state.flying.reset(id);
}

/// Both paths begin as many groups of copies: the shorter one has empty groups.
void BarrierPlacement::walkBranch(scf::IfOp branch, unsigned groups,
                                  BarrierState &state) {
  BarrierState result(table.size());
  for (Region &region : branch->getRegions()) {
    BarrierState inside = state;
    unsigned own = 0;
    if (!region.empty()) {
      walk(region.front(), inside);
      own = copyGroupsOf(region.front(), table).value_or(groups);
    }
    inside.begin(groups - own, table.cpAsyncs());
    result.merge(inside, table.cpAsyncs());
  }
  state = std::move(result);
}

void BarrierPlacement::walkRegions(Operation *op, BarrierState &state) {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    if (std::optional<unsigned> groups = copyGroupsOf(branch, table);
        groups && *groups)
      return walkBranch(branch, *groups, state);
  bool isLoop = isBlockLoop(op);
  if (isLoop) {
    state.replace(BitVector(state.pending),
                  [&](unsigned id) { return table.beforeLoop(id, op); });
    if (auto it = around.find(op); it != around.end())
      state.merge(it->second, table.cpAsyncs());
  }
  // Another branch may run, or none.
  const BarrierState before = state;
  BarrierState end(table.size());
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    BarrierState inside = isLoop ? state : before;
    for (Block &block : region)
      walk(block, inside);
    state.merge(inside, table.cpAsyncs());
    end.merge(inside, table.cpAsyncs());
  }
  if (!isLoop)
    return;
  // What was pending before the loop, and still is.
  BitVector stays = table.inside(op);
  auto seen = [&](unsigned id, unsigned as) {
    if (id != as)
      stays.set(as);
    return as;
  };
  end.replace(BitVector(end.pending), [&](unsigned id) {
    return seen(id, table.fromNextIteration(id, op));
  });
  state.replace(BitVector(state.pending),
                [&](unsigned id) { return seen(id, table.afterLoop(id, op)); });
  // The next iteration has other offsets, and none are known after the loop.
  end.replace(table.movingWith(op),
              [&](unsigned id) { return table.afterIteration(id, op); });
  end.keep(stays);
  hasChanged |= around.try_emplace(op, table.size())
                    .first->second.merge(end, table.cpAsyncs());
  age(table.movingWith(op), state);
}

/// Roles meet in rings only: each starts from what was pending before all. A
/// barrier ends them, except where the kernel ends: what comes behind finds
/// nothing pending, so everybody fences in front of it what they have written.
void BarrierPlacement::walkRoles(Operation *roles, BarrierState &state) {
  bool isLast = endsKernel(roles);
  // Some threads may have no role.
  if (BitVector writes = both(state.unfenced, ofAgent(roles));
      !isLast && writes.any())
    fence(roles, writes, state);
  const BarrierState entry = state;
  for (Region &role : roles->getRegions()) {
    BarrierState own = entry;
    for (Block &block : role)
      walk(block, own);
    if (BitVector writes = both(own.unfenced, table.inside(roles));
        !isLast && writes.any())
      fence(role.back().getTerminator(), writes, own);
    state.merge(own, table.cpAsyncs());
  }
  if (isLast)
    return;
  BitVector stays = table.cpAsyncs();
  stays |= state.flying;
  state.pending &= stays;
}

void BarrierPlacement::resolve(Operation *op, BitVector conflicts,
                               BarrierState &state) {
  bool maySettle = isSettled && !isStale;
  while (maySettle && conflicts.any() && meetOutside(op, conflicts, state))
    ;
  if (conflicts.none())
    return;
  if (maySettle && conflicts.anyCommon(table.cpAsyncs()))
    isStale = meetBeforeBranch(op, conflicts);
  if (DenseI64ArrayAttr groups = commonGroups(table, op, conflicts))
    return meetInGroups(op, groups, state, conflicts);
  if (conflicts.anyCommon(table.cpAsyncs()))
    conflicts |= copiesWantedSoon(table, op, state.pending);
  meet(op, state, conflicts, /*areAll=*/true);
}

/// Has threads meet before a loop around `op` where all that conflicts comes
/// from before it, which saves a barrier in each iteration; and before roles,
/// whose own barriers say nothing of the others' threads. True when something
/// is settled this way that was not.
bool BarrierPlacement::meetOutside(Operation *op, BitVector &conflicts,
                                   BarrierState &state) {
  Operation *chosen = nullptr;
  for (Operation *parent = op->getParentOp(); parent != kernel;
       parent = parent->getParentOp()) {
    bool isRole = isa<TileAgentsOpInterface>(parent);
    if ((!isRole && !isBlockLoop(parent)) || meetBefore.contains(parent))
      continue;
    bool comesFromInside = conflicts.anyCommon(table.inside(parent));
    bool comesFromOutside = without(conflicts, table.inside(parent)).any();
    if (!comesFromInside || (isRole && comesFromOutside))
      chosen = parent;
  }
  if (!chosen)
    return false;
  insert(meetBefore, chosen);
  state.keep(table.inside(chosen));
  conflicts &= table.inside(chosen);
  return true;
}

/// Has threads meet before a branch around `op` where all that conflicts comes
/// from before it and copies are among that: whoever copies ahead under a
/// condition waits for the copy before, which is read after the branch, and not
/// for its own. True when something is settled this way that was not.
bool BarrierPlacement::meetBeforeBranch(Operation *op,
                                        const BitVector &conflicts) {
  Operation *chosen = nullptr;
  for (Operation *parent = op->getParentOp(); isa<scf::IfOp>(parent);
       parent = parent->getParentOp())
    if (!meetBefore.contains(parent) &&
        !conflicts.anyCommon(accessesIn(table, parent)))
      chosen = parent;
  if (chosen)
    insert(meetBefore, chosen);
  return chosen;
}

/// A barrier before `op`, with everything that has to precede it. `areAll`:
/// `op` conflicts with nothing but `conflicts`.
void BarrierPlacement::meet(Operation *op, BarrierState &state,
                            const BitVector &conflicts, bool areAll) {
  BitVector agents = ofAgent(op);
  if (!both(state.pending, agents).any() && !state.unfenced.any())
    return;
  Meeting meeting{op};
  if (conflicts.any())
    meeting.conflict = conflicts.find_first();
  BitVector copies = both(both(state.pending, agents), table.cpAsyncs());
  // Copies ahead stay under way where nothing asks for them.
  if (areAll && conflicts.any()) {
    BitVector needed = both(copies, conflicts), staying = copies;
    int64_t newest = kMostInFlight + 1;
    for (unsigned id : needed.set_bits())
      newest = std::min<int64_t>(newest, state.ages[id]);
    for (unsigned id : copies.set_bits())
      if (needed.any() && state.ages[id] >= newest)
        staying.reset(id);
    if (!staying.test(table.copiesAhead())) {
      meeting.inFlight = needed.any() && staying.any() ? newest : 0;
      agents.reset(staying);
      copies.reset(staying);
    }
  }
  meeting.waitsForCopies = copies.any();
  meeting.fences = state.unfenced.anyCommon(agents);
  for (unsigned id : copies.set_bits())
    meeting.fences |= table[id].isShared && table[id].isWrite &&
                      table.isAsyncTouched(table[id]);
  meetings.push_back(meeting);
  state.unfenced.reset(agents);
  agents.reset(state.flying);
  state.pending.reset(agents);
}

/// A barrier of each group of warps on its own: what others have pending stays
/// pending. The fence covers all that its thread has written.
void BarrierPlacement::meetInGroups(Operation *op, DenseI64ArrayAttr groups,
                                    BarrierState &state,
                                    const BitVector &conflicts) {
  Meeting meeting{op};
  meeting.conflict = conflicts.find_first();
  BitVector agents = ofAgent(op);
  meeting.groups = countOf(groups);
  meeting.fences = state.unfenced.anyCommon(agents);
  meetings.push_back(meeting);
  state.unfenced.reset(agents);
  BitVector pending = both(state.pending, agents);
  for (unsigned id : pending.set_bits())
    if (table[id].groups == groups)
      state.pending.reset(id);
}

void BarrierPlacement::fence(Operation *op, const BitVector &writes,
                             BarrierState &state) {
  Meeting meeting{op};
  meeting.isBarrier = false;
  meeting.fences = true;
  meetings.push_back(meeting);
  state.unfenced.reset(writes);
}

SmallVector<Meeting> nvvm::placeBarriers(KernelOp kernel,
                                         const SharedArena &arena,
                                         const AccessTable &table) {
  return BarrierPlacement(kernel, arena, table).run();
}
