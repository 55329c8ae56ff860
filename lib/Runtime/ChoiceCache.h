//===- ChoiceCache.h - Which version was the fastest ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// To predict the time of a hundred versions takes some ten microseconds, and
// programs launch a kernel with a few shapes, by turns. What was the fastest
// for each of them is kept. The choice depends on shapes, strides, integer
// scalars, and on alignments of addresses, which some versions ask for.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_RUNTIME_CHOICECACHE_H
#define TILE_LIB_RUNTIME_CHOICECACHE_H

#include "tile/Runtime/Launcher.h"

#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace mlir::tile::runtime {

/// One for each kernel that chooses; threads may share it.
class ChoiceCache {
public:
  using Key = std::vector<int64_t>;
  /// Of the arguments of a launch, as they are and as expressions see them.
  static Key keyOf(Span<const Arg> args, Span<const ExprArg> described);

  std::optional<size_t> find(const Key &key) const;
  void keep(Key key, size_t version);

private:
  struct Hash {
    size_t operator()(const Key &key) const;
  };
  /// Then all are forgotten.
  static constexpr size_t kMost = 4096;

  mutable std::mutex mutex;
  std::unordered_map<Key, size_t, Hash> choices;
};

} // namespace mlir::tile::runtime

#endif // TILE_LIB_RUNTIME_CHOICECACHE_H
