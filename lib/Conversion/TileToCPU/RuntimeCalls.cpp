//===- RuntimeCalls.cpp - calls of who runs the program -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "RuntimeCalls.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::tile;

RuntimeCalls::RuntimeCalls(Operation *op) : loc(op->getLoc()) {
  function = op->getParentOfType<func::FuncOp>();
  module = function->getParentOfType<ModuleOp>();
  context = function.getArguments().back();
  block = getBlockLoop(function).getInductionVar();
}

void RuntimeCalls::printBegin(OpBuilder &b, Value message) {
  call(b, "print_begin", {block, message});
}

void RuntimeCalls::printIndex(OpBuilder &b, Value index) {
  call(b, "print_index", {index});
}

void RuntimeCalls::printValue(OpBuilder &b, Value value) {
  if (isa<FloatType>(value.getType()))
    call(b, "print_float", {castElement(b, loc, value, b.getF64Type())});
  else
    call(b, "print_int", {castElement(b, loc, value, b.getI64Type())});
}

void RuntimeCalls::check(OpBuilder &b, Value condition, StringRef message) {
  Value text = this->message(b, message);
  Value one = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  Value broken = arith::XOrIOp::create(b, loc, condition, one);
  auto branch = scf::IfOp::create(b, loc, broken);
  OpBuilder inner = branch.getThenBodyBuilder();
  call(inner, "assert_failed", {block, text});
}

func::CallOp RuntimeCalls::call(OpBuilder &b, StringRef name,
                                ValueRange operands, TypeRange results) {
  std::string symbol = ("tile_cpu_" + name).str();
  SmallVector<Value> all{context};
  llvm::append_range(all, operands);
  if (!module.lookupSymbol(symbol)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    func::FuncOp::create(b, loc, symbol,
                         b.getFunctionType(TypeRange(ValueRange(all)), results))
        .setPrivate();
  }
  return func::CallOp::create(b, loc, symbol, results, all);
}

Value RuntimeCalls::message(OpBuilder &b, StringRef text) {
  // What is written out many times says one sentence: its symbol is its hash.
  std::string bytes = text.str() + '\0', name;
  StringAttr content = b.getStringAttr(bytes);
  OpBuilder::InsertionGuard guard(b);
  for (uint64_t hash = llvm::xxh3_64bits(bytes);; ++hash) {
    name = "tile.message." + llvm::utohexstr(hash);
    auto global = module.lookupSymbol<LLVM::GlobalOp>(name);
    if (global && global.getValueAttr() != content)
      continue;
    if (!global) {
      b.setInsertionPointToStart(module.getBody());
      LLVM::GlobalOp::create(
          b, loc, LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size()),
          /*isConstant=*/true, LLVM::Linkage::Internal, name, content);
    }
    break;
  }
  b.setInsertionPointToStart(&function.getBody().front());
  return LLVM::AddressOfOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()), name);
}
