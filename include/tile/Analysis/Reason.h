//===- Reason.h - why something is not done ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_ANALYSIS_REASON_H
#define TILE_ANALYSIS_REASON_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::tile {

/// Why an analysis says no, and what an author can write so that it says yes.
/// Both are empty where it says yes; the advice alone where nothing that one
/// writes would help (the architecture has no such instruction).
struct Reason {
  Reason() = default;
  Reason(const char *why) : why(why) {}
  Reason(std::string why, std::string advice = "")
      : why(std::move(why)), advice(std::move(advice)) {}

  bool empty() const { return why.empty(); }
  /// The advice, or one for all reasons that have none.
  llvm::StringRef adviceOr(llvm::StringRef general) const {
    return advice.empty() ? general : llvm::StringRef(advice);
  }
  /// For lists of reasons: the advice follows in parentheses.
  std::string text() const {
    return advice.empty() ? why : why + " (" + advice + ")";
  }

  std::string why;
  std::string advice;
};

/// Where the compiler decides against roles, and they would be possible.
inline constexpr char kRolesAllTheSame[] =
    "`specialize = true` on the kernel asks for roles all the same";

} // namespace mlir::tile
#endif // TILE_ANALYSIS_REASON_H
