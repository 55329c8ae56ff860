//===- MachineReport.cpp - what is found ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places and agents in words, and what must hold when a thread, a block or all
// of them have ended.
//
//===----------------------------------------------------------------------===//
#include "Machine.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::tile::lowered;

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

std::string Machine::describe(SiteId site) const {
  if (site >= sites.size())
    return "an unknown place";
  const Site &place = sites[site];
  return place.location.empty() ? place.what
                                : place.what + " (" + place.location + ")";
}

std::string Machine::describe(const Thread &thread) const {
  std::string text = "thread " + std::to_string(thread.index) + " of block [" +
                     std::to_string(thread.block->index[0]) + ", " +
                     std::to_string(thread.block->index[1]) + ", " +
                     std::to_string(thread.block->index[2]) + "]";
  return text;
}

std::string Machine::describeAgent(Agent agent) const {
  if (agent < threads.size())
    return describe(*threads[agent]);
  auto it = issuers.find(agent);
  return it == issuers.end()
             ? "an asynchronous operation"
             : "an asynchronous operation of " + describe(*it->second);
}

void Machine::fail(const std::string &what) {
  if (finding.empty())
    finding = (current ? describe(*current) + ": " : std::string()) + what;
  // This thread is not resumed; its frames are left as they are.
  for (;;)
    switchToScheduler();
}

void Machine::fail(const PtxInstruction &at, const std::string &what) {
  fail("at " + describe(at.site) + ", instruction '" + at.mnemonic +
       "': " + what);
}

static const char *nameOf(AccessKind kind, Proxy proxy) {
  bool async = proxy == Proxy::Async;
  switch (kind) {
  case AccessKind::Read:
  case AccessKind::PieceRead:
    return async ? "asynchronous read" : "read";
  case AccessKind::Write:
    return async ? "asynchronous write" : "write";
  case AccessKind::Atomic:
    return "atomic access";
  }
  return "access";
}

void Machine::report(const Race &race, const char *where, uint64_t address,
                     uint32_t bytes, SiteId site) {
  std::string text =
      std::string(race.onlyFenceMissing ? "missing fence.proxy.async: "
                                        : "race: ") +
      nameOf(race.kind, race.proxy) + " of " + std::to_string(bytes) +
      " bytes of " + where + " memory at address " + std::to_string(address) +
      " by " + describe(site) + "; earlier " +
      nameOf(race.otherKind, race.otherProxy) + " by " +
      describe(race.otherSite) + " of " +
      (race.earlierGroup ? "another block" : describeAgent(race.other)) +
      (race.onlyFenceMissing ? " is not visible to the asynchronous proxy"
                             : ", and nothing orders the two");
  fail(text);
}

/// What is worth saying of blocks that wait for others.
std::string Machine::describeResidents() const {
  uint64_t all =
      uint64_t(request->grid[0]) * request->grid[1] * request->grid[2];
  size_t running = residents().size();
  if (running == all)
    return "";
  return "; " + std::to_string(running) + " of the grid's " +
         std::to_string(all) +
         " blocks run together here, the next when all of them have ended";
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

std::vector<const Block *> Machine::residents() const {
  std::vector<const Block *> all;
  for (const auto &cluster : clusters)
    for (const auto &block : cluster->blocks)
      all.push_back(block.get());
  return all;
}

/// Shared memory ends with its block: other blocks must access it before the
/// last thread of the block ends. Arrivals of asynchronous operations are
/// exempt, because they may complete a phase that no thread waits for.
void Machine::endBlock(Block &block) {
  if (block.cluster->blocks.size() == 1)
    return;
  races->acquire(current->agent, block.ended);
  auto check = [&](size_t begin, size_t end, bool asynchronous) {
    if (begin >= end)
      return;
    auto race =
        races->access(current->agent, *block.sharedShadow, begin, end - begin,
                      AccessKind::Write, Proxy::Generic, /*site=*/0);
    if (race && (asynchronous || race->other < threads.size()))
      fail("the block ends, and nothing orders this after the " +
           std::string(nameOf(race->otherKind, race->otherProxy)) +
           " of its shared memory at address " + std::to_string(race->offset) +
           " by " + describe(race->otherSite) + " of " +
           describeAgent(race->other));
  };
  size_t begin = 0;
  for (const auto &[address, barrier] : block.mbarriers) {
    size_t offset = address - kSharedBase;
    check(begin, offset, /*asynchronous=*/true);
    check(offset, offset + 8, /*asynchronous=*/false);
    begin = offset + 8;
  }
  check(begin, block.shared.size(), /*asynchronous=*/true);
}

/// What must hold when all threads have ended.
std::string Machine::checkEnd() {
  for (const Block *block : residents()) {
    for (const auto &thread : block->threads) {
      if (!thread->bulk.open.empty())
        return describe(*thread) +
               " ended with bulk stores that it did not commit";
      if (llvm::any_of(thread->bulk.committed, [](const auto &group) {
            return llvm::any_of(group, [](const OperationRef &operation) {
              return operation->readsShared;
            });
          }))
        return describe(*thread) + " ended with bulk stores that may still "
                                   "read its block's shared memory";
      if (!thread->tags.empty() && llvm::any_of(thread->tags, [](auto &tag) {
            return tag.second.operations != 0;
          }))
        return describe(*thread) + " ended with wgmma in flight";
    }
    for (const auto &[offset, barrier] : block->mbarriers)
      if (barrier.transactions != 0)
        return "block [" + std::to_string(block->index[0]) + ", " +
               std::to_string(block->index[1]) + ", " +
               std::to_string(block->index[2]) + "] ended with " +
               std::to_string(barrier.transactions) +
               " bytes expected at the mbarrier at shared address " +
               std::to_string(offset);
    if (!block->tensorColumns.empty())
      return "a block ended with tensor memory that it did not free";
  }
  return "";
}

/// What each mbarrier still expects in its phase.
std::string Machine::describeMbarriers() const {
  std::string text;
  for (const Block *block : residents())
    for (const auto &[address, barrier] : block->mbarriers)
      text += "; the mbarrier at shared address " +
              std::to_string(address - kSharedBase) + ", in phase " +
              std::to_string(barrier.phase) + ", still expects " +
              std::to_string(barrier.pending) + " of " +
              std::to_string(barrier.expected) + " arrivals and " +
              std::to_string(barrier.transactions) + " bytes";
  return text;
}

std::string Machine::deadlock() {
  std::string text = "deadlock: ";
  // One line for each instruction that is waited at.
  std::map<std::string, std::pair<unsigned, const Thread *>> reasons;
  unsigned exited = 0;
  for (const Thread *thread : threads) {
    if (thread->state == ThreadState::Exited) {
      ++exited;
      continue;
    }
    std::string reason =
        thread->waitsFor + " at " +
        (thread->waitsAt ? describe(thread->waitsAt->site) : "nothing");
    auto &entry = reasons[reason];
    if (!entry.first++)
      entry.second = thread;
  }
  constexpr unsigned kShown = 6;
  unsigned shown = 0;
  for (const auto &[reason, who] : reasons) {
    if (++shown > kShown)
      break;
    text += std::to_string(who.first) + " threads (the first is " +
            describe(*who.second) + ") wait for " + reason + "; ";
  }
  if (reasons.size() > kShown)
    text += "others for " + std::to_string(reasons.size() - kShown) +
            " other reasons; ";
  return text + std::to_string(exited) + " threads have ended" +
         describeMbarriers();
}
