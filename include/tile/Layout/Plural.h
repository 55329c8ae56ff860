//===- Plural.h - counts in messages ----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_LAYOUT_PLURAL_H
#define TILE_LAYOUT_PLURAL_H

#include "llvm/ADT/Twine.h"

namespace mlir::tile {

/// "1 thread", "4 threads", "1 copy runs", "2 copies run": a count with what is
/// counted, and with what that does. `many` is the noun with an `s` where it is
/// not given.
inline std::string plural(int64_t count, llvm::StringRef one,
                          llvm::StringRef many = "") {
  std::string noun = count == 1     ? one.str()
                     : many.empty() ? (one + "s").str()
                                    : many.str();
  return std::to_string(count) + " " + noun;
}

} // namespace mlir::tile
#endif // TILE_LAYOUT_PLURAL_H
