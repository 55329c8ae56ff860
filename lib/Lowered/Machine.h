//===- Machine.h - blocks that run together, thread by thread ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of the blocks that run together, and the choice of the thread that
// runs next. Every thread of a block is a fiber with a stack of its own; it
// runs until an instruction has to wait for others. A seeded generator chooses
// among the threads that can run, and the moments at which asynchronous
// operations read and write memory.
//
// What instructions do is in the Instructions*.cpp files, one for each family,
// over the few services below: accesses that are checked, waits, rendezvous of
// a warp's lanes, and operations in flight.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_LOWERED_MACHINE_H
#define TILE_LIB_LOWERED_MACHINE_H

#include "Fiber.h"
#include "Matrix.h"
#include "Ptx.h"
#include "Races.h"
#include "SoftwareDriver.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <random>

namespace mlir::tile::lowered {

struct Block;
struct Cluster;
struct Warp;
struct Warpgroup;

/// Address spaces, by LLVM's numbers for NVPTX.
enum class Space : uint8_t { Generic = 0, Global = 1, Shared = 3, Cluster = 7 };

/// Shared windows start here: the first kilobyte is the system's on sm_90, and
/// no address is 0.
inline constexpr uint32_t kSharedBase = 1024;
/// Addresses of shared::cluster: the block's rank plus one in the bits above
/// those of its own window; 0 there is the executing block.
inline constexpr uint32_t kRankShift = 24;

/// A barrier in shared memory (PTX ISA, "mbarrier").
struct Mbarrier {
  uint32_t expected = 0; ///< arrivals of a phase
  int64_t pending = 0;   ///< arrivals that this phase still needs
  int64_t transactions = 0;
  uint32_t phase = 0; ///< number of the phase that is not complete
  /// Whether fence.mbarrier_init (or of a proxy) followed the initialization:
  /// only then others than this block's threads may use it.
  bool fenced = false;
  Signal current;   ///< released by this phase's arrivals so far
  Signal completed; ///< by all complete phases
  /// A thread that has waited for a phase: when, and how many products its
  /// warpgroup had begun.
  struct Wait {
    const Thread *thread = nullptr;
    SiteId site = 0;
    uint32_t moment = 0, products = 0;
  };
  /// For the last complete phase of each parity.
  std::vector<Wait> waits[2];
};

/// One of the 16 barriers of a block.
struct NamedBarrier {
  unsigned expected = 0;
  std::vector<Thread *> arrived; ///< waiting
  std::vector<Agent> agents; ///< agents that take part, also those that went on
};

/// Used for operations that access no memory.
inline constexpr Agent kNoAgent = ~Agent(0);

/// A copy by cp.async, bulk or TMA, or a matrix operation in flight.
struct Operation {
  Agent agent = kNoAgent;
  Thread *issuer = nullptr;
  bool readsShared = false; ///< of its block, which must not end before
  /// Does the work; called once.
  std::function<void()> land;
  bool landed = false;
  Signal done; ///< of `agent`, after landing
};
using OperationRef = std::shared_ptr<Operation>;

/// Operations that a thread commits and waits for together.
struct Groups {
  std::vector<OperationRef> open;
  std::deque<std::vector<OperationRef>> committed;
};

enum class ThreadState : uint8_t { Runnable, Waiting, Exited };

struct Thread {
  Block *block = nullptr;
  Warp *warp = nullptr;
  unsigned index = 0, lane = 0; ///< in its block, in its warp
  Agent agent = 0;
  ThreadState state = ThreadState::Runnable;
  Fiber fiber;
  /// What it waits for, for reports; and the test that lets it go on, if any.
  const PtxInstruction *waitsAt = nullptr;
  std::string waitsFor;
  std::function<bool()> ready;

  Groups copies;                            ///< cp.async
  Groups bulk;                              ///< bulk copies and TMA stores
  std::vector<OperationRef> unwaitedCopies; ///< for cp.async.mbarrier.arrive
  /// Registers that wgmma still writes: the tags that stand in for them, and
  /// the values they hold after the operations in flight.
  struct InFlight {
    uint32_t value = 0;
    unsigned operations = 0; ///< that have not been done
  };
  llvm::DenseMap<uint32_t, InFlight> tags;
  uint32_t nextTag = 0;
  bool arrivedAtCluster = false;
  uint64_t clusterGeneration = 0;
  std::vector<Mbarrier *> unfencedMbarriers; ///< that it has initialized
  bool wgmmaFenced = false;
  bool loadsTensor = false; ///< tcgen05.ld, and no wait for it yet
};

/// barrier.cluster: arrivals and waits of all threads, apart.
struct ClusterBarrier {
  unsigned arrived = 0;
  uint64_t generation = 0;
  Signal current, completed;
};

/// Lanes of a warp (or of four) that have arrived at one instruction.
struct Rendezvous {
  const PtxInstruction *instruction = nullptr;
  unsigned arrived = 0;
  std::vector<uint64_t *> slots; ///< by lane; null: not there
};

/// The order of the accesses of a warp to tensor memory, which is apart from
/// the order of a thread. The accesses start with the knowledge of the last
/// tcgen05.fence::after_thread_sync, and a thread publishes them only after it
/// has waited for them and has passed tcgen05.fence::before_thread_sync.
struct TensorOrder {
  Agent known = kNoAgent;  ///< accesses nothing; the issuer of mma knows it
  Agent loads = kNoAgent;  ///< makes the accesses of tcgen05.ld
  Agent stores = kNoAgent; ///< and of tcgen05.st
  Signal done;             ///< by those that have been waited for
};

struct Warp {
  Block *block = nullptr;
  unsigned rank = 0; ///< in its block
  std::vector<Thread *> lanes;
  Rendezvous rendezvous;
  TensorOrder tensor;
};

/// A wgmma operation in flight, or several that were committed.
struct Warpgroup {
  std::vector<Thread *> threads;
  Rendezvous rendezvous;
  std::deque<OperationRef> queue; ///< issued, in order, and not landed
  Groups groups;
  unsigned registers = 0;       ///< of each thread
  unsigned wantedRegisters = 0; ///< that setmaxnreg.inc waits for, or 0
  uint32_t products = 0;        ///< wgmma.mma_async that it has begun
};

struct Block {
  Cluster *cluster = nullptr;
  unsigned rank = 0; ///< in its cluster
  unsigned index[3] = {};
  std::vector<uint8_t> shared;
  std::unique_ptr<Shadow> sharedShadow;
  std::map<uint32_t, Mbarrier> mbarriers; ///< by offset in the window
  NamedBarrier barriers[16];
  std::vector<std::unique_ptr<Thread>> threads;
  std::vector<std::unique_ptr<Warp>> warps;
  std::vector<std::unique_ptr<Warpgroup>> warpgroups;
  TensorMemory tensor;
  std::unique_ptr<Shadow> tensorShadow;
  std::map<unsigned, unsigned> tensorColumns; ///< allocated: first, count
  bool tensorRelinquished = false;
  std::deque<OperationRef> tensorQueue; ///< mma in flight, done in order
  Signal tensorDone;                    ///< by those that are done
  unsigned freeRegisters = 0;           ///< that setmaxnreg.dec has given back
  unsigned liveThreads = 0;
  /// A thread has waited for the others of the cluster: all blocks have begun.
  bool knowsPeers = false;
  Signal ended; ///< by threads that have ended
};

/// Blocks that can access each other's shared memory.
struct Cluster {
  std::vector<std::unique_ptr<Block>> blocks;
  ClusterBarrier barrier;
};

/// A place in the program that instrumented code names by its number.
struct Site {
  std::string location; ///< file:line:column, or empty
  std::string what;     ///< the instruction or access
};

struct MachineOptions {
  uint64_t seed = 1;
  /// In how many of 256 cases an operation in flight lands although no thread
  /// waits for it.
  unsigned landing = 32;
  /// The widest access of a thread; wider ones are made in parts, whatever
  /// alignment they state.
  unsigned widestAccess = 16;
  /// Blocks that share a multiprocessor's registers, as launch bounds say.
  unsigned residentBlocks = 1;
  /// Blocks wait for what other blocks store: as many as there is room for run
  /// together. Otherwise a cluster runs when the one before it has ended.
  bool blocksMeet = false;
};

/// Runs the blocks of one launch.
class Machine {
public:
  using Entry = void (*)(void **params);

  Machine(const MachineOptions &options, GlobalMemory &global,
          llvm::ArrayRef<Site> sites);
  ~Machine();

  /// Runs every block of the grid. Returns an empty string, or what is wrong,
  /// with places.
  std::string launch(Entry entry, const LaunchRequest &request);

  //===--- for instructions
  //------------------------------------------------===//

  Thread &thread() { return *current; }
  /// Ends the run with a finding; does not return.
  [[noreturn]] void fail(const std::string &what);
  [[noreturn]] void fail(const PtxInstruction &at, const std::string &what);
  /// A place in the program, in words.
  std::string describe(SiteId site) const;

  /// While an object lives, reads of what nothing wrote are no findings but
  /// give poison: blocks of a cluster exchange whole pieces of fragments, of
  /// which some were never written and are dropped by their readers.
  class UnwrittenIsPoison {
  public:
    explicit UnwrittenIsPoison(Machine &machine) : machine(machine) {
      machine.findsUnwritten = false;
    }
    ~UnwrittenIsPoison() { machine.findsUnwritten = true; }

  private:
    Machine &machine;
  };

  /// Host memory of `bytes` bytes at a device address, after all checks. The
  /// accessing agent is the thread's, unless an operation's is given.
  char *access(Space space, uint64_t address, uint32_t bytes, AccessKind kind,
               SiteId site, uint32_t alignment);
  char *accessShared(Block &block, uint32_t address, uint32_t bytes,
                     AccessKind kind, SiteId site, Agent agent, Proxy proxy);
  /// The allocation that holds the bytes; a finding where none does. It records
  /// no access.
  GlobalMemory::Region &allocationOf(uint64_t address, uint32_t bytes,
                                     AccessKind kind, SiteId site);
  char *accessGlobal(uint64_t address, uint32_t bytes, AccessKind kind,
                     SiteId site, Agent agent, Proxy proxy);
  /// A load read them by the read-only cache: the launch must not write them.
  void noteReadOnly(uint64_t address, uint32_t bytes, SiteId site);
  /// A load of aligned bytes, some of which may belong to something else. Bytes
  /// that must not be read, because they lie in no allocation or race with a
  /// write, are returned as poison. It is a finding if no byte can be read.
  void readAround(uint64_t address, uint32_t bytes, SiteId site, char *to);
  /// Records an access of memory that is neither, in its shadow.
  void accessShadow(const PtxInstruction &at, Shadow &shadow, size_t offset,
                    uint32_t bytes, AccessKind kind, Agent agent,
                    const char *memory);
  /// The block and the offset of a shared::cluster address.
  Block &blockOf(uint64_t address, uint32_t &local);
  Block &blockOfRank(unsigned rank, const PtxInstruction &at);
  [[noreturn]] void failBeforeMeeting(const Block &block);

  /// The mbarrier at a (cluster) address; a finding where there is none.
  /// Records the access, by `agent`.
  Mbarrier &mbarrier(const PtxInstruction &at, uint64_t address, Agent agent);
  void arrive(const PtxInstruction &at, uint64_t address, Agent agent,
              unsigned count);
  void countTransactions(const PtxInstruction &at, Mbarrier &barrier,
                         int64_t bytes);
  void completePhase(const PtxInstruction &at, Mbarrier &barrier);
  /// The running thread has waited for a phase of this parity.
  void recordWait(const PtxInstruction &at, Mbarrier &barrier, uint32_t parity);
  void addTransactions(const PtxInstruction &at, uint64_t address, Agent agent,
                       int64_t bytes);

  /// What waits are tested for may have changed.
  void notify() { changed = true; }
  /// Waits until `ready` holds.
  void wait(const PtxInstruction &at, const std::string &what,
            std::function<bool()> ready);
  /// Lets others run; the thread stays runnable.
  void yield();
  /// In front of a read of what others may be about to store: lets them run. It
  /// is a finding if all threads that can run do nothing else.
  void poll(SiteId site);
  /// Something happened that a thread may have read in vain for.
  void noteProgress() { idlePolls = 0; }
  /// All lanes of the warp that `mask` names meet here; the last one runs
  /// `together` with the slots of each lane.
  void meet(const PtxInstruction &at, uint64_t *slots, uint32_t mask,
            llvm::function_ref<void(llvm::ArrayRef<uint64_t *>)> together);
  /// The 128 threads of a warpgroup meet.
  Warpgroup &meetWarpgroup(
      const PtxInstruction &at, uint64_t *slots,
      llvm::function_ref<void(Warpgroup &, llvm::ArrayRef<uint64_t *>)>
          together);
  /// An arrival at a barrier of the block or the cluster.
  void synchronize(const PtxInstruction &at, NamedBarrier &barrier,
                   unsigned expected, bool waits, const std::string &name);

  /// Something that happens later, at a moment that chance decides.
  OperationRef start(Agent agent, std::function<void()> land);
  /// An agent for an operation that the thread starts.
  Agent beginOperation() { return races->beginAsync(current->agent); }
  /// An agent whose accesses reports attribute to the thread, and that begins
  /// with what `from` knows.
  Agent beginFor(const Thread &thread, Agent from) {
    Agent agent = races->beginAsync(from);
    issuers[agent] = &thread;
    return agent;
  }
  void land(Operation &operation);
  /// The same for operations that are done in the order of a queue.
  void startInOrder(const OperationRef &operation,
                    std::deque<OperationRef> &queue);
  void landInOrder(Operation &operation, std::deque<OperationRef> &queue);
  /// Lands the operations and orders the thread after them.
  void finish(llvm::ArrayRef<OperationRef> operations);

  std::mt19937_64 &random() { return generator; }
  bool chance(unsigned of256) { return generator() % 256 < of256; }
  RaceDetector &detector() { return *races; }
  const LaunchRequest &launchRequest() const { return *request; }
  /// Of the thread's cluster.
  llvm::ArrayRef<std::unique_ptr<Block>> blocks() const {
    return current->block->cluster->blocks;
  }
  ClusterBarrier &clusterBarrier() { return current->block->cluster->barrier; }
  /// Orders that the atomics of a place hand on.
  Signal &atomicsAt(Space space, uint64_t address);
  /// Where a cooperative launch counts the blocks that have arrived at the
  /// barrier of the grid: what the registers %envreg1 and %envreg2 name.
  uint64_t gridWorkspace(const PtxInstruction &at);
  std::string output; ///< of vprintf

  //===--- for fibers
  //------------------------------------------------------===//

  [[noreturn]] void enterFiber(const Fiber &from, Thread &thread);
  [[noreturn]] void serve(const Fiber &from);

private:
  char piece[32]; ///< what the last read of a piece found
  using Place = std::array<unsigned, 3>; ///< of a cluster in the grid
  std::string runClusters(llvm::ArrayRef<Place> places);
  void createCluster(const Place &place);
  void createBlock(Block &block, unsigned rank, unsigned x, unsigned y,
                   unsigned z);
  std::string schedule();
  void endBlock(Block &block);
  std::string checkEnd();
  std::string deadlock();
  std::string describeMbarriers() const;
  std::string describeResidents() const;
  std::vector<const Block *> residents() const;
  void endWaits(const PtxInstruction &at, Mbarrier &barrier);
  Thread *chooseThread();
  void landSomething();
  void switchToScheduler();
  void makeRunnable(Thread &thread);
  void testWaiting();
  void checkLanes(const PtxInstruction &at, const Warp &warp);
  std::string describe(const Thread &thread) const;
  std::string describeAgent(Agent agent) const;
  void report(const Race &race, const char *where, uint64_t address,
              uint32_t bytes, SiteId site);

  MachineOptions options;
  GlobalMemory &global;
  llvm::ArrayRef<Site> sites;
  std::mt19937_64 generator;
  std::unique_ptr<RaceDetector> races;
  const LaunchRequest *request = nullptr;
  Entry entry = nullptr;
  std::vector<void *> params;
  std::vector<std::unique_ptr<Cluster>> clusters; ///< that run together
  std::vector<Thread *> threads;                  ///< of them, by agent
  std::vector<Thread *> runnable;
  std::vector<Thread *> waiting; ///< with a test
  std::map<std::pair<const Block *, uint64_t>, Signal> atomics;
  uint64_t workspace = 0; ///< of a cooperative launch, once it is asked for
  uint64_t idlePolls = 0; ///< since anything else happened
  bool findsUnwritten = true;
  bool changed = false; ///< something that a test may ask has changed
  std::vector<OperationRef> inFlight;
  std::map<Agent, const Thread *> issuers; ///< of operations, for reports
  /// The fiber that lands what is in flight while no thread runs.
  Fiber service;
  OperationRef served;
  Thread *current = nullptr;
  Fiber scheduler;
  std::string finding;
  struct Stacks;
  std::unique_ptr<Stacks> stacks;
};

} // namespace mlir::tile::lowered
#endif // TILE_LIB_LOWERED_MACHINE_H
