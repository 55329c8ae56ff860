//===- HalvesOfWords.cpp - the two floats of a word as a vector -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HalvesOfWords.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// The floats that are the lower and the upper half of a word, of one type.
struct Halves {
  SmallVector<Instruction *> lower, upper;
};

/// The operation with a constant that is the only use of a half.
BinaryOperator *onlyUse(Instruction *half) {
  if (!half->hasOneUse())
    return nullptr;
  auto *op = dyn_cast<BinaryOperator>(half->user_back());
  return op && isa<ConstantFP>(op->getOperand(1)) ? op : nullptr;
}

/// Computes with both halves at once what is computed with each alone, by one
/// constant (codes that come off their power of two).
bool computeTogether(Halves &halves, Value *floats, IRBuilder<> &builder) {
  if (halves.lower.size() != 1 || halves.upper.size() != 1)
    return false;
  BinaryOperator *ops[] = {onlyUse(halves.lower[0]), onlyUse(halves.upper[0])};
  if (!ops[0] || !ops[1] || ops[0]->getOpcode() != ops[1]->getOpcode() ||
      ops[0]->getOperand(1) != ops[1]->getOperand(1))
    return false;
  auto *constant = cast<Constant>(ops[0]->getOperand(1));
  Value *both = builder.CreateBinOp(
      ops[0]->getOpcode(), floats,
      ConstantVector::getSplat(ElementCount::getFixed(2), constant));
  if (auto *op = dyn_cast<Instruction>(both))
    op->setFastMathFlags(ops[0]->getFastMathFlags() &
                         ops[1]->getFastMathFlags());
  for (uint64_t half : {0, 1}) {
    builder.SetInsertPoint(ops[half]);
    ops[half]->replaceAllUsesWith(builder.CreateExtractElement(both, half));
    RecursivelyDeleteTriviallyDeadInstructions(ops[half]);
  }
  return true;
}

struct ShowHalves : PassInfoMixin<ShowHalves> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    MapVector<std::pair<Value *, Type *>, Halves> words;
    for (Instruction &op : instructions(function)) {
      Type *type = op.getType();
      Value *word;
      if (!isa<BitCastInst>(op) || !(type->isHalfTy() || type->isBFloatTy()))
        continue;
      Value *bits = op.getOperand(0);
      if (match(bits, m_Trunc(m_LShr(m_Value(word), m_SpecificInt(16)))) &&
          word->getType()->isIntegerTy(32))
        words[{word, type}].upper.push_back(&op);
      else if (match(bits, m_Trunc(m_Value(word))) &&
               word->getType()->isIntegerTy(32))
        words[{word, type}].lower.push_back(&op);
    }
    bool changed = false;
    for (auto &[key, halves] : words) {
      auto [word, type] = key;
      auto *definition = dyn_cast<Instruction>(word);
      if (!definition || halves.lower.empty() || halves.upper.empty())
        continue;
      std::optional<BasicBlock::iterator> behind =
          definition->getInsertionPointAfterDef();
      if (!behind)
        continue;
      IRBuilder<> builder(&**behind);
      Value *floats =
          builder.CreateBitCast(word, FixedVectorType::get(type, 2));
      changed = true;
      if (computeTogether(halves, floats, builder))
        continue;
      for (uint64_t half : {0, 1})
        for (Instruction *part : half ? halves.upper : halves.lower) {
          builder.SetInsertPoint(part);
          part->replaceAllUsesWith(builder.CreateExtractElement(floats, half));
          RecursivelyDeleteTriviallyDeadInstructions(part);
        }
    }
    if (!changed)
      return PreservedAnalyses::all();
    PreservedAnalyses preserved;
    preserved.preserveSet<CFGAnalyses>();
    return preserved;
  }
};

} // namespace

void mlir::tile::showHalvesOfWords(PassBuilder &builder) {
  builder.registerVectorizerStartEPCallback(
      [](FunctionPassManager &passes, OptimizationLevel) {
        passes.addPass(ShowHalves());
      });
}
