//===- LaunchMemo.h - What launches with equal arguments share --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most of a launch's checks and all of its parameters but addresses follow from
// the arguments' types, shapes, strides and alignments, and from the scalars
// that decide something. Those of a launch that succeeded are kept here with
// what followed from them, so that the next launch compares, checks what
// depends on addresses (null, overlap), and puts addresses and scalars into
// parameters that are packed already.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_RUNTIME_LAUNCHMEMO_H
#define TILE_LIB_RUNTIME_LAUNCHMEMO_H

#include "ArgCheck.h"
#include "LaunchBuffer.h"
#include "TensorMaps.h"
#include "tile/Runtime/Launcher.h"

#include <atomic>
#include <vector>

namespace mlir::tile::runtime {

/// One for each kernel; used by one thread at a time.
class LaunchMemo {
public:
  explicit LaunchMemo(const KernelSpec &kernel);

  /// Takes the memo for the calling thread; null where another has it, which
  /// nobody waits for.
  class User {
  public:
    explicit User(LaunchMemo &memo)
        : memo(memo.busy.test_and_set(std::memory_order_acquire) ? nullptr
                                                                 : &memo) {}
    ~User() {
      if (memo)
        memo->busy.clear(std::memory_order_release);
    }
    User(const User &) = delete;
    User &operator=(const User &) = delete;
    LaunchMemo *get() const { return memo; }

  private:
    LaunchMemo *memo;
  };

  /// Whether what is kept holds for these arguments; then `params` are theirs,
  /// but for tensor maps.
  bool matches(Span<const Arg> args);

  /// A parameter that is a tensor map of `version`.
  struct Map {
    char *slot;
    unsigned index; ///< in the version's manifest
    unsigned arg;
    cuda::DevicePtr address; ///< that it was encoded for
  };
  std::vector<Map> &tensorMaps() { return maps; }

  /// Keeps a launch that was bound, unless shapes change with every launch:
  /// `checked` of its arguments, the version's parameters in `buffer`, at
  /// `offsets`.
  void keep(Span<const Arg> args, const CheckedArgs &checked,
            const KernelSpec &version, const LaunchBuffer &buffer,
            const std::vector<unsigned> &offsets);

  const Kernel *version() const { return kernel; }
  const unsigned *grid() const { return extents; }
  void **parameters() { return params.data(); }
  Span<const ExprArg> described() const { return values; }

private:
  /// What is known of an argument.
  struct Known {
    ArgKind kind;
    ElementType type;
    bool decides; ///< a scalar that expressions ask for
    bool hasStrides;
    bool isEmpty; ///< no elements: its address does not matter
    bool isWritten, mayAlias;
    unsigned rank;
    uint64_t value;        ///< the address, or the scalar's bits
    uint64_t mask;         ///< the bits of an address that versions ask for
    uint64_t below, above; ///< bytes that it spans around its address
  };
  /// Where an address or a scalar goes.
  struct Patch {
    char *slot;
    unsigned arg;
    unsigned size;
  };

  static bool fits(const Known &known, const Arg &arg, const int64_t *dims);
  /// Puts addresses and scalars where they go.
  void patch(Span<const Arg> args);
  bool overlaps(Span<const Arg> args) const;
  bool isWorthKeeping();

  std::atomic_flag busy = ATOMIC_FLAG_INIT;
  const Kernel *kernel = nullptr; ///< null: nothing is kept
  unsigned extents[3] = {0, 0, 0};
  std::vector<Known> known;
  std::vector<int64_t> dims; ///< shape and strides of each memref, as given
  std::vector<Patch> patches;
  std::vector<Map> maps;
  std::vector<void *> params;
  std::vector<char> storage;
  char *bytes; ///< in `storage`, aligned
  // For tensor maps, which are described by expressions.
  std::vector<ExprArg> values;
  std::vector<int64_t> shapes, strides;
  unsigned hits = 0, misses = 0; ///< since it was kept
};

} // namespace mlir::tile::runtime

#endif // TILE_LIB_RUNTIME_LAUNCHMEMO_H
