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

namespace mlir::tile {

/// A remark at `op`, to be written to with `<<`; one of nothing where the pass
/// is not asked to explain itself.
inline InFlightDiagnostic remarkAt(bool isAsked, Operation *op) {
  return isAsked ? op->emitRemark() : InFlightDiagnostic();
}

/// The same at the place of what is gone by now.
inline InFlightDiagnostic remarkAt(bool isAsked, Location loc) {
  return isAsked ? emitRemark(loc) : InFlightDiagnostic();
}

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_TRANSFORMS_REMARKS_H
