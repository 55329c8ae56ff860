//===- FloatBits.cpp - integer arithmetic on the bits of floats -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "FloatBits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

static bool isFromFloat(const llvm::Value *value) {
  auto cast = dyn_cast<BitCastInst>(value);
  return cast && cast->getSrcTy()->isFloatingPointTy();
}

static bool isToFloat(const User *user) {
  return isa<BitCastInst>(user) && user->getType()->isFloatingPointTy();
}

/// An addition whose operand or result is a float's bits.
static bool isOfFloatBits(const Instruction &instruction) {
  if (instruction.getOpcode() != Instruction::Add ||
      !(instruction.getType()->isIntegerTy(32) ||
        instruction.getType()->isIntegerTy(64)))
    return false;
  return any_of(instruction.operands(), isFromFloat) ||
         (!instruction.use_empty() && all_of(instruction.users(), isToFloat));
}

void mlir::tile::hideAdditionsToFloatBits(llvm::Module &module) {
  for (Function &function : module)
    for (Instruction &add : make_early_inc_range(instructions(function))) {
      if (!isOfFloatBits(add))
        continue;
      // An addition with a flag that nobody asks for: only instruction
      // selection makes a plain one of it again.
      IRBuilder<> builder(&add);
      llvm::Value *sum = builder.CreateExtractValue(
          builder.CreateBinaryIntrinsic(Intrinsic::sadd_with_overflow,
                                        add.getOperand(0), add.getOperand(1)),
          0);
      add.replaceAllUsesWith(sum);
      add.eraseFromParent();
    }
}
