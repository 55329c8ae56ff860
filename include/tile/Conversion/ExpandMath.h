//===- ExpandMath.h - math without a device library -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns that leave only arith and math operations which LLVM's NVPTX backend
// selects on the target. They are meant for a conversion to LLVM as well as for
// a pass of their own; upstream's patterns for the same operations have a lower
// benefit. Multi-block control flow is emitted as scf.if and scf.while (sine of
// large arguments, remainders, integer powers): patterns for scf belong beside.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_EXPANDMATH_H
#define TILE_CONVERSION_EXPANDMATH_H

#include "mlir/IR/PatternMatch.h"
#include "tile/Target/TargetInfo.h"

namespace mlir::tile {

struct ExpandMathOptions {
  /// Every function approximate and flushing, as if it carried
  /// fastmath<afn>. Bounds: docs/Rationale/Math.md.
  bool fastMath = false;
};

/// Adds the expansions of math functions, remainders and casts of small floats.
void populateExpandMathPatterns(RewritePatternSet &patterns,
                                const TargetInfo &target,
                                const ExpandMathOptions &options = {});

/// Applies them to what lies under `root`, and to nothing else; an error for
/// each operation that NVPTX would have no code for.
LogicalResult expandMath(Operation *root, const TargetInfo &target,
                         const ExpandMathOptions &options = {});

/// Whether NVPTX selects `op` as it is: false for a math function without an
/// instruction, arithmetic on types LLVM does not have, and vectors of unknown
/// length. Operations of other dialects are none of its business: true.
bool isSelectedByNVPTX(Operation *op);

} // namespace mlir::tile
#endif // TILE_CONVERSION_EXPANDMATH_H
