//===- PackedMemory.cpp - elements of half a byte -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "PackedMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

static constexpr int64_t kBits = 4;

static Value integer(KernelLowering &lowering, Type type, int64_t value) {
  return arith::ConstantOp::create(lowering.builder,
                                   IntegerAttr::get(type, value));
}

/// i4 -> the element type, and back.
static Value fromNibble(KernelLowering &lowering, Value nibble, Type type) {
  return type == nibble.getType()
             ? nibble
             : Value(arith::BitcastOp::create(lowering.builder, type, nibble));
}
static Value toNibble(KernelLowering &lowering, Value value) {
  Type i4 = lowering.builder.getIntegerType(kBits);
  return value.getType() == i4
             ? value
             : Value(arith::BitcastOp::create(lowering.builder, i4, value));
}

static unsigned addressSpaceOf(const PackedPlace &place) {
  return cast<LLVM::LLVMPointerType>(place.pointer.getType()).getAddressSpace();
}
/// Who may touch the bytes at the same time: threads of the block, or all.
static StringRef atomicScope(const PackedPlace &place) {
  return addressSpaceOf(place) == 3 ? "block" : "device";
}

Value tile::nvvm::loadPacked(KernelLowering &lowering, const PackedPlace &place,
                             Type elementType, bool besideStores) {
  auto &b = lowering.builder;
  auto load = LLVM::LoadOp::create(b, b.getI8Type(), place.pointer, 1);
  if (besideStores) {
    load.setOrdering(LLVM::AtomicOrdering::monotonic);
    load.setSyncscope(atomicScope(place));
  }
  Value byte = load;
  if (place.shift)
    byte = b.createOrFold<arith::ShRUIOp>(
        byte, b.createOrFold<arith::TruncIOp>(b.getI8Type(), place.shift));
  Value nibble = b.createOrFold<arith::TruncIOp>(b.getIntegerType(kBits), byte);
  return fromNibble(lowering, nibble, elementType);
}

void tile::nvvm::storePacked(KernelLowering &lowering, const PackedPlace &place,
                             Value value) {
  auto &b = lowering.builder;
  Type i32 = b.getI32Type();
  // Atomics have words: that of the byte, and where in it the element is.
  Type address = addressSpaceOf(place) == 3 ? i32 : Type(b.getI64Type());
  Value at = LLVM::PtrToIntOp::create(b, address, place.pointer);
  Value byte = b.createOrFold<arith::AndIOp>(at, integer(lowering, address, 3));
  Value word = b.createOrFold<arith::SubIOp>(at, byte);
  Value shift = lowering.toI32(byte);
  shift = b.createOrFold<arith::ShLIOp>(shift, lowering.i32(3));
  if (place.shift)
    shift = b.createOrFold<arith::AddIOp>(shift, place.shift);
  Value mask = b.createOrFold<arith::ShLIOp>(lowering.i32(0xf), shift);
  Value keep = b.createOrFold<arith::XOrIOp>(mask, lowering.i32(-1));
  Value bits = b.createOrFold<arith::ShLIOp>(
      arith::ExtUIOp::create(b, i32, toNibble(lowering, value)), shift);
  Value pointer = LLVM::IntToPtrOp::create(b, place.pointer.getType(), word);
  for (auto [kind, operand] : {std::pair(LLVM::AtomicBinOp::_and, keep),
                               std::pair(LLVM::AtomicBinOp::_or, bits)})
    LLVM::AtomicRMWOp::create(b, kind, pointer, operand,
                              LLVM::AtomicOrdering::monotonic,
                              atomicScope(place));
}

SmallVector<Value> tile::nvvm::loadPackedWords(KernelLowering &lowering,
                                               Value pointer, int64_t count) {
  auto &b = lowering.builder;
  int64_t bits = count * kBits;
  if (bits <= 32)
    return {LLVM::LoadOp::create(b, b.getIntegerType(bits), pointer, bits / 8)};
  int64_t number = bits / 32;
  Value whole = LLVM::LoadOp::create(
      b, VectorType::get({number}, b.getI32Type()), pointer, bits / 8);
  SmallVector<Value> words;
  for (int64_t i = 0; i < number; ++i)
    words.push_back(LLVM::ExtractElementOp::create(b, whole, lowering.i32(i)));
  return words;
}

void tile::nvvm::storePackedWords(KernelLowering &lowering, Value pointer,
                                  ArrayRef<Value> words) {
  auto &b = lowering.builder;
  if (words.size() == 1) {
    LLVM::StoreOp::create(b, words[0], pointer,
                          words[0].getType().getIntOrFloatBitWidth() / 8);
    return;
  }
  int64_t number = words.size();
  Value whole =
      LLVM::PoisonOp::create(b, VectorType::get({number}, b.getI32Type()));
  for (auto [i, word] : llvm::enumerate(words))
    whole = LLVM::InsertElementOp::create(b, whole, word, lowering.i32(i));
  LLVM::StoreOp::create(b, whole, pointer, 4 * number);
}

SmallVector<Value> tile::nvvm::unpackWords(KernelLowering &lowering,
                                           ArrayRef<Value> words, int64_t count,
                                           Type elementType) {
  auto &b = lowering.builder;
  Type word = words[0].getType();
  int64_t perWord = word.getIntOrFloatBitWidth() / kBits;
  SmallVector<Value> values;
  for (int64_t i = 0; i < count; ++i) {
    Value bits = words[i / perWord];
    if (i % perWord)
      bits = b.createOrFold<arith::ShRUIOp>(
          bits, integer(lowering, word, i % perWord * kBits));
    values.push_back(fromNibble(
        lowering,
        b.createOrFold<arith::TruncIOp>(b.getIntegerType(kBits), bits),
        elementType));
  }
  return values;
}

SmallVector<Value> tile::nvvm::packWords(KernelLowering &lowering,
                                         ArrayRef<Value> values) {
  auto &b = lowering.builder;
  int64_t count = values.size();
  int64_t perWord = std::min<int64_t>(count, 32 / kBits);
  Type word = b.getIntegerType(perWord * kBits);
  SmallVector<Value> words;
  for (int64_t i = 0; i < count; i += perWord) {
    Value bits;
    for (int64_t j = 0; j < perWord; ++j) {
      Value part =
          arith::ExtUIOp::create(b, word, toNibble(lowering, values[i + j]));
      if (j)
        part = b.createOrFold<arith::ShLIOp>(
            part, integer(lowering, word, j * kBits));
      bits = bits ? b.createOrFold<arith::OrIOp>(bits, part) : part;
    }
    words.push_back(bits);
  }
  return words;
}
