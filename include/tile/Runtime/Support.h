//===- Support.h - Errors and spans of the runtime --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The few vocabulary types that the runtime shares: an error is one sentence,
// returned by value. The runtime links neither LLVM nor MLIR, hence its own
// Status, Result and Span; it neither throws nor aborts on bad input.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_RUNTIME_SUPPORT_H
#define TILE_RUNTIME_SUPPORT_H

#include <cassert>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace mlir::tile::runtime {

/// What went wrong, as one lower-case sentence without a final full stop.
struct Error {
  std::string message;
};

/// Success, or an error. Success allocates nothing: it is returned by every
/// launch.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Error error) : failed(true), text(std::move(error.message)) {}

  bool ok() const { return !failed; }
  const std::string &message() const { return text; }
  Error takeError() { return Error{std::move(text)}; }

private:
  bool failed = false;
  std::string text;
};

/// A value, or an error.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : storage(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : storage(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return storage.index() == 0; }
  explicit operator bool() const { return ok(); }

  T &operator*() {
    assert(ok() && "result holds an error");
    return *std::get_if<0>(&storage);
  }
  const T &operator*() const {
    assert(ok() && "result holds an error");
    return *std::get_if<0>(&storage);
  }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }

  /// The error's sentence; empty where there is a value.
  std::string message() const { return ok() ? std::string() : error().message; }
  const Error &error() const {
    assert(!ok() && "result holds a value");
    return *std::get_if<1>(&storage);
  }

private:
  std::variant<T, Error> storage;
};

/// A view of consecutive elements that another object owns.
template <typename T> class Span {
public:
  Span() = default;
  Span(T *data, size_t size) : first(data), count(size) {}
  template <size_t N> Span(T (&array)[N]) : first(array), count(N) {}
  Span(std::initializer_list<std::remove_const_t<T>> list)
      : first(list.begin()), count(list.size()) {}
  template <typename Allocator>
  Span(const std::vector<std::remove_const_t<T>, Allocator> &vector)
      : first(vector.data()), count(vector.size()) {}

  T *begin() const { return first; }
  T *end() const { return first + count; }
  T *data() const { return first; }
  size_t size() const { return count; }
  bool empty() const { return count == 0; }
  T &operator[](size_t i) const {
    assert(i < count && "index past the span's end");
    return first[i];
  }

private:
  T *first = nullptr;
  size_t count = 0;
};

} // namespace mlir::tile::runtime

#endif // TILE_RUNTIME_SUPPORT_H
