//===- Workspaces.h - memory of launches ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that kernels ask the launcher for (`tile.workspace`). Launches of one
// stream follow each other, so they share it; each stream has memory of its
// own. What was handed out stays valid until the device is closed: a captured
// graph may launch with it at any time.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_RUNTIME_WORKSPACES_H
#define TILE_LIB_RUNTIME_WORKSPACES_H

#include "tile/Runtime/CudaDriver.h"

#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <vector>

namespace mlir::tile::runtime {

class Workspaces {
public:
  /// At least `bytes` bytes for launches on `stream`, aligned to 256; `zeroed`
  /// memory holds zeros, as long as every kernel leaves it so.
  Result<cuda::DevicePtr> get(Device &device, cuda::Stream stream, size_t bytes,
                              bool zeroed);
  /// Nothing that was handed out is used any more.
  void free(Device &device);

private:
  /// A stream; the handle of a thread's default stream is the same in all
  /// threads. Zeroed memory is apart.
  using Key = std::tuple<cuda::Stream, std::thread::id, bool>;
  struct Memory {
    cuda::DevicePtr pointer = 0;
    size_t bytes = 0;
  };

  std::mutex mutex;
  std::map<Key, Memory> current;
  std::vector<cuda::DevicePtr> all; ///< outgrown ones, too
};

} // namespace mlir::tile::runtime

#endif // TILE_LIB_RUNTIME_WORKSPACES_H
