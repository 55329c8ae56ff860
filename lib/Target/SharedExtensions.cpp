//===- SharedExtensions.cpp - extensions that hundreds of places use ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "SharedExtensions.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/// Fewer uses cost nothing worth mentioning (milliseconds), and what is found
/// through their operands is worth instructions.
static constexpr unsigned kManyUses = 256;

/// Whether very many places use the value, or an address that is made of it.
static bool hasManyUses(const Value *value) {
  SmallVector<const Value *> pending = {value};
  SmallPtrSet<const Value *, 16> seen;
  unsigned uses = 0;
  while (!pending.empty())
    for (const User *user : pending.pop_back_val()->users()) {
      if (++uses >= kManyUses)
        return true;
      if (isa<GetElementPtrInst>(user) && seen.insert(user).second)
        pending.push_back(user);
    }
  return false;
}

/// CodeGenPrepare widens arithmetic and other casts, nothing else.
static bool isWidened(const Value *value) {
  return isa<BinaryOperator>(value) || isa<CastInst>(value);
}

void mlir::tile::hideOperandsOfSharedExtensions(llvm::Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      if (!isa<SExtInst, ZExtInst>(instruction) ||
          !isWidened(instruction.getOperand(0)) || !hasManyUses(&instruction))
        continue;
      IRBuilder<> builder(&instruction);
      instruction.setOperand(0,
                             builder.CreateFreeze(instruction.getOperand(0)));
    }
}
