//===- ScanDigits.cpp - digits of a scanned dimension ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "ScanDigits.h"
#include "Prepare/Scratch.h"
#include "tile/Conversion/Combination.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// The scanned dimension among those of the loop; -1 where its extent is one.
static int loopDimension(const Scan &op) {
  ArrayRef<int64_t> shape =
      cast<MemRefType>(op.sources.front().getType()).getShape();
  if (shape[op.dim] == 1)
    return -1;
  return llvm::count_if(shape.take_front(op.dim),
                        [](int64_t extent) { return extent != 1; });
}

FailureOr<SmallVector<ScanDigit>> tile::nvvm::findScanDigits(const Scan &op) {
  FragmentLayout layout = op.layout.getLayout();
  SmallVector<ScanDigit> digits;
  int dim = loopDimension(op);
  for (Axis axis : {Axis::Register, Axis::Lane, Axis::Warp}) {
    int64_t divisor = 1;
    for (const Mode &mode : layout.modes(axis)) {
      int64_t above = divisor * mode.extent;
      // A stride of 0 is a replica.
      if (mode.dim == dim && mode.extent > 1 && mode.stride != 0)
        digits.push_back({axis, divisor, mode.extent, mode.stride,
                          above == layout.size(axis)});
      divisor = above;
    }
  }
  llvm::sort(digits, [](const ScanDigit &x, const ScanDigit &y) {
    return x.stride < y.stride;
  });
  int64_t expected = 1;
  for (const ScanDigit &digit : digits) {
    if (digit.stride != expected)
      return op.op->emitOpError()
             << "expected a layout in which the digits of dimension " << op.dim
             << " follow one another, got one of stride " << digit.stride
             << " after " << expected << " elements";
    expected *= digit.extent;
  }
  return digits;
}

int64_t tile::nvvm::scanTotalsPerTrip(ArrayRef<Type> types, int64_t threads) {
  /// Scratch that one trip may take.
  constexpr int64_t kMostBytes = 16 * 1024;
  return std::max<int64_t>(1, kMostBytes / warpScratchBytes(types, 1, threads));
}

FailureOr<int64_t> tile::nvvm::scanScratchBytes(const Scan &op,
                                                int64_t threads) {
  FailureOr<SmallVector<ScanDigit>> digits = findScanDigits(op);
  if (failed(digits))
    return failure();
  ArrayRef<Type> types = op.combiner.workingTypes();
  int64_t perTrip = scanTotalsPerTrip(types, threads), bytes = 0;
  // Registers that stand for those which differ in faster digits only.
  int64_t standing = op.layout.getLayout().numRegisters();
  for (const ScanDigit &digit : *digits) {
    if (digit.axis == Axis::Register)
      standing /= digit.extent;
    else if (digit.axis == Axis::Warp)
      bytes = std::max(
          bytes, warpScratchBytes(types, std::min(standing, perTrip), threads));
  }
  return bytes;
}
