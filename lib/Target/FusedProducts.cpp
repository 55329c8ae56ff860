//===- FusedProducts.cpp - products and sums of halves as one -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FusedProducts.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;

namespace {

/// The product that nothing but `sum` uses, if both may be contracted.
BinaryOperator *productOf(Value *value, const Instruction &sum) {
  auto *product = dyn_cast<BinaryOperator>(value);
  return product && product->getOpcode() == Instruction::FMul &&
                 product->hasOneUse() && product->hasAllowContract() &&
                 product->getParent() == sum.getParent()
             ? product
             : nullptr;
}

struct FuseProducts : PassInfoMixin<FuseProducts> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    SmallVector<Instruction *> sums;
    for (Instruction &op : instructions(function))
      if (op.getOpcode() == Instruction::FAdd && op.hasAllowContract() &&
          (op.getType()->isHalfTy() || op.getType()->isBFloatTy()))
        sums.push_back(&op);
    bool changed = false;
    for (Instruction *sum : sums)
      for (unsigned side : {0u, 1u}) {
        BinaryOperator *product = productOf(sum->getOperand(side), *sum);
        if (!product)
          continue;
        IRBuilder<> builder(sum);
        Value *fused = builder.CreateIntrinsic(Intrinsic::fma, sum->getType(),
                                               {product->getOperand(0),
                                                product->getOperand(1),
                                                sum->getOperand(1 - side)});
        cast<Instruction>(fused)->setFastMathFlags(sum->getFastMathFlags() &
                                                   product->getFastMathFlags());
        sum->replaceAllUsesWith(fused);
        sum->eraseFromParent();
        product->eraseFromParent();
        changed = true;
        break;
      }
    if (!changed)
      return PreservedAnalyses::all();
    PreservedAnalyses preserved;
    preserved.preserveSet<CFGAnalyses>();
    return preserved;
  }
};

} // namespace

void mlir::tile::fuseProducts(PassBuilder &builder) {
  builder.registerVectorizerStartEPCallback(
      [](FunctionPassManager &passes, OptimizationLevel) {
        passes.addPass(FuseProducts());
      });
}
