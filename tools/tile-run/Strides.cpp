//===- Strides.cpp - where the elements of a buffer lie -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Strides.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"
#include <algorithm>
#include <vector>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::run;

namespace {
/// A dimension of more than one element, as a digit of places in memory.
struct Digit {
  int64_t stride, size;
};
} // namespace

static SmallVector<Digit> sortedDigits(ArrayRef<int64_t> shape,
                                       ArrayRef<int64_t> strides) {
  SmallVector<Digit> digits;
  for (auto [size, stride] : llvm::zip(shape, strides))
    if (size > 1 && !ShapedType::isDynamic(stride))
      digits.push_back({stride, size});
  llvm::sort(digits, [](const Digit &a, const Digit &b) {
    return std::pair(a.stride, a.size) < std::pair(b.stride, b.size);
  });
  return digits;
}

SmallVector<int64_t> run::denseStrides(ArrayRef<int64_t> shape,
                                       bool isFortran) {
  SmallVector<int64_t> strides(shape.size(), 1);
  int64_t stride = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    size_t d = isFortran ? i : shape.size() - 1 - i;
    strides[d] = stride;
    stride *= std::max<int64_t>(shape[d], 1);
  }
  return strides;
}

/// The smallest stride of a further dimension: above the digits that fit below
/// it, and so that it fits below the others.
static int64_t strideBetween(ArrayRef<Digit> digits, int64_t size) {
  // From here on, each digit's stride covers all digits below it. Digits that
  // are not nested leave gaps of no simple size, so no digit is placed below
  // them.
  size_t nested = digits.empty() ? 0 : digits.size() - 1;
  while (nested > 0 && digits[nested].stride >=
                           digits[nested - 1].stride * digits[nested - 1].size)
    --nested;
  int64_t span = 1, stride = 1;
  for (auto [i, digit] : llvm::enumerate(digits)) {
    if (i >= nested && stride * size <= digit.stride)
      return stride;
    span += (digit.size - 1) * digit.stride;
    stride = std::max({stride, span, digit.stride * digit.size});
    // Beyond this it is too large for any use; products stay below 2^63.
    span = std::min(span, kLargestBuffer + 1);
    stride = std::min(stride, kLargestBuffer + 1);
  }
  return stride;
}

void run::chooseStrides(ArrayRef<int64_t> shape,
                        MutableArrayRef<int64_t> strides) {
  for (size_t d = shape.size(); d-- > 0;) {
    if (!ShapedType::isDynamic(strides[d]))
      continue;
    if (shape[d] > 1)
      strides[d] = strideBetween(sortedDigits(shape, strides), shape[d]);
    else // any will do; this one is what dense rows have
      strides[d] =
          d + 1 == shape.size()
              ? 1
              : std::min(strides[d + 1] * std::max<int64_t>(shape[d + 1], 1),
                         kLargestBuffer);
  }
}

int64_t run::spanOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  int64_t last = 0;
  for (auto [size, stride] : llvm::zip(shape, strides)) {
    if (size == 0)
      return 0;
    last += (size - 1) * stride;
  }
  return last + 1;
}

SmallVector<int64_t> run::indexOf(ArrayRef<int64_t> shape, int64_t number) {
  SmallVector<int64_t> index(shape.size(), 0);
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = number % shape[d];
    number /= shape[d];
  }
  return index;
}

std::optional<SmallVector<int64_t>> run::findShared(ArrayRef<int64_t> shape,
                                                    ArrayRef<int64_t> strides) {
  int64_t count = 1, span = 1;
  for (int64_t size : shape)
    count *= size;
  bool isNested = true;
  for (const Digit &digit : sortedDigits(shape, strides)) {
    isNested &= digit.stride >= span;
    span += (digit.size - 1) * digit.stride;
  }
  if (isNested || count == 0)
    return std::nullopt;
  std::vector<bool> isTaken(spanOf(shape, strides), false);
  std::optional<int64_t> shared;
  ElementOrder order(shape, strides);
  constexpr int64_t kStep = 1 << 16; // the search ends soon where it finds
  for (int64_t from = 0; from < count && !shared; from += kStep)
    order.forEachRun(
        from, std::min(count, from + kStep),
        [&](int64_t number, int64_t place, int64_t stride, int64_t length) {
          for (int64_t i = 0; i < length && !shared; ++i) {
            if (isTaken[place + i * stride])
              shared = number + i;
            isTaken[place + i * stride] = true;
          }
        });
  if (!shared)
    return std::nullopt;
  return indexOf(shape, *shared);
}

ElementOrder::ElementOrder(ArrayRef<int64_t> fullShape,
                           ArrayRef<int64_t> fullStrides) {
  for (auto [size, stride] : llvm::zip(fullShape, fullStrides)) {
    if (size == 1)
      continue;
    if (!shape.empty() && strides.back() == stride * size) {
      shape.back() *= size;
      strides.back() = stride;
      continue;
    }
    shape.push_back(size);
    strides.push_back(stride);
  }
  if (shape.empty()) {
    shape.push_back(1);
    strides.push_back(1);
  }
}

void ElementOrder::forEachRun(
    int64_t from, int64_t to,
    llvm::function_ref<void(int64_t, int64_t, int64_t, int64_t)> run) const {
  if (from >= to)
    return;
  SmallVector<int64_t> index = indexOf(shape, from);
  int64_t place = 0;
  for (auto [i, stride] : llvm::zip(index, strides))
    place += i * stride;
  size_t last = shape.size() - 1;
  while (from < to) {
    int64_t count = std::min(shape[last] - index[last], to - from);
    run(from, place, strides[last], count);
    from += count;
    place += count * strides[last];
    index[last] += count;
    for (size_t d = last; d > 0 && index[d] == shape[d]; --d) {
      place += strides[d - 1] - shape[d] * strides[d];
      index[d] = 0;
      ++index[d - 1];
    }
  }
}
