//===- PackedMemory.cpp - elements of half a byte -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "PackedMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tile/Analysis/Dependence.h"

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

//===----------------------------------------------------------------------===//
// Atomics on words
//===----------------------------------------------------------------------===//

static bool isSharedPointer(Value pointer) {
  return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() == 3;
}
/// Which threads may touch the bytes at the same time: those of the block, or
/// those of the grid.
static StringRef atomicScope(Value pointer) {
  return isSharedPointer(pointer) ? "block" : "device";
}

namespace {
/// The word around a byte. PTX's memory model promises something for accesses
/// that race only where they have the same bytes, so loads take the words that
/// atomics have.
struct Word {
  Value pointer;
  Value shift; // i32, of the byte in the word
};
} // namespace

static Word wordAround(KernelLowering &lowering, Value pointer) {
  auto &b = lowering.builder;
  Type address =
      isSharedPointer(pointer) ? b.getI32Type() : Type(b.getI64Type());
  Value at = LLVM::PtrToIntOp::create(b, address, pointer);
  Value byte = b.createOrFold<arith::AndIOp>(at, integer(lowering, address, 3));
  Value word = b.createOrFold<arith::SubIOp>(at, byte);
  return {LLVM::IntToPtrOp::create(b, pointer.getType(), word),
          b.createOrFold<arith::ShLIOp>(lowering.toI32(byte), lowering.i32(3))};
}

/// The byte or two bytes at `pointer`, beside atomics.
static Value loadBeside(KernelLowering &lowering, Value pointer, Type type) {
  auto &b = lowering.builder;
  Word word = wordAround(lowering, pointer);
  auto whole = LLVM::LoadOp::create(b, b.getI32Type(), word.pointer, 4);
  whole.setOrdering(LLVM::AtomicOrdering::monotonic);
  whole.setSyncscope(atomicScope(pointer));
  return b.createOrFold<arith::TruncIOp>(
      type, b.createOrFold<arith::ShRUIOp>(whole, word.shift));
}

/// Puts `value` (an integer of at most 16 bits) into the bytes at `pointer`,
/// `shift` bits (null: none) from the start, and leaves the others as they are.
static void storeBeside(KernelLowering &lowering, Value pointer, Value shift,
                        Value value) {
  auto &b = lowering.builder;
  unsigned bits = value.getType().getIntOrFloatBitWidth();
  Word word = wordAround(lowering, pointer);
  if (shift)
    word.shift = b.createOrFold<arith::AddIOp>(word.shift, shift);
  Value mask = b.createOrFold<arith::ShLIOp>(
      lowering.i32((int64_t(1) << bits) - 1), word.shift);
  Value keep = b.createOrFold<arith::XOrIOp>(mask, lowering.i32(-1));
  Value set = b.createOrFold<arith::ShLIOp>(
      arith::ExtUIOp::create(b, b.getI32Type(), value), word.shift);
  for (auto [kind, operand] : {std::pair(LLVM::AtomicBinOp::_and, keep),
                               std::pair(LLVM::AtomicBinOp::_or, set)})
    LLVM::AtomicRMWOp::create(b, kind, word.pointer, operand,
                              LLVM::AtomicOrdering::monotonic,
                              atomicScope(pointer));
}

/// What an address in global memory is counted from.
static Value bufferOf(Value pointer) {
  while (auto element = pointer.getDefiningOp<LLVM::GEPOp>())
    pointer = element.getBase();
  return pointer;
}

void tile::nvvm::orderPackedAccesses(KernelLowering &lowering) {
  llvm::SetVector<Value> &stored = lowering.storedByHalves;
  if (stored.empty())
    return;
  // One may be another by a different name.
  SmallVector<Value> others;
  for (auto &[buffer, global] : lowering.globals)
    if (!stored.contains(bufferOf(global.pointer)) &&
        llvm::any_of(lowering.globals, [&, buffer = buffer](auto &other) {
          return stored.contains(bufferOf(other.second.pointer)) &&
                 mayAlias(buffer, other.first);
        }))
      others.push_back(bufferOf(global.pointer));
  stored.insert_range(others);
  auto &b = lowering.builder;
  OpBuilder::InsertionGuard guard(b);
  auto isBeside = [&](Value pointer, Type type) {
    return type.isInteger() && type.getIntOrFloatBitWidth() < 32 &&
           stored.contains(bufferOf(pointer));
  };
  lowering.function.walk([&](Operation *op) {
    b.setInsertionPoint(op);
    b.setLoc(op->getLoc());
    auto load = dyn_cast<LLVM::LoadOp>(op);
    if (load && isBeside(load.getAddr(), load.getType())) {
      load.replaceAllUsesWith(
          loadBeside(lowering, load.getAddr(), load.getType()));
      load.erase();
      return;
    }
    auto store = dyn_cast<LLVM::StoreOp>(op);
    if (store && isBeside(store.getAddr(), store.getValue().getType())) {
      storeBeside(lowering, store.getAddr(), Value(), store.getValue());
      store.erase();
    }
  });
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value tile::nvvm::loadPacked(KernelLowering &lowering, const PackedPlace &place,
                             Type elementType, bool besideStores) {
  auto &b = lowering.builder;
  Type i8 = b.getI8Type();
  Value byte = besideStores
                   ? loadBeside(lowering, place.pointer, i8)
                   : LLVM::LoadOp::create(b, i8, place.pointer, 1).getRes();
  if (place.shift)
    byte = b.createOrFold<arith::ShRUIOp>(
        byte, b.createOrFold<arith::TruncIOp>(i8, place.shift));
  Value nibble = b.createOrFold<arith::TruncIOp>(b.getIntegerType(kBits), byte);
  return fromNibble(lowering, nibble, elementType);
}

void tile::nvvm::storePacked(KernelLowering &lowering, const PackedPlace &place,
                             Value value) {
  if (!isSharedPointer(place.pointer))
    lowering.storedByHalves.insert(bufferOf(place.pointer));
  storeBeside(lowering, place.pointer, place.shift, toNibble(lowering, value));
}

//===----------------------------------------------------------------------===//
// Whole bytes
//===----------------------------------------------------------------------===//

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
