//===- InstructionsTensorMemory.cpp - tcgen05 -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor memory and what multiplies into it (PTX ISA, "TensorCore 5th
// Generation Family Instructions"; orders: "Memory Consistency Model for 5th
// generation of TensorCore operations").
//
//===----------------------------------------------------------------------===//
#include "Instructions.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::tile::lowered;
using llvm::StringRef;

static constexpr unsigned kColumns = 512, kLanes = 128;

namespace {
//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// The order of the warp's accesses; begins with what its thread knows.
TensorOrder &orderOf(Machine &machine, Warp &warp) {
  TensorOrder &order = warp.tensor;
  if (order.known == kNoAgent) {
    const Thread &thread = machine.thread();
    order.known = machine.beginFor(*warp.lanes.front(), thread.agent);
    order.loads = machine.beginFor(*warp.lanes.front(), thread.agent);
    order.stores = machine.beginFor(*warp.lanes.front(), thread.agent);
  }
  return order;
}

/// tcgen05.fence::before_thread_sync: later releases of the thread also publish
/// the accesses to tensor memory that it has waited for.
void fenceBefore(Machine &machine, Thread &thread, const PtxInstruction &,
                 uint64_t *) {
  machine.detector().acquire(thread.agent, orderOf(machine, *thread.warp).done);
}

/// tcgen05.fence::after_thread_sync: everything that the thread knows happens
/// before its later accesses to tensor memory.
void fenceAfter(Machine &machine, Thread &thread, const PtxInstruction &,
                uint64_t *) {
  TensorOrder &order = orderOf(machine, *thread.warp);
  Signal seen;
  machine.detector().release(thread.agent, seen);
  for (Agent agent : {order.known, order.loads, order.stores})
    machine.detector().acquire(agent, seen);
}

/// tcgen05.wait::{ld,st}: the warp's moves come before whatever it does with
/// tensor memory from now on.
void waitForMoves(Machine &machine, Thread &thread, const PtxInstruction &i,
                  uint64_t *slots) {
  bool isLoad = i.parts[1] == "wait::ld";
  machine.meet(i, slots, ~0u, [&](llvm::ArrayRef<uint64_t *>) {
    TensorOrder &order = orderOf(machine, *thread.warp);
    machine.detector().release(isLoad ? order.loads : order.stores, order.done);
    for (Agent agent : {order.known, order.loads, order.stores})
      machine.detector().acquire(agent, order.done);
    for (Thread *lane : thread.warp->lanes)
      lane->loadsTensor &= !isLoad;
  });
}

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

void checkColumns(Machine &machine, const PtxInstruction &i, uint64_t count) {
  if (count < 32 || count > kColumns || (count & (count - 1)))
    machine.fail(i, "expected a power of two of 32 to 512 columns, got " +
                        std::to_string(count));
}

/// tcgen05.alloc...[address], columns: by one warp; the first column goes to
/// shared memory.
void allocate(Machine &machine, Thread &thread, const PtxInstruction &i,
              uint64_t *slots) {
  machine.meet(i, slots, ~0u, [&](llvm::ArrayRef<uint64_t *>) {
    Block &block = *thread.block;
    uint64_t count = i.read(1, slots);
    checkColumns(machine, i, count);
    if (block.tensorRelinquished)
      machine.fail(i, "the block has given up its permit to allocate");
    unsigned first = 0;
    for (auto [begin, size] : block.tensorColumns)
      if (begin < first + count)
        first = begin + size;
    if (first + count > kColumns)
      machine.fail(i, "expected " + std::to_string(count) +
                          " free columns; this would wait for ever");
    block.tensorColumns[first] = unsigned(count);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      for (unsigned column = first; column < first + count; ++column) {
        block.tensor.written[lane * kColumns + column] = false;
        block.tensor.at(lane, column) = 0x7fbadbad; // NaN: poison
      }
    // No agent knows of accesses by others yet.
    for (auto &warp : block.warps)
      orderOf(machine, *warp);
    if (!block.tensorShadow)
      block.tensorShadow = std::make_unique<Shadow>(kLanes * kColumns * 4);
    uint32_t value = first;
    std::memcpy(machine.accessShared(block, uint32_t(i.read(0, slots)), 4,
                                     AccessKind::Write, i.site, thread.agent,
                                     Proxy::Generic),
                &value, 4);
  });
}

void relinquish(Machine &, Thread &thread, const PtxInstruction &, uint64_t *) {
  thread.block->tensorRelinquished = true;
}
/// Columns `first` and up of one lane, checked.
void accessTensor(Machine &machine, const PtxInstruction &i, Block &block,
                  unsigned lane, unsigned first, unsigned count,
                  AccessKind kind, Agent agent) {
  bool isAllocated = false;
  for (auto [begin, size] : block.tensorColumns)
    isAllocated |= first >= begin && first + count <= begin + size;
  if (!isAllocated || lane >= kLanes)
    machine.fail(i, "accesses columns " + std::to_string(first) + " to " +
                        std::to_string(first + count - 1) + " of lane " +
                        std::to_string(lane) +
                        " of tensor memory, which are not allocated");
  machine.accessShadow(i, *block.tensorShadow, (lane * kColumns + first) * 4,
                       count * 4, kind, agent, "tensor");
}

void deallocate(Machine &machine, Thread &thread, const PtxInstruction &i,
                uint64_t *slots) {
  machine.meet(i, slots, ~0u, [&](llvm::ArrayRef<uint64_t *>) {
    auto &columns = thread.block->tensorColumns;
    auto it = columns.find(unsigned(i.read(0, slots) & 0xffff));
    if (it == columns.end() || it->second != i.read(1, slots))
      machine.fail(i, "expected columns that were allocated together");
    // Whoever gets them next writes them.
    for (unsigned lane = 0; lane < kLanes; ++lane)
      accessTensor(machine, i, *thread.block, lane, it->first, it->second,
                   AccessKind::Write, orderOf(machine, *thread.warp).known);
    columns.erase(it);
  });
}

//===----------------------------------------------------------------------===//
// Registers to tensor memory, and back
//===----------------------------------------------------------------------===//

/// tcgen05.ld {registers}, [address] and tcgen05.st [address], {registers}
void moveTensor(Machine &machine, Thread &thread, const PtxInstruction &i,
                uint64_t *slots) {
  bool isLoad = i.parts[1] == "ld";
  machine.meet(i, slots, ~0u, [&](llvm::ArrayRef<uint64_t *> lanes) {
    Block &block = *thread.block;
    auto address = uint32_t(i.read(isLoad ? 1 : 0, slots));
    const PtxOperand &registers = i.operands[isLoad ? 0 : 1];
    std::vector<TensorPlace> places[32];
    Machine::UnwrittenIsPoison scope(machine);
    TensorOrder &order = orderOf(machine, *thread.warp);
    Agent agent = isLoad ? order.loads : order.stores;
    std::string wrong =
        tcgen05Places(i.mnemonic, address, thread.warp->rank, places);
    if (!wrong.empty())
      machine.fail(i, wrong);
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (!lanes[lane])
        machine.fail(i, "expected a whole warp");
      if (uint32_t(i.read(isLoad ? 1 : 0, lanes[lane])) != address)
        machine.fail(i, "expected the same address in all lanes");
      size_t count =
          registers.kind == PtxOperand::List ? registers.list.size() : 1;
      thread.warp->lanes[lane]->loadsTensor |= isLoad;
      if (places[lane].size() != count)
        machine.fail(i, "expected " + std::to_string(places[lane].size()) +
                            " registers, got " + std::to_string(count));
      for (size_t r = 0; r < count; ++r) {
        TensorPlace place = places[lane][r];
        const PtxOperand &reg =
            registers.kind == PtxOperand::List ? registers.list[r] : registers;
        accessTensor(machine, i, block, place.lane, place.column, 1,
                     isLoad ? AccessKind::Read : AccessKind::Write, agent);
        uint32_t &word = block.tensor.at(place.lane, place.column);
        if (isLoad)
          lanes[lane][reg.slot] = word;
        else {
          word = uint32_t(PtxInstruction::read(reg, lanes[lane]));
          block.tensor.written[place.lane * kColumns + place.column] = true;
        }
      }
    }
  });
}

//===----------------------------------------------------------------------===//
// mma
//===----------------------------------------------------------------------===//

/// The blocks that hold operands and results: one, or a pair of neighbours.
llvm::SmallVector<Block *, 2> pairOf(Machine &machine, const Block &block,
                                     unsigned blocks, const PtxInstruction &i) {
  llvm::SmallVector<Block *, 2> result;
  unsigned first = blocks == 2 ? block.rank & ~1u : block.rank;
  for (unsigned rank = first; rank < first + blocks; ++rank)
    result.push_back(&machine.blockOfRank(rank, i));
  return result;
}

/// Elements that lie in shared memory, of all blocks of a pair.
std::vector<uint64_t> readShared(Machine &machine, const PtxInstruction &i,
                                 const Tcgen05Mma &mma, bool isA,
                                 const std::vector<uint32_t> &addresses,
                                 llvm::ArrayRef<Block *> blocks, Agent agent) {
  unsigned bytes = bitsOf(isA ? mma.a : mma.b) / 8;
  std::vector<uint64_t> parts[2];
  for (auto [rank, block] : llvm::enumerate(blocks)) {
    std::vector<uint64_t> &elements = parts[rank];
    elements.resize(addresses.size());
    for (size_t e = 0; e < addresses.size(); ++e)
      std::memcpy(&elements[e],
                  machine.accessShared(*block, addresses[e], bytes,
                                       AccessKind::Read, i.site, agent,
                                       Proxy::Async),
                  bytes);
  }
  if (blocks.size() == 1)
    return std::move(parts[0]);
  std::vector<uint64_t> all;
  if (isA) { // halves of the rows, one below the other
    all = std::move(parts[0]);
    all.insert(all.end(), parts[1].begin(), parts[1].end());
    return all;
  }
  // Halves of the columns, side by side.
  unsigned half = mma.n / 2;
  for (unsigned k = 0; k < mma.k; ++k)
    for (const std::vector<uint64_t> &part : parts)
      all.insert(all.end(), part.begin() + k * half,
                 part.begin() + (k + 1) * half);
  return all;
}

/// tcgen05.mma... [d], a, b, instruction descriptor, scale-d: by one thread.
void issue(Machine &machine, Thread &thread, const PtxInstruction &i,
           uint64_t *slots) {
  Tcgen05Mma mma;
  std::string wrong =
      decodeTcgen05Mma(i.mnemonic, uint32_t(i.read(3, slots)), mma);
  if (!wrong.empty())
    machine.fail(i, wrong);
  auto d = uint32_t(i.read(0, slots));
  bool fromTensor = i.operands[1].kind == PtxOperand::Address;
  uint64_t a = i.read(1, slots), b = i.read(2, slots);
  bool keep = i.operands.size() < 5 || (i.read(4, slots) & 1);
  std::vector<uint32_t> aAddresses, bAddresses;
  if (!fromTensor)
    wrong = tcgen05Addresses(mma, true, a, mma.transposeA, aAddresses);
  if (wrong.empty())
    wrong = tcgen05Addresses(mma, false, b, mma.transposeB, bAddresses);
  if (!wrong.empty())
    machine.fail(i, wrong);
  Block &block = *thread.block;
  auto blocks = pairOf(machine, block, mma.blocks, i);
  Agent agent = machine.beginOperation();
  Agent tensorAgent =
      machine.beginFor(thread, orderOf(machine, *thread.warp).known);
  auto work = std::make_shared<Operation>();
  work->agent = agent;
  work->land = [=, &machine, &i, &block] {
    // What was issued before is done.
    machine.detector().acquire(agent, block.tensorDone);
    machine.detector().acquire(tensorAgent, block.tensorDone);
    llvm::SmallVector<TensorMemory *, 2> memory;
    for (Block *part : blocks)
      memory.push_back(&part->tensor);
    std::vector<uint64_t> aElements;
    std::string wrong;
    // M of 64 in one block takes half of the lanes.
    bool half = mma.m == 64;
    auto access = [&](unsigned first, unsigned count, AccessKind kind) {
      for (Block *part : blocks)
        for (unsigned lane = 0; lane < kLanes; ++lane)
          if (!half || lane % 32 < 16)
            accessTensor(machine, i, *part, lane, first, count, kind,
                         tensorAgent);
    };
    if (fromTensor) {
      access(unsigned(a & 0xffff), 256 / 32, AccessKind::Read);
      wrong = tcgen05ReadA(mma, uint32_t(a), memory, aElements);
    } else
      aElements = readShared(machine, i, mma, true, aAddresses, blocks, agent);
    std::vector<uint64_t> bElements =
        readShared(machine, i, mma, false, bAddresses, blocks, agent);
    access(unsigned(d & 0xffff), mma.n, AccessKind::Write);
    if (wrong.empty())
      wrong = tcgen05Mma(mma, aElements, bElements, keep, d, memory);
    if (!wrong.empty())
      machine.fail(i, wrong);
    // Later operations, and threads that wait for a commit, come after this
    // one.
    machine.detector().endAsync(agent, block.tensorDone);
    machine.detector().endAsync(tensorAgent, block.tensorDone);
  };
  // `land` itself ends the agent.
  work->agent = kNoAgent;
  work->issuer = &thread;
  machine.startInOrder(work, block.tensorQueue);
}

/// tcgen05.commit...[barrier][, mask]: an arrival once what was issued is done.
void commit(Machine &machine, Thread &thread, const PtxInstruction &i,
            uint64_t *slots) {
  uint64_t address = i.read(0, slots);
  Block &block = *thread.block;
  llvm::SmallVector<uint64_t, 2> barriers;
  if (i.has("multicast::cluster")) {
    uint64_t mask = i.read(1, slots) & 0xffff;
    for (unsigned rank = 0; rank < 16; ++rank)
      if (mask >> rank & 1) {
        machine.blockOfRank(rank, i);
        barriers.push_back(uint64_t(rank + 1) << kRankShift |
                           (address & ((1u << kRankShift) - 1)));
      }
  } else {
    barriers.push_back(address);
  }
  OperationRef last =
      block.tensorQueue.empty() ? nullptr : block.tensorQueue.back();
  Agent agent = machine.beginOperation();
  machine.start(agent, [=, &machine, &i, &block] {
    if (last)
      machine.landInOrder(*last, block.tensorQueue);
    machine.detector().acquire(agent, block.tensorDone);
    for (uint64_t barrier : barriers)
      machine.arrive(i, barrier, agent, 1);
  });
}
} // namespace

llvm::ArrayRef<InstructionEntry>
mlir::tile::lowered::tensorMemoryInstructions() {
  static constexpr InstructionEntry table[] = {
      {"tcgen05.alloc", allocate},
      {"tcgen05.dealloc", deallocate},
      {"tcgen05.relinquish_alloc_permit", relinquish},
      {"tcgen05.fence::before_thread_sync", fenceBefore},
      {"tcgen05.fence::after_thread_sync", fenceAfter},
      {"tcgen05.wait::ld", waitForMoves},
      {"tcgen05.wait::st", waitForMoves},
      {"tcgen05.ld", moveTensor},
      {"tcgen05.st", moveTensor},
      {"tcgen05.mma", issue},
      {"tcgen05.commit", commit},
  };
  return table;
}
