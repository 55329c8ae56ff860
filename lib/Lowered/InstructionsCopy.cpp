//===- InstructionsCopy.cpp - asynchronous copies -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cp.async, cp.async.bulk and the copies of tensors. Each is an operation with
// an agent of its own, which reads and writes at a moment that chance decides,
// before whoever waits for it goes on.
//
//===----------------------------------------------------------------------===//
#include "Instructions.h"
#include "TensorMap.h"

using namespace mlir::tile::lowered;
using llvm::StringRef;

namespace {
//===----------------------------------------------------------------------===//
// cp.async
//===----------------------------------------------------------------------===//

/// cp.async.{ca,cg}.shared.global [to], [from], bytes[, given or ignored] and
/// the intrinsics cp.async.{ca,cg}.shared.global.N[.s](to, from[, given]).
void copyAsync(Machine &machine, Thread &thread, const PtxInstruction &i,
               uint64_t *slots) {
  uint64_t to = i.read(0, slots), from = i.read(1, slots);
  uint32_t bytes = 0;
  size_t next = 2;
  for (const std::string &part : i.parts) {
    unsigned number = 0;
    if (!StringRef(part).getAsInteger(10, number))
      bytes = number;
  }
  if (!bytes)
    bytes = uint32_t(i.read(unsigned(next++), slots));
  // The last operand says how many bytes are there, or, as a predicate, whether
  // to ignore them all; the rest becomes zeros.
  uint32_t given = bytes;
  if (i.operands.size() > next) {
    uint64_t last = i.read(unsigned(next), slots);
    given = !i.operands[next].isPredicate ? uint32_t(last) : last ? 0 : bytes;
  }
  if ((bytes != 4 && bytes != 8 && bytes != 16) || (i.has("cg") && bytes != 16))
    machine.fail(i, "expected 4, 8 or 16 bytes (16 with .cg), got " +
                        std::to_string(bytes));
  if (given > bytes)
    machine.fail(i, "expected at most " + std::to_string(bytes) +
                        " bytes of the source, got " + std::to_string(given));
  if (to % bytes || (given && from % bytes))
    machine.fail(i, "expected addresses that are multiples of " +
                        std::to_string(bytes) + ", got " + std::to_string(to) +
                        " and " + std::to_string(from));
  Agent agent = machine.beginOperation();
  OperationRef operation = machine.start(agent, [=, &machine, &thread, &i] {
    char data[16] = {};
    if (given)
      std::memcpy(data,
                  machine.accessGlobal(from, given, AccessKind::Read, i.site,
                                       agent, Proxy::Generic),
                  given);
    std::memcpy(machine.accessShared(*thread.block, uint32_t(to), bytes,
                                     AccessKind::Write, i.site, agent,
                                     Proxy::Generic),
                data, bytes);
  });
  thread.copies.open.push_back(operation);
  thread.unwaitedCopies.push_back(operation);
}

void commit(Groups &groups) {
  groups.committed.push_back(std::move(groups.open));
  groups.open.clear();
}
void waitFor(Machine &machine, Groups &groups, uint64_t pending) {
  while (groups.committed.size() > pending) {
    machine.finish(groups.committed.front());
    groups.committed.pop_front();
  }
}

void copyCommit(Machine &, Thread &thread, const PtxInstruction &, uint64_t *) {
  commit(thread.copies);
}
void copyWait(Machine &machine, Thread &thread, const PtxInstruction &i,
              uint64_t *slots) {
  waitFor(machine, thread.copies, i.read(0, slots));
}
void copyWaitAll(Machine &machine, Thread &thread, const PtxInstruction &,
                 uint64_t *) {
  commit(thread.copies);
  waitFor(machine, thread.copies, 0);
}

/// cp.async.mbarrier.arrive[.noinc].shared(address): an arrival once the
/// thread's copies so far are done.
void copyArrive(Machine &machine, Thread &thread, const PtxInstruction &i,
                uint64_t *slots) {
  uint64_t address = i.read(0, slots);
  if (!i.has("noinc"))
    machine.mbarrier(i, address, thread.agent).pending += 1;
  std::vector<OperationRef> copies = std::move(thread.unwaitedCopies);
  thread.unwaitedCopies.clear();
  Agent agent = machine.beginOperation();
  auto operation = machine.start(
      agent, [&machine, &i, address, agent, copies = std::move(copies)] {
        for (const OperationRef &copy : copies) {
          machine.land(*copy);
          machine.detector().acquire(agent, copy->done);
        }
        machine.arrive(i, address, agent, 1);
      });
}

//===----------------------------------------------------------------------===//
// Bulk copies
//===----------------------------------------------------------------------===//

/// The address that a block's part of a multicast has: the same place in its
/// window.
uint64_t addressIn(unsigned rank, uint64_t address) {
  return uint64_t(rank + 1) << kRankShift |
         (address & ((1u << kRankShift) - 1));
}

/// The blocks that receive a copy: those of a mask, or the one that the address
/// names.
llvm::SmallVector<uint64_t, 4> destinations(Machine &machine, Thread &thread,
                                            const PtxInstruction &i,
                                            uint64_t address, bool multicast,
                                            uint64_t mask) {
  llvm::SmallVector<uint64_t, 4> result;
  if (!multicast) {
    unsigned rank = unsigned(address >> kRankShift);
    result.push_back(addressIn(rank ? rank - 1 : thread.block->rank, address));
    return result;
  }
  for (unsigned rank = 0; rank < 16; ++rank)
    if (mask >> rank & 1) {
      machine.blockOfRank(rank, i);
      result.push_back(addressIn(rank, address));
    }
  if (result.empty())
    machine.fail(i, "expected a mask that names a block");
  return result;
}

/// Signals the bytes of a copy at the mbarrier that lies at `barrier`.
void complete(Machine &machine, const PtxInstruction &i, uint64_t barrier,
              Agent agent, uint32_t bytes) {
  Mbarrier &signalled = machine.mbarrier(i, barrier, agent);
  machine.detector().endAsync(agent, signalled.current);
  machine.countTransactions(i, signalled, -int64_t(bytes));
}

/// The mbarrier in the block of a destination, unless the copy's barrier names
/// a block itself (a pair's leader).
uint64_t barrierFor(uint64_t barrier, uint64_t destination, bool multicast) {
  if (!multicast && barrier >> kRankShift)
    return barrier;
  unsigned rank = unsigned(destination >> kRankShift) - 1;
  return addressIn(rank, barrier);
}

/// cp.async.bulk.global.to.shared.cluster(to, barrier, from, bytes, mask,
/// policy, has mask, has policy)
void bulkLoad(Machine &machine, Thread &thread, const PtxInstruction &i,
              uint64_t *slots) {
  uint64_t to = i.read(0, slots), barrier = i.read(1, slots),
           from = i.read(2, slots);
  auto bytes = uint32_t(i.read(3, slots));
  bool multicast = i.read(6, slots) & 1;
  if (std::string wrong = checkBulkCopy(to, from, bytes); !wrong.empty())
    machine.fail(i, wrong);
  for (uint64_t place :
       destinations(machine, thread, i, to, multicast, i.read(4, slots))) {
    Agent agent = machine.beginOperation();
    machine.start(kNoAgent, [=, &machine, &i] {
      if (bytes) {
        const char *source = machine.accessGlobal(from, bytes, AccessKind::Read,
                                                  i.site, agent, Proxy::Async);
        uint32_t local;
        Block &block = machine.blockOf(place, local);
        std::memcpy(machine.accessShared(block, local, bytes, AccessKind::Write,
                                         i.site, agent, Proxy::Async),
                    source, bytes);
      }
      complete(machine, i, barrierFor(barrier, place, multicast), agent, bytes);
    });
  }
}

/// st.async.weak.shared::cluster.mbarrier::complete_tx::bytes[.v2|.v4].{b32,b64}
/// [to], values, [mbarrier]: PTX ISA, "st.async". The parts behind the first
/// five say how much.
struct StoreForm {
  unsigned count = 1, bytes = 4;
};

std::string parseAsyncStore(PtxInstruction &i) {
  auto form = std::make_shared<StoreForm>();
  for (llvm::StringRef text : llvm::ArrayRef(i.parts).drop_front(2))
    if (text == "v2" || text == "v4")
      form->count = unsigned(text[1] - '0');
    else if (text == "b32" || text == "b64")
      form->bytes = text == "b64" ? 8 : 4;
    else if (text != "weak" && text != "shared::cluster" &&
             text != "mbarrier::complete_tx::bytes")
      return "suffix '" + text.str() + "'";
  i.parsed = form;
  return "";
}

void storeAsync(Machine &machine, Thread &, const PtxInstruction &i,
                uint64_t *slots) {
  const auto &form = *static_cast<const StoreForm *>(i.parsed.get());
  uint32_t bytes = form.count * form.bytes;
  uint64_t to = i.read(0, slots), barrier = i.read(2, slots);
  if (to % bytes)
    machine.fail(i, "expected an address that is a multiple of " +
                        std::to_string(bytes));
  if (!(to >> kRankShift) || to >> kRankShift != barrier >> kRankShift)
    machine.fail(i, "expected memory and an mbarrier of one block of the "
                    "cluster");
  auto values = readAll(i.operands[1], slots);
  if (values.size() != form.count)
    machine.fail(i, "expected " + std::to_string(form.count) +
                        " registers, got " + std::to_string(values.size()));
  Agent agent = machine.beginOperation();
  machine.start(kNoAgent, [=, &machine, &i] {
    uint32_t local;
    Block &block = machine.blockOf(to, local);
    char *place = machine.accessShared(block, local, bytes, AccessKind::Write,
                                       i.site, agent, Proxy::Generic);
    for (unsigned k = 0; k < form.count; ++k)
      std::memcpy(place + k * form.bytes, &values[k], form.bytes);
    complete(machine, i, barrier, agent, bytes);
  });
}

/// cp.async.bulk.shared.cta.to.global(to, from, bytes, policy, has policy[,
/// mask])
void bulkStore(Machine &machine, Thread &thread, const PtxInstruction &i,
               uint64_t *slots) {
  uint64_t to = i.read(0, slots), from = i.read(1, slots);
  auto bytes = uint32_t(i.read(2, slots));
  if (std::string wrong = checkBulkCopy(to, from, bytes); !wrong.empty())
    machine.fail(i, wrong);
  Agent agent = machine.beginOperation();
  OperationRef operation = machine.start(agent, [=, &machine, &thread, &i] {
    if (!bytes)
      return;
    const char *source =
        machine.accessShared(*thread.block, uint32_t(from), bytes,
                             AccessKind::Read, i.site, agent, Proxy::Async);
    std::memcpy(machine.accessGlobal(to, bytes, AccessKind::Write, i.site,
                                     agent, Proxy::Async),
                source, bytes);
  });
  operation->readsShared = true;
  thread.bulk.open.push_back(operation);
}

/// cp.async.bulk.prefetch.L2(from, bytes, policy, has policy): it reads nothing
/// that anybody gets, and races with nobody.
void bulkPrefetch(Machine &machine, Thread &, const PtxInstruction &i,
                  uint64_t *slots) {
  uint64_t from = i.read(0, slots);
  auto bytes = uint32_t(i.read(1, slots));
  if (std::string wrong = checkBulkCopy(/*target=*/0, from, bytes);
      !wrong.empty())
    machine.fail(i, wrong);
  if (bytes)
    machine.allocationOf(from, bytes, AccessKind::Read, i.site);
}

void bulkCommit(Machine &, Thread &thread, const PtxInstruction &, uint64_t *) {
  commit(thread.bulk);
}
void bulkWait(Machine &machine, Thread &thread, const PtxInstruction &i,
              uint64_t *slots) {
  waitFor(machine, thread.bulk, i.read(0, slots));
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// The forms of the intrinsics cp.async.bulk.tensor.*, read once.
struct TensorForm {
  TmaMode mode = TmaMode::Tile;
  unsigned coordinates = 0, offsets = 0;
  std::string reduction; ///< empty: a copy
};

std::string parseTensor(PtxInstruction &i) {
  auto form = std::make_shared<TensorForm>();
  StringRef rank = i.parts.back();
  unsigned dims = 0;
  if (!rank.consume_back("d") || rank.getAsInteger(10, dims))
    return "its rank";
  form->coordinates = dims;
  if (i.has("im2col")) {
    form->mode = TmaMode::Im2col;
    form->offsets = i.has("g2s") ? dims - 2 : 0;
  } else if (i.has("gather4")) {
    form->mode = TmaMode::Gather4;
    form->coordinates = 5;
  } else if (i.has("scatter4")) {
    form->mode = TmaMode::Scatter4;
    form->coordinates = 5;
  } else if (!i.has("tile")) {
    return "its mode";
  }
  if (i.has("reduce"))
    form->reduction = i.parts[5];
  i.parsed = form;
  return "";
}

/// The pieces of a copy whose coordinates start at operand `first`.
TensorMapFields readTensor(Machine &machine, const PtxInstruction &i,
                           uint64_t *slots, unsigned map, unsigned first,
                           uint64_t shared,
                           llvm::SmallVectorImpl<TmaPiece> &pieces) {
  const auto &form = *static_cast<const TensorForm *>(i.parsed.get());
  TensorMapFields fields;
  // A parameter of the kernel: its address is one of this process.
  if (!decodeTensorMap(reinterpret_cast<const void *>(i.read(map, slots)),
                       fields))
    machine.fail(i, "expected the address of a tensor map");
  llvm::SmallVector<int32_t, 5> coordinates;
  llvm::SmallVector<uint16_t, 3> offsets;
  for (unsigned k = 0; k < form.coordinates; ++k)
    coordinates.push_back(int32_t(i.read(first + k, slots)));
  for (unsigned k = 0; k < form.offsets; ++k)
    offsets.push_back(uint16_t(i.read(first + form.coordinates + k, slots)));
  std::string wrong =
      tmaPieces(fields, form.mode, coordinates, offsets,
                uint32_t(shared & ((1u << kRankShift) - 1)), pieces);
  if (wrong.empty() && !i.has("g2s"))
    wrong = checkStoreCoordinates(form.mode, coordinates);
  if (!wrong.empty())
    machine.fail(i, wrong);
  return fields;
}

/// cp.async.bulk.tensor.g2s.*(to, barrier, map, coordinates, offsets, mask,
/// policy, has mask, has policy[, group of blocks])
void tensorLoad(Machine &machine, Thread &thread, const PtxInstruction &i,
                uint64_t *slots) {
  const auto &form = *static_cast<const TensorForm *>(i.parsed.get());
  uint64_t to = i.read(0, slots), barrier = i.read(1, slots);
  auto pieces = std::make_shared<llvm::SmallVector<TmaPiece, 0>>();
  TensorMapFields map = readTensor(machine, i, slots, 2, 3, to, *pieces);
  unsigned rest = 3 + form.coordinates + form.offsets;
  bool multicast = i.read(rest + 2, slots) & 1;
  uint32_t bytes = tmaBytes(map, form.mode);
  for (uint64_t place :
       destinations(machine, thread, i, to, multicast, i.read(rest, slots))) {
    Agent agent = machine.beginOperation();
    machine.start(kNoAgent, [=, &machine, &i] {
      uint32_t ignored;
      Block &block = machine.blockOf(place, ignored);
      for (const TmaPiece &piece : *pieces) {
        char *shared = machine.accessShared(block, piece.shared, piece.bytes,
                                            AccessKind::Write, i.site, agent,
                                            Proxy::Async);
        if (piece.inside)
          tmaLoad(map, shared,
                  machine.accessGlobal(piece.global, piece.bytes,
                                       AccessKind::Read, i.site, agent,
                                       Proxy::Async),
                  piece.bytes);
        else
          tmaFill(map, shared, piece.bytes);
      }
      complete(machine, i, barrierFor(barrier, place, multicast), agent, bytes);
    });
  }
}

/// cp.async.bulk.tensor.s2g.* and .reduce.OP.*(from, map, coordinates, policy,
/// has policy)
void tensorStore(Machine &machine, Thread &thread, const PtxInstruction &i,
                 uint64_t *slots) {
  const auto &form = *static_cast<const TensorForm *>(i.parsed.get());
  auto pieces = std::make_shared<llvm::SmallVector<TmaPiece, 0>>();
  TensorMapFields map =
      readTensor(machine, i, slots, 1, 2, i.read(0, slots), *pieces);
  Agent agent = machine.beginOperation();
  OperationRef operation = machine.start(agent, [=, &machine, &thread, &i,
                                                 &form] {
    for (const TmaPiece &piece : *pieces) {
      if (!piece.inside)
        continue;
      const char *shared =
          machine.accessShared(*thread.block, piece.shared, piece.bytes,
                               AccessKind::Read, i.site, agent, Proxy::Async);
      bool reduces = !form.reduction.empty();
      char *global =
          machine.accessGlobal(piece.global, piece.bytes,
                               reduces ? AccessKind::Atomic : AccessKind::Write,
                               i.site, agent, Proxy::Async);
      if (!reduces)
        std::memcpy(global, shared, piece.bytes);
      else if (!tmaReduce(form.reduction.c_str(), map.type, global, shared,
                          piece.bytes))
        machine.fail(i, "the map's type has no such reduction");
    }
  });
  operation->readsShared = true;
  thread.bulk.open.push_back(operation);
}
} // namespace

llvm::ArrayRef<InstructionEntry> mlir::tile::lowered::copyInstructions() {
  static constexpr InstructionEntry table[] = {
      {"cp.async.ca.shared.global", copyAsync},
      {"cp.async.cg.shared.global", copyAsync},
      {"cp.async.commit.group", copyCommit},
      {"cp.async.wait.group", copyWait},
      {"cp.async.wait.all", copyWaitAll},
      {"cp.async.mbarrier.arrive", copyArrive},
      {"st.async", storeAsync, parseAsyncStore},
      {"cp.async.bulk.global.to.shared.cluster", bulkLoad},
      {"cp.async.bulk.shared.cta.to.global", bulkStore},
      {"cp.async.bulk.prefetch.L2", bulkPrefetch},
      {"cp.async.bulk.commit.group", bulkCommit},
      {"cp.async.bulk.wait.group", bulkWait},
      {"cp.async.bulk.tensor.g2s", tensorLoad, parseTensor},
      {"cp.async.bulk.tensor.s2g", tensorStore, parseTensor},
      {"cp.async.bulk.tensor.reduce", tensorStore, parseTensor},
  };
  return table;
}
