//===- RowSort.cpp - sorting networks as tile operations ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Step j of stage s compares elements whose places differ in bit j alone, for
// j = s, s - 1, ..., 0, and puts the smaller one first where bit s + 1 of their
// place is 0. A pass takes the eight elements that differ in three bits into
// registers and makes the steps of those bits; the loops over stages and passes
// are loops of the program, so that its code does not grow with the row.
//
// Where a part of the order is enough, runs of that many elements are sorted,
// by turns up and down. Of two neighbouring runs the lesser of the elements
// that stand at the same place are the least ones of both, in an order that the
// steps of one more stage sort. So each round halves what is left.
//
// Elements lie at their place with its lower bits exchanged (`swizzled`), so
// that in each pass the lanes of a warp find theirs in different banks.
//
//===----------------------------------------------------------------------===//
#include "RowSort.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Conversion/OrderedKeys.h"
#include "tile/Dialect/Tile/IR/TileDialect.h"

using namespace mlir;
using namespace mlir::tile;

/// Bits of a place that one pass goes through: eight elements of two words each
/// fit the registers of any kernel.
static constexpr unsigned kWidth = 3;

static Value constant(ImplicitLocOpBuilder &b, int64_t value, Type type) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
}

//===----------------------------------------------------------------------===//
// PackedKey
//===----------------------------------------------------------------------===//

PackedKey::PackedKey(KeyOrder order, int64_t extent)
    : order(order), placeBits(llvm::Log2_64_Ceil(extent)) {}

unsigned PackedKey::bits() const {
  unsigned needed = order.type.getIntOrFloatBitWidth() + placeBits;
  return needed <= 32 ? 32 : needed <= 64 ? 64 : 0;
}

Value PackedKey::pack(ImplicitLocOpBuilder &b, Value number,
                      Value place) const {
  Value key =
      orderedKey(b, b.getLoc(), number, order.isUnsigned, order.descending);
  Type type = b.getIntegerType(bits());
  if (key.getType() != type)
    key = arith::ExtUIOp::create(b, type, key);
  if (placeBits == 0)
    return key;
  key = arith::ShLIOp::create(b, key, constant(b, placeBits, type));
  return arith::OrIOp::create(b, key,
                              arith::IndexCastUIOp::create(b, type, place));
}

SortedElement PackedKey::unpack(ImplicitLocOpBuilder &b, Value packed) const {
  Type type = packed.getType();
  Value place;
  if (placeBits != 0) {
    place = arith::AndIOp::create(
        b, packed, constant(b, (int64_t(1) << placeBits) - 1, type));
    place = arith::IndexCastUIOp::create(b, b.getIndexType(), place);
    packed = arith::ShRUIOp::create(b, packed, constant(b, placeBits, type));
  }
  Type key = b.getIntegerType(order.type.getIntOrFloatBitWidth());
  if (key != type)
    packed = arith::TruncIOp::create(b, key, packed);
  return {numberOfKey(b, b.getLoc(), packed, order.type, order.isUnsigned,
                      order.descending),
          place};
}

//===----------------------------------------------------------------------===//
// RowSort
//===----------------------------------------------------------------------===//

RowSort::RowSort(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape, unsigned dim,
                 KeyOrder order, bool keepsPlaces)
    : b(b), others(shape), dim(dim), extent(shape[dim]),
      padded(std::max<int64_t>(2, llvm::PowerOf2Ceil(extent))),
      steps(llvm::Log2_64(padded)), key(order, keepsPlaces ? padded : 1) {
  others.erase(others.begin() + dim);
  SmallVector<int64_t> rows = others;
  rows.push_back(padded);
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  auto addTile = [&](unsigned bits) {
    auto type = MemRefType::get(rows, b.getIntegerType(bits),
                                MemRefLayoutAttrInterface(), space);
    tiles.push_back(AllocOp::create(b, type, Attribute()));
  };
  if (key.bits() != 0) {
    addTile(key.bits());
    return;
  }
  // Places lie beside keys of 64 bits.
  key.placeBits = 0;
  addTile(64);
  addTile(32);
}

int64_t RowSort::bytes() const {
  int64_t count = 0;
  for (Value tile : tiles) {
    auto type = cast<MemRefType>(tile.getType());
    count += type.getNumElements() * type.getElementTypeBitWidth() / 8;
  }
  return count;
}

Value RowSort::number(int64_t value) {
  return constant(b, value, b.getI32Type());
}

/// Place p lies at p ^ (p >> 3 & 7) ^ (p >> 6 & 3) << 3.
Value RowSort::swizzled(Value place) {
  auto bitsAt = [&](int64_t shift, int64_t mask) -> Value {
    Value moved = arith::ShRUIOp::create(b, place, number(shift));
    return arith::AndIOp::create(b, moved, number(mask));
  };
  if (padded < 64)
    return place;
  Value at = arith::XOrIOp::create(b, place, bitsAt(3, 7));
  if (padded >= 256) {
    Value upper = arith::ShLIOp::create(b, bitsAt(6, 3), number(3));
    at = arith::XOrIOp::create(b, at, upper);
  }
  return at;
}

/// Runs that are left keep the place of the first of those that they stand for.
Value RowSort::physical(Value place) {
  if (round == 0)
    return place;
  Value run = arith::ShRUIOp::create(b, place, number(runSteps));
  Value inside = arith::AndIOp::create(b, place, number((1 << runSteps) - 1));
  run = arith::ShLIOp::create(b, run, number(runSteps + round));
  return arith::OrIOp::create(b, run, inside);
}

/// Where the element at a place lies in its row. The mask changes nothing; by
/// it
/// --tile-guard-accesses sees that the index is inside of the row.
Value RowSort::column(Value place) {
  Value at = arith::AndIOp::create(b, swizzled(place), number(padded - 1));
  return arith::IndexCastUIOp::create(b, b.getIndexType(), at);
}

/// The words of the element of a row whose place (i32) is `place`.
SmallVector<Value> RowSort::columns(ValueRange outer, Value place) {
  SmallVector<Value> indices(outer);
  indices.push_back(column(place));
  return llvm::map_to_vector(tiles, [&](Value tile) -> Value {
    return memref::LoadOp::create(b, tile, indices);
  });
}

void RowSort::store(ArrayRef<Value> element, ValueRange outer, Value place) {
  SmallVector<Value> indices(outer);
  indices.push_back(column(place));
  for (auto [tile, word] : llvm::zip(tiles, element))
    memref::StoreOp::create(b, word, tile, indices);
}

SortedElement RowSort::load(ValueRange outer, Value index) {
  Value place = arith::IndexCastUIOp::create(b, b.getI32Type(), index);
  SmallVector<Value> element = columns(outer, place);
  SortedElement found = key.unpack(b, element.front());
  if (tiles.size() > 1)
    found.place =
        arith::IndexCastUIOp::create(b, b.getIndexType(), element.back());
  return found;
}

/// Emits a loop over `others` and `count` elements of each row.
static void forElements(ImplicitLocOpBuilder &b, ArrayRef<int64_t> others,
                        int64_t count,
                        function_ref<void(ValueRange, Value)> body) {
  SmallVector<int64_t> extents(others);
  extents.push_back(count);
  auto loop = ParallelOp::create(b, extents);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&loop.getBodyRegion().front());
  ValueRange ivs = loop.getBodyRegion().getArguments();
  body(ivs.drop_back(), ivs.back());
}

void RowSort::fill(Value source) {
  forElements(b, others, extent, [&](ValueRange outer, Value index) {
    SmallVector<Value> indices(outer);
    indices.insert(indices.begin() + dim, index);
    Value place = arith::IndexCastUIOp::create(b, b.getI32Type(), index);
    SmallVector<Value> element = {
        key.pack(b, memref::LoadOp::create(b, source, indices), index)};
    if (tiles.size() > 1)
      element.push_back(place);
    store(element, outer, place);
  });
  if (extent == padded)
    return;
  forElements(b, others, padded - extent, [&](ValueRange outer, Value index) {
    Value place = arith::AddIOp::create(
        b, arith::IndexCastUIOp::create(b, b.getI32Type(), index),
        number(extent));
    SmallVector<Value> greatest;
    for (Value tile : tiles)
      greatest.push_back(
          constant(b, -1, cast<MemRefType>(tile.getType()).getElementType()));
    store(greatest, outer, place);
  });
}

/// Whether `x` comes after `y`: by their first words, then by the second ones.
static Value comesAfter(ImplicitLocOpBuilder &b, ArrayRef<Value> x,
                        ArrayRef<Value> y) {
  Value after =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, x.front(), y.front());
  if (x.size() == 1)
    return after;
  Value equal =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x.front(), y.front());
  Value rest = arith::AndIOp::create(
      b, equal, comesAfter(b, x.drop_front(), y.drop_front()));
  return arith::OrIOp::create(b, after, rest);
}

/// The steps of `stage` whose bits are `shift` to `shift + width - 1`.
void RowSort::emitPass(Value stage, Value shift, unsigned width) {
  unsigned count = 1u << width;
  forElements(
      b, others, padded >> (width + round), [&](ValueRange outer, Value index) {
        Value thread = arith::IndexCastUIOp::create(b, b.getI32Type(), index);
        Value upper = arith::ShRUIOp::create(b, thread, shift);
        Value lower = arith::SubIOp::create(
            b, thread, arith::ShLIOp::create(b, upper, shift));
        Value first = arith::ShLIOp::create(
            b, upper, arith::AddIOp::create(b, shift, number(width)));
        first = arith::OrIOp::create(b, first, lower);
        Value order = arith::AddIOp::create(b, stage, number(1));
        SmallVector<Value> places, isDescending;
        std::vector<SmallVector<Value>> elements;
        for (unsigned i = 0; i < count; ++i) {
          Value offset = arith::ShLIOp::create(b, number(i), shift);
          places.push_back(arith::OrIOp::create(b, first, offset));
          Value bit = arith::AndIOp::create(
              b, arith::ShRUIOp::create(b, places.back(), order), number(1));
          isDescending.push_back(arith::CmpIOp::create(
              b, arith::CmpIPredicate::ne, bit, number(0)));
          elements.push_back(columns(outer, physical(places.back())));
        }
        for (unsigned bit = width; bit-- > 0;) {
          Value isActive = arith::CmpIOp::create(
              b, arith::CmpIPredicate::ule,
              arith::AddIOp::create(b, shift, number(bit)), stage);
          for (unsigned i = 0; i < count; ++i) {
            if (i >> bit & 1)
              continue;
            SmallVector<Value> &x = elements[i], &y = elements[i | 1u << bit];
            Value swaps =
                arith::XOrIOp::create(b, comesAfter(b, x, y), isDescending[i]);
            swaps = arith::AndIOp::create(b, swaps, isActive);
            for (auto [own, other] : llvm::zip(x, y)) {
              Value low = arith::SelectOp::create(b, swaps, other, own);
              other = arith::SelectOp::create(b, swaps, own, other);
              own = low;
            }
          }
        }
        for (unsigned i = 0; i < count; ++i)
          store(elements[i], outer, physical(places[i]));
      });
}

/// Of two neighbouring runs the lesser elements, in the place of the first one.
void RowSort::keepLess() {
  ++passes;
  forElements(
      b, others, padded >> (round + 1), [&](ValueRange outer, Value index) {
        Value place = arith::IndexCastUIOp::create(b, b.getI32Type(), index);
        Value run = arith::ShRUIOp::create(b, place, number(runSteps));
        Value first = arith::AddIOp::create(
            b, place, arith::ShLIOp::create(b, run, number(runSteps)));
        Value second = arith::AddIOp::create(b, first, number(1 << runSteps));
        SmallVector<Value> x = columns(outer, physical(first));
        SmallVector<Value> y = columns(outer, physical(second));
        Value swaps = comesAfter(b, x, y);
        for (auto [own, other] : llvm::zip(x, y))
          own = arith::SelectOp::create(b, swaps, other, own);
        store(x, outer, physical(first));
      });
}

static Value index(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

static Value asNumber(ImplicitLocOpBuilder &b, Value value) {
  return arith::IndexCastUIOp::create(b, b.getI32Type(), value);
}

static void forRange(ImplicitLocOpBuilder &b, Value lower, Value upper,
                     function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, lower, upper, index(b, 1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

/// The steps of `stage` in groups of bits, from number `count` - 1 down to 0.
void RowSort::lowerGroups(Value stage, Value count) {
  forRange(b, index(b, 0), count, [&](Value number) {
    Value group = arith::SubIOp::create(
        b, arith::SubIOp::create(b, count, index(b, 1)), number);
    Value shift = arith::MulIOp::create(b, group, index(b, kWidth));
    emitPass(stage, asNumber(b, shift), kWidth);
  });
}

/// Sorts runs of 2^runSteps elements, by turns up and down.
void RowSort::sortRuns() {
  unsigned groups = runSteps / kWidth, rest = runSteps % kWidth;
  for (unsigned stage = 0; stage < runSteps; ++stage)
    passes += stage / kWidth + 1;
  if (groups != 0)
    forRange(b, index(b, 0), index(b, groups * kWidth), [&](Value stage) {
      Value top = arith::DivUIOp::create(b, stage, index(b, kWidth));
      lowerGroups(asNumber(b, stage),
                  arith::AddIOp::create(b, top, index(b, 1)));
    });
  if (rest != 0)
    forRange(b, index(b, groups * kWidth), index(b, runSteps),
             [&](Value stage) {
               Value which = asNumber(b, stage);
               emitPass(which, number(groups * kWidth), rest);
               if (groups != 0)
                 lowerGroups(which, index(b, groups));
             });
}

/// The last stage of each run that is left.
void RowSort::mergeRuns() {
  unsigned groups = runSteps / kWidth, rest = runSteps % kWidth;
  passes += groups + (rest != 0);
  Value stage = number(int64_t(runSteps) - 1);
  if (rest != 0)
    emitPass(stage, number(groups * kWidth), rest);
  if (groups != 0)
    lowerGroups(stage, index(b, groups));
}

void RowSort::sort(Value source, int64_t kept) {
  fill(source);
  runSteps = std::max(1u, llvm::Log2_64_Ceil(kept));
  sortRuns();
  while (runSteps + round < steps) {
    keepLess();
    ++round;
    mergeRuns();
  }
}
