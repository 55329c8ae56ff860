//===- DescriptorOperand.cpp - operands by matrix descriptors -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: PTX ISA 9.0, "Matrix Descriptor" (wgmma), "Shared memory descriptor"
// (tcgen05): both have the start of the matrix in their lowest field.
//
//===----------------------------------------------------------------------===//
#include "DescriptorOperand.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tile/Dialect/Tile/IR/Buffers.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

FailureOr<DescriptorOperand>
tile::nvvm::bindDescriptors(KernelLowering &lowering, GemmOp gemm, bool isA,
                            StringRef instruction, const WgmmaSplit &split,
                            bool transposes) {
  Value buffer = isA ? gemm.getA() : gemm.getB();
  StringRef name = isA ? "A" : "B";
  if (!isShared(buffer))
    return gemm.emitOpError()
           << "expected operand " << name << " of " << instruction
           << " in shared memory, got " << buffer.getType();
  FailureOr<SharedBuffer> shared = lowering.shared(buffer, gemm);
  if (failed(shared))
    return failure();
  auto descriptors = wgmmaOperand(shared->layout, split);
  if (!descriptors)
    return gemm.emitOpError()
           << "expected operand " << name << " in a layout that " << instruction
           << " reads: " << descriptors.reason();
  DescriptorOperand operand{*shared, *descriptors};
  if (operand.alongMn() && !transposes)
    return gemm.emitOpError()
           << "expected operand " << name << " contiguous along k, as "
           << instruction << " of " << elementTypeOf(buffer) << " needs";
  return operand;
}

Value tile::nvvm::descriptorAt(KernelLowering &lowering, Value address,
                               uint64_t encoded) {
  auto &b = lowering.builder;
  // Address bits 4 to 17 are the descriptor's lowest field.
  Value field = b.createOrFold<arith::ShRUIOp>(address, lowering.i32(4));
  field = b.createOrFold<arith::AndIOp>(field, lowering.i32(0x3fff));
  return b.createOrFold<arith::OrIOp>(
      lowering.toI64(field), lowering.i64(static_cast<int64_t>(encoded)));
}

LogicalResult tile::nvvm::refuseInstruction(KernelLowering &lowering,
                                            GemmOp gemm, StringRef instruction,
                                            MmaShape shape) {
  return gemm.emitOpError()
         << "expected a " << instruction << " that " << lowering.target.arch
         << " has, got m" << shape.m << "n" << shape.n << "k" << shape.k
         << " of " << elementTypeOf(gemm.getA()) << " x "
         << elementTypeOf(gemm.getB()) << " into "
         << elementTypeOf(gemm.getC());
}
