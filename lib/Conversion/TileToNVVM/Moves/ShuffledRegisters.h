//===- ShuffledRegisters.h - another layout by shuffles ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_LIB_CONVERSION_TILETONVVM_SHUFFLEDREGISTERS_H
#define TILE_LIB_CONVERSION_TILETONVVM_SHUFFLEDREGISTERS_H

#include "Lowering.h"
#include "tile/Layout/WarpShuffle.h"

namespace mlir::tile::nvvm {

/// Writes the registers of `to` from those of `from`, as `plan` says. All lanes
/// of a warp execute it together.
void convertByShuffles(KernelLowering &lowering, const WarpShuffle &plan,
                       const FragmentBuffer &from, const FragmentBuffer &to,
                       Type elementType);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_SHUFFLEDREGISTERS_H
