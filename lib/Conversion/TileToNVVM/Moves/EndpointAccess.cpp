//===- EndpointAccess.cpp - loads and stores of an endpoint ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements, vectors and packed words of one side of a data movement. What may
// lie outside a global buffer is guarded: by one branch for all of a vector,
// and where it is only partly inside by one for each element.
//
//===----------------------------------------------------------------------===//
#include "CachePolicy.h"
#include "Endpoint.h"
#include "Memory/PackedMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// Elements of a run that one access moves. The wider side of a conversion has
/// runs of more than the 16 bytes that are known to be aligned and, where the
/// shared layout is swizzled, to lie together.
static int64_t pieceOf(int64_t count, int64_t elementBytes) {
  constexpr int64_t kAccessBytes = 16;
  return std::min(count, std::max<int64_t>(1, kAccessBytes / elementBytes));
}

Value Endpoint::loadFrom(Value pointer, Type type, unsigned bytes) {
  return loadWithPolicy(*lowering, pointer, type, bytes,
                        global ? policy : Value(), isConstant);
}

void Endpoint::storeTo(Value pointer, Value value, unsigned bytes) {
  storeWithPolicy(*lowering, pointer, value, bytes, global ? policy : Value());
}

/// Whether no thread has an iteration of the loop in a register.
bool Endpoint::overshoots(int64_t reg) const {
  return !llvm::all_of_zip(
      loop.axisCoordinates(Axis::Register, reg), loop.shape(),
      [](int64_t at, int64_t extent) { return at < extent; });
}

int64_t Endpoint::fragmentRegister(int64_t reg) const {
  SmallVector<int64_t> coordinates = fragmentOffsets;
  SmallVector<int64_t> own = loop.axisCoordinates(Axis::Register, reg);
  for (unsigned d = 0; d < own.size(); ++d)
    coordinates[dims[d]] += own[d];
  return (*registerMap)(coordinates);
}

int64_t Endpoint::fragmentRun(int64_t reg, int64_t count) const {
  int64_t first = fragmentRegister(reg);
  if (first < 0 || first % count)
    return -1;
  for (int64_t i = 1; i < count; ++i)
    if (fragmentRegister(reg + i) != first + i)
      return -1;
  return first;
}

PackedPlace Endpoint::place(int64_t reg) {
  if (shared)
    return sharedAddresses->place(reg);
  return lowering->globalPlace(
      *global, uniform, lowering->coordinates(threadPart, loop, reg), dims);
}

SmallVector<Value>
Endpoint::guardedValues(Value predicate, TypeRange types,
                        llvm::function_ref<SmallVector<Value>()> values,
                        llvm::function_ref<SmallVector<Value>()> otherwise) {
  if (!predicate)
    return values();
  auto &b = lowering->builder;
  auto branch = scf::IfOp::create(b, types, predicate, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, values());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, otherwise());
  return SmallVector<Value>(branch.getResults());
}

SmallVector<Value> Endpoint::fragmentWords(int64_t first, int64_t count,
                                           ArrayRef<Value> stored) {
  // One by one: LLVM makes no registers of an array that is stored as vectors
  // and loaded as bytes.
  int64_t perWord = std::min<int64_t>(count, 8);
  SmallVector<Value> words;
  for (int64_t i = 0; i < count / perWord; ++i) {
    Value address =
        lowering->registerAddress(*fragment, elementType, first + i * perWord);
    if (stored.empty())
      words.push_back(loadPackedWords(*lowering, address, perWord).front());
    else
      storePackedWords(*lowering, address, stored[i]);
  }
  return words;
}

FailureOr<SmallVector<Value>> Endpoint::loadWords(int64_t reg, int64_t count,
                                                  Value pad) {
  auto &b = lowering->builder;
  int64_t first = fragment ? fragmentRun(reg, count) : -1;
  if (first >= 0)
    return fragmentWords(first, count, {});
  if (!isWords(count)) {
    auto values = load(reg, count, pad);
    if (failed(values))
      return failure();
    return packWords(*lowering, *values);
  }
  auto whole = [&] { return loadPackedWords(*lowering, address(reg), count); };
  if (!global)
    return whole();
  Value zero = pad;
  if (!zero)
    zero = arith::ConstantOp::create(b, b.getZeroAttr(elementType));
  auto single = [&](int64_t r) {
    return guardedValues(
               inside(r), elementType,
               [&] {
                 return SmallVector<Value>{
                     loadPacked(*lowering, place(r), elementType)};
               },
               [&] { return SmallVector<Value>{zero}; })
        .front();
  };
  bool isWhole = wholeVectors(count);
  Value predicate = inside(reg + count - 1), begins = inside(reg);
  if (isWhole)
    predicate = begins;
  else if (predicate && begins && predicate != begins)
    predicate = b.createOrFold<arith::AndIOp>(predicate, begins);
  int64_t perWord = std::min<int64_t>(count, 8);
  SmallVector<Type> types(count / perWord, b.getIntegerType(4 * perWord));
  return guardedValues(predicate, types, whole, [&] {
    SmallVector<Value> parts;
    for (int64_t r = reg; r < reg + count; ++r)
      parts.push_back(isWhole ? zero : single(r));
    return packWords(*lowering, parts);
  });
}

FailureOr<SmallVector<Value>> Endpoint::load(int64_t reg, int64_t count,
                                             Value pad) {
  auto &b = lowering->builder;
  SmallVector<Value> values;
  if (fragment) {
    for (int64_t r = reg; r < reg + count; ++r) {
      int64_t target = fragmentRegister(r);
      if (target < 0 && overshoots(r)) {
        values.push_back(
            arith::ConstantOp::create(b, b.getZeroAttr(elementType)));
        continue;
      }
      if (target < 0)
        return op->emitOpError() << "expected the fragment's layout to hold "
                                    "what the loop layout reads";
      values.push_back(lowering->loadRegister(*fragment, elementType, target));
    }
    return values;
  }
  if (isWords(count)) {
    auto words = loadWords(reg, count, pad);
    if (failed(words))
      return failure();
    return unpackWords(*lowering, *words, count, elementType);
  }
  Type storage = lowering->storageType(elementType);
  auto loadVector = [&](int64_t first, int64_t width) {
    SmallVector<Value> loaded;
    if (isPacked(elementType) && !localPointer) {
      loaded.push_back(loadPacked(*lowering, place(first), elementType));
      return loaded;
    }
    Value pointer = address(first);
    unsigned bytes = std::max<unsigned>(1, storage.getIntOrFloatBitWidth() / 8);
    if (width == 1) {
      loaded.push_back(lowering->fromStorage(loadFrom(pointer, storage, bytes),
                                             elementType));
      return loaded;
    }
    int64_t piece = pieceOf(width, bytes);
    Type vector = VectorType::get({piece}, storage);
    for (int64_t from = 0; from < width; from += piece) {
      Value whole = loadFrom(from ? address(first + from) : pointer, vector,
                             bytes * piece);
      for (int64_t i = 0; i < piece; ++i)
        loaded.push_back(lowering->fromStorage(
            LLVM::ExtractElementOp::create(b, whole, lowering->i32(i)),
            elementType));
    }
    return loaded;
  };
  if (!global)
    return loadVector(reg, count);
  Value zero = pad;
  if (!zero)
    zero = arith::ConstantOp::create(b, b.getZeroAttr(elementType));
  auto guarded = [&](Value predicate, int64_t first, int64_t width,
                     llvm::function_ref<SmallVector<Value>()> otherwise) {
    return guardedValues(
        predicate, SmallVector<Type>(width, elementType),
        [&] { return loadVector(first, width); }, otherwise);
  };
  auto padded = [&](int64_t width) { return SmallVector<Value>(width, zero); };
  if (count == 1)
    return guarded(inside(reg), reg, 1, [&] { return padded(1); });
  if (wholeVectors(count))
    return guarded(inside(reg), reg, count, [&] { return padded(count); });
  Value last = inside(reg + count - 1), first = inside(reg);
  Value whole = last && first && last != first
                    ? b.createOrFold<arith::AndIOp>(last, first)
                    : last;
  return guarded(whole, reg, count, [&] {
    SmallVector<Value> parts;
    for (int64_t r = reg; r < reg + count; ++r)
      parts.append(guarded(inside(r), r, 1, [&] { return padded(1); }));
    return parts;
  });
}

LogicalResult Endpoint::storeWord(int64_t reg, int64_t count, Value word) {
  int64_t first = fragment ? fragmentRun(reg, count) : -1;
  if (first < 0)
    return failure();
  LLVM::StoreOp::create(
      lowering->builder, word,
      lowering->registerAddress(*fragment, elementType, first));
  return success();
}

Value Endpoint::loadWord(int64_t reg, int64_t count) {
  int64_t first = fragment ? fragmentRun(reg, count) : -1;
  if (first < 0)
    return {};
  auto &b = lowering->builder;
  return LLVM::LoadOp::create(
      b, b.getI32Type(),
      lowering->registerAddress(*fragment, elementType, first));
}

LogicalResult Endpoint::store(int64_t reg, ArrayRef<Value> values) {
  int64_t count = values.size();
  if (fragment) {
    for (int64_t r = reg; r < reg + count; ++r) {
      int64_t target = fragmentRegister(r);
      if (target < 0 && overshoots(r))
        continue;
      if (target < 0)
        return op->emitOpError() << "expected the fragment's layout to hold "
                                    "what the loop layout writes";
      lowering->storeRegister(*fragment, elementType, target, values[r - reg]);
    }
    return success();
  }
  return guardedStore(
      reg, count, [&] { storeElements(reg, values); },
      [&](int64_t r) { storeElements(r, values.slice(r - reg, 1)); });
}

LogicalResult
Endpoint::update(int64_t reg, int64_t count,
                 llvm::function_ref<void(int64_t, int64_t)> update) {
  return guardedStore(
      reg, count, [&] { update(reg, count); },
      [&](int64_t r) { update(r, 1); });
}

LogicalResult Endpoint::storeWords(int64_t reg, int64_t count,
                                   ArrayRef<Value> words) {
  int64_t first = fragment ? fragmentRun(reg, count) : -1;
  if (first >= 0) {
    fragmentWords(first, count, words);
    return success();
  }
  if (!isWords(count))
    return store(reg, unpackWords(*lowering, words, count, elementType));
  return guardedStore(
      reg, count, [&] { storePackedWords(*lowering, address(reg), words); },
      [&](int64_t r) {
        storePacked(*lowering, place(r),
                    unpackWords(*lowering, words, count, elementType)[r - reg]);
      });
}

void Endpoint::storeElements(int64_t first, ArrayRef<Value> parts) {
  auto &b = lowering->builder;
  if (isPacked(elementType) && !localPointer) {
    if (parts.size() == 1)
      return storePacked(*lowering, place(first), parts[0]);
    return storePackedWords(*lowering, address(first),
                            packWords(*lowering, parts));
  }
  Type storage = lowering->storageType(elementType);
  unsigned bytes = std::max<unsigned>(1, storage.getIntOrFloatBitWidth() / 8);
  Value pointer = address(first);
  if (parts.size() == 1) {
    storeTo(pointer, lowering->toStorage(parts[0]), bytes);
    return;
  }
  int64_t width = parts.size(), piece = pieceOf(width, bytes);
  Type vector = VectorType::get({piece}, storage);
  for (int64_t from = 0; from < width; from += piece) {
    Value whole = LLVM::PoisonOp::create(b, vector);
    for (int64_t i = 0; i < piece; ++i)
      whole = LLVM::InsertElementOp::create(
          b, whole, lowering->toStorage(parts[from + i]), lowering->i32(i));
    storeTo(from ? address(first + from) : pointer, whole, bytes * piece);
  }
}

LogicalResult Endpoint::guardedStore(int64_t reg, int64_t count,
                                     llvm::function_ref<void()> all,
                                     llvm::function_ref<void(int64_t)> single) {
  auto &b = lowering->builder;
  auto guarded = [&](Value predicate, llvm::function_ref<void()> then,
                     llvm::function_ref<void()> otherwise) {
    if (!predicate)
      return then();
    auto branch = scf::IfOp::create(b, predicate,
                                    /*withElse=*/static_cast<bool>(otherwise));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    then();
    if (otherwise) {
      b.setInsertionPointToStart(branch.elseBlock());
      otherwise();
    }
  };
  if (!global) {
    all();
    return success();
  }
  if (count == 1 || wholeVectors(count)) {
    guarded(inside(reg), all, nullptr);
    return success();
  }
  Value last = inside(reg + count - 1), first = inside(reg);
  Value whole = last && first && last != first
                    ? b.createOrFold<arith::AndIOp>(last, first)
                    : last;
  guarded(whole, all, [&] {
    for (int64_t r = reg; r < reg + count; ++r)
      guarded(inside(r), [&] { single(r); }, nullptr);
  });
  return success();
}
