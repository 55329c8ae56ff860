//===- Buffer.h - the memory of one argument --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes that are not cleared when they are made: those of large arguments are
// first touched by the threads that write them.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TOOLS_TILE_RUN_BUFFER_H
#define TILE_TOOLS_TILE_RUN_BUFFER_H

#include "Parallel.h"
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace mlir::tile::run {

class Buffer {
public:
  Buffer() = default;
  /// `size` bytes of any value.
  explicit Buffer(size_t size) : bytes(new char[size]), length(size) {}
  Buffer(Buffer &&other) noexcept
      : bytes(std::move(other.bytes)), length(std::exchange(other.length, 0)) {}
  Buffer &operator=(Buffer &&other) noexcept {
    bytes = std::move(other.bytes);
    length = std::exchange(other.length, 0);
    return *this;
  }
  Buffer(const Buffer &other) : Buffer(other.length) {
    forEachChunk(length, /*parallel=*/true,
                 [&](size_t, size_t from, size_t to) {
                   std::memcpy(data() + from, other.data() + from, to - from);
                 });
  }
  Buffer &operator=(const Buffer &other) { return *this = Buffer(other); }

  char *data() { return bytes.get(); }
  const char *data() const { return bytes.get(); }
  size_t size() const { return length; }

private:
  std::unique_ptr<char[]> bytes;
  size_t length = 0;
};

/// The memory of every buffer argument, in order; empty for scalars.
using Memory = std::vector<Buffer>;

} // namespace mlir::tile::run
#endif // TILE_TOOLS_TILE_RUN_BUFFER_H
