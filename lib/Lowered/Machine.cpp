//===- Machine.cpp - who runs next ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks and their fibers, the scheduler, barriers of threads, operations in
// flight, and what is reported. Memory: MachineMemory.cpp.
//
//===----------------------------------------------------------------------===//
#include "Machine.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <array>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir::tile::lowered;
namespace ctx = boost::context::detail;

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

/// Stacks of fibers, with a page below each that nobody may touch. They are
/// kept from cluster to cluster.
struct Machine::Stacks {
  static constexpr size_t kBytes = 512 << 10;

  ~Stacks() {
    for (char *base : all)
      munmap(base, kBytes);
  }
  char *top(size_t index) {
    while (all.size() <= index) {
      void *base = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (base == MAP_FAILED)
        return nullptr;
      mprotect(base, size_t(getpagesize()), PROT_NONE);
      all.push_back(static_cast<char *>(base));
    }
    return all[index] + kBytes;
  }
  std::vector<char *> all;
};

Machine::Machine(const MachineOptions &options, GlobalMemory &global,
                 llvm::ArrayRef<Site> sites)
    : options(options), global(global), sites(sites), generator(options.seed),
      stacks(std::make_unique<Stacks>()) {}
Machine::~Machine() = default;

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
  // Nobody resumes this thread; its frames are left as they are.
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

//===----------------------------------------------------------------------===//
// Fibers
//===----------------------------------------------------------------------===//

void Machine::switchToScheduler() {
  ctx::transfer_t back = ctx::jump_fcontext(scheduler, nullptr);
  scheduler = back.fctx;
}

namespace {
struct Start {
  Machine *machine;
  Thread *thread; ///< null: the fiber that serves operations in flight
};
void fiberMain(ctx::transfer_t from) {
  Start start = *static_cast<Start *>(from.data);
  // The first switch only hands over what to run.
  ctx::transfer_t go = ctx::jump_fcontext(from.fctx, nullptr);
  if (start.thread)
    start.machine->enterFiber(go.fctx, *start.thread);
  start.machine->serve(go.fctx);
}
} // namespace

void Machine::enterFiber(ctx::fcontext_t from, Thread &thread) {
  scheduler = from;
  (*entry)(params.data());
  thread.state = ThreadState::Exited;
  races->release(thread.agent, thread.block->ended);
  if (--thread.block->liveThreads == 0)
    endBlock(*thread.block);
  for (;;)
    switchToScheduler();
}

void Machine::makeRunnable(Thread &thread) {
  thread.state = ThreadState::Runnable;
  thread.waitsAt = nullptr;
  thread.ready = nullptr;
  runnable.push_back(&thread);
}

void Machine::yield() {
  runnable.push_back(current);
  switchToScheduler();
}

void Machine::wait(const PtxInstruction &at, const std::string &what,
                   std::function<bool()> ready) {
  if (ready())
    return;
  current->state = ThreadState::Waiting;
  current->waitsAt = &at;
  current->waitsFor = what;
  current->ready = std::move(ready);
  waiting.push_back(current);
  switchToScheduler();
}

void Machine::testWaiting() {
  changed = false;
  size_t kept = 0;
  for (Thread *thread : waiting) {
    if (thread->ready())
      makeRunnable(*thread);
    else
      waiting[kept++] = thread;
  }
  waiting.resize(kept);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void Machine::createBlock(Block &block, unsigned rank, unsigned x, unsigned y,
                          unsigned z) {
  const LaunchRequest &launch = *request;
  block.rank = rank;
  block.index[0] = x;
  block.index[1] = y;
  block.index[2] = z;
  // Poison: what a kernel reads without having written it is found anyway.
  block.shared.assign(launch.sharedBytes, 0xcd);
  block.sharedShadow = std::make_unique<Shadow>(launch.sharedBytes);
  block.sharedShadow->reset(/*written=*/false);
  block.liveThreads = launch.threads;
  for (unsigned i = 0; i < launch.threads; ++i) {
    if (i % 128 == 0)
      block.warpgroups.push_back(std::make_unique<Warpgroup>());
    if (i % 32 == 0) {
      block.warps.push_back(std::make_unique<Warp>());
      block.warps.back()->block = &block;
      block.warps.back()->rank = i / 32;
    }
    auto thread = std::make_unique<Thread>();
    thread->block = &block;
    thread->warp = block.warps.back().get();
    thread->index = i;
    thread->lane = i % 32;
    thread->agent = Agent(threads.size());
    thread->warp->lanes.push_back(thread.get());
    block.warpgroups.back()->threads.push_back(thread.get());
    threads.push_back(thread.get());
    block.threads.push_back(std::move(thread));
  }
}

std::string Machine::runCluster(unsigned x, unsigned y, unsigned z) {
  const std::array<unsigned, 3> &size = request->cluster;
  threads.clear();
  cluster.clear();
  runnable.clear();
  waiting.clear();
  inFlight.clear();
  issuers.clear();
  clusterBarrier = ClusterBarrier();
  races->restart();
  for (unsigned c = 0; c < size[2]; ++c)
    for (unsigned b = 0; b < size[1]; ++b)
      for (unsigned a = 0; a < size[0]; ++a) {
        cluster.push_back(std::make_unique<Block>());
        createBlock(*cluster.back(), unsigned(cluster.size() - 1),
                    x * size[0] + a, y * size[1] + b, z * size[2] + c);
      }
  auto makeFiber = [&](size_t stack, Thread *thread) -> ctx::fcontext_t {
    char *top = stacks->top(stack);
    if (!top)
      return nullptr;
    Start start{this, thread};
    return ctx::jump_fcontext(
               ctx::make_fcontext(top, Stacks::kBytes - size_t(getpagesize()),
                                  fiberMain),
               &start)
        .fctx;
  };
  service = makeFiber(0, nullptr);
  for (Thread *thread : threads) {
    thread->context = makeFiber(thread->agent + 1, thread);
    if (!thread->context || !service)
      return "no memory for the stacks of " + std::to_string(threads.size()) +
             " threads";
    runnable.push_back(thread);
  }
  return schedule();
}

std::string Machine::launch(Entry function, const LaunchRequest &launch) {
  request = &launch;
  entry = function;
  finding.clear();
  params.clear();
  for (const std::vector<char> &param : launch.params)
    params.push_back(const_cast<char *>(param.data()));
  unsigned blocks = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
  races = std::make_unique<RaceDetector>(blocks * launch.threads, 512);
  races->startLaunch();

  // Clusters one after the other, in an order that chance decides.
  std::vector<std::array<unsigned, 3>> order;
  for (unsigned z = 0; z < launch.grid[2] / launch.cluster[2]; ++z)
    for (unsigned y = 0; y < launch.grid[1] / launch.cluster[1]; ++y)
      for (unsigned x = 0; x < launch.grid[0] / launch.cluster[0]; ++x)
        order.push_back({x, y, z});
  std::shuffle(order.begin(), order.end(), generator);
  for (auto [x, y, z] : order)
    if (std::string wrong = runCluster(x, y, z); !wrong.empty())
      return wrong;
  return "";
}

//===----------------------------------------------------------------------===//
// The scheduler
//===----------------------------------------------------------------------===//

std::string Machine::schedule() {
  for (;;) {
    if (changed)
      testWaiting();
    if (!inFlight.empty() && (runnable.empty() || chance(options.landing)))
      landSomething();
    if (changed)
      testWaiting();
    if (!finding.empty())
      return finding;
    if (runnable.empty()) {
      if (!inFlight.empty())
        continue;
      bool done = llvm::all_of(threads, [](const Thread *thread) {
        return thread->state == ThreadState::Exited;
      });
      return done ? checkEnd() : deadlock();
    }
    size_t chosen = generator() % runnable.size();
    current = runnable[chosen];
    runnable[chosen] = runnable.back();
    runnable.pop_back();
    current->context = ctx::jump_fcontext(current->context, nullptr).fctx;
    if (!finding.empty())
      return finding;
    current = nullptr;
  }
}

void Machine::serve(ctx::fcontext_t from) {
  scheduler = from;
  for (;;) {
    if (served)
      land(*served);
    served = nullptr;
    switchToScheduler();
  }
}

/// On a fiber of its own: what goes wrong ends that fiber, as it ends threads.
void Machine::landSomething() {
  size_t chosen = generator() % inFlight.size();
  served = inFlight[chosen];
  inFlight[chosen] = inFlight.back();
  inFlight.pop_back();
  if (!served->landed)
    service = ctx::jump_fcontext(service, nullptr).fctx;
  served = nullptr;
}

OperationRef Machine::start(Agent agent, std::function<void()> work) {
  auto operation = std::make_shared<Operation>();
  operation->agent = agent;
  operation->land = std::move(work);
  operation->issuer = current;
  if (agent != kNoAgent)
    issuers[agent] = current;
  inFlight.push_back(operation);
  return operation;
}

void Machine::land(Operation &operation) {
  if (operation.landed)
    return;
  operation.landed = true;
  // Addresses and reports are those of the thread that issued it.
  Thread *running = current;
  current = operation.issuer;
  operation.land();
  operation.land = nullptr;
  if (operation.agent != kNoAgent)
    races->endAsync(operation.agent, operation.done);
  current = running;
  changed = true;
}

void Machine::startInOrder(const OperationRef &operation,
                           std::deque<OperationRef> &queue) {
  if (!operation->issuer)
    operation->issuer = current;
  issuers[operation->agent] = operation->issuer;
  queue.push_back(operation);
  // What lands early takes those before it along.
  auto early = std::make_shared<Operation>();
  early->issuer = operation->issuer;
  early->land = [this, operation, &queue] { landInOrder(*operation, queue); };
  inFlight.push_back(early);
}

void Machine::landInOrder(Operation &operation,
                          std::deque<OperationRef> &queue) {
  while (!operation.landed) {
    OperationRef first = queue.front();
    queue.pop_front();
    land(*first);
  }
}

void Machine::finish(llvm::ArrayRef<OperationRef> operations) {
  for (const OperationRef &operation : operations) {
    land(*operation);
    if (operation->agent != kNoAgent)
      races->acquire(current->agent, operation->done);
  }
}

/// Shared memory goes with its block: whatever other blocks do to it has to
/// happen before the last thread ends. Arrivals of asynchronous operations are
/// left out: a phase that nobody waits for may be completed by such a one.
void Machine::endBlock(Block &block) {
  if (cluster.size() == 1)
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
  for (const auto &block : cluster) {
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
  bool first = true;
  for (const auto &[reason, who] : reasons) {
    text += (first ? "" : "; ") + std::to_string(who.first) +
            " threads (the first is " + describe(*who.second) + ") wait for " +
            reason;
    first = false;
  }
  return text + "; " + std::to_string(exited) + " threads have ended";
}

//===----------------------------------------------------------------------===//
// Threads that meet
//===----------------------------------------------------------------------===//

/// An `.aligned` instruction is executed by all lanes of a warp: none may be
/// elsewhere, waiting at another one.
void Machine::checkLanes(const PtxInstruction &at, const Warp &warp) {
  for (const Thread *lane : warp.lanes) {
    if (lane->state == ThreadState::Exited)
      fail(at, "lane " + std::to_string(lane->lane) +
                   " of the warp has ended, and all must execute it");
    if (lane->waitsAt && lane->waitsAt != &at && !lane->ready)
      fail(at, "lane " + std::to_string(lane->lane) +
                   " of the warp is elsewhere, at " +
                   describe(lane->waitsAt->site) + ", instruction '" +
                   lane->waitsAt->mnemonic + "'");
  }
}

void Machine::meet(
    const PtxInstruction &at, uint64_t *slots, uint32_t mask,
    llvm::function_ref<void(llvm::ArrayRef<uint64_t *>)> together) {
  Thread &self = *current;
  Warp &warp = *self.warp;
  uint32_t present =
      warp.lanes.size() == 32 ? ~0u : (1u << warp.lanes.size()) - 1;
  if (!(mask >> self.lane & 1))
    fail(at, "the mask does not name the executing lane");
  checkLanes(at, warp);
  Rendezvous &meeting = warp.rendezvous;
  if (meeting.arrived == 0) {
    meeting.instruction = &at;
    meeting.slots.assign(32, nullptr);
  }
  meeting.slots[self.lane] = slots;
  meeting.arrived += 1;
  if (meeting.arrived == unsigned(llvm::popcount(mask & present))) {
    std::vector<uint64_t *> all = std::move(meeting.slots);
    meeting.arrived = 0;
    together(all);
    for (Thread *lane : warp.lanes)
      if (lane != &self && (mask >> lane->lane & 1))
        makeRunnable(*lane);
    return;
  }
  self.state = ThreadState::Waiting;
  self.waitsAt = &at;
  self.waitsFor = "other lanes of the warp";
  switchToScheduler();
}

Warpgroup &Machine::meetWarpgroup(
    const PtxInstruction &at, uint64_t *slots,
    llvm::function_ref<void(Warpgroup &, llvm::ArrayRef<uint64_t *>)>
        together) {
  Thread &self = *current;
  Warpgroup &group = *self.block->warpgroups[self.index / 128];
  if (group.threads.size() != 128)
    fail(at, "its warpgroup has " + std::to_string(group.threads.size()) +
                 " threads, and 128 must execute it");
  checkLanes(at, *self.warp);
  Rendezvous &meeting = group.rendezvous;
  if (meeting.arrived == 0) {
    meeting.instruction = &at;
    meeting.slots.assign(128, nullptr);
  } else if (meeting.instruction != &at) {
    fail(at, "another warp of the warpgroup is at " +
                 describe(meeting.instruction->site) + ", instruction '" +
                 meeting.instruction->mnemonic + "'");
  }
  meeting.slots[self.index % 128] = slots;
  if (++meeting.arrived == 128) {
    std::vector<uint64_t *> all = std::move(meeting.slots);
    meeting.arrived = 0;
    together(group, all);
    for (Thread *thread : group.threads)
      if (thread != &self)
        makeRunnable(*thread);
    return group;
  }
  self.state = ThreadState::Waiting;
  self.waitsAt = &at;
  self.waitsFor = "the other threads of the warpgroup";
  switchToScheduler();
  return group;
}

void Machine::synchronize(const PtxInstruction &at, NamedBarrier &barrier,
                          unsigned expected, bool waits,
                          const std::string &name) {
  Thread &self = *current;
  checkLanes(at, *self.warp);
  if (barrier.agents.empty())
    barrier.expected = expected;
  else if (barrier.expected != expected)
    fail(at, name + " is used for " + std::to_string(barrier.expected) +
                 " threads and for " + std::to_string(expected) +
                 " at the same time");
  barrier.agents.push_back(self.agent);
  if (barrier.agents.size() < expected) {
    if (!waits)
      fail(at, "arrivals without a wait are not known here");
    barrier.arrived.push_back(&self);
    self.state = ThreadState::Waiting;
    self.waitsAt = &at;
    self.waitsFor = name + ", where " + std::to_string(barrier.agents.size()) +
                    " of " + std::to_string(expected) + " threads have arrived";
    switchToScheduler();
    return;
  }
  races->synchronize(barrier.agents);
  barrier.agents.clear();
  for (Thread *thread : barrier.arrived)
    makeRunnable(*thread);
  barrier.arrived.clear();
}
