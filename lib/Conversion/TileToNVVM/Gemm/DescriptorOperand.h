//===- DescriptorOperand.h - operands by matrix descriptors -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lowering a gemm by wgmma and by tcgen05 have in common: the table entry
// of its element types, and operands that instructions read from shared memory.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_DESCRIPTOROPERAND_H
#define TILE_LIB_CONVERSION_TILETONVVM_DESCRIPTOROPERAND_H

#include "Lowering.h"
#include "tile/Dialect/Tile/IR/MmaTypes.h"
#include "tile/Layout/WgmmaOperand.h"

namespace mlir::tile::nvvm {

/// An operand in shared memory; whether it is contiguous along m or n.
struct DescriptorOperand {
  SharedBuffer buffer;
  WgmmaOperand descriptors;
  bool alongMn() const { return descriptors.descriptor.major == Major::MN; }
};

/// Operand A or B of a gemm by `instruction`, read as `split` says.
FailureOr<DescriptorOperand> bindDescriptors(KernelLowering &lowering,
                                             GemmOp gemm, bool isA,
                                             StringRef instruction,
                                             const WgmmaSplit &split,
                                             bool transposes);

/// A descriptor (i64) for an address in shared memory (i32): the fields that
/// `encoded` has, and the address in the lowest one.
Value descriptorAt(KernelLowering &lowering, Value address, uint64_t encoded);

/// Refuses an instruction that the target does not have for a gemm.
LogicalResult refuseInstruction(KernelLowering &lowering, GemmOp gemm,
                                StringRef instruction, MmaShape shape);

/// The entry of a target's table for the types of a gemm, null when it has
/// none. `swapped`: its A is of the type of the gemm's B, and the other way
/// round.
template <typename InfoT>
const InfoT *instructionOf(KernelLowering &lowering, GemmOp gemm,
                           const InfoT *(TargetInfo::*table)(MmaType, MmaType,
                                                             MmaType) const,
                           bool swapped = false) {
  std::optional<MmaTypes> types = getMmaTypes(gemm);
  if (!types)
    return nullptr;
  if (swapped)
    std::swap(types->a, types->b);
  return (lowering.target.*table)(types->a, types->b, types->accumulator);
}

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_DESCRIPTOROPERAND_H
