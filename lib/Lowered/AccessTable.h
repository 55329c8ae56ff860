//===- AccessTable.h - accesses and sets of them as numbers -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the shadow of a byte says: the last write, and the reads and atomics
// since. Both are numbers of entries in tables that all bytes of a detector
// share, so that the bytes of a tile which the same threads touch have equal
// cells and are treated as one.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_LOWERED_ACCESSTABLE_H
#define TILE_LIB_LOWERED_ACCESSTABLE_H

#include "Races.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::tile::lowered {

/// The state of one byte.
struct ShadowCell {
  static constexpr uint32_t kUnwritten = 0;
  static constexpr uint32_t kWrittenBefore = 1; ///< no access of this launch
  static constexpr uint32_t kFirstAccess = 2;

  uint32_t write = kUnwritten; ///< one of the above, or an access
  uint32_t since = 0;          ///< a set of reads and atomics, 0: none

  bool operator==(const ShadowCell &other) const {
    return write == other.write && since == other.since;
  }
  bool operator!=(const ShadowCell &other) const { return !(*this == other); }
};

/// Pages of cells, allocated when an access needs them.
struct Shadow::Impl {
  static constexpr size_t kPage = 1024;
  size_t bytes = 0;
  /// All cells of the pages that are not allocated.
  ShadowCell rest;
  std::vector<std::unique_ptr<ShadowCell[]>> pages;
  /// The launch whose accesses the cells name; null: they name none.
  std::shared_ptr<const void> launch;

  ShadowCell *page(size_t number);
  /// Forgets accesses, not what is written.
  void forget();
};

/// An access by an agent in one of its epochs.
struct AccessRecord {
  uint32_t group; ///< of blocks, see RaceDetector::restart
  Agent agent;
  uint32_t clock;
  SiteId site;
  AccessKind kind;
  Proxy proxy;
};

class AccessTable {
public:
  explicit AccessTable(size_t agents) : recent(agents * kSites) { clear(); }
  void clear();
  /// Later accesses are of another group: none is equal to one so far.
  void startGroup() { recent.assign(recent.size(), RecentAccess()); }

  /// Equal accesses mostly get equal numbers: only the recent ones of an agent
  /// are remembered, which is enough for neighboring bytes to have equal cells.
  uint32_t number(const AccessRecord &access);
  const AccessRecord &access(uint32_t number) const { return accesses[number]; }

  /// Calls `visit` with each member of a set.
  void forEachMember(uint32_t set,
                     llvm::function_ref<void(uint32_t)> visit) const {
    for (; set != 0; set = sets[set].past)
      for (uint32_t i = 0; i < sets[set].count; ++i)
        visit(elements[sets[set].first + i]);
  }
  /// Whether a set has no member but reads, which no read races with.
  bool hasReadsOnly(uint32_t set) const { return sets[set].readsOnly; }
  /// The set `set` with `access`, less those of its group that `isCovered`:
  /// accesses of the same kind that happen before it. Recent answers are kept:
  /// what happened before an epoch once, always does.
  uint32_t add(uint32_t set, uint32_t access,
               llvm::function_ref<bool(const AccessRecord &)> isCovered);

  /// Whether the tables have grown enough to look for entries without use.
  bool wantsCollection() const {
    return accesses.size() + elements.size() > limit;
  }
  /// Keeps what the cells of `shadows` name, and renumbers them.
  void collect(llvm::ArrayRef<Shadow::Impl *> shadows);

  size_t numAccesses() const { return accesses.size(); }
  size_t numSets() const { return sets.size(); }
  size_t numMembers() const { return elements.size(); }

private:
  static constexpr size_t kSmallestLimit = 1 << 20;
  static constexpr size_t kSites = 16;
  static constexpr size_t kAdditions = 1 << 14;

  /// Clock 0 has no accesses.
  struct RecentAccess {
    uint32_t clock = 0, number = 0;
    uint64_t place = 0;
  };
  struct Addition {
    uint32_t set = 0, access = 0, result = 0;
  };

  /// Accesses of one group of blocks, and those of earlier groups, which are a
  /// set of its own: what many groups read is not copied for each of them.
  struct SetRecord {
    size_t first = 0; ///< its elements
    uint32_t count = 0;
    uint32_t past = 0; ///< a set that is older, 0: none
    uint32_t group = 0;
    bool readsOnly = true;
  };

  size_t limit = kSmallestLimit;
  std::vector<AccessRecord> accesses;
  std::vector<SetRecord> sets;
  std::vector<uint32_t> elements;
  std::vector<Addition> additions;
  std::vector<RecentAccess> recent; ///< kSites of each agent
};

} // namespace mlir::tile::lowered
#endif // TILE_LIB_LOWERED_ACCESSTABLE_H
