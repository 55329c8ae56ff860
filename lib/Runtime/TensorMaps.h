//===- TensorMaps.h - Encoding tensor maps at launch ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates a tensor map's fields, checks them, encodes them through the
// driver and keeps the last few results: a kernel is mostly launched on the
// same tensors again.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_RUNTIME_TENSORMAPS_H
#define TILE_LIB_RUNTIME_TENSORMAPS_H

#include "tile/Runtime/CudaDriver.h"
#include "tile/Runtime/Manifest.h"

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

namespace mlir::tile::runtime {

/// Everything a tensor map is encoded from that a launch may change.
struct TensorMapKey {
  unsigned map = 0;
  cuda::DevicePtr address = 0;
  std::array<uint64_t, 5> dims = {}; ///< 0 beyond the map's rank
  std::array<uint64_t, 4> strides = {};
  bool isEmpty = false; ///< told by the address

  bool operator==(const TensorMapKey &other) const {
    return map == other.map && address == other.address && dims == other.dims &&
           strides == other.strides;
  }
};

class TensorMapCache {
public:
  /// Writes the map `index` of `kernel`, for a memref at `address`, to the 128
  /// bytes at `out`. The driver has no maps of tensors without elements: theirs
  /// are of one element, a zero (`Device::nothing`), which a kernel without a
  /// loop over what is not there may copy.
  Status get(const KernelSpec &kernel, unsigned index, Device &device,
             const ContextScope &driver, cuda::DevicePtr address,
             Span<const ExprArg> args, char *out);

private:
  static constexpr size_t kEntries = 16;

  struct Entry {
    TensorMapKey key;
    cuda::TensorMap map;
  };
  std::mutex mutex;
  std::vector<Entry> entries;
  size_t next = 0; ///< the oldest, replaced first
};

} // namespace mlir::tile::runtime

#endif // TILE_LIB_RUNTIME_TENSORMAPS_H
