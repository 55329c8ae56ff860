//===- BarrierState.h - what has happened since the last barrier *- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the walk of BarrierPlacement.cpp knows at a place of the kernel:
// accesses by their numbers in the table of BarrierAccesses.h.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_BARRIERSTATE_H
#define TILE_LIB_CONVERSION_TILETONVVM_BARRIERSTATE_H

#include "tile/Dialect/Tile/IR/TileBarrierOps.h"
#include "llvm/ADT/BitVector.h"

namespace mlir::tile::nvvm {

/// What may have happened on some path, as sets of accesses.
struct BarrierState {
  /// Since the last barrier.
  llvm::BitVector pending;
  /// Writes that the async proxy has to see, not fenced yet.
  llvm::BitVector unfenced;
  /// Of gemms that are not awaited: no barrier ends them.
  llvm::BitVector flying;
  /// Of pending copies by cp.async: how many groups of copies have begun since,
  /// on each path at least, up to kMostInFlight.
  SmallVector<uint8_t, 0> ages;

  explicit BarrierState(size_t size)
      : pending(size), unfenced(size), flying(size), ages(size) {}
  /// Whether anything was new.
  bool merge(const BarrierState &other, const llvm::BitVector &copies) {
    bool isNew = other.pending.test(pending) || other.unfenced.test(unfenced) ||
                 other.flying.test(flying);
    if (other.pending.anyCommon(copies)) {
      llvm::BitVector theirs = other.pending;
      theirs &= copies;
      for (unsigned id : theirs.set_bits()) {
        uint8_t mine = pending.test(id) ? ages[id] : kMostInFlight;
        isNew |= other.ages[id] < mine;
        ages[id] = std::min(mine, other.ages[id]);
      }
    }
    pending |= other.pending;
    unfenced |= other.unfenced;
    flying |= other.flying;
    return isNew;
  }
  void keep(const llvm::BitVector &set) {
    pending &= set;
    unfenced &= set;
    flying &= set;
  }
  /// Other accesses stand for pending ones from now on: `next` says which.
  /// `ids` has all that are replaced.
  void replace(const llvm::BitVector &ids,
               llvm::function_ref<unsigned(unsigned)> next) {
    SmallVector<std::pair<unsigned, uint8_t>> replaced;
    for (unsigned id : ids.set_bits())
      if (pending.test(id))
        replaced.emplace_back(next(id), ages[id]);
    pending.reset(ids);
    for (auto [id, age] : replaced) {
      ages[id] = pending.test(id) ? std::min(ages[id], age) : age;
      pending.set(id);
    }
  }
  /// So many groups of copies begin.
  void begin(unsigned groups, const llvm::BitVector &copies) {
    llvm::BitVector older = pending;
    older &= copies;
    for (unsigned id : older.set_bits())
      ages[id] = std::min<uint64_t>(ages[id] + groups, kMostInFlight);
  }
};

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_BARRIERSTATE_H
