//===- AccessTable.cpp - accesses and sets of them as numbers -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AccessTable.h"
#include <algorithm>
#include <cassert>

using namespace mlir::tile::lowered;

//===----------------------------------------------------------------------===//
// Shadow
//===----------------------------------------------------------------------===//

ShadowCell *Shadow::Impl::page(size_t number) {
  std::unique_ptr<ShadowCell[]> &cells = pages[number];
  if (!cells) {
    cells = std::make_unique<ShadowCell[]>(kPage);
    std::fill_n(cells.get(), kPage, rest);
  }
  return cells.get();
}

void Shadow::Impl::forget() {
  for (std::unique_ptr<ShadowCell[]> &cells : pages)
    for (size_t i = 0; cells && i < kPage; ++i)
      cells[i] = {std::min(cells[i].write, ShadowCell::kWrittenBefore), 0};
}

Shadow::Shadow(size_t bytes) : impl(std::make_shared<Impl>()) {
  impl->bytes = bytes;
  impl->pages.resize((bytes + Impl::kPage - 1) / Impl::kPage);
}
Shadow::~Shadow() = default;
Shadow::Shadow(Shadow &&) = default;
Shadow &Shadow::operator=(Shadow &&) = default;

size_t Shadow::size() const { return impl->bytes; }

void Shadow::reset(bool written) {
  for (std::unique_ptr<ShadowCell[]> &cells : impl->pages)
    cells.reset();
  impl->rest = {written ? ShadowCell::kWrittenBefore : ShadowCell::kUnwritten,
                0};
}

bool Shadow::isWritten(size_t offset, size_t bytes) const {
  assert(offset + bytes <= impl->bytes && "outside of the memory");
  for (size_t at = offset, end = offset + bytes; at < end;) {
    size_t stop = std::min(end, (at / Impl::kPage + 1) * Impl::kPage);
    const ShadowCell *cells = impl->pages[at / Impl::kPage].get();
    if (!cells && impl->rest.write == ShadowCell::kUnwritten)
      return false;
    for (size_t i = at; cells && i < stop; ++i)
      if (cells[i % Impl::kPage].write == ShadowCell::kUnwritten)
        return false;
    at = stop;
  }
  return true;
}

void Shadow::setWritten(size_t offset, size_t bytes) {
  assert(offset + bytes <= impl->bytes && "outside of the memory");
  for (size_t at = offset, end = offset + bytes; at < end;) {
    size_t stop = std::min(end, (at / Impl::kPage + 1) * Impl::kPage);
    std::fill_n(impl->page(at / Impl::kPage) + at % Impl::kPage, stop - at,
                ShadowCell{ShadowCell::kWrittenBefore, 0});
    at = stop;
  }
}

//===----------------------------------------------------------------------===//
// AccessTable
//===----------------------------------------------------------------------===//

void AccessTable::clear() {
  limit = kSmallestLimit;
  accesses.assign(ShadowCell::kFirstAccess, AccessRecord());
  sets.assign(1, SetRecord());
  elements.clear();
  additions.assign(kAdditions, Addition());
  startGroup();
}

uint32_t AccessTable::number(const AccessRecord &access) {
  uint64_t place = uint64_t(access.site) << 3 | uint64_t(access.kind) << 1 |
                   uint64_t(access.proxy);
  RecentAccess &entry = recent[access.agent * kSites + access.site % kSites];
  if (entry.clock != access.clock || entry.place != place) {
    entry = {access.clock, uint32_t(accesses.size()), place};
    accesses.push_back(access);
  }
  return entry.number;
}

uint32_t
AccessTable::add(uint32_t set, uint32_t access,
                 llvm::function_ref<bool(const AccessRecord &)> isCovered) {
  Addition &entry = additions[(set * 0x9E3779B1u ^ access) % kAdditions];
  if (entry.set == set && entry.access == access)
    return entry.result;
  const AccessRecord &added = accesses[access];
  SetRecord result = sets[set];
  result.readsOnly &= added.kind == AccessKind::Read;
  if (result.group != added.group)
    result = {0, 0, set, added.group, result.readsOnly};
  size_t first = elements.size();
  // Elements are named by index, because they move when the table grows.
  for (size_t i = result.first, end = i + result.count; i < end; ++i) {
    const AccessRecord &member = accesses[elements[i]];
    bool isSameKind = member.kind == added.kind && member.proxy == added.proxy;
    if (isSameKind && member.agent == added.agent &&
        member.clock == added.clock) {
      // Another place of the same epoch says nothing new.
      elements.resize(first);
      entry = {set, access, set};
      return set;
    }
    if (member.kind != added.kind || !isCovered(member))
      elements.push_back(elements[i]);
  }
  elements.push_back(access);
  result.first = first;
  result.count = uint32_t(elements.size() - first);
  entry = {set, access, uint32_t(sets.size())};
  sets.push_back(result);
  return entry.result;
}

void AccessTable::collect(llvm::ArrayRef<Shadow::Impl *> shadows) {
  constexpr uint32_t kUnused = ~0u;
  std::vector<uint32_t> newAccess(accesses.size(), kUnused);
  std::vector<uint32_t> newSet(sets.size(), kUnused);
  std::vector<AccessRecord> oldAccesses;
  std::vector<SetRecord> oldSets;
  std::vector<uint32_t> oldElements;
  oldAccesses.swap(accesses);
  oldSets.swap(sets);
  oldElements.swap(elements);
  clear();
  for (uint32_t i = 0; i < ShadowCell::kFirstAccess; ++i)
    newAccess[i] = i;
  newSet[0] = 0;

  auto keepAccess = [&](uint32_t old) {
    if (newAccess[old] == kUnused) {
      newAccess[old] = uint32_t(accesses.size());
      accesses.push_back(oldAccesses[old]);
    }
    return newAccess[old];
  };
  auto forEachCell = [&](llvm::function_ref<void(ShadowCell &)> visit) {
    for (Shadow::Impl *shadow : shadows)
      for (std::unique_ptr<ShadowCell[]> &cells : shadow->pages)
        for (size_t i = 0; cells && i < Shadow::Impl::kPage; ++i)
          visit(cells[i]);
  };
  // A set is older than those that go on with it.
  std::vector<bool> isUsed(oldSets.size());
  forEachCell([&](ShadowCell &cell) { isUsed[cell.since] = true; });
  for (size_t set = oldSets.size(); set-- > 1;)
    if (isUsed[set])
      isUsed[oldSets[set].past] = true;
  for (size_t set = 1; set < oldSets.size(); ++set) {
    if (!isUsed[set])
      continue;
    newSet[set] = uint32_t(sets.size());
    SetRecord record = oldSets[set];
    size_t begin = record.first;
    record.first = elements.size();
    record.past = newSet[record.past];
    for (size_t i = begin; i < begin + record.count; ++i)
      elements.push_back(keepAccess(oldElements[i]));
    sets.push_back(record);
  }
  forEachCell([&](ShadowCell &cell) {
    cell = {keepAccess(cell.write), newSet[cell.since]};
  });
  limit = std::max(kSmallestLimit, 2 * (accesses.size() + elements.size()));
}
