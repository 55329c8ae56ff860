//===- LargeFunctions.cpp - what grows faster than a function -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "LargeFunctions.h"
#include "llvm/ADT/Any.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;
using namespace mlir::tile;

/// Global value numbering keeps a list of where each value is computed, and
/// asks of one after the other whether it dominates; machine CSE and
/// straight-line strength reduction do the same with equal instructions and
/// with addresses. Where thousands of guarded accesses compute the same, that
/// is quadratic. The largest kernels of benchmarks and examples have 350
/// blocks, a guarded copy has up to 30.
static bool hasTooManyBlocks(const Function &function) {
  constexpr size_t kMostBlocks = 4096;
  return function.size() > kMostBlocks;
}

/// Passes that find next to nothing in a kernel, which calls nobody and whose
/// dead code others remove, but read the blocks of a function in an order that
/// no cache holds: together 5 % of the time for 80,000 blocks.
static bool findsLittle(StringRef pass) {
  return is_contained({"TailCallElimPass", "ADCEPass", "MemCpyOptPass",
                       "AggressiveInstCombinePass"},
                      pass);
}

void mlir::tile::skipInLargeFunctions(PassInstrumentationCallbacks &callbacks) {
  callbacks.registerShouldRunOptionalPassCallback([](StringRef pass, Any unit) {
    auto *function = any_cast<const Function *>(&unit);
    return !(function && (pass == "GVNPass" || findsLittle(pass)) &&
             hasTooManyBlocks(**function));
  });
}

//===----------------------------------------------------------------------===//
// What many instructions share
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kHidingFunction = "tile.condition";

/// A condition of fewer branches is shown, and one call hides it from as many.
static constexpr size_t kManyUsers = 16;

/// i1 @tile.condition(i1 condition, i32 number): the condition.
static FunctionCallee hidingFunction(Module &module) {
  Type *boolean = Type::getInt1Ty(module.getContext());
  FunctionCallee hide = module.getOrInsertFunction(
      kHidingFunction, boolean, boolean, Type::getInt32Ty(module.getContext()));
  auto *function = cast<Function>(hide.getCallee());
  function->setDoesNotAccessMemory();
  for (Attribute::AttrKind kind :
       {Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoSync,
        Attribute::NoFree, Attribute::NoCallback, Attribute::NoRecurse})
    function->addFnAttr(kind);
  return hide;
}

/// Where what is computed of `value` can stand for all its users.
static std::optional<BasicBlock::iterator> placeBehind(Value &value,
                                                       Function &function) {
  if (auto *instruction = dyn_cast<Instruction>(&value))
    return instruction->getInsertionPointAfterDef();
  return function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
}

/// InstCombine asks of each branch on a value (the thread's number, a row's
/// bound) whether it dominates the place where it looks at the value, and of
/// each use of a condition whether a branch on it does: most of the time, where
/// each of thousands of copies has its own.
static bool hideSharedConditions(Function &function) {
  MapVector<Value *, SmallVector<BranchInst *>> branches;
  for (BasicBlock &block : function)
    if (auto *branch = dyn_cast<BranchInst>(block.getTerminator());
        branch && branch->isConditional())
      branches[branch->getCondition()].push_back(branch);
  bool hidAny = false;
  for (auto &[condition, users] : branches) {
    std::optional<BasicBlock::iterator> place =
        placeBehind(*condition, function);
    if (users.size() < kManyUsers || isa<Constant>(condition) || !place)
      continue;
    IRBuilder<> builder((*place)->getParent(), *place);
    Value *hidden = nullptr;
    for (auto [number, branch] : enumerate(users)) {
      if (number % kManyUsers == 0)
        hidden = builder.CreateCall(hidingFunction(*function.getParent()),
                                    {condition, builder.getInt32(number)});
      branch->setCondition(hidden);
    }
    hidAny = true;
  }
  return hidAny;
}

/// Equal conversions of one value (an index, for coordinates of 32 bits) behind
/// conditions that exclude none: InstCombine looks at all of them from each.
static bool shareConversions(Function &function) {
  MapVector<std::tuple<Value *, unsigned, Type *>, SmallVector<CastInst *>>
      equal;
  for (Instruction &instruction : instructions(function))
    if (auto *cast = dyn_cast<CastInst>(&instruction))
      equal[{cast->getOperand(0), cast->getOpcode(), cast->getType()}]
          .push_back(cast);
  bool sharedAny = false;
  for (auto &[key, casts] : equal) {
    Value *operand = std::get<0>(key);
    std::optional<BasicBlock::iterator> place = placeBehind(*operand, function);
    if (casts.size() < kManyUsers || isa<Constant>(operand) || !place)
      continue;
    CastInst *shared = casts.front();
    shared->moveBefore(*(*place)->getParent(), *place);
    for (CastInst *cast : drop_begin(casts)) {
      cast->replaceAllUsesWith(shared);
      cast->eraseFromParent();
    }
    // What one promises (that nothing is lost) holds where it stood.
    shared->dropPoisonGeneratingFlags();
    sharedAny = true;
  }
  return sharedAny;
}

/// Replaces the calls that `isMeant` by what they hide. True where there is
/// one.
static bool show(Function &hide, function_ref<bool(CallInst *)> isMeant) {
  bool changed = false;
  for (User *user : make_early_inc_range(hide.users())) {
    auto *call = cast<CallInst>(user);
    if (!isMeant(call))
      continue;
    call->replaceAllUsesWith(call->getArgOperand(0));
    call->eraseFromParent();
    changed = true;
  }
  return changed;
}

namespace {
struct PrepareLargeFunctions : PassInfoMixin<PrepareLargeFunctions> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    if (!hasTooManyBlocks(function))
      return PreservedAnalyses::all();
    bool changed = shareConversions(function);
    changed |= hideSharedConditions(function);
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

/// A condition that InstCombine has found to be constant needs no hiding.
struct ShowConstantConditions : PassInfoMixin<ShowConstantConditions> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    Function *hide = function.getParent()->getFunction(kHidingFunction);
    return hide && show(*hide,
                        [&](CallInst *call) {
                          return call->getFunction() == &function &&
                                 isa<Constant>(call->getArgOperand(0));
                        })
               ? PreservedAnalyses::none()
               : PreservedAnalyses::all();
  }
};
} // namespace

void mlir::tile::prepareLargeFunctions(PassBuilder &builder) {
  // Equal conditions have become one, and InstCombine is still to come.
  builder.registerPipelineEarlySimplificationEPCallback(
      [](ModulePassManager &passes, OptimizationLevel, ThinOrFullLTOPhase) {
        passes.addPass(
            createModuleToFunctionPassAdaptor(PrepareLargeFunctions()));
      });
  builder.registerPeepholeEPCallback(
      [](FunctionPassManager &passes, OptimizationLevel) {
        passes.addPass(ShowConstantConditions());
      });
}

void mlir::tile::showSharedConditions(Module &module) {
  Function *hide = module.getFunction(kHidingFunction);
  if (!hide)
    return;
  show(*hide, [](CallInst *) { return true; });
  hide->eraseFromParent();
}

//===----------------------------------------------------------------------===//
// Code generation
//===----------------------------------------------------------------------===//

void mlir::tile::boundCoalescing() {
  // LLVM bounds it at 256 copies for registers of 100 values or more; those of
  // inline assembly's operands have one value, and a copy for each use. What
  // is not merged stays a `mov`, which the assembler merges.
  auto &options = cl::getRegisteredOptions();
  auto option = options.find("large-interval-size-threshold");
  if (option != options.end())
    static_cast<cl::opt<unsigned> *>(option->second)->setInitialValue(0);
}

/// Straight-line strength reduction compares the additions of a block with each
/// other: 28 of the 29 seconds of a block of 16,000 instructions, where
/// fragments are written out. The blocks of benchmarks and examples have at
/// most 2,000.
static bool isTooLarge(const BasicBlock &block) {
  constexpr size_t kMost = 6000;
  return block.size() > kMost;
}

LargeCodeGate::LargeCodeGate(Module &module)
    : context(module.getContext()), previous(context.getOptPassGate()) {
  for (const Function &function : module) {
    hasManyBlocks |= hasTooManyBlocks(function);
    hasLargeBlock |= any_of(function, isTooLarge);
  }
  if (hasLargeBlock || hasManyBlocks)
    context.setOptPassGate(*this);
}

LargeCodeGate::~LargeCodeGate() { context.setOptPassGate(previous); }

bool LargeCodeGate::shouldRunPass(StringRef name, StringRef) const {
  if (name == "slsr")
    return !hasLargeBlock && !hasManyBlocks;
  // NVPTX's own value numbering is left out as the optimizer's is.
  return !(hasManyBlocks && (name == "gvn" || name == "machine-cse"));
}
