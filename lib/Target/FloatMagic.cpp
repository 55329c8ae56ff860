//===- FloatMagic.cpp - small numbers in the mantissa of a float ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "FloatMagic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {
/// `(word & mask) ^ power` of 32 bits, or `|` where the two have no bit in
/// common, of which all uses are floats', or which are four codes on their way
/// to signed bytes.
struct MaskedCode {
  Instruction *op;
  llvm::Value *word;
  uint32_t mask, power;
};
} // namespace

static bool isFloats(const User *user) {
  return isa<BitCastInst>(user) && user->getType()->isFPOrFPVectorTy();
}

static std::optional<MaskedCode> masked(Instruction &op) {
  llvm::Value *word;
  const APInt *mask, *power;
  auto code = m_OneUse(m_And(m_Value(word), m_APInt(mask)));
  if (!op.getType()->isIntegerTy(32) || op.use_empty() ||
      !(match(&op, m_Xor(code, m_APInt(power))) ||
        (match(&op, m_Or(code, m_APInt(power))) && !mask->intersects(*power))))
    return std::nullopt;
  // What PackedCasts.cpp makes of four codes.
  bool isBytes = *mask == 0x0f0f0f0f && *power == 0x88888888;
  if (!isBytes && !all_of(op.users(), isFloats))
    return std::nullopt;
  return MaskedCode{&op, word, uint32_t(mask->getZExtValue()),
                    uint32_t(power->getZExtValue())};
}

/// Additions of `amount` to both halves that are all the uses of `code`.
static bool findAdditions(const MaskedCode &code, double amount,
                          SmallVectorImpl<Instruction *> &additions) {
  for (User *floats : code.op->users()) {
    auto *type = dyn_cast<FixedVectorType>(floats->getType());
    if (!type || !type->getElementType()->isHalfTy() || floats->use_empty())
      return false;
    for (User *user : floats->users()) {
      const APFloat *constant;
      if (!match(user, m_FAdd(m_Specific(floats), m_APFloat(constant))) ||
          !constant->isExactlyValue(amount))
        return false;
      additions.push_back(cast<Instruction>(user));
    }
  }
  return true;
}

/// Codes from bit 4 or 12 on, see above.
static void leaveInByte(const MaskedCode &code) {
  constexpr uint32_t kCodes = 0x000f000f, kFlipped = 0x64086408,
                     kPlain = 0x64006400;
  bool isFlipped = code.power == kFlipped;
  llvm::Value *word;
  uint64_t shift;
  SmallVector<Instruction *> additions;
  double amount = isFlipped ? -1032 : -1024;
  if (code.mask != kCodes || (!isFlipped && code.power != kPlain) ||
      !match(code.word, m_LShr(m_Value(word), m_ConstantInt(shift))) ||
      shift % 8 != 4 || !findAdditions(code, amount, additions))
    return;
  IRBuilder<> builder(code.op);
  llvm::Value *bits = shift == 4 ? word : builder.CreateLShr(word, shift - 4);
  bits = builder.CreateXor(builder.CreateAnd(bits, kCodes << 4),
                           isFlipped ? 0x64806480 : kPlain);
  code.op->replaceAllUsesWith(bits);
  RecursivelyDeleteTriviallyDeadInstructions(code.op);
  for (Instruction *addition : additions) {
    builder.SetInsertPoint(addition);
    Type *type = addition->getType();
    addition->replaceAllUsesWith(builder.CreateIntrinsic(
        Intrinsic::fma, {type},
        {addition->getOperand(0), ConstantFP::get(type, 0.0625),
         ConstantFP::get(type, amount + 1024 - 64)}));
    addition->eraseFromParent();
  }
}

static void writeAsOne(const MaskedCode &code) {
  // Only for powers in both halves of the word: those of a single float were
  // not measured.
  if (code.power >> 16 == 0)
    return;
  IRBuilder<> builder(code.op);
  Type *i32 = builder.getInt32Ty();
  std::string text = "lop3.b32 $0, $1, 0x" + utohexstr(code.mask, true) +
                     ", 0x" + utohexstr(code.power, true) + ", 0x6a;";
  auto *assembly = InlineAsm::get(FunctionType::get(i32, {i32}, false), text,
                                  "=r,r", /*hasSideEffects=*/false);
  CallInst *joined = builder.CreateCall(assembly, {code.word});
  joined->setDoesNotAccessMemory();
  joined->setDoesNotThrow();
  code.op->replaceAllUsesWith(joined);
  RecursivelyDeleteTriviallyDeadInstructions(code.op);
}

void mlir::tile::joinMasksAndPowers(Module &module) {
  for (Function &function : module) {
    SmallVector<Instruction *> codes;
    for (Instruction &op : instructions(function))
      if (masked(op))
        codes.push_back(&op);
    for (Instruction *op : codes)
      leaveInByte(*masked(*op));
    codes.clear();
    for (Instruction &op : instructions(function))
      if (masked(op))
        codes.push_back(&op);
    for (Instruction *op : codes)
      writeAsOne(*masked(*op));
  }
}
