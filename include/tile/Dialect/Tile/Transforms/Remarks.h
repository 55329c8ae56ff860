//===- Remarks.h - how passes explain themselves ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every pass that decides something has the option `remarks` (PassOptions.td)
// and says through here what it decided, or why it did not. Notes can be
// attached only where the remark is asked for.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_TRANSFORMS_REMARKS_H
#define TILE_DIALECT_TILE_TRANSFORMS_REMARKS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace mlir::tile {

/// A remark, to be written to with `<<`, or nothing: MLIR's own diagnostic
/// asserts that it is written to only where there is one.
class Remark {
public:
  Remark() = default;
  explicit Remark(InFlightDiagnostic diagnostic)
      : diagnostic(std::move(diagnostic)) {}

  template <typename Argument> Remark &operator<<(Argument &&argument) {
    if (diagnostic)
      *diagnostic << std::forward<Argument>(argument);
    return *this;
  }

private:
  std::optional<InFlightDiagnostic> diagnostic;
};

/// A remark at `op`, of nothing where the pass is not asked to explain itself.
inline Remark remarkAt(bool isAsked, Operation *op) {
  return isAsked ? Remark(op->emitRemark()) : Remark();
}

/// The same at the place of what is gone by now.
inline InFlightDiagnostic remarkAt(bool isAsked, Location loc) {
  return isAsked ? emitRemark(loc) : InFlightDiagnostic();
}

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_TRANSFORMS_REMARKS_H
