//===- CachePolicy.cpp - loads and stores with a policy of the L2 cache ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "CachePolicy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <optional>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

namespace {
/// How an access of some bytes is spelled: LLVM has no loads and stores with a
/// policy. Bytes travel in registers of 16 bits.
struct Spelling {
  StringRef type, constraint;
  unsigned registerBits, count;
};
} // namespace

static std::optional<Spelling> spell(unsigned bytes) {
  switch (bytes) {
  case 1:
    return Spelling{"b8", "h", 16, 1};
  case 2:
    return Spelling{"b16", "h", 16, 1};
  case 4:
    return Spelling{"b32", "r", 32, 1};
  case 8:
    return Spelling{"b64", "l", 64, 1};
  case 16:
    return Spelling{"v2.b64", "l", 64, 2};
  }
  return std::nullopt;
}

Value tile::nvvm::loadWithPolicy(KernelLowering &lowering, Value pointer,
                                 Type type, unsigned bytes, Value policy,
                                 bool isConstant) {
  auto &b = lowering.builder;
  std::optional<Spelling> form = policy ? spell(bytes) : std::nullopt;
  if (!form)
    return LLVM::LoadOp::create(b, type, pointer, bytes);
  Type part = b.getIntegerType(form->registerBits);
  bool isPair = form->count == 2;
  std::string results = isPair ? "{$0, $1}" : "$0";
  std::string text = std::string("ld.global.") + (isConstant ? "nc." : "") +
                     "L2::cache_hint." + form->type.str() + " " + results +
                     (isPair ? ", [$2], $3;" : ", [$1], $2;");
  std::string outputs = "=" + form->constraint.str();
  if (isPair)
    outputs += "," + outputs;
  // What nobody writes may be loaded before what is stored in front of it.
  Value loaded =
      lowering
          .inlineAsm(SmallVector<Type>(form->count, part), text,
                     outputs + (isConstant ? ",l,l" : ",l,l,~{memory}"),
                     {pointer, policy},
                     /*sideEffects=*/!isConstant)
          .getRes();
  if (isPair) {
    Value words = LLVM::PoisonOp::create(b, VectorType::get({2}, part));
    for (int64_t i : {0, 1})
      words = LLVM::InsertElementOp::create(
          b, words, LLVM::ExtractValueOp::create(b, loaded, i),
          lowering.i32(i));
    loaded = words;
  } else if (bytes == 1) {
    loaded = arith::TruncIOp::create(b, b.getI8Type(), loaded);
  }
  return loaded.getType() == type ? loaded
                                  : LLVM::BitcastOp::create(b, type, loaded);
}

void tile::nvvm::storeWithPolicy(KernelLowering &lowering, Value pointer,
                                 Value value, unsigned bytes, Value policy) {
  auto &b = lowering.builder;
  std::optional<Spelling> form = policy ? spell(bytes) : std::nullopt;
  if (!form) {
    LLVM::StoreOp::create(b, value, pointer, bytes);
    return;
  }
  Type part = b.getIntegerType(form->registerBits);
  bool isPair = form->count == 2;
  Type whole = isPair       ? VectorType::get({2}, part)
               : bytes == 1 ? Type(b.getI8Type())
                            : part;
  if (value.getType() != whole)
    value = LLVM::BitcastOp::create(b, whole, value);
  if (bytes == 1)
    value = arith::ExtUIOp::create(b, part, value);
  SmallVector<Value> operands{pointer};
  for (int64_t i = 0; isPair && i < 2; ++i)
    operands.push_back(
        LLVM::ExtractElementOp::create(b, value, lowering.i32(i)));
  if (!isPair)
    operands.push_back(value);
  operands.push_back(policy);
  std::string constraint = form->constraint.str();
  lowering.inlineAsm(TypeRange(),
                     "st.global.L2::cache_hint." + form->type.str() +
                         (isPair ? " [$0], {$1, $2}, $3;" : " [$0], $1, $2;"),
                     "l," + constraint + (isPair ? "," + constraint : "") +
                         ",l,~{memory}",
                     operands);
}
