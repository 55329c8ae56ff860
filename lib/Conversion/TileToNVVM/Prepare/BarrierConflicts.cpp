//===- BarrierConflicts.cpp - what an operation has to wait for -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BarrierConflicts.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;
using llvm::BitVector;

/// So many operations behind a barrier are asked which copies they need.
static constexpr unsigned kMostSteps = 4;

BitVector nvvm::conflictsOf(const AccessTable &table, Operation *op,
                            const BitVector &pending) {
  BitVector result(table.size());
  ArrayRef<unsigned> accesses = table.of(op);
  if (accesses.empty())
    return result;
  for (unsigned before : pending.set_bits())
    if (llvm::any_of(accesses,
                     [&](unsigned now) { return table.conflict(before, now); }))
      result.set(before);
  return result;
}

BitVector nvvm::accessesIn(const AccessTable &table, Operation *op) {
  if (!isa<scf::IfOp>(op))
    return table.inside(op);
  BitVector result(table.size());
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    for (unsigned id : table.of(inner))
      result.set(id);
    return isa<TileOpInterface>(inner) ? WalkResult::skip()
                                       : WalkResult::advance();
  });
  return result;
}

BitVector nvvm::conflictsInside(const AccessTable &table, Operation *op,
                                const BitVector &pending) {
  BitVector result(table.size());
  bool needsAll = pending.anyCommon(table.copiesAhead());
  for (unsigned now : accessesIn(table, op).set_bits())
    for (unsigned before : pending.set_bits()) {
      if (result.test(before) || !table.conflict(before, now))
        continue;
      result.set(before);
      if (!needsAll)
        return result;
    }
  return result;
}

BitVector nvvm::copiesWantedSoon(const AccessTable &table, Operation *op,
                                 const BitVector &pending) {
  BitVector result(table.size());
  BitVector candidates = pending;
  candidates &= table.cpAsyncs();
  unsigned steps = 0;
  for (Operation *next = op->getNextNode(); next && steps < kMostSteps;
       next = next->getNextNode()) {
    if (table.of(next).empty() && next->getNumRegions() == 0)
      continue;
    if (!isa<TileOpInterface>(next) || table.copies(next) != table.copies(op))
      break;
    ++steps;
    for (unsigned before : candidates.set_bits())
      if (llvm::any_of(table.of(next), [&](unsigned now) {
            return table.conflict(before, now);
          }))
        result.set(before);
  }
  return result;
}

DenseI64ArrayAttr nvvm::commonGroups(const AccessTable &table, Operation *op,
                                     const BitVector &conflicts) {
  DenseI64ArrayAttr groups;
  for (unsigned before : conflicts.set_bits())
    for (unsigned now : table.of(op)) {
      if (!table.conflict(before, now))
        continue;
      const MemoryAccess &a = table[before], &b = table[now];
      if (!b.groups || a.groups != b.groups || a.buffer != b.buffer ||
          a.isCpAsync)
        return {};
      groups = b.groups;
    }
  return groups;
}
