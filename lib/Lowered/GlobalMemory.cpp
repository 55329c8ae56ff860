//===- GlobalMemory.cpp - memory of a device in software ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "SoftwareDriver.h"
#include <cstdlib>
#include <cstring>

using namespace mlir::tile::lowered;

namespace {
/// What the driver promises of an address, and no more.
constexpr size_t kAlignment = 256;
/// Between regions: more than an index that is wrong by a tile or a row of one
/// is off. Addresses cost nothing.
constexpr uint64_t kGap = uint64_t(1) << 28;

constexpr uint64_t roundUp(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}
} // namespace

GlobalMemory::~GlobalMemory() { freeAll(); }

uint64_t GlobalMemory::allocate(size_t bytes) {
  if (bytes == 0 || bytes > capacity - used)
    return 0;
  auto *host = static_cast<char *>(
      std::aligned_alloc(kAlignment, roundUp(bytes, kAlignment)));
  if (!host)
    return 0;
  // NaN in every format of floating point, -1 as an integer.
  std::memset(host, 0xff, bytes);
  uint64_t begin = roundUp(next + kGap, 2 * kAlignment) + kAlignment;
  next = begin + bytes;
  used += bytes;
  auto region =
      std::make_unique<Region>(Region{begin, bytes, host, Shadow(bytes), {}});
  region->shadow.reset(/*written=*/false);
  last = region.get();
  regions.emplace(begin, std::move(region));
  return begin;
}

bool GlobalMemory::free(uint64_t address) {
  auto it = regions.find(address);
  if (it == regions.end())
    return false;
  last = nullptr;
  used -= it->second->bytes;
  std::free(it->second->host);
  regions.erase(it);
  return true;
}

void GlobalMemory::freeAll() {
  while (!regions.empty())
    free(regions.begin()->first);
}

void GlobalMemory::startLaunch() {
  for (auto &[address, region] : regions)
    region->readOnly.clear();
}

GlobalMemory::Region *GlobalMemory::lookUp(uint64_t address) {
  auto it = regions.upper_bound(address);
  if (it == regions.begin())
    return nullptr;
  Region *region = std::prev(it)->second.get();
  if (address - region->begin >= region->bytes)
    return nullptr;
  return last = region;
}
