//===- Fiber.h - stacks that are switched between ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boost.Context's switch, of which AddressSanitizer is told: it has to know on
// which stack a program runs.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_LOWERED_FIBER_H
#define TILE_LIB_LOWERED_FIBER_H

#include "llvm/Support/Compiler.h"
#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#if LLVM_ADDRESS_SANITIZER_BUILD
#include <sanitizer/common_interface_defs.h>
#endif

namespace mlir::tile::lowered {

/// Where to continue: in a fiber, or in the code that switched to this fiber.
class Fiber {
public:
  using Entry = void (*)(boost::context::detail::transfer_t);

  Fiber() = default;
  /// Runs `entry` at the first switch to it, on the `bytes` below `top`.
  Fiber(char *top, size_t bytes, Entry entry)
      : context(boost::context::detail::make_fcontext(top, bytes, entry)),
        bottom(top - bytes), bytes(bytes) {}

  /// Called first in an entry: remembers the code that switched here.
  static Fiber arrivedFrom(boost::context::detail::transfer_t from) {
    Fiber fiber;
    fiber.context = from.fctx;
#if LLVM_ADDRESS_SANITIZER_BUILD
    __sanitizer_finish_switch_fiber(nullptr, &fiber.bottom, &fiber.bytes);
#endif
    return fiber;
  }

  explicit operator bool() const { return context; }

  /// Continues there until something switches back.
  void resume(void *data = nullptr) {
#if LLVM_ADDRESS_SANITIZER_BUILD
    void *own = nullptr;
    __sanitizer_start_switch_fiber(&own, bottom, bytes);
    context = boost::context::detail::jump_fcontext(context, data).fctx;
    __sanitizer_finish_switch_fiber(own, nullptr, nullptr);
#else
    context = boost::context::detail::jump_fcontext(context, data).fctx;
#endif
  }

private:
  boost::context::detail::fcontext_t context = nullptr;
  // Only a sanitizer needs this.
  [[maybe_unused]] const void *bottom = nullptr;
  [[maybe_unused]] size_t bytes = 0;
};

} // namespace mlir::tile::lowered
#endif // TILE_LIB_LOWERED_FIBER_H
