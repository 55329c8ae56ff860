//===- GemmOperands.h - what the lowering of gemm is made of ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the lowering of `tile.gemm`: how an instruction gets its operand
// registers, and the path by FMA.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_GEMMOPERANDS_H
#define TILE_LIB_CONVERSION_TILETONVVM_GEMMOPERANDS_H

#include "Moves/Endpoint.h"

namespace mlir::tile::nvvm {

/// One operand (A or B) of one gemm: gives the registers of an instruction.
class OperandLoader {
public:
  virtual ~OperandLoader() = default;
  /// 32-bit registers (64-bit for f64) of the instruction at tile (i, k), where
  /// i counts instructions along M (A) or N (B).
  virtual FailureOr<SmallVector<Value>> load(int64_t i, int64_t k) = 0;
};

/// What a gemm multiplies with.
struct MmaSetup {
  mutable GemmOp op; // accessors of operations are not const
  MmaShape shape;
  WarpGrid warps;
  MmaType a, b, c;
  int64_t tilesM, tilesN, tilesK; // instructions per warp
  bool isSparse() const { return op.isSparse(); }
  /// Elements along k that one instruction takes of an operand.
  int64_t kOf(MmaOperand operand) const {
    return isSparse() && operand == MmaOperand::A ? shape.k / 2 : shape.k;
  }
  /// Registers of one instruction.
  OrRefusal<FragmentLayout> fragmentOf(MmaOperand operand,
                                       unsigned bits) const {
    return isSparse() ? mmaSpFragment(shape, operand, bits)
                      : mmaSyncFragment(shape, operand, bits);
  }
};

/// Registers of operand A or B from `buffer`: by ldmatrix or element by element
/// from shared memory, or out of a fragment that holds the operand's layout.
FailureOr<std::unique_ptr<OperandLoader>>
makeLoader(KernelLowering &lowering, Operation *op, Value buffer,
           MmaOperand operand, const MmaSetup &setup, bool transposed);

/// Registers of an 8-bit operand from a shared buffer [k, columns] that holds
/// whole groups of 16 columns for each warp (ByteTransposition.h).
std::unique_ptr<OperandLoader> makeByteLoader(KernelLowering &lowering,
                                              const SharedBuffer &buffer,
                                              MmaOperand operand,
                                              const MmaSetup &setup);

/// Each thread computes its elements of C by increasing k.
LogicalResult lowerFma(KernelLowering &lowering, GemmOp gemm);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_GEMMOPERANDS_H
