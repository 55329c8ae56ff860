//===- Instrument.cpp - kernels that call the machine ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Instrument.h"
#include "ReadOnlyCache.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"

using namespace llvm;
using namespace mlir::tile::lowered;

/// Values of one access that are passed through memory: LLVM's widest loads and
/// stores have 64 bytes.
static constexpr unsigned kTemporaryBytes = 256;

std::string mlir::tile::lowered::entryName(StringRef kernel) {
  return (kernel + ".lowered").str();
}

namespace {
class Instrumenter {
public:
  Instrumenter(Module &module, void *self, ProgramTables &tables)
      : module(module), context(module.getContext()),
        layout(module.getDataLayout()), tables(tables) {
    i32 = Type::getInt32Ty(context);
    i64 = Type::getInt64Ty(context);
    pointer = PointerType::get(context, 0);
    this->self = ConstantExpr::getIntToPtr(
        ConstantInt::get(i64, reinterpret_cast<uintptr_t>(self)), pointer);
  }

  std::string run();

private:
  void fail(const Instruction &at, const Twine &what) {
    if (!error.empty())
      return;
    std::string text;
    raw_string_ostream(text) << at;
    error = (what + ": " + StringRef(text).trim()).str();
  }

  Constant *number(uint64_t value) { return ConstantInt::get(i32, value); }
  uint32_t addSite(const Instruction &instruction, const Twine &what);
  FunctionCallee runtime(StringRef name, Type *result,
                         ArrayRef<Type *> parameters) {
    return module.getOrInsertFunction(
        name, FunctionType::get(result, parameters, false));
  }

  void rewrite(Function &function);
  void rewrite(Instruction &instruction);
  std::optional<Space> spaceOf(const Instruction &at, const Value *address);
  Value *hostAddress(IRBuilder<> &builder, const Instruction &at,
                     Value *address, Space space, Type *type, unsigned kind,
                     Align alignment, const Twine &what);
  void rewriteLoad(LoadInst &load);
  void rewriteStore(StoreInst &store);
  void rewriteAtomic(Instruction &atomic, Value *address, Type *type,
                     AtomicOrdering ordering);
  void rewriteAssembly(CallInst &call, const InlineAsm &assembly);
  void rewriteIntrinsic(CallInst &call, StringRef name);
  void rewritePrint(CallInst &call);
  void giveResult(BinaryOperator &division);
  void replaceByText(CallInst &call, StringRef text, StringRef what,
                     ArrayRef<int> ties);
  Value *toWord(IRBuilder<> &builder, Value *value);
  Value *fromWord(IRBuilder<> &builder, Value *word, Type *type);
  void addEntry(Function &kernel);

  Module &module;
  LLVMContext &context;
  const DataLayout &layout;
  ProgramTables &tables;
  Type *i32, *i64, *pointer;
  Constant *self;
  AllocaInst *slots = nullptr, *temporary = nullptr; ///< of the function
  unsigned mostSlots = 0;
  std::string error;
};
} // namespace

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

uint32_t Instrumenter::addSite(const Instruction &instruction,
                               const Twine &what) {
  Site site;
  site.what = what.str();
  if (const DILocation *location = instruction.getDebugLoc().get())
    if (location->getLine())
      site.location =
          (location->getFilename() + ":" + Twine(location->getLine()) + ":" +
           Twine(location->getColumn()))
              .str();
  tables.sites.push_back(std::move(site));
  return uint32_t(tables.sites.size() - 1);
}

/// The space of an access; nothing for memory that is the host's already:
/// variables of the thread, parameters, constants.
std::optional<Space> Instrumenter::spaceOf(const Instruction &at,
                                           const Value *address) {
  // Which of a thread's own arrays it is may be decided at run time.
  SmallVector<const Value *> objects;
  getUnderlyingObjects(address, objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  if (llvm::all_of(objects, [](const Value *object) {
        auto *argument = dyn_cast<Argument>(object);
        return isa<AllocaInst, GlobalVariable>(object) ||
               (argument && argument->hasByValAttr());
      }))
    return std::nullopt;
  const Value *object = getUnderlyingObject(address, /*MaxLookup=*/0);
  unsigned space = address->getType()->getPointerAddressSpace();
  if (space == 0)
    space = object->getType()->getPointerAddressSpace();
  switch (space) {
  case unsigned(Space::Global):
  case unsigned(Space::Shared):
  case unsigned(Space::Cluster):
    return Space(space);
  }
  fail(at, "expected an address of global or shared memory");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value *Instrumenter::hostAddress(IRBuilder<> &builder, const Instruction &at,
                                 Value *address, Space space, Type *type,
                                 unsigned kind, Align alignment,
                                 const Twine &what) {
  FunctionCallee function = runtime(kAccessFunction, pointer,
                                    {pointer, i64, i32, i32, i32, i32, i32});
  return builder.CreateCall(
      function,
      {self, builder.CreatePtrToInt(address, i64), number(unsigned(space)),
       number(kind), number(layout.getTypeStoreSize(type).getFixedValue()),
       number(addSite(at, what)), number(alignment.value())});
}

void Instrumenter::rewriteLoad(LoadInst &load) {
  std::optional<Space> space = spaceOf(load, load.getPointerOperand());
  if (!space)
    return;
  IRBuilder<> builder(&load);
  unsigned kind =
      unsigned(load.isAtomic() ? AccessKind::Atomic : AccessKind::Read);
  if (isAcquireOrStronger(load.getOrdering()))
    kind |= kAcquires;
  if (load.isAtomic())
    kind |= kPolls;
  // Pieces of rows that start anywhere, marked by their place (Realign.cpp).
  if (*space == Space::Global && load.getDebugLoc() &&
      load.getDebugLoc()->getInlinedAt())
    kind = unsigned(AccessKind::PieceRead);
  else if (readsThroughReadOnlyCache(load))
    kind |= kReadOnlyCache;
  Value *host = hostAddress(builder, load, load.getPointerOperand(), *space,
                            load.getType(), kind, load.getAlign(), "a load");
  load.replaceAllUsesWith(
      builder.CreateAlignedLoad(load.getType(), host, Align(1)));
  load.eraseFromParent();
}

void Instrumenter::rewriteStore(StoreInst &store) {
  std::optional<Space> space = spaceOf(store, store.getPointerOperand());
  if (!space)
    return;
  Type *type = store.getValueOperand()->getType();
  uint64_t bytes = layout.getTypeStoreSize(type).getFixedValue();
  if (bytes > kTemporaryBytes)
    return fail(store, "expected at most 256 bytes");
  IRBuilder<> builder(&store);
  unsigned kind =
      unsigned(store.isAtomic() ? AccessKind::Atomic : AccessKind::Write);
  if (isReleaseOrStronger(store.getOrdering()))
    kind |= kReleases;
  builder.CreateAlignedStore(store.getValueOperand(), temporary, Align(1));
  FunctionCallee function =
      runtime(kStoreFunction, Type::getVoidTy(context),
              {pointer, i64, i32, i32, i32, i32, i32, pointer});
  builder.CreateCall(
      function, {self, builder.CreatePtrToInt(store.getPointerOperand(), i64),
                 number(unsigned(*space)), number(kind), number(bytes),
                 number(addSite(store, "a store")),
                 number(store.getAlign().value()), temporary});
  store.eraseFromParent();
}

/// The access is the machine's, the operation the host's: one thread runs at a
/// time.
void Instrumenter::rewriteAtomic(Instruction &atomic, Value *address,
                                 Type *type, AtomicOrdering ordering) {
  std::optional<Space> space = spaceOf(atomic, address);
  if (!space)
    return;
  unsigned kind = unsigned(AccessKind::Atomic);
  if (isAcquireOrStronger(ordering))
    kind |= kAcquires;
  if (isReleaseOrStronger(ordering))
    kind |= kReleases;
  if (!atomic.use_empty())
    kind |= kYields;
  IRBuilder<> builder(&atomic);
  Value *host =
      hostAddress(builder, atomic, address, *space, type, kind,
                  Align(layout.getTypeStoreSize(type).getFixedValue()),
                  "an atomic operation");
  Instruction *copy = nullptr;
  if (auto *rmw = dyn_cast<AtomicRMWInst>(&atomic))
    copy =
        builder.CreateAtomicRMW(rmw->getOperation(), host, rmw->getValOperand(),
                                rmw->getAlign(), rmw->getOrdering());
  else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&atomic))
    copy = builder.CreateAtomicCmpXchg(
        host, exchange->getCompareOperand(), exchange->getNewValOperand(),
        exchange->getAlign(), exchange->getSuccessOrdering(),
        exchange->getFailureOrdering());
  atomic.replaceAllUsesWith(copy);
  atomic.eraseFromParent();
}

//===----------------------------------------------------------------------===//
// PTX
//===----------------------------------------------------------------------===//

Value *Instrumenter::toWord(IRBuilder<> &builder, Value *value) {
  Type *type = value->getType();
  if (type->isPointerTy())
    return builder.CreatePtrToInt(value, i64);
  unsigned bits = unsigned(type->getPrimitiveSizeInBits());
  if (bits == 0 || bits > 64)
    return nullptr;
  if (!type->isIntegerTy())
    value = builder.CreateBitCast(value, builder.getIntNTy(bits));
  return builder.CreateZExtOrTrunc(value, i64);
}

Value *Instrumenter::fromWord(IRBuilder<> &builder, Value *word, Type *type) {
  if (type->isPointerTy())
    return builder.CreateIntToPtr(word, type);
  unsigned bits = unsigned(type->getPrimitiveSizeInBits());
  if (bits == 0 || bits > 64)
    return nullptr;
  Value *narrow = builder.CreateTrunc(word, builder.getIntNTy(bits));
  return type->isIntegerTy() ? narrow : builder.CreateBitCast(narrow, type);
}

/// The call becomes the execution of `text`: results and arguments are its
/// operands, in this order. `ties`: for each argument the result whose register
/// it starts in, or -1.
void Instrumenter::replaceByText(CallInst &call, StringRef text, StringRef what,
                                 ArrayRef<int> ties) {
  Type *resultType = call.getType();
  SmallVector<Type *> results;
  if (auto *structure = dyn_cast<StructType>(resultType))
    results.append(structure->element_begin(), structure->element_end());
  else if (!resultType->isVoidTy())
    results.push_back(resultType);

  Text entry;
  entry.numOutputs = unsigned(results.size());
  SmallVector<bool> predicates;
  for (Type *type : results)
    predicates.push_back(type->isIntegerTy(1));
  for (const Use &argument : call.args())
    predicates.push_back(argument->getType()->isIntegerTy(1));
  std::string wrong = readPtx(text, predicates, entry.code);
  if (!wrong.empty())
    return fail(call, wrong);
  uint32_t site = addSite(call, what);
  entry.takesTags = true;
  for (PtxInstruction &instruction : entry.code.instructions) {
    instruction.site = site;
    entry.takesTags &= StringRef(instruction.mnemonic).starts_with("wgmma.") ||
                       StringRef(instruction.mnemonic).starts_with("setp.") ||
                       StringRef(instruction.mnemonic).starts_with("add.s64");
  }
  mostSlots = std::max(mostSlots, entry.code.numSlots);
  tables.texts.push_back(std::move(entry));

  IRBuilder<> builder(&call);
  auto slot = [&](size_t index) {
    return builder.CreateConstInBoundsGEP1_64(i64, slots, index);
  };
  for (size_t r = 0; r < results.size(); ++r)
    builder.CreateStore(ConstantInt::get(i64, 0), slot(r));
  for (unsigned a = 0; a < call.arg_size(); ++a) {
    Value *word = toWord(builder, call.getArgOperand(a));
    if (!word)
      return fail(call, "expected operands of at most 64 bits");
    builder.CreateStore(word, slot(results.size() + a));
    if (a < ties.size() && ties[a] >= 0)
      builder.CreateStore(word, slot(size_t(ties[a])));
  }
  FunctionCallee function = runtime(kExecuteFunction, Type::getVoidTy(context),
                                    {pointer, i32, pointer});
  builder.CreateCall(function, {self, number(tables.texts.size() - 1), slots});
  if (!results.empty()) {
    Value *all = PoisonValue::get(resultType);
    for (auto [r, type] : enumerate(results)) {
      Value *value = fromWord(builder, builder.CreateLoad(i64, slot(r)), type);
      if (!value)
        return fail(call, "expected results of at most 64 bits");
      all = resultType->isStructTy()
                ? builder.CreateInsertValue(all, value, unsigned(r))
                : value;
    }
    call.replaceAllUsesWith(all);
  }
  call.eraseFromParent();
}

void Instrumenter::rewriteAssembly(CallInst &call, const InlineAsm &assembly) {
  SmallVector<int> ties;
  for (const InlineAsm::ConstraintInfo &info : assembly.ParseConstraints()) {
    if (info.Type != InlineAsm::isInput)
      continue;
    int tied = -1;
    if (!info.Codes.empty() && !StringRef(info.Codes[0]).getAsInteger(10, tied))
      ties.push_back(tied);
    else
      ties.push_back(-1);
  }
  // A tied argument also has a number of its own in the text.
  replaceByText(call, assembly.getAsmString(), "inline PTX", ties);
}

void Instrumenter::rewriteIntrinsic(CallInst &call, StringRef name) {
  std::string text = name.str();
  unsigned results = 0;
  if (auto *structure = dyn_cast<StructType>(call.getType()))
    results = structure->getNumElements();
  else if (!call.getType()->isVoidTy())
    results = 1;
  for (unsigned k = 0; k < results + call.arg_size(); ++k)
    text += (k ? ", $" : " $") + std::to_string(k);
  replaceByText(call, text + ";", name, {});
}

/// vprintf(format, arguments)
void Instrumenter::rewritePrint(CallInst &call) {
  IRBuilder<> builder(&call);
  FunctionCallee function =
      runtime(kPrintFunction, i32, {pointer, pointer, pointer});
  auto generic = [&](Value *value) {
    return builder.CreateIntToPtr(builder.CreatePtrToInt(value, i64), pointer);
  };
  call.replaceAllUsesWith(
      builder.CreateCall(function, {self, generic(call.getArgOperand(0)),
                                    generic(call.getArgOperand(1))}));
  call.eraseFromParent();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// A host ends the process where a division has no result (by zero, or of the
/// least number by -1). A GPU goes on with some number, which a program may
/// compute and not use: here all ones, or what was divided.
void Instrumenter::giveResult(BinaryOperator &division) {
  Value *dividend = division.getOperand(0), *divisor = division.getOperand(1);
  bool isSigned = division.getOpcode() == Instruction::SDiv ||
                  division.getOpcode() == Instruction::SRem;
  bool isRemainder = division.getOpcode() == Instruction::URem ||
                     division.getOpcode() == Instruction::SRem;
  auto *constant = dyn_cast<Constant>(divisor);
  Type *type = divisor->getType();
  if (constant && type->isVectorTy())
    constant = constant->getSplatValue();
  if (auto *number = dyn_cast_or_null<ConstantInt>(constant);
      number && !number->isZero() && !(isSigned && number->isMinusOne()))
    return;
  IRBuilder<> builder(&division);
  Constant *ones = Constant::getAllOnesValue(type);
  Value *isZero = builder.CreateICmpEQ(divisor, Constant::getNullValue(type));
  Value *hasNone = isZero;
  if (isSigned) {
    APInt least = APInt::getSignedMinValue(type->getScalarSizeInBits());
    hasNone = builder.CreateOr(
        isZero, builder.CreateAnd(builder.CreateICmpEQ(
                                      dividend, ConstantInt::get(type, least)),
                                  builder.CreateICmpEQ(divisor, ones)));
  }
  division.setOperand(
      1, builder.CreateSelect(hasNone, ConstantInt::get(type, 1), divisor));
  builder.SetInsertPoint(division.getNextNode());
  auto *result = cast<SelectInst>(builder.Insert(
      SelectInst::Create(isZero, isRemainder ? dividend : ones, &division)));
  division.replaceUsesWithIf(result,
                             [&](Use &use) { return use.getUser() != result; });
}

void Instrumenter::rewrite(Instruction &instruction) {
  if (auto *operation = dyn_cast<BinaryOperator>(&instruction);
      operation && operation->isIntDivRem())
    return giveResult(*operation);
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return rewriteLoad(*load);
  if (auto *store = dyn_cast<StoreInst>(&instruction))
    return rewriteStore(*store);
  if (auto *rmw = dyn_cast<AtomicRMWInst>(&instruction))
    return rewriteAtomic(*rmw, rmw->getPointerOperand(),
                         rmw->getValOperand()->getType(), rmw->getOrdering());
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return rewriteAtomic(*exchange, exchange->getPointerOperand(),
                         exchange->getNewValOperand()->getType(),
                         exchange->getSuccessOrdering());
  auto *call = dyn_cast<CallInst>(&instruction);
  if (!call)
    return;
  if (auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand()))
    return rewriteAssembly(*call, *assembly);
  Function *callee = call->getCalledFunction();
  if (!callee)
    return fail(*call, "expected no indirect calls");
  StringRef name = callee->getName();
  if (name.consume_front("llvm.nvvm."))
    return rewriteIntrinsic(*call, name);
  if (isa<MemIntrinsic>(call)) {
    auto *moved = cast<MemIntrinsic>(call);
    if (moved->getDestAddressSpace() != 0)
      fail(*call, "expected no memory intrinsics of device memory");
    return;
  }
  if (callee->isIntrinsic())
    return;
  if (name == "vprintf")
    return rewritePrint(*call);
  fail(*call, "expected no call of '" + name + "'");
}

/// Whether a loop reads global memory that other blocks may be about to change.
static bool polls(Function &function) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  for (const Instruction &instruction : llvm::instructions(function)) {
    if (!instruction.isAtomic() || instruction.use_empty() ||
        !loops.getLoopFor(instruction.getParent()))
      continue;
    const Value *address = getLoadStorePointerOperand(&instruction);
    if (auto *rmw = dyn_cast<AtomicRMWInst>(&instruction))
      address = rmw->getPointerOperand();
    else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
      address = exchange->getPointerOperand();
    if (address &&
        address->getType()->getPointerAddressSpace() == unsigned(Space::Global))
      return true;
  }
  return false;
}

void Instrumenter::rewrite(Function &function) {
  if (polls(function))
    tables.pollingKernels.insert(function.getName());
  IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  slots = builder.CreateAlloca(i64, number(1));
  temporary = builder.CreateAlloca(
      ArrayType::get(builder.getInt8Ty(), kTemporaryBytes));
  temporary->setAlignment(Align(64));
  mostSlots = 1;
  SmallVector<Instruction *> instructions;
  for (Instruction &instruction : llvm::instructions(function))
    instructions.push_back(&instruction);
  for (Instruction *instruction : instructions)
    rewrite(*instruction);
  slots->setOperand(0, number(mostSlots));
}

/// `void NAME.lowered(void **params)`: each parameter of the kernel lies where
/// the array points; one that is passed by value is a pointer to it.
void Instrumenter::addEntry(Function &kernel) {
  Function *entry = Function::Create(
      FunctionType::get(Type::getVoidTy(context), {pointer}, false),
      GlobalValue::ExternalLinkage, entryName(kernel.getName()), module);
  IRBuilder<> builder(BasicBlock::Create(context, "entry", entry));
  SmallVector<Value *> values;
  for (Argument &argument : kernel.args()) {
    Value *place = builder.CreateLoad(
        pointer, builder.CreateConstGEP1_64(pointer, entry->getArg(0),
                                            argument.getArgNo()));
    if (argument.hasByValAttr())
      values.push_back(place);
    else
      values.push_back(
          builder.CreateAlignedLoad(argument.getType(), place, Align(1)));
  }
  // Attributes of the kernel are about a device.
  kernel.setAttributes(AttributeList());
  kernel.setCallingConv(CallingConv::C);
  kernel.setLinkage(GlobalValue::InternalLinkage);
  builder.CreateCall(&kernel, values);
  builder.CreateRetVoid();
}

std::string Instrumenter::run() {
  SmallVector<Function *> kernels;
  for (Function &function : module)
    if (!function.isDeclaration())
      kernels.push_back(&function);
  // Dynamic shared memory lies at the start of the window.
  for (GlobalVariable &global : make_early_inc_range(module.globals())) {
    if (global.getAddressSpace() != unsigned(Space::Shared))
      continue;
    if (!global.isDeclaration())
      return "expected no shared memory but the arena, got '" +
             global.getName().str() + "'";
    global.replaceAllUsesWith(ConstantExpr::getIntToPtr(
        ConstantInt::get(i64, kSharedBase), global.getType()));
    global.eraseFromParent();
  }
  for (Function *kernel : kernels) {
    if (kernel->getCallingConv() != CallingConv::PTX_Kernel)
      return "expected no functions but kernels, got '" +
             kernel->getName().str() + "'";
    rewrite(*kernel);
    if (!error.empty())
      return error;
  }
  for (Function *kernel : kernels)
    addEntry(*kernel);
  for (Function &function : make_early_inc_range(module))
    if (function.isDeclaration() && function.use_empty())
      function.eraseFromParent();
  if (NamedMDNode *node = module.getNamedMetadata("nvvm.annotations"))
    node->eraseFromParent();
  StripDebugInfo(module);
  raw_string_ostream stream(error);
  verifyModule(module, &stream);
  return error;
}

std::string mlir::tile::lowered::instrument(Module &module, void *self,
                                            ProgramTables &tables) {
  return Instrumenter(module, self, tables).run();
}
