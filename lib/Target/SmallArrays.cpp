//===- SmallArrays.cpp - a thread's arrays indexed at run time ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SmallArrays.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/SROA.h"

using namespace llvm;

namespace {
/// Places of which one is chosen, and choices in all accesses of an array: a
/// choice is a comparison and a select, an access of memory that hits takes
/// some 30 cycles.
constexpr uint64_t kMaxPlaces = 8;
constexpr uint64_t kMaxChoices = 64;

/// A load or store of an array at an offset that is known at run time only, but
/// for its remainder by a power of two that is no less than what it accesses.
struct Access {
  Instruction *op;
  Value *index;
  APInt scale, constant; // the offset is index * scale + constant
  uint64_t bytes;
  SmallVector<uint64_t, kMaxPlaces> places; // where it may be
};

class SmallArray {
public:
  explicit SmallArray(AllocaInst &array)
      : array(array), layout(array.getDataLayout()) {}

  /// Finds what accesses the array; whether it can become registers that way.
  bool isSuited() {
    std::optional<TypeSize> allocated = array.getAllocationSize(layout);
    if (!allocated || allocated->isScalable())
      return false;
    size = allocated->getFixedValue();
    SmallVector<Instruction *> open{&array};
    while (!open.empty())
      for (User *user : open.pop_back_val()->users()) {
        auto *op = cast<Instruction>(user);
        if (isa<GetElementPtrInst>(op))
          open.push_back(op);
        else if (!isa<LifetimeIntrinsic>(op) && !addAccess(*op))
          return false;
      }
    uint64_t choices = 0;
    for (const Access &access : accesses) {
      if (access.places.empty() || access.places.size() > kMaxPlaces)
        return false;
      choices += access.places.size() - 1;
    }
    return !accesses.empty() && choices <= kMaxChoices;
  }

  void rewrite() {
    for (const Access &access : accesses)
      if (auto *load = dyn_cast<LoadInst>(access.op))
        choose(*load, access);
      else
        update(*cast<StoreInst>(access.op), access);
  }

private:
  bool addAccess(Instruction &op) {
    auto *load = dyn_cast<LoadInst>(&op);
    auto *store = dyn_cast<StoreInst>(&op);
    if ((!load && !store) || op.isVolatile() || op.isAtomic() ||
        (store && getUnderlyingObject(store->getValueOperand()) == &array))
      return false;
    Type *type = load ? load->getType() : store->getValueOperand()->getType();
    Value *pointer = getLoadStorePointerOperand(&op);
    unsigned width = layout.getIndexTypeSizeInBits(pointer->getType());
    APInt constant(width, 0);
    SmallMapVector<Value *, APInt, 4> variables;
    for (Value *at = pointer; at != &array;) {
      auto *step = dyn_cast<GEPOperator>(at);
      if (!step || !step->collectOffset(layout, width, variables, constant))
        return false;
      at = step->getPointerOperand();
    }
    if (variables.empty())
      return true;
    TypeSize bytes = layout.getTypeStoreSize(type);
    if (variables.size() != 1 || bytes.isScalable() ||
        layout.getTypeSizeInBits(type) != bytes * 8)
      return false;
    auto [index, scale] = variables.front();
    unsigned zeros =
        std::min(63u, computeKnownBits(index, layout).countMinTrailingZeros() +
                          scale.countr_zero());
    uint64_t step = uint64_t(1) << zeros, moved = bytes.getFixedValue();
    if (moved > step || index->getType()->getIntegerBitWidth() > width)
      return false;
    Access &access =
        accesses.emplace_back(Access{&op, index, scale, constant, moved, {}});
    // Beyond, of an array of many elements, only their number counts.
    for (uint64_t place = constant.getZExtValue() & (step - 1);
         place + moved <= size && access.places.size() <= kMaxPlaces;
         place += step)
      access.places.push_back(place);
    return true;
  }

  /// Whether the access is at `place`.
  Value *isAt(IRBuilder<> &builder, const Access &access, uint64_t place) {
    IntegerType *type = builder.getIntNTy(access.scale.getBitWidth());
    Value *offset = builder.CreateSExt(access.index, type);
    offset = builder.CreateMul(offset, ConstantInt::get(type, access.scale));
    offset = builder.CreateAdd(offset, ConstantInt::get(type, access.constant));
    return builder.CreateICmpEQ(offset, ConstantInt::get(type, place));
  }

  Value *pointerTo(IRBuilder<> &builder, uint64_t place) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), &array,
                                              place);
  }

  void choose(LoadInst &load, const Access &access) {
    IRBuilder<> builder(&load);
    Type *bits = builder.getIntNTy(access.bytes * 8);
    Value *chosen = nullptr;
    for (uint64_t place : access.places) {
      Value *here = builder.CreateAlignedLoad(
          bits, pointerTo(builder, place), commonAlignment(load.getAlign(), 1));
      chosen = chosen ? builder.CreateSelect(isAt(builder, access, place), here,
                                             chosen)
                      : here;
    }
    load.replaceAllUsesWith(
        builder.CreateBitOrPointerCast(chosen, load.getType()));
    load.eraseFromParent();
  }

  void update(StoreInst &store, const Access &access) {
    IRBuilder<> builder(&store);
    Type *bits = builder.getIntNTy(access.bytes * 8);
    Value *value =
        builder.CreateBitOrPointerCast(store.getValueOperand(), bits);
    Align align = commonAlignment(store.getAlign(), 1);
    for (uint64_t place : access.places) {
      Value *pointer = pointerTo(builder, place);
      Value *old = builder.CreateAlignedLoad(bits, pointer, align);
      builder.CreateAlignedStore(
          builder.CreateSelect(isAt(builder, access, place), value, old),
          pointer, align);
    }
    store.eraseFromParent();
  }

  AllocaInst &array;
  const DataLayout &layout;
  uint64_t size = 0;
  SmallVector<Access> accesses;
};

struct SelectFromSmallArrays : PassInfoMixin<SelectFromSmallArrays> {
  PreservedAnalyses run(Function &function,
                        FunctionAnalysisManager &functions) {
    SmallVector<AllocaInst *> arrays;
    for (Instruction &op : function.getEntryBlock())
      if (auto *array = dyn_cast<AllocaInst>(&op))
        arrays.push_back(array);
    bool changed = false;
    for (AllocaInst *array : arrays)
      if (SmallArray small(*array); small.isSuited()) {
        small.rewrite();
        changed = true;
      }
    if (!changed)
      return PreservedAnalyses::all();
    functions.invalidate(function, PreservedAnalyses::none());
    SROAPass(SROAOptions::PreserveCFG).run(function, functions);
    functions.invalidate(function, PreservedAnalyses::none());
    InstCombinePass().run(function, functions);
    return PreservedAnalyses::none();
  }
};
} // namespace

void mlir::tile::selectFromSmallArrays(PassBuilder &builder) {
  builder.registerOptimizerLastEPCallback([](ModulePassManager &passes,
                                             OptimizationLevel,
                                             ThinOrFullLTOPhase) {
    passes.addPass(createModuleToFunctionPassAdaptor(SelectFromSmallArrays()));
  });
}
