//===- InstructionsOrder.cpp - barriers, fences, lanes --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Instructions.h"

using namespace mlir::tile::lowered;

namespace {
//===----------------------------------------------------------------------===//
// Barriers of threads
//===----------------------------------------------------------------------===//

/// barrier.cta.sync.aligned.{all,count}(id[, threads])
void blockBarrier(Machine &machine, Thread &thread, const PtxInstruction &i,
                  uint64_t *slots) {
  uint64_t id = i.read(0, slots);
  if (id > 15)
    machine.fail(i, "expected a barrier of 0 to 15, got " + std::to_string(id));
  unsigned threads = unsigned(thread.block->threads.size());
  uint64_t expected =
      i.operands.size() > 1 ? i.read(1, slots) : (threads + 31) / 32 * 32;
  if (expected == 0 || expected % 32)
    machine.fail(i, "expected a number of threads that is a multiple of 32, "
                    "got " +
                        std::to_string(expected));
  // Whole warps arrive: lanes that a warp lacks are not waited for.
  if (expected > threads && expected == (threads + 31) / 32 * 32)
    expected = threads;
  machine.synchronize(i, thread.block->barriers[id], unsigned(expected),
                      /*waits=*/!i.has("arrive"),
                      "barrier " + std::to_string(id));
}

void warpBarrier(Machine &machine, Thread &thread, const PtxInstruction &i,
                 uint64_t *slots) {
  machine.meet(i, slots, uint32_t(i.read(0, slots)),
               [&](llvm::ArrayRef<uint64_t *> lanes) {
                 llvm::SmallVector<Agent, 32> agents;
                 for (size_t lane = 0; lane < lanes.size(); ++lane)
                   if (lanes[lane])
                     agents.push_back(thread.warp->lanes[lane]->agent);
                 machine.detector().synchronize(agents);
               });
}

void clusterArrive(Machine &machine, Thread &thread, const PtxInstruction &i,
                   uint64_t *) {
  ClusterBarrier &barrier = machine.clusterBarrier();
  if (thread.arrivedAtCluster)
    machine.fail(i, "the thread has arrived before and not waited since");
  thread.arrivedAtCluster = true;
  thread.clusterGeneration = barrier.generation;
  if (!i.has("relaxed"))
    machine.detector().release(thread.agent, barrier.current);
  size_t all = machine.blocks().size() * thread.block->threads.size();
  if (++barrier.arrived < all)
    return;
  barrier.arrived = 0;
  ++barrier.generation;
  barrier.completed = barrier.current;
  machine.notify();
}

void clusterWait(Machine &machine, Thread &thread, const PtxInstruction &i,
                 uint64_t *) {
  ClusterBarrier &barrier = machine.clusterBarrier();
  if (!thread.arrivedAtCluster)
    machine.fail(i, "the thread has not arrived");
  machine.wait(i, "the barrier of the cluster",
               [&] { return barrier.generation > thread.clusterGeneration; });
  thread.arrivedAtCluster = false;
  thread.block->knowsPeers = true;
  machine.detector().acquire(thread.agent, barrier.completed);
}

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

void mbarrierInit(Machine &machine, Thread &thread, const PtxInstruction &i,
                  uint64_t *slots) {
  uint64_t address = i.read(0, slots), count = i.read(1, slots);
  if (address % 8 || address >> kRankShift)
    machine.fail(i, "expected an address of the block that is a multiple of "
                    "8, got " +
                        std::to_string(address));
  if (count < 1 || count > (1 << 20) - 1)
    machine.fail(i, "expected a count of 1 to 2^20 - 1, got " +
                        std::to_string(count));
  machine.accessShared(*thread.block, uint32_t(address), 8, AccessKind::Write,
                       i.site, thread.agent, Proxy::Generic);
  Mbarrier &barrier = thread.block->mbarriers[uint32_t(address)];
  barrier = Mbarrier();
  barrier.expected = uint32_t(count);
  barrier.pending = int64_t(count);
  thread.unfencedMbarriers.push_back(&barrier);
}

/// mbarrier.arrive[.release.cluster].shared::{cta,cluster}.b64 _, [address]
/// [, count]
void mbarrierArrive(Machine &machine, Thread &thread, const PtxInstruction &i,
                    uint64_t *slots) {
  uint64_t count = i.operands.size() > 2 ? i.read(2, slots) : 1;
  if (i.has("expect_tx")) {
    machine.addTransactions(i, i.read(1, slots), thread.agent, int64_t(count));
    count = 1;
  }
  machine.arrive(i, i.read(1, slots), thread.agent, unsigned(count));
}

/// mbarrier.expect.tx.scope.cta.space.cta(address, bytes)
void mbarrierExpect(Machine &machine, Thread &thread, const PtxInstruction &i,
                    uint64_t *slots) {
  machine.addTransactions(i, i.read(0, slots), thread.agent,
                          int64_t(uint32_t(i.read(1, slots))));
}

/// mbarrier.{try,test}_wait.parity ... done, [address], parity: both come back
/// when the phase is complete, as the loops around them ask.
void mbarrierWait(Machine &machine, Thread &thread, const PtxInstruction &i,
                  uint64_t *slots) {
  uint64_t address = i.read(1, slots);
  uint32_t parity = i.read(2, slots) & 1;
  Mbarrier &barrier = machine.mbarrier(i, address, thread.agent);
  machine.wait(i,
               "phase of parity " + std::to_string(parity) +
                   " of the mbarrier at shared address " +
                   std::to_string((address & 0xffffff) - kSharedBase),
               [&barrier, parity] { return (barrier.phase & 1) != parity; });
  machine.detector().acquire(thread.agent, barrier.completed);
  machine.recordWait(i, barrier, parity);
  i.write(0, slots, 1);
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

void publishMbarriers(Thread &thread) {
  for (Mbarrier *barrier : thread.unfencedMbarriers)
    barrier->fenced = true;
  thread.unfencedMbarriers.clear();
}
void mbarrierFence(Machine &, Thread &thread, const PtxInstruction &,
                   uint64_t *) {
  publishMbarriers(thread);
}
void proxyFence(Machine &machine, Thread &thread, const PtxInstruction &,
                uint64_t *) {
  publishMbarriers(thread);
  machine.detector().fenceProxy(thread.agent);
}
void plainFence(Machine &, Thread &, const PtxInstruction &, uint64_t *) {}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// setmaxnreg.{inc,dec}.sync.aligned.u32 count (PTX ISA, "setmaxnreg"): a
/// warpgroup takes registers from what others of its block have given back.
void setMaxRegisters(Machine &machine, Thread &thread, const PtxInstruction &i,
                     uint64_t *slots) {
  auto count = unsigned(i.read(0, slots));
  if (count < 24 || count > 256 || count % 8)
    machine.fail(i, "expected a multiple of 8 of 24 to 256 registers, got " +
                        std::to_string(count));
  bool increases = i.has("inc");
  Block &block = *thread.block;
  Warpgroup &group = machine.meetWarpgroup(
      i, slots, [&](Warpgroup &own, llvm::ArrayRef<uint64_t *>) {
        if (increases ? count < own.registers : count > own.registers)
          machine.fail(i, std::string("expected ") +
                              (increases ? "at least" : "at most") + " the " +
                              std::to_string(own.registers) +
                              " registers that a thread has, got " +
                              std::to_string(count));
        if (increases) {
          own.wantedRegisters = count;
          return;
        }
        block.freeRegisters += (own.registers - count) * 128;
        own.registers = count;
        machine.notify();
      });
  if (!increases)
    return;
  machine.wait(i,
               std::to_string(count) +
                   " registers for each thread of its warpgroup, which has " +
                   std::to_string(group.registers),
               [&block, &group] {
                 if (!group.wantedRegisters)
                   return true;
                 unsigned more =
                     (group.wantedRegisters - group.registers) * 128;
                 if (more > block.freeRegisters)
                   return false;
                 block.freeRegisters -= more;
                 group.registers = std::exchange(group.wantedRegisters, 0);
                 return true;
               });
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

/// shfl.sync.{idx,bfly,up,down}.i32(mask, value, by, clamp): PTX ISA, "shfl".
void shuffle(Machine &machine, Thread &thread, const PtxInstruction &i,
             uint64_t *slots) {
  machine.meet(i, slots, uint32_t(i.read(1, slots)),
               [&](llvm::ArrayRef<uint64_t *> lanes) {
                 uint64_t results[32] = {};
                 for (unsigned lane = 0; lane < 32; ++lane) {
                   if (!lanes[lane])
                     continue;
                   auto by = unsigned(i.read(3, lanes[lane]) & 31);
                   auto clamp = unsigned(i.read(4, lanes[lane]));
                   unsigned segment = clamp >> 8 & 31, bound = clamp & 31;
                   unsigned last = (lane & segment) | (bound & ~segment & 31);
                   unsigned first = lane & segment;
                   unsigned from = lane;
                   bool valid = true;
                   if (i.has("bfly")) {
                     from = lane ^ by;
                     valid = from <= last;
                   } else if (i.has("idx")) {
                     from = first | (by & ~segment & 31);
                     valid = from <= last;
                   } else if (i.has("down")) {
                     from = lane + by;
                     valid = from <= last;
                   } else {
                     valid = int(lane) - int(by) >= int(last);
                     from = lane - by;
                   }
                   if (!valid)
                     from = lane;
                   if (!lanes[from])
                     machine.fail(i, "lane " + std::to_string(lane) +
                                         " reads from lane " +
                                         std::to_string(from) +
                                         ", which does not take part");
                   results[lane] = i.read(2, lanes[from]);
                 }
                 for (unsigned lane = 0; lane < 32; ++lane)
                   if (lanes[lane])
                     i.write(0, lanes[lane], results[lane]);
               });
}

/// vote.{all,any,ballot}.sync(mask, predicate)
void vote(Machine &machine, Thread &, const PtxInstruction &i,
          uint64_t *slots) {
  machine.meet(i, slots, uint32_t(i.read(1, slots)),
               [&](llvm::ArrayRef<uint64_t *> lanes) {
                 uint32_t set = 0, present = 0;
                 for (unsigned lane = 0; lane < 32; ++lane)
                   if (lanes[lane]) {
                     present |= 1u << lane;
                     set |= uint32_t(bool(i.read(2, lanes[lane]) & 1)) << lane;
                   }
                 uint64_t result = i.has("ballot") ? set
                                   : i.has("any")  ? uint64_t(set != 0)
                                                   : uint64_t(set == present);
                 for (uint64_t *lane : lanes)
                   if (lane)
                     i.write(0, lane, result);
               });
}

/// redux.sync.{add,min,max,umin,umax,and,or,xor}(value, mask), as NVVM names
/// them
void reduceWarp(Machine &machine, Thread &, const PtxInstruction &i,
                uint64_t *slots) {
  machine.meet(i, slots, uint32_t(i.read(2, slots)),
               [&](llvm::ArrayRef<uint64_t *> lanes) {
                 std::optional<uint32_t> all;
                 for (uint64_t *lane : lanes) {
                   if (!lane)
                     continue;
                   auto own = uint32_t(i.read(1, lane));
                   if (!all)
                     all = own;
                   else if (i.has("add"))
                     *all += own;
                   else if (i.has("and"))
                     *all &= own;
                   else if (i.has("or"))
                     *all |= own;
                   else if (i.has("xor"))
                     *all ^= own;
                   else if (i.has("min"))
                     all = std::min<int32_t>(*all, own);
                   else if (i.has("max"))
                     all = std::max<int32_t>(*all, own);
                   else if (i.has("umin"))
                     all = std::min(*all, own);
                   else
                     all = std::max(*all, own);
                 }
                 for (uint64_t *lane : lanes)
                   if (lane)
                     i.write(0, lane, *all);
               });
}

/// elect.sync(mask): the lane, and whether it is the executing one.
void elect(Machine &machine, Thread &, const PtxInstruction &i,
           uint64_t *slots) {
  machine.meet(i, slots, uint32_t(i.read(2, slots)),
               [&](llvm::ArrayRef<uint64_t *> lanes) {
                 unsigned leader = 0;
                 while (!lanes[leader])
                   ++leader;
                 for (unsigned lane = 0; lane < 32; ++lane)
                   if (lanes[lane]) {
                     i.write(0, lanes[lane], leader);
                     i.write(1, lanes[lane], lane == leader);
                   }
               });
}
} // namespace

llvm::ArrayRef<InstructionEntry> mlir::tile::lowered::orderInstructions() {
  static constexpr InstructionEntry table[] = {
      {"barrier.cta.sync.aligned", blockBarrier},
      {"bar.warp.sync", warpBarrier},
      {"barrier.cluster.arrive", clusterArrive},
      {"barrier.cluster.wait", clusterWait},
      {"mbarrier.init", mbarrierInit},
      {"mbarrier.arrive", mbarrierArrive},
      {"mbarrier.expect.tx", mbarrierExpect},
      {"mbarrier.try_wait.parity", mbarrierWait},
      {"mbarrier.test_wait.parity", mbarrierWait},
      {"fence.mbarrier_init", mbarrierFence},
      {"fence.proxy.async", proxyFence},
      {"fence", plainFence},
      {"setmaxnreg", setMaxRegisters},
      {"membar", plainFence},
      {"shfl.sync", shuffle},
      {"redux.sync", reduceWarp},
      {"vote.all.sync", vote},
      {"vote.any.sync", vote},
      {"vote.ballot.sync", vote},
      {"elect.sync", elect},
  };
  return table;
}
