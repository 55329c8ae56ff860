//===- LoadedRuns.h - elements on their way into a fragment -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads of global memory stand behind branches where something may lie outside.
// A conversion behind the same branch would wait for its load before the next
// load is issued. So the elements of a copy stay as they were loaded until all
// of its loads have been issued, and are converted after the branches. LLVM
// keeps them in registers.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_LOADEDRUNS_H
#define TILE_LIB_CONVERSION_TILETONVVM_LOADEDRUNS_H

#include "Endpoint.h"

namespace mlir::tile::nvvm {

class LoadedRuns {
public:
  /// Room for the elements of `registers` registers of a loop.
  LoadedRuns(KernelLowering &lowering, Type elementType, int64_t registers);
  /// The elements of registers from `reg` on, and the same as one value that
  /// has their bytes.
  void put(int64_t reg, ArrayRef<Value> elements);
  void putBytes(int64_t reg, Value bytes);
  /// Stores all elements in a fragment, `count` registers at a time.
  LogicalResult storeTo(Endpoint &fragment, int64_t count);

private:
  SmallVector<Value> take(int64_t reg, int64_t count);
  Value address(int64_t reg);
  KernelLowering &lowering;
  Type elementType, storage;
  int64_t registers;
  Value array;
};

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_LOADEDRUNS_H
