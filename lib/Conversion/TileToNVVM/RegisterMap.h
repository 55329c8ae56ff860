//===- RegisterMap.h - registers of fragments by coordinate -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which register of a fragment holds what a loop over tiles asks for.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_REGISTERMAP_H
#define TILE_LIB_CONVERSION_TILETONVVM_REGISTERMAP_H

#include "Lowering.h"

namespace mlir::tile::nvvm {

/// Register number of a fragment by the coordinates its register axis adds.
class RegisterMap {
public:
  explicit RegisterMap(const FragmentLayout &layout);
  /// -1 when no register has these constants.
  int64_t operator()(ArrayRef<int64_t> coordinates) const;

private:
  int64_t key(ArrayRef<int64_t> coordinates) const;
  SmallVector<int64_t> bases;
  llvm::DenseMap<int64_t, int64_t> registers;
};

/// True when both layouts give the same lane and warp contributions to every
/// dimension: registers then correspond by their constants alone. `dims[d]` is
/// the dimension of `fragment` that dimension d of `loop` runs along.
bool sameThreads(const FragmentLayout &loop, const FragmentLayout &fragment,
                 ArrayRef<unsigned> dims);

/// A fragment of indices, by row of a loop over a matrix.
class RegisterIndices {
public:
  /// The register of the fragment that holds `indices`, counted from `first` (a
  /// constant).
  static FailureOr<RegisterIndices> create(KernelLowering &lowering,
                                           Operation *op, Value indices,
                                           Value first,
                                           const FragmentLayout &loop);
  /// The index of the row to which a register adds `constant`.
  FailureOr<Value> load(int64_t constant);

private:
  RegisterIndices(KernelLowering &lowering, Operation *op,
                  const FragmentBuffer &fragment, Type elementType,
                  int64_t first)
      : lowering(&lowering), op(op), fragment(fragment),
        elementType(elementType), first(first), map(fragment.layout) {}

  KernelLowering *lowering;
  Operation *op;
  FragmentBuffer fragment;
  Type elementType;
  int64_t first;
  RegisterMap map;
};

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_REGISTERMAP_H
