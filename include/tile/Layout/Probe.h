//===- Probe.h - layouts from index functions -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layout given as a function of the indices (TileLang's lambdas) is probed:
// digits are read off its values along each dimension, then *every* element is
// compared. A function that puts two elements in one place gets an error naming
// both; one that is no sum of digits is refused with an element that shows it.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LAYOUT_PROBE_H
#define TILE_LAYOUT_PROBE_H

#include "tile/Layout/SharedLayout.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::tile {

/// Where an element is held: thread of the block and register.
struct ThreadRegister {
  int64_t thread, reg;
};
using FragmentFunction =
    llvm::function_ref<ThreadRegister(llvm::ArrayRef<int64_t> coords)>;
/// The fragment of `function`, which names one owner of each element. With
/// `replicas` > 1 the function describes `numThreads / replicas` threads and
/// thread t + i*(numThreads/replicas) holds what thread t does. Threads and
/// registers that hold nothing become overshoot.
OrRefusal<FragmentLayout> probeFragment(llvm::ArrayRef<int64_t> shape,
                                        int64_t numThreads,
                                        FragmentFunction function,
                                        int64_t replicas = 1);

using OffsetFunction =
    llvm::function_ref<int64_t(llvm::ArrayRef<int64_t> coords)>;
/// The shared layout of `function`, which gives the linear offset of each
/// element, in elements, swizzle included. XOR swizzles of whole 16-byte chunks
/// (and of narrower ones down to an element) are recognized.
OrRefusal<SharedLayout> probeShared(llvm::ArrayRef<int64_t> shape,
                                    unsigned elementBits,
                                    OffsetFunction function);

} // namespace mlir::tile
#endif // TILE_LAYOUT_PROBE_H
