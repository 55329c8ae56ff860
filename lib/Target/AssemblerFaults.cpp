//===- AssemblerFaults.cpp - what ptxas gets wrong ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "AssemblerFaults.h"
#include "tile/Target/PtxMnemonics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
namespace ptx = mlir::tile::ptx;

static Value *withoutFreeze(Value *value) {
  auto *freeze = dyn_cast<FreezeInst>(value);
  return freeze ? withoutFreeze(freeze->getOperand(0)) : value;
}

/// Does NVPTX select the upper half of a 32-bit product for `value`, an integer
/// of 32 or 64 bits? Divisions by a constant become one, as do the upper halves
/// of 64-bit products. A shift after the product keeps ptxas from fusing, and
/// only operands of 32 bits make a product of 32 bits; both depend on what is
/// known of the operand then, so all divisions count.
static bool isUpperHalf(Value *value) {
  value = withoutFreeze(value);
  const APInt *divisor;
  if (match(value, m_UDiv(m_Value(), m_APInt(divisor))) ||
      match(value, m_SDiv(m_Value(), m_APInt(divisor))))
    return !divisor->isPowerOf2();
  Value *half = value;
  match(value, m_Trunc(m_Value(half)));
  return match(half, m_LShr(m_Mul(m_Value(), m_Value()), m_Value())) ||
         match(half, m_AShr(m_Mul(m_Value(), m_Value()), m_Value())) ||
         match(value, m_Intrinsic<Intrinsic::nvvm_mulhi_ui>()) ||
         match(value, m_Intrinsic<Intrinsic::nvvm_mulhi_i>());
}

/// Whether ptxas may take a minuend of 64 bits for the upper half of a 32-bit
/// product.
static bool isFusedMinuend(Value *minuend) {
  Value *narrow = minuend;
  match(withoutFreeze(minuend), m_ZExt(m_Value(narrow)));
  return isUpperHalf(narrow);
}

/// minuend - subtrahend in halves, where the borrow is an instruction of its
/// own.
static Value *subtractInHalves(IRBuilder<> &builder, Value *minuend,
                               Value *subtrahend) {
  Type *i32 = builder.getInt32Ty(), *i64 = builder.getInt64Ty();
  auto upper = [&](Value *value) {
    return builder.CreateTrunc(builder.CreateLShr(value, 32), i32);
  };
  Value *low = builder.CreateBinaryIntrinsic(
      Intrinsic::usub_with_overflow, builder.CreateTrunc(minuend, i32),
      builder.CreateTrunc(subtrahend, i32));
  Value *borrow = builder.CreateSExt(builder.CreateExtractValue(low, 1), i32);
  Value *high = builder.CreateAdd(
      builder.CreateSub(upper(minuend), upper(subtrahend)), borrow);
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
        !match(&instruction, m_Sub(m_Value(minuend), m_Value(subtrahend))) ||
        !isFusedMinuend(minuend))
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

/// Whether a minimum or maximum reads `value`, in whole or in part.
static bool isReadByExtremum(const Value &value) {
  return llvm::any_of(value.users(), [](const User *user) {
    return isa<MinMaxIntrinsic>(user) ||
           (isa<ShuffleVectorInst, FreezeInst>(user) &&
            isReadByExtremum(*user));
  });
}

/// Whether `addition` is one of several short integers that ptxas may get
/// wrong: of a constant that is not the same for all of them, or one that a
/// minimum or maximum reads.
static bool isAddedWrong(const Instruction &addition) {
  if (addition.getOpcode() != Instruction::Add &&
      addition.getOpcode() != Instruction::Sub)
    return false;
  auto *type = dyn_cast<llvm::FixedVectorType>(addition.getType());
  if (!type || type->getScalarSizeInBits() > 16)
    return false;
  return isReadByExtremum(addition) ||
         llvm::any_of(addition.operands(), [](const Use &operand) {
           auto *constant = dyn_cast<Constant>(operand.get());
           return constant && !constant->getSplatValue();
         });
}

void mlir::tile::splitPackedAdditions(llvm::Module &module) {
  SmallVector<Instruction *> found;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (isAddedWrong(instruction))
        found.push_back(&instruction);
  for (Instruction *addition : found) {
    IRBuilder<> builder(addition);
    llvm::Value *sums = PoisonValue::get(addition->getType());
    auto count =
        cast<llvm::FixedVectorType>(addition->getType())->getNumElements();
    for (unsigned i = 0; i < count; ++i) {
      llvm::Value *sum = builder.CreateBinOp(
          Instruction::BinaryOps(addition->getOpcode()),
          builder.CreateExtractElement(addition->getOperand(0), i),
          builder.CreateExtractElement(addition->getOperand(1), i));
      sums = builder.CreateInsertElement(sums, sum, i);
    }
    addition->replaceAllUsesWith(sums);
    addition->eraseFromParent();
  }
}

/// The value whose negation `value` is after LLVM's selection, too, which makes
/// negations of products with -2, -4, ... and of quotients by them; null where
/// it is none. New instructions stand where `builder` is.
static Value *getNegated(IRBuilder<> &builder, Value *value) {
  Value *other;
  const APInt *factor;
  if (match(value, m_Neg(m_Value(other))))
    return other;
  if (match(value, m_Mul(m_Value(other), m_APInt(factor))) &&
      factor->isNegatedPowerOf2())
    return builder.CreateMul(other,
                             ConstantInt::get(value->getType(), -*factor));
  if (match(value, m_SDiv(m_Value(other), m_APInt(factor))) &&
      factor->isNegatedPowerOf2() && !factor->isMinSignedValue())
    return builder.CreateSDiv(other,
                              ConstantInt::get(value->getType(), -*factor));
  if (auto *freeze = dyn_cast<FreezeInst>(value))
    if (Value *negated = getNegated(builder, freeze->getOperand(0)))
      return builder.CreateFreeze(negated);
  if (auto *element = dyn_cast<ExtractElementInst>(value))
    if (Value *negated = getNegated(builder, element->getVectorOperand()))
      return builder.CreateExtractElement(negated, element->getIndexOperand());
  return nullptr;
}

/// -value as its complement plus one. LLVM's selection would make a negation of
/// them again, were the complement not assembly.
static Value *negateByComplement(IRBuilder<> &builder, Value *value) {
  llvm::Type *type = value->getType();
  if (auto *vector = dyn_cast<llvm::FixedVectorType>(type)) {
    Value *negations = PoisonValue::get(vector);
    for (unsigned i = 0; i < vector->getNumElements(); ++i)
      negations = builder.CreateInsertElement(
          negations,
          negateByComplement(builder, builder.CreateExtractElement(value, i)),
          i);
    return negations;
  }
  bool isShort = type->isIntegerTy(16);
  StringRef text = isShort ? ptx::kComplementOfShort : ptx::kComplement;
  auto *complement =
      InlineAsm::get(llvm::FunctionType::get(type, {type}, /*isVarArg=*/false),
                     (text + " $0, $1;").str(), isShort ? "=h,h" : "=r,r",
                     /*hasSideEffects=*/false);
  return builder.CreateAdd(builder.CreateCall(complement, {value}),
                           ConstantInt::get(type, 1));
}

void mlir::tile::hideNegations(llvm::Module &module) {
  SmallVector<MinMaxIntrinsic *> extrema;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *extremum = dyn_cast<MinMaxIntrinsic>(&instruction);
      if (!extremum)
        continue;
      llvm::Type *element = extremum->getType()->getScalarType();
      if (element->isIntegerTy(32) || element->isIntegerTy(16))
        extrema.push_back(extremum);
    }
  for (MinMaxIntrinsic *extremum : extrema) {
    IRBuilder<> builder(extremum);
    for (Use &operand : extremum->args())
      if (llvm::Value *negated = getNegated(builder, operand.get()))
        operand.set(negateByComplement(builder, negated));
  }
}

/// Inline assembly with `text` in it.
static bool isAssembly(const Instruction &instruction, StringRef text) {
  auto *call = dyn_cast<CallBase>(&instruction);
  return call && call->isInlineAsm() &&
         cast<InlineAsm>(call->getCalledOperand())
             ->getAsmString()
             .contains(text);
}

/// Whether `instruction` may be executed after the instructions that now follow
/// it, as far as memory and threads are concerned.
static bool isMovable(const Instruction &instruction) {
  return !isa<PHINode>(instruction) && !instruction.isEHPad() &&
         !instruction.mayHaveSideEffects() && !instruction.mayReadFromMemory();
}

/// Moves instructions that `wait` does not need after it.
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
        if (isAssembly(instruction, ptx::kWgmmaMma))
          break; // what follows is issued here
        if (!isAssembly(instruction, ptx::kWgmmaWait))
          continue;
        putFirst(instruction);
        break;
      }
}

/// The products whose accumulator `value` is.
static void findProducts(Value *value, SmallPtrSetImpl<Value *> &seen,
                         SmallVectorImpl<Instruction *> &products) {
  if (!seen.insert(value).second)
    return;
  if (auto *phi = dyn_cast<PHINode>(value))
    for (Value *incoming : phi->incoming_values())
      findProducts(incoming, seen, products);
  else if (auto *element = dyn_cast<ExtractValueInst>(value))
    findProducts(element->getAggregateOperand(), seen, products);
  else if (auto *call = dyn_cast<Instruction>(value);
           call && isAssembly(*call, ptx::kWgmmaMma))
    products.push_back(call);
}

/// Whether `value` is no more than other values' registers.
static bool isSameRegisters(const User *value) {
  return isa<PHINode, InsertElementInst, ShuffleVectorInst, BitCastInst>(value);
}

/// Whether `phi` carries a result of `wait` to another iteration, where it is
/// used between one of `products` and the wait: their accumulators take up
/// other registers then. What leads to further products is the accumulator
/// itself.
static bool isKept(PHINode *phi, ArrayRef<Instruction *> products,
                   Instruction &wait, const DominatorTree &dominators) {
  SmallSetVector<Instruction *, 8> kept;
  SmallPtrSet<BasicBlock *, 4> starts;
  kept.insert(phi);
  for (size_t next = 0; next < kept.size(); ++next) {
    BasicBlock *block = kept[next]->getParent();
    if (isa<PHINode>(kept[next]) &&
        dominators.dominates(block, wait.getParent()))
      starts.insert(block);
    for (User *user : kept[next]->users()) {
      if (isAssembly(*cast<Instruction>(user), ptx::kAnyWgmma))
        return false;
      if (isSameRegisters(user))
        kept.insert(cast<Instruction>(user));
    }
  }
  auto reaches = [&](const Instruction *from, const Instruction *to) {
    return isPotentiallyReachable(from, to, &starts, &dominators);
  };
  auto isUsedMeanwhile = [&](User *user) {
    auto *use = cast<Instruction>(user);
    return !isSameRegisters(use) && reaches(use, &wait) &&
           any_of(products,
                  [&](Instruction *product) { return reaches(product, use); });
  };
  return !starts.empty() && any_of(kept, [&](Instruction *value) {
    return any_of(value->users(), isUsedMeanwhile);
  });
}

/// A copy that register allocation does not see through.
static Value *copyBehind(Instruction &value) {
  Type *type = value.getType();
  IRBuilder<> builder(value.getParent(), std::next(value.getIterator()));
  auto *copy =
      InlineAsm::get(FunctionType::get(type, {type}, false), "mov.b32 $0, $1;",
                     type->isFloatTy() ? "=f,f" : "=r,r",
                     /*hasSideEffects=*/false);
  return builder.CreateCall(copy, {&value});
}

/// Gives phis that keep result `index` of a wait a copy of it.
static void copyForPhis(CallBase &wait, unsigned index, Instruction &result,
                        const DominatorTree &dominators) {
  bool isWord =
      result.getType()->isFloatTy() || result.getType()->isIntegerTy(32);
  if (!isWord || index >= wait.arg_size())
    return;
  // What comes out is what went in.
  SmallVector<Instruction *> products;
  SmallPtrSet<Value *, 8> seen;
  findProducts(wait.getArgOperand(index), seen, products);
  Value *copy = nullptr;
  for (Use &use : make_early_inc_range(result.uses())) {
    auto *phi = dyn_cast<PHINode>(use.getUser());
    if (!phi || !isKept(phi, products, wait, dominators))
      continue;
    if (!copy)
      copy = copyBehind(result);
    use.set(copy);
  }
}

void mlir::tile::copyBehindWaits(llvm::Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    DominatorTree dominators(function);
    for (Instruction &instruction : instructions(function)) {
      if (!isAssembly(instruction, ptx::kWgmmaWait))
        continue;
      auto &wait = cast<CallBase>(instruction);
      copyForPhis(wait, 0, wait, dominators);
      for (User *user : wait.users())
        if (auto *result = dyn_cast<ExtractValueInst>(user))
          copyForPhis(wait, result->getIndices().front(), *result, dominators);
    }
  }
}
