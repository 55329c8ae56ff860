//===- SplitProduction.h - iterations whose copies need no check *- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_DIALECT_TILE_TRANSFORMS_SPLITPRODUCTION_H
#define TILE_LIB_DIALECT_TILE_TRANSFORMS_SPLITPRODUCTION_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include <string>

namespace mlir::tile {

/// Puts a loop in front of a ring loop of cp.async that runs the iterations
/// whose production exists and lies inside its sources. The given loop runs the
/// rest. Returns why not; empty: done.
std::string splitProduction(scf::ForOp loop);

} // namespace mlir::tile
#endif // TILE_LIB_DIALECT_TILE_TRANSFORMS_SPLITPRODUCTION_H
