//===- Mode.h - digits of a mixed-radix index -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vocabulary shared by fragment and shared-memory layouts: a *mode* is one
// digit of a mixed-radix number, and a structured *refusal* says why an
// operation on layouts has no exact answer. Plain C++, no MLIR IR.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LAYOUT_MODE_H
#define TILE_LAYOUT_MODE_H

#include "llvm/ADT/SmallVector.h"
#include <cassert>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace mlir::tile {

/// One digit of a hardware index (or of a logical coordinate, in shared
/// layouts): a digit value d in [0, extent) contributes d*stride to logical
/// dimension `dim`. `dim == kReplicated` contributes nothing: all digit values
/// hold the same element.
struct Mode {
  static constexpr int kReplicated = -1;
  int64_t extent = 1;
  int dim = kReplicated;
  int64_t stride = 0;

  bool isReplication() const { return dim == kReplicated; }
  bool operator==(const Mode &o) const {
    return extent == o.extent && dim == o.dim && stride == o.stride;
  }
  bool operator!=(const Mode &o) const { return !(*this == o); }
};

using Modes = llvm::SmallVector<Mode, 6>;

/// Why a layout operation has no exact answer. Operations are exact or refuse;
/// they never round quietly.
struct Refusal {
  std::string reason;
};

/// An exact result or a refusal.
template <typename T> class OrRefusal {
public:
  OrRefusal(T value) : storage(std::move(value)) {}
  OrRefusal(Refusal refusal) : storage(std::move(refusal)) {}
  explicit operator bool() const { return storage.index() == 0; }
  const T &operator*() const { return std::get<0>(storage); }
  T &operator*() { return std::get<0>(storage); }
  const T *operator->() const { return &std::get<0>(storage); }
  const std::string &reason() const { return std::get<1>(storage).reason; }

private:
  std::variant<T, Refusal> storage;
};

} // namespace mlir::tile
#endif // TILE_LAYOUT_MODE_H
