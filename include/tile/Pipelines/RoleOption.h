//===- RoleOption.h - the option `roles` ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spelled once for the pipelines, the tools and the C API: `roles=auto|on|off`.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_PIPELINES_ROLEOPTION_H
#define TILE_PIPELINES_ROLEOPTION_H

#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include <optional>

namespace mlir::tile {

inline constexpr char kRolesDescription[] =
    "whether warps are divided into roles, in kernels that do not say so "
    "themselves (`specialize`)";

inline llvm::cl::ValuesClass roleValues() {
  return llvm::cl::values(
      clEnumValN(RoleChoice::Auto, "auto", "where it pays (default)"),
      clEnumValN(RoleChoice::On, "on", "or an error"),
      clEnumValN(RoleChoice::Off, "off", "never"));
}

/// The choice of that name; "" is the default.
inline std::optional<RoleChoice> parseRoles(llvm::StringRef name) {
  if (name.empty() || name == "auto")
    return RoleChoice::Auto;
  if (name == "on")
    return RoleChoice::On;
  if (name == "off")
    return RoleChoice::Off;
  return std::nullopt;
}

} // namespace mlir::tile
#endif // TILE_PIPELINES_ROLEOPTION_H
