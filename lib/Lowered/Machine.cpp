//===- Machine.cpp - who runs next ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks and their fibers, the scheduler, operations in flight. Where threads
// meet: MachineMeeting.cpp; memory: MachineMemory.cpp; what is reported, and
// what must hold at the end: MachineReport.cpp.
//
//===----------------------------------------------------------------------===//
#include "Machine.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <array>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

using namespace mlir::tile::lowered;

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

/// Stacks of fibers. No access to the page below each stack is allowed. Stacks
/// are kept from cluster to cluster.
struct Machine::Stacks {
  static constexpr size_t kBytes = 512 << 10;

  ~Stacks() {
    for (char *base : all)
      munmap(base, kBytes);
  }
  char *top(size_t index) {
#if LLVM_ADDRESS_SANITIZER_BUILD
    // What it knows of the frames that were there goes with the pages.
    if (index < all.size()) {
      munmap(all[index], kBytes);
      all[index] = map();
      return all[index] ? all[index] + kBytes : nullptr;
    }
#endif
    while (all.size() <= index) {
      char *base = map();
      if (!base)
        return nullptr;
      all.push_back(base);
    }
    return all[index] + kBytes;
  }
  static char *map() {
    void *base = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
      return nullptr;
    mprotect(base, size_t(getpagesize()), PROT_NONE);
    return static_cast<char *>(base);
  }
  std::vector<char *> all;
};

Machine::Machine(const MachineOptions &options, GlobalMemory &global,
                 llvm::ArrayRef<Site> sites)
    : options(options), global(global), sites(sites), generator(options.seed),
      stacks(std::make_unique<Stacks>()) {}
Machine::~Machine() = default;

//===----------------------------------------------------------------------===//
// Fibers
//===----------------------------------------------------------------------===//

void Machine::switchToScheduler() { scheduler.resume(); }

namespace {
struct Start {
  Machine *machine;
  Thread *thread; ///< null: the fiber that serves operations in flight
};
void fiberMain(boost::context::detail::transfer_t transfer) {
  Fiber from = Fiber::arrivedFrom(transfer);
  Start start = *static_cast<Start *>(transfer.data);
  // The first switch only hands over what to run.
  from.resume();
  if (start.thread)
    start.machine->enterFiber(from, *start.thread);
  start.machine->serve(from);
}
} // namespace

void Machine::enterFiber(const Fiber &from, Thread &thread) {
  scheduler = from;
  (*entry)(params.data());
  thread.state = ThreadState::Exited;
  noteProgress();
  races->release(thread.agent, thread.block->ended);
  if (--thread.block->liveThreads == 0)
    endBlock(*thread.block);
  for (;;)
    switchToScheduler();
}

void Machine::makeRunnable(Thread &thread) {
  noteProgress();
  thread.state = ThreadState::Runnable;
  thread.waitsAt = nullptr;
  thread.ready = nullptr;
  runnable.push_back(&thread);
}

void Machine::yield() {
  runnable.push_back(current);
  switchToScheduler();
}

void Machine::poll(SiteId site) {
  // A thread that can get on is chosen long before.
  constexpr uint64_t kPollsOfEach = 10000;
  if (++idlePolls > kPollsOfEach * (runnable.size() + 16))
    fail(describe(site) + " is repeated for ever: all " +
         std::to_string(runnable.size() + 1) +
         " threads that can run wait for a value that none of them stores" +
         describeResidents());
  yield();
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

/// Threads of the blocks that run together. Each has a stack, and the system
/// allows 65,530 pieces of memory.
static constexpr unsigned kThreadsTogether = 16384;

/// What each thread is given when `blocks` run on a multiprocessor: registers
/// come in eights, of a file of 65,536, and 255 are all that one can name.
static unsigned launchRegisters(unsigned threads, unsigned blocks) {
  return std::min(256u, 65536 / std::max(1u, threads * blocks) / 8 * 8);
}

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
    if (i % 128 == 0) {
      block.warpgroups.push_back(std::make_unique<Warpgroup>());
      block.warpgroups.back()->registers =
          launchRegisters(launch.threads, options.residentBlocks);
    }
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

void Machine::createCluster(const Place &place) {
  const std::array<unsigned, 3> &size = request->cluster;
  clusters.push_back(std::make_unique<Cluster>());
  std::vector<std::unique_ptr<Block>> &blocks = clusters.back()->blocks;
  for (unsigned c = 0; c < size[2]; ++c)
    for (unsigned b = 0; b < size[1]; ++b)
      for (unsigned a = 0; a < size[0]; ++a) {
        blocks.push_back(std::make_unique<Block>());
        blocks.back()->cluster = clusters.back().get();
        createBlock(*blocks.back(), unsigned(blocks.size() - 1),
                    place[0] * size[0] + a, place[1] * size[1] + b,
                    place[2] * size[2] + c);
      }
}

std::string Machine::runClusters(llvm::ArrayRef<Place> places) {
  threads.clear();
  clusters.clear();
  runnable.clear();
  waiting.clear();
  inFlight.clear();
  issuers.clear();
  // Shared memory is another block's now; what was in global memory lasts.
  for (auto it = atomics.begin(); it != atomics.end();)
    it = it->first.first ? atomics.erase(it) : std::next(it);
  races->restart();
  for (const Place &place : places)
    createCluster(place);
  auto makeFiber = [&](size_t stack, Thread *thread) {
    char *top = stacks->top(stack);
    if (!top)
      return Fiber();
    Start start{this, thread};
    Fiber fiber(top, Stacks::kBytes - size_t(getpagesize()), fiberMain);
    fiber.resume(&start);
    return fiber;
  };
  service = makeFiber(0, nullptr);
  for (Thread *thread : threads) {
    thread->fiber = makeFiber(thread->agent + 1, thread);
    if (!thread->fiber || !service)
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
  std::vector<Place> order;
  for (unsigned z = 0; z < launch.grid[2] / launch.cluster[2]; ++z)
    for (unsigned y = 0; y < launch.grid[1] / launch.cluster[1]; ++y)
      for (unsigned x = 0; x < launch.grid[0] / launch.cluster[0]; ++x)
        order.push_back({x, y, z});
  unsigned threadsOfCluster = launch.threads * launch.cluster[0] *
                              launch.cluster[1] * launch.cluster[2];
  size_t together = 1;
  if (options.blocksMeet || launch.cooperative)
    together = std::min<size_t>(
        order.size(), std::max(1u, kThreadsTogether / threadsOfCluster));
  if (launch.cooperative && together < order.size())
    return "a cooperative launch of " + std::to_string(order.size()) +
           " blocks of " + std::to_string(threadsOfCluster) +
           " threads; expected at most " + std::to_string(kThreadsTogether) +
           " threads in all, which run together here";
  races = std::make_unique<RaceDetector>(unsigned(together) * threadsOfCluster,
                                         512);
  races->startLaunch();
  global.startLaunch();
  // One after the other in an order that chance decides; several together in
  // the grid's order, since a block may wait for those before it.
  if (together == 1)
    std::shuffle(order.begin(), order.end(), generator);
  std::string wrong;
  llvm::ArrayRef<Place> rest = order;
  while (!rest.empty() && wrong.empty()) {
    wrong = runClusters(rest.take_front(together));
    rest = rest.drop_front(std::min(together, rest.size()));
  }
  if (workspace)
    global.free(std::exchange(workspace, 0));
  return wrong;
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
    current->fiber.resume();
    if (!finding.empty())
      return finding;
    current = nullptr;
  }
}

void Machine::serve(const Fiber &from) {
  scheduler = from;
  for (;;) {
    if (served)
      land(*served);
    served = nullptr;
    switchToScheduler();
  }
}

/// Runs on a fiber of its own, so that an error ends that fiber, as it ends
/// threads.
void Machine::landSomething() {
  size_t chosen = generator() % inFlight.size();
  served = inFlight[chosen];
  inFlight[chosen] = inFlight.back();
  inFlight.pop_back();
  if (!served->landed)
    service.resume();
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
  noteProgress();
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
