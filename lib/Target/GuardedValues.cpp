//===- GuardedValues.cpp - values that only guarded stores use ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "GuardedValues.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/// Operands of one empty instruction; any number would do.
static constexpr size_t kMostTogether = 16;

/// Fewer results of a block are moved at little cost.
static constexpr size_t kFewResults = 8;

/// Puts registers together, takes them apart or rounds them: what uses it uses
/// its operands.
static bool isTransparent(const User *user) {
  return isa<InsertElementInst, ExtractElementInst, ShuffleVectorInst,
             CastInst>(user);
}

/// Arithmetic, casts not included: pairs of them are one instruction, which
/// takes as many registers as it gives, or fewer.
static bool isArithmetic(const Instruction &instruction) {
  if (!instruction.getType()->isFloatingPointTy())
    return false;
  if (auto *call = dyn_cast<CallInst>(&instruction))
    return !call->isInlineAsm() && call->doesNotAccessMemory();
  return isa<BinaryOperator, UnaryOperator, SelectInst>(instruction);
}

/// Adds the blocks that store `value`, the parts and wholes made of it
/// included. False where its own block uses it, or another computes with it.
static bool collectStoringBlocks(const Instruction &value,
                                 const BasicBlock &home,
                                 SmallPtrSetImpl<const BasicBlock *> &blocks) {
  for (const User *user : value.users()) {
    auto *instruction = cast<Instruction>(user);
    if (isTransparent(user)) {
      if (!collectStoringBlocks(*instruction, home, blocks))
        return false;
      continue;
    }
    if (instruction->getParent() == &home || !instruction->mayWriteToMemory())
      return false;
    blocks.insert(instruction->getParent());
  }
  return true;
}

/// Whether nothing but stores uses `value`, and the program may run through it
/// and none of them.
static bool isForGuardedStores(const Instruction &value,
                               const DominatorTree &dominators,
                               const PostDominatorTree &postDominators) {
  const BasicBlock &home = *value.getParent();
  SmallPtrSet<const BasicBlock *, 4> blocks;
  if (!collectStoringBlocks(value, home, blocks) || blocks.empty() ||
      any_of(blocks, [&](const BasicBlock *block) {
        return postDominators.dominates(block, &home);
      }))
    return false;
  // LLVM moves it to the last block in front of all its users.
  const BasicBlock *front = *blocks.begin();
  for (const BasicBlock *block : blocks)
    front = dominators.findNearestCommonDominator(front, block);
  return front != &home;
}

/// An instruction that is none, in front of `end`, of which LLVM knows that it
/// reads `values`.
static void keep(ArrayRef<Value *> values, Instruction *end) {
  IRBuilder<> builder(end);
  SmallVector<Value *> operands;
  SmallVector<Type *> types;
  std::string constraints;
  for (Value *value : values) {
    Type *type = value->getType();
    if (type->isHalfTy() || type->isBFloatTy())
      value = builder.CreateBitCast(value, builder.getInt16Ty());
    operands.push_back(value);
    types.push_back(value->getType());
    constraints += std::string(constraints.empty() ? "" : ",") +
                   (type->isDoubleTy()  ? "d"
                    : type->isFloatTy() ? "f"
                                        : "h");
  }
  builder.CreateCall(
      InlineAsm::get(FunctionType::get(builder.getVoidTy(), types, false), "",
                     constraints, /*hasSideEffects=*/true),
      operands);
}

void mlir::tile::keepGuardedValues(llvm::Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    DominatorTree dominators(function);
    PostDominatorTree postDominators(function);
    MapVector<BasicBlock *, SmallVector<llvm::Value *>> kept;
    for (Instruction &instruction : instructions(function))
      if (isArithmetic(instruction) &&
          isForGuardedStores(instruction, dominators, postDominators))
        kept[instruction.getParent()].push_back(&instruction);
    for (auto &[block, values] : kept) {
      if (values.size() < kFewResults)
        continue;
      for (ArrayRef<llvm::Value *> rest = values; !rest.empty();
           rest = rest.drop_front(std::min(rest.size(), kMostTogether)))
        keep(rest.take_front(kMostTogether), block->getTerminator());
    }
  }
}
