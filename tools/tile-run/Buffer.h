//===- Buffer.h - the memory of one argument --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes that are not cleared when they are made: those of large arguments are
// first touched by the threads that write them, in large pages where the system
// has them (a fault for every 4 KiB costs as much as the work).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TOOLS_TILE_RUN_BUFFER_H
#define TILE_TOOLS_TILE_RUN_BUFFER_H

#include "Parallel.h"
#include "llvm/Support/ErrorHandling.h"
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <sys/mman.h>

namespace mlir::tile::run {

class Buffer {
public:
  Buffer() = default;
  /// `size` bytes of any value.
  explicit Buffer(size_t size) : length(size) {
    constexpr size_t kPage = size_t(1) << 21;
    bool isLarge = size >= 2 * kPage;
    size_t align = isLarge ? kPage : 64;
    bytes.reset(static_cast<char *>(
        std::aligned_alloc(align, (size + align) / align * align)));
    if (!bytes)
      llvm::report_bad_alloc_error("no memory for an argument");
    if (isLarge)
      (void)::madvise(bytes.get(), size, MADV_HUGEPAGE); // a hint
  }
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
  struct Free {
    void operator()(char *pointer) const { std::free(pointer); }
  };
  std::unique_ptr<char, Free> bytes;
  size_t length = 0;
};

/// The memory of every buffer argument, in order; empty for scalars.
using Memory = std::vector<Buffer>;

} // namespace mlir::tile::run
#endif // TILE_TOOLS_TILE_RUN_BUFFER_H
