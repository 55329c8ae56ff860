//===- Strides.h - where the elements of a buffer lie -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strides of buffers, in elements, none negative: choosing those that a type
// leaves open, telling whether elements share a place, and going through them.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TOOLS_TILE_RUN_STRIDES_H
#define TILE_TOOLS_TILE_RUN_STRIDES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace mlir::tile::run {

/// What a host may be asked to allocate for one argument, in elements.
inline constexpr int64_t kLargestBuffer = int64_t(1) << 30;

/// Row-major strides without gaps, or column-major ones.
SmallVector<int64_t> denseStrides(ArrayRef<int64_t> shape,
                                  bool isFortran = false);

/// Replaces the strides that are open (ShapedType::kDynamic), from the last
/// dimension to the first: each is the smallest that goes with those that are
/// fixed and with those chosen before, so that no two elements share a place
/// unless the fixed strides make them. All open, the layout is row-major. Fixed
/// strides are at most kLargestBuffer.
void chooseStrides(ArrayRef<int64_t> shape, MutableArrayRef<int64_t> strides);

/// Elements from first to last in memory.
int64_t spanOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides);

/// An element that lies where one with a smaller number does, if there is one.
std::optional<SmallVector<int64_t>> findShared(ArrayRef<int64_t> shape,
                                               ArrayRef<int64_t> strides);

/// The index of the element with this number, in row-major order of the shape.
SmallVector<int64_t> indexOf(ArrayRef<int64_t> shape, int64_t number);

/// Goes through elements in row-major order of their shape.
class ElementOrder {
public:
  ElementOrder(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides);

  /// Calls `run(number, place, stride, count)` for runs that cover the elements
  /// numbered from `from` to `to`: `count` of them from `number` on, the first
  /// at `place` in memory, each `stride` after the one before.
  void forEachRun(
      int64_t from, int64_t to,
      llvm::function_ref<void(int64_t, int64_t, int64_t, int64_t)> run) const;

private:
  /// Dimensions that follow each other in memory are one.
  SmallVector<int64_t> shape, strides;
};

} // namespace mlir::tile::run
#endif // TILE_TOOLS_TILE_RUN_STRIDES_H
