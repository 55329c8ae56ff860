//===- ScanDigits.h - digits of a scanned dimension -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A coordinate along the scanned dimension is a number whose digits the layout
// deals out to registers, lanes and warps.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_REDUCE_SCANDIGITS_H
#define TILE_LIB_CONVERSION_TILETONVVM_REDUCE_SCANDIGITS_H

#include "tile/Conversion/Combination.h"

namespace mlir::tile::nvvm {

struct ScanDigit {
  Axis axis;
  int64_t divisor; // of the axis's number
  int64_t extent, stride;
  bool isSlowestOfAxis;
};

/// From the fastest digit to the slowest. Fails with an error where the layout
/// of `op`, which it has, leaves a place between two of them.
FailureOr<SmallVector<ScanDigit>> findScanDigits(const Scan &op);

/// Totals of one thread, of `type`, that one trip through scratch memory takes,
/// where an agent has `threads`.
int64_t scanTotalsPerTrip(ArrayRef<Type> types, int64_t threads);

/// Bytes of scratch memory that the largest trip of a scan takes.
FailureOr<int64_t> scanScratchBytes(const Scan &op, int64_t threads);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_REDUCE_SCANDIGITS_H
