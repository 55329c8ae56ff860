//===- MachineMemory.cpp - accesses, and mbarriers ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Machine.h"
#include <cstring>

using namespace mlir::tile::lowered;

static const char *verb(AccessKind kind) {
  return kind == AccessKind::Read    ? "reads"
         : kind == AccessKind::Write ? "writes"
                                     : "accesses";
}

Block &Machine::blockOfRank(unsigned rank, const PtxInstruction &at) {
  if (rank >= blocks().size())
    fail(at, "expected a block of the cluster's " +
                 std::to_string(blocks().size()) + ", got rank " +
                 std::to_string(rank));
  return *blocks()[rank];
}

Block &Machine::blockOf(uint64_t address, uint32_t &local) {
  uint64_t rank = address >> kRankShift;
  local = uint32_t(address & ((1u << kRankShift) - 1));
  if (rank == 0)
    return *current->block;
  if (rank > blocks().size())
    fail("address " + std::to_string(address) +
         " is in no block of the cluster");
  Block &block = *blocks()[rank - 1];
  // What lands for a block may find a thread of another one that has not waited.
  if (&block != current->block && block.cluster->barrier.generation == 0)
    failBeforeMeeting(block);
  return block;
}

void Machine::failBeforeMeeting(const Block &block) {
  fail("shared memory of block " + std::to_string(block.rank) +
       " of the cluster is accessed before that block is known to have begun: "
       "expected a barrier of the cluster in front");
}

char *Machine::accessShared(Block &block, uint32_t address, uint32_t bytes,
                            AccessKind kind, SiteId site, Agent agent,
                            Proxy proxy) {
  uint64_t offset = uint64_t(address) - kSharedBase;
  if (address < kSharedBase || offset + bytes > block.shared.size())
    fail(describe(site) + " " + verb(kind) + " " + std::to_string(bytes) +
         " bytes at shared address " + std::to_string(int64_t(offset)) +
         ", outside of the block's " + std::to_string(block.shared.size()) +
         " bytes");
  // checkEnd tells reads of a block's own operations apart.
  bool isOwn = &block == current->block;
  if (block.liveThreads == 0 &&
      (isOwn ? kind == AccessKind::Write
             : kind != AccessKind::Atomic || agent < threads.size()))
    fail(describe(site) + " " + verb(kind) + " " + std::to_string(bytes) +
         " bytes at shared address " + std::to_string(offset) +
         " of a block that has ended");
  // An atomic operation may change a part of a word, as a packed element is.
  if (findsUnwritten && kind == AccessKind::Read &&
      !block.sharedShadow->isWritten(offset, bytes))
    fail(describe(site) + " " + verb(kind) + " " + std::to_string(bytes) +
         " bytes at shared address " + std::to_string(offset) +
         ", which nothing has written");
  if (auto race = races->access(agent, *block.sharedShadow, offset, bytes, kind,
                                proxy, site))
    report(*race, "shared", offset, bytes, site);
  return reinterpret_cast<char *>(block.shared.data() + offset);
}

GlobalMemory::Region &Machine::allocationOf(uint64_t address, uint32_t bytes,
                                            AccessKind kind, SiteId site) {
  GlobalMemory::Region *region = global.find(address);
  if (!region || address + bytes > region->begin + region->bytes)
    fail(describe(site) + " " + verb(kind) + " " + std::to_string(bytes) +
         " bytes at global address " + std::to_string(address) +
         (region ? ", beyond the end of its allocation by " +
                       std::to_string(address + bytes - region->begin -
                                      region->bytes) +
                       " bytes"
                 : ", in no allocation"));
  return *region;
}

char *Machine::accessGlobal(uint64_t address, uint32_t bytes, AccessKind kind,
                            SiteId site, Agent agent, Proxy proxy) {
  GlobalMemory::Region &region = allocationOf(address, bytes, kind, site);
  size_t offset = address - region.begin;
  if (auto race =
          races->access(agent, region.shadow, offset, bytes, kind, proxy, site))
    report(*race, "global", address, bytes, site);
  if (kind == AccessKind::Write || kind == AccessKind::Atomic)
    if (auto read = region.readOnly.write(offset, bytes, region.bytes, site))
      fail(describe(site) + " " + verb(kind) + " " + std::to_string(bytes) +
           " bytes at global address " + std::to_string(address) +
           ", which the launch has read through the read-only cache "
           "(ld.global.nc), as at " +
           describe(*read) + ": the launch must not write such bytes");
  return region.host + offset;
}

void Machine::noteReadOnly(uint64_t address, uint32_t bytes, SiteId site) {
  GlobalMemory::Region &region =
      allocationOf(address, bytes, AccessKind::Read, site);
  if (auto write = region.readOnly.read(address - region.begin, bytes,
                                        region.bytes, site))
    fail(describe(site) + " reads " + std::to_string(bytes) +
         " bytes at global address " + std::to_string(address) +
         " through the read-only cache (ld.global.nc), and the launch has "
         "written them, as at " +
         describe(*write));
}

void Machine::readAround(uint64_t address, uint32_t bytes, SiteId site,
                         char *to) {
  constexpr char poison = 0x5a;
  bool isAnywhere = false;
  for (uint32_t k = 0; k < bytes; ++k) {
    to[k] = poison;
    GlobalMemory::Region *region = global.find(address + k, 1);
    if (!region)
      continue;
    isAnywhere = true;
    size_t offset = address + k - region->begin;
    if (!races->access(current->agent, region->shadow, offset, 1,
                       AccessKind::PieceRead, Proxy::Generic, site))
      to[k] = region->host[offset];
  }
  if (!isAnywhere)
    accessGlobal(address, bytes, AccessKind::Read, site, current->agent,
                 Proxy::Generic);
}

void Machine::accessShadow(const PtxInstruction &at, Shadow &shadow,
                           size_t offset, uint32_t bytes, AccessKind kind,
                           Agent agent, const char *memory) {
  if (findsUnwritten && kind == AccessKind::Read &&
      !shadow.isWritten(offset, bytes))
    fail(at, std::string("reads ") + memory + " memory at byte " +
                 std::to_string(offset) + ", which nothing has written");
  if (auto race = races->access(agent, shadow, offset, bytes, kind,
                                Proxy::Generic, at.site))
    report(*race, memory, offset, bytes, at.site);
}

char *Machine::access(Space space, uint64_t address, uint32_t bytes,
                      AccessKind kind, SiteId site, uint32_t alignment) {
  alignment = std::min(alignment, options.widestAccess);
  if (alignment > 1 && address % alignment)
    fail(describe(site) + " " + verb(kind) + " " + std::to_string(bytes) +
         " bytes at address " + std::to_string(address) +
         ", expected a multiple of " + std::to_string(alignment));
  Agent agent = current->agent;
  switch (space) {
  case Space::Global:
    if (kind == AccessKind::PieceRead && bytes <= sizeof(piece) &&
        global.find(address, 1) && global.find(address + bytes - 1, 1)) {
      readAround(address, bytes, site, piece);
      return piece;
    }
    return accessGlobal(address, bytes, kind, site, agent, Proxy::Generic);
  case Space::Shared:
    if (address >> kRankShift)
      fail(describe(site) + " " + verb(kind) + " shared address " +
           std::to_string(address) + ", outside of the block's window");
    return accessShared(*current->block, uint32_t(address), bytes, kind, site,
                        agent, Proxy::Generic);
  case Space::Cluster: {
    uint32_t local;
    Block &block = blockOf(address, local);
    if (&block != current->block && !current->block->knowsPeers)
      failBeforeMeeting(block);
    return accessShared(block, local, bytes, kind, site, agent, Proxy::Generic);
  }
  case Space::Generic:
    break;
  }
  fail(describe(site) + ": generic addresses are not executed");
}

Signal &Machine::atomicsAt(Space space, uint64_t address) {
  if (space == Space::Global)
    return atomics[{nullptr, address}];
  uint32_t local;
  const Block &block = blockOf(address, local);
  return atomics[{&block, local}];
}

uint64_t Machine::gridWorkspace(const PtxInstruction &at) {
  if (!request->cooperative)
    fail(at, "the barrier of the grid expects a cooperative launch");
  if (workspace)
    return workspace;
  // Its size, and the count; both start as the driver leaves them.
  constexpr uint32_t kBytes = 8;
  workspace = global.allocate(kBytes);
  GlobalMemory::Region *region = global.find(workspace, kBytes);
  if (!region)
    fail(at, "no memory is left for the barrier of the grid");
  std::memset(region->host, 0, kBytes);
  region->shadow.setWritten(0, kBytes);
  return workspace;
}

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

Mbarrier &Machine::mbarrier(const PtxInstruction &at, uint64_t address,
                            Agent agent) {
  uint32_t local;
  Block &block = blockOf(address, local);
  auto it = block.mbarriers.find(local);
  if (it == block.mbarriers.end())
    fail(at, "expected an mbarrier at shared address " +
                 std::to_string(int64_t(local) - kSharedBase) +
                 ", which was not initialized");
  bool isOwn =
      &block == current->block && (agent == current->agent || !at.has("bulk"));
  if (!isOwn && !it->second.fenced)
    fail(at, "the mbarrier at shared address " +
                 std::to_string(local - kSharedBase) +
                 " is used from outside of its block's threads, and no "
                 "fence.mbarrier_init followed its initialization");
  accessShared(block, local, 8, AccessKind::Atomic, at.site, agent,
               Proxy::Generic);
  return it->second;
}

/// The phase is complete when all have arrived and all bytes have.
static bool completes(Mbarrier &barrier) {
  if (barrier.pending != 0 || barrier.transactions != 0)
    return false;
  barrier.pending = barrier.expected;
  ++barrier.phase;
  return true;
}

void Machine::arrive(const PtxInstruction &at, uint64_t address, Agent agent,
                     unsigned count) {
  Mbarrier &barrier = mbarrier(at, address, agent);
  if (barrier.pending < int64_t(count))
    fail(at, "expected at most " + std::to_string(barrier.pending) +
                 " more arrivals in this phase of the mbarrier at shared "
                 "address " +
                 std::to_string((address & 0xffffff) - kSharedBase) +
                 " (it expects " + std::to_string(barrier.expected) +
                 "), got " + std::to_string(count));
  races->release(agent, barrier.current);
  barrier.pending -= count;
  completePhase(at, barrier);
}

static const Warpgroup *warpgroupOf(const Thread &thread) {
  size_t number = thread.index / 128;
  const auto &all = thread.block->warpgroups;
  return number < all.size() ? all[number].get() : nullptr;
}

void Machine::recordWait(const PtxInstruction &at, Mbarrier &barrier,
                         uint32_t parity) {
  const Warpgroup *group = warpgroupOf(*current);
  barrier.waits[parity].push_back({current, at.site,
                                   races->momentOf(current->agent),
                                   group ? group->products : 0});
}

/// A parity names one of two phases: a thread that still waits for the phase
/// before the one that completes would wait for the next of that parity. So the
/// completion must come after all those waits. wgmma is the four warps' of a
/// warpgroup together: when one thread has awaited it, all have begun it.
void Machine::endWaits(const PtxInstruction &at, Mbarrier &barrier) {
  uint32_t completed = barrier.phase - 1;
  std::vector<Mbarrier::Wait> &waits = barrier.waits[(completed + 1) & 1];
  for (const Mbarrier::Wait &wait : waits) {
    const Warpgroup *group = warpgroupOf(*wait.thread);
    if ((group && group->products > wait.products) ||
        races->comesAfter(barrier.current, wait.thread->agent, wait.moment))
      continue;
    fail(at, "completes phase " + std::to_string(completed) +
                 " of an mbarrier, and nothing orders that after the wait of " +
                 describe(*wait.thread) + " for the phase before it at " +
                 describe(wait.site) +
                 ": a thread may wait too late for its parity");
  }
  waits.clear();
}

void Machine::completePhase(const PtxInstruction &at, Mbarrier &barrier) {
  if (!completes(barrier))
    return;
  endWaits(at, barrier);
  // What earlier phases released stays released: `current` goes on growing.
  barrier.completed = barrier.current;
  changed = true;
}

void Machine::addTransactions(const PtxInstruction &at, uint64_t address,
                              Agent agent, int64_t bytes) {
  countTransactions(at, mbarrier(at, address, agent), bytes);
}

void Machine::countTransactions(const PtxInstruction &at, Mbarrier &barrier,
                                int64_t bytes) {
  constexpr int64_t limit = (1 << 20) - 1; // PTX ISA, "tx-count"
  barrier.transactions += bytes;
  if (barrier.transactions > limit || barrier.transactions < -limit)
    fail(at, "expected a count of bytes within 2^20 - 1, got " +
                 std::to_string(barrier.transactions));
  completePhase(at, barrier);
}
