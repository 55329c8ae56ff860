//===- AssemblerFaults.cpp - what ptxas gets wrong ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "AssemblerFaults.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

/// Does NVPTX select the upper half of a 32-bit product for `value`? Divisions
/// and remainders by a constant become one, as do the truncated upper halves of
/// 64-bit products. A shift behind it keeps ptxas from fusing; whether a
/// division needs one depends on what is known of its operand, so all count.
static bool isUpperHalf(Value *value) {
  const APInt *divisor;
  if (match(value, m_UDiv(m_Value(), m_APInt(divisor))) ||
      match(value, m_SDiv(m_Value(), m_APInt(divisor))))
    return !divisor->isPowerOf2();
  return match(value,
               m_Trunc(m_LShr(m_Mul(m_Value(), m_Value()), m_Value()))) ||
         match(value,
               m_Trunc(m_AShr(m_Mul(m_Value(), m_Value()), m_Value()))) ||
         match(value, m_Intrinsic<Intrinsic::nvvm_mulhi_ui>()) ||
         match(value, m_Intrinsic<Intrinsic::nvvm_mulhi_i>());
}

/// minuend - subtrahend in halves, where the borrow is an instruction of its
/// own.
static Value *subtractInHalves(IRBuilder<> &builder, Value *minuend,
                               Value *subtrahend) {
  Type *i32 = builder.getInt32Ty(), *i64 = builder.getInt64Ty();
  Value *low =
      builder.CreateBinaryIntrinsic(Intrinsic::usub_with_overflow, minuend,
                                    builder.CreateTrunc(subtrahend, i32));
  Value *high = builder.CreateSub(
      builder.CreateSExt(builder.CreateExtractValue(low, 1), i32),
      builder.CreateTrunc(builder.CreateLShr(subtrahend, 32), i32));
  return builder.CreateOr(
      builder.CreateShl(builder.CreateZExt(high, i64), 32),
      builder.CreateZExt(builder.CreateExtractValue(low, 0), i64));
}

static void rewriteSubtractions(Function &function) {
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    Value *minuend, *subtrahend;
    // A constant's lower half is not 0 where anything is subtracted.
    if (!instruction.getType()->isIntegerTy(64) ||
        !match(&instruction,
               m_Sub(m_ZExt(m_Value(minuend)), m_Value(subtrahend))) ||
        !minuend->getType()->isIntegerTy(32) || !isUpperHalf(minuend))
      continue;
    IRBuilder<> builder(&instruction);
    Value *difference = subtractInHalves(builder, minuend, subtrahend);
    difference->takeName(&instruction);
    instruction.replaceAllUsesWith(difference);
    instruction.eraseFromParent();
  }
}

void mlir::tile::avoidMiscompiledSubtractions(llvm::Module &module) {
  for (Function &function : module)
    rewriteSubtractions(function);
}

/// Inline assembly with `text` in it.
static bool isAssembly(const Instruction &instruction, StringRef text) {
  auto *call = dyn_cast<CallBase>(&instruction);
  return call && call->isInlineAsm() &&
         cast<InlineAsm>(call->getCalledOperand())
             ->getAsmString()
             .contains(text);
}

/// Whether `instruction` may be executed behind what it stands in front of,
/// as far as memory and threads go.
static bool isMovable(const Instruction &instruction) {
  return !isa<PHINode>(instruction) && !instruction.isEHPad() &&
         !instruction.mayHaveSideEffects() && !instruction.mayReadFromMemory();
}

/// Moves what `wait` does not need behind it.
static void putFirst(Instruction &wait) {
  SmallVector<Instruction *> moved;
  SmallPtrSet<const Value *, 32> needed(wait.op_begin(), wait.op_end());
  for (Instruction &instruction : make_range(
           std::next(wait.getReverseIterator()), wait.getParent()->rend())) {
    if (isMovable(instruction) && !needed.contains(&instruction))
      moved.push_back(&instruction);
    else
      needed.insert(instruction.op_begin(), instruction.op_end());
  }
  for (Instruction *instruction : moved)
    instruction->moveAfter(&wait);
}

void mlir::tile::putWaitsFirst(llvm::Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : block) {
        if (isAssembly(instruction, "wgmma.mma_async"))
          break; // what follows is issued here
        if (!isAssembly(instruction, "wgmma.wait_group"))
          continue;
        putFirst(instruction);
        break;
      }
}
