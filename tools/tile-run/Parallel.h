//===- Parallel.h - work on all cores ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments have up to 2^30 elements, which one core would fill, convert and
// compare for minutes. Work is cut into chunks of one fixed size, so that what
// is computed of each, and put together in their order, is the same on every
// machine.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TOOLS_TILE_RUN_PARALLEL_H
#define TILE_TOOLS_TILE_RUN_PARALLEL_H

#include "tile/Target/Threads.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <algorithm>
#include <atomic>
#include <thread>

namespace mlir::tile::run {

/// Elements of a chunk: their f64 values fit the second-level cache. Even, so
/// that elements of half a byte never share one across chunks.
inline constexpr size_t kChunk = size_t(1) << 14;

inline size_t numChunks(size_t count) { return (count + kChunk - 1) / kChunk; }

/// Calls `work(chunk, from, to)` for each chunk of [0, count), on all cores
/// where `parallel` and the work is worth their threads, else in order.
inline void
forEachChunk(size_t count, bool parallel,
             llvm::function_ref<void(size_t, size_t, size_t)> work) {
  constexpr size_t kChunksPerThread = 16;
  size_t chunks = numChunks(count);
  std::atomic<size_t> next = 0;
  auto run = [&] {
    for (size_t chunk; (chunk = next++) < chunks;)
      work(chunk, chunk * kChunk, std::min(count, (chunk + 1) * kChunk));
  };
  size_t cores = std::max(1u, std::thread::hardware_concurrency());
  size_t wanted = parallel ? std::min(cores, chunks / kChunksPerThread) : 1;
  Threads threads; // fewer where the system gives no more
  for (size_t i = 1; i < wanted && threads.start(run); ++i)
    ;
  run();
}

} // namespace mlir::tile::run
#endif // TILE_TOOLS_TILE_RUN_PARALLEL_H
