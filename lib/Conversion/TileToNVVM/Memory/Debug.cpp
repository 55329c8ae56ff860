//===- Debug.cpp - lowering of print and assert ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Printing goes through the device's vprintf; a failed assertion prints its
// message and traps.
//
//===----------------------------------------------------------------------===//
#include "Moves/Endpoint.h"
#include "ScalarMemory.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// Address of a null-terminated string in constant memory of the module.
static Value stringConstant(KernelLowering &lowering, Operation *op,
                            StringRef text) {
  auto &b = lowering.builder;
  auto module = lowering.entry->getParentOp()->getParentOfType<ModuleOp>();
  std::string name = "tile_text_" + llvm::utohexstr(llvm::xxh3_64bits(text));
  std::string bytes = text.str();
  bytes.push_back('\0');
  auto global = module.lookupSymbol<LLVM::GlobalOp>(name);
  if (!global) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    global = LLVM::GlobalOp::create(
        b, LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal, name,
        b.getStringAttr(bytes));
  }
  return LLVM::AddressOfOp::create(b, global);
}

/// vprintf(format, arguments): arguments are promoted as C's varargs are.
static LogicalResult emitPrintf(KernelLowering &lowering, Operation *op,
                                StringRef format, ArrayRef<Value> arguments) {
  auto &b = lowering.builder;
  auto module = lowering.entry->getParentOp()->getParentOfType<ModuleOp>();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>("vprintf");
  if (!function) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    function = LLVM::LLVMFuncOp::create(
        b, "vprintf",
        LLVM::LLVMFunctionType::get(b.getI32Type(), {pointer, pointer}));
  }
  SmallVector<Type> types;
  for (Value argument : arguments)
    types.push_back(argument.getType());
  Value buffer;
  if (arguments.empty()) {
    buffer = LLVM::ZeroOp::create(b, pointer);
  } else {
    Type packed = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(lowering.entry);
      buffer = LLVM::AllocaOp::create(b, pointer, packed, lowering.i32(1), 8);
    }
    for (auto [i, argument] : llvm::enumerate(arguments)) {
      Value slot = LLVM::GEPOp::create(
          b, pointer, packed, buffer,
          ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(i)});
      LLVM::StoreOp::create(b, argument, slot);
    }
  }
  LLVM::CallOp::create(
      b, function, ValueRange{stringConstant(lowering, op, format), buffer});
  return success();
}

/// printf conversion of a value, and the value as varargs take it.
static std::pair<StringRef, Value> promote(KernelLowering &lowering,
                                           Value value) {
  auto &b = lowering.builder;
  if (isa<FloatType>(value.getType()))
    return {"%g", lowering.convertElement(value, b.getF64Type())};
  if (value.getType().isInteger(1))
    return {"%lld", b.createOrFold<arith::ExtUIOp>(b.getI64Type(), value)};
  if (value.getType().isIndex() || value.getType().isInteger(64))
    return {"%lld", lowering.toI64(value)};
  return {"%lld", b.createOrFold<arith::ExtSIOp>(b.getI64Type(), value)};
}

static std::string escaped(StringRef text) {
  std::string result;
  for (char c : text) {
    result.push_back(c);
    if (c == '%')
      result.push_back('%');
  }
  return result;
}

static LogicalResult under(KernelLowering &lowering, Value predicate,
                           llvm::function_ref<LogicalResult()> body) {
  if (!predicate)
    return body();
  auto branch =
      scf::IfOp::create(lowering.builder, predicate, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(lowering.builder);
  lowering.builder.setInsertionPointToStart(branch.thenBlock());
  return body();
}

static Value isThreadZero(KernelLowering &lowering) {
  return lowering.builder.createOrFold<arith::CmpIOp>(
      arith::CmpIPredicate::eq, lowering.threadId(), lowering.i32(0));
}

static LogicalResult lowerPrint(KernelLowering &lowering, PrintOp print) {
  Operation *op = print;
  Value value = print.getValue();
  std::string message = escaped(print.getMessage());
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type) {
    // In a parallel loop every iteration prints; at block level thread 0 speaks
    // for the block.
    Value speaker = lowering.insideParallel ? Value() : isThreadZero(lowering);
    return under(lowering, speaker, [&] {
      auto [conversion, promoted] = promote(lowering, value);
      return emitPrintf(lowering, op, message + ": " + conversion.str() + "\n",
                        {promoted});
    });
  }
  auto emitElement = [&](ArrayRef<Value> coordinates, Value element) {
    std::string format = message + "[";
    SmallVector<Value> arguments;
    for (auto [d, coordinate] : llvm::enumerate(coordinates)) {
      format += d ? ", %lld" : "%lld";
      arguments.push_back(lowering.toI64(coordinate));
    }
    auto [conversion, promoted] = promote(lowering, element);
    arguments.push_back(promoted);
    return emitPrintf(lowering, op, format + "]: " + conversion.str() + "\n",
                      arguments);
  };
  if (isFragment(value)) {
    FailureOr<FragmentBuffer> fragment = lowering.fragment(value, op);
    if (failed(fragment))
      return failure();
    const FragmentLayout &layout = fragment->layout;
    SmallVector<Value> threadPart = lowering.threadCoordinates(layout);
    Value first = lowering.firstReplica(layout);
    for (int64_t r = 0, e = layout.numRegisters(); r < e; ++r) {
      Value predicate = lowering.inBounds(layout, threadPart, r);
      if (first)
        predicate =
            predicate
                ? lowering.builder.createOrFold<arith::AndIOp>(first, predicate)
                : first;
      LogicalResult result = under(lowering, predicate, [&] {
        SmallVector<Value> at;
        for (const ThreadCoordinate &coordinate :
             lowering.coordinates(threadPart, layout, r))
          at.push_back(lowering.materialize(coordinate));
        return emitElement(
            at, lowering.loadRegister(*fragment, type.getElementType(), r));
      });
      if (failed(result))
        return failure();
    }
    return success();
  }
  // A shared tile: thread 0 walks it in order.
  return under(lowering, isThreadZero(lowering), [&]() -> LogicalResult {
    auto &b = lowering.builder;
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Value> indices;
    Value zero = lowering.toIndex(lowering.i64(0));
    Value one = lowering.toIndex(lowering.i64(1));
    for (int64_t extent : type.getShape()) {
      auto loop = scf::ForOp::create(
          b, zero, lowering.toIndex(lowering.i64(extent)), one);
      b.setInsertionPointToStart(loop.getBody());
      indices.push_back(loop.getInductionVar());
    }
    FailureOr<Value> element = loadScalar(lowering, op, value, indices);
    if (failed(element))
      return failure();
    return emitElement(indices, *element);
  });
}

static LogicalResult lowerAssert(KernelLowering &lowering, AssertOp assertion) {
  Operation *op = assertion;
  auto &b = lowering.builder;
  Value violated = b.createOrFold<arith::XOrIOp>(
      assertion.getCondition(),
      arith::ConstantIntOp::create(b, b.getI1Type(), 1));
  return under(lowering, violated, [&]() -> LogicalResult {
    std::string text =
        "assertion failed: " + escaped(assertion.getMessage()) + "\n";
    if (failed(emitPrintf(lowering, op, text, {})))
      return failure();
    lowering.inlineAsm(TypeRange(), "trap;", "", {});
    return success();
  });
}

void tile::nvvm::registerDebugLowerings(Registry &registry) {
  registry.add<PrintOp>(lowerPrint);
  registry.add<AssertOp>(lowerAssert);
}
