//===- Tf32Rounding.cpp - roundings to tf32 that change nothing -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Tf32Rounding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;

/// Bits of a float's mantissa that tf32 lacks, and integers it has in full.
static constexpr unsigned kDroppedBits = 13, kIntegerBits = 11;

/// Whether tf32 has the number whose bits, or which, `value` is.
static bool isTf32(const Value *value, const llvm::DataLayout &layout) {
  while (isa<BitCastOperator, ExtractElementInst>(value)) {
    const Value *inner = cast<Operator>(value)->getOperand(0);
    // Only a float, or as many of them, seen as words.
    if (inner->getType()->getScalarSizeInBits() != 32)
      break;
    value = inner;
  }
  const Type *type = value->getType()->getScalarType();
  if (type->isFloatTy()) {
    if (auto *extension = dyn_cast<FPExtInst>(value)) {
      const Type *from = extension->getSrcTy()->getScalarType();
      return from->isHalfTy() || from->isBFloatTy();
    }
    if (isa<UIToFPInst, SIToFPInst>(value)) {
      const Value *number = cast<Instruction>(value)->getOperand(0);
      KnownBits bits = computeKnownBits(number, layout);
      unsigned sign = isa<SIToFPInst>(value)
                          ? ComputeNumSignBits(number, layout) - 1
                          : bits.countMinLeadingZeros();
      return bits.getBitWidth() - sign <= kIntegerBits;
    }
    return false;
  }
  return computeKnownBits(value, layout).countMinTrailingZeros() >=
         kDroppedBits;
}

void mlir::tile::dropExactRoundings(Module &module) {
  const llvm::DataLayout &layout = module.getDataLayout();
  for (Function &function : module)
    for (Instruction &instruction :
         make_early_inc_range(instructions(function))) {
      auto *rounding = dyn_cast<IntrinsicInst>(&instruction);
      if (!rounding ||
          rounding->getIntrinsicID() != Intrinsic::nvvm_f2tf32_rna ||
          !isTf32(rounding->getArgOperand(0), layout))
        continue;
      IRBuilder<> builder(rounding);
      rounding->replaceAllUsesWith(builder.CreateBitCast(
          rounding->getArgOperand(0), rounding->getType()));
      rounding->eraseFromParent();
    }
}
