//===- ChoiceCache.cpp - Which version was the fastest --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ChoiceCache.h"

using namespace mlir::tile::runtime;

/// No version asks for more.
static constexpr cuda::DevicePtr kMostAlignment = 4096;

ChoiceCache::Key ChoiceCache::keyOf(Span<const Arg> args,
                                    Span<const ExprArg> described) {
  Key key;
  key.reserve(8 * described.size());
  for (size_t i = 0; i < described.size(); ++i) {
    const ExprArg &arg = described[i];
    key.push_back(arg.rank);
    key.insert(key.end(), arg.shape, arg.shape + arg.rank);
    key.insert(key.end(), arg.strides, arg.strides + arg.rank);
    if (arg.rank) {
      // The lowest bit that is set.
      cuda::DevicePtr address = args[i].data | kMostAlignment;
      key.push_back(int64_t(address & (~address + 1)));
    } else {
      key.push_back(arg.hasInteger ? arg.integer : 0);
    }
  }
  return key;
}

/// FNV-1a (Fowler, Noll, Vo), a word at a time, and its high bits mixed in.
size_t ChoiceCache::Hash::operator()(const Key &key) const {
  uint64_t hash = 0xcbf29ce484222325;
  for (int64_t word : key)
    hash = (hash ^ uint64_t(word)) * 0x100000001b3;
  return size_t(hash ^ hash >> 32);
}

std::optional<size_t> ChoiceCache::find(const Key &key) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = choices.find(key);
  if (found == choices.end())
    return std::nullopt;
  return found->second;
}

void ChoiceCache::keep(Key key, size_t version) {
  std::lock_guard<std::mutex> lock(mutex);
  if (choices.size() >= kMost)
    choices.clear();
  choices.insert_or_assign(std::move(key), version);
}
