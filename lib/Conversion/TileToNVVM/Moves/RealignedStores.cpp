//===- RealignedStores.cpp - rows that start anywhere, in aligned stores --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run of 16 bytes that starts at any element lies in two aligned pieces of 16
// bytes. Lanes whose runs follow each other in a row exchange them: each lane
// takes the run of the lane in front of it, shifts both together, and stores
// the aligned piece in which its own run begins. Per run these are four
// shuffles, 13 instructions of arithmetic and one store, where single elements
// take 8 or 16 stores, each of which brings a warp to all lines of its 512
// bytes.
//
// Elements whose piece nobody can store as a whole are stored one by one by the
// lane that has them: at both ends of the lanes' part of a row, and at both
// ends of the row. Nothing is written that is not of the region, so neighbours
// may be stored by other warps and blocks meanwhile.
//
//===----------------------------------------------------------------------===//
#include "CachePolicy.h"
#include "Move.h"
#include "Reduce/Exchange.h"
#include "ThreadRuns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// Bytes of an aligned piece, and words in it.
static constexpr int64_t kPieceBytes = 16;
static constexpr int64_t kPieceWords = 4;

namespace {
class PieceStorer {
public:
  /// For the thread's runs of `count` elements of `target`; `lanes` of a warp
  /// have runs that follow each other.
  PieceStorer(KernelLowering &lowering, const Endpoint &target, int64_t count,
              int64_t lanes)
      : lowering(lowering), b(lowering.builder), count(count),
        bits(getStorageBits(target.elementType)), policy(target.policy) {
    Value lane = lowering.laneId();
    Value place = b.createOrFold<arith::AndIOp>(lane, i32(lanes - 1));
    isFirst = compare(arith::CmpIPredicate::eq, place, i32(0));
    isLast = compare(arith::CmpIPredicate::eq, place, i32(lanes - 1));
    before = b.createOrFold<arith::SubIOp>(lane, i32(1));
    behind = b.createOrFold<arith::AddIOp>(lane, i32(1));
  }

  /// Stores the run `elements` (a vector of integers) whose first element is at
  /// `pointer`. `valid` (i32) elements of it exist; null: all, in all lanes.
  void store(Value pointer, Value elements, Value valid);

private:
  Value i32(int64_t value) { return lowering.i32(value); }
  Value compare(arith::CmpIPredicate predicate, Value a, Value other) {
    return b.createOrFold<arith::CmpIOp>(predicate, a, other);
  }
  Value either(Value a, Value other) {
    return b.createOrFold<arith::OrIOp>(a, other);
  }
  Value both(Value a, Value other) {
    return b.createOrFold<arith::AndIOp>(a, other);
  }
  Value negated(Value condition) {
    return b.createOrFold<arith::XOrIOp>(
        condition, arith::ConstantIntOp::create(b, b.getI1Type(), 1));
  }
  /// As many ones as `number` says, from the lowest bit on.
  Value ones(Value number) {
    return b.createOrFold<arith::SubIOp>(
        b.createOrFold<arith::ShLIOp>(i32(1), number), i32(1));
  }
  /// The aligned piece in which `words` begins, `shift` bytes behind its start,
  /// after the words of the lane before.
  Value piece(ArrayRef<Value> words, Value shift);
  void storeSingly(Value pointer, Value elements, Value which);

  KernelLowering &lowering;
  ImplicitLocOpBuilder &b;
  int64_t count, bits;
  Value policy;          // of the cache; null: the usual one
  Value isFirst, isLast; // i1, of the lanes whose runs follow each other
  Value before, behind;  // i32, the neighbours' numbers
};
} // namespace

Value PieceStorer::piece(ArrayRef<Value> own, Value shift) {
  SmallVector<Value> words;
  for (Value word : own)
    words.push_back(shuffle(lowering, word, NVVM::ShflKind::idx, before));
  words.append(own.begin(), own.end());
  // The piece ends `shift` bytes in front of the end of these eight words:
  // words that are too many at the end go first, then bytes.
  for (int64_t step : {2, 1}) {
    Value bit = both(shift, i32(4 * step));
    Value skips = compare(arith::CmpIPredicate::ne, bit, i32(0));
    for (size_t i = words.size() - 1; i >= size_t(step); --i)
      words[i] =
          b.createOrFold<arith::SelectOp>(skips, words[i - step], words[i]);
    words.erase(words.begin(), words.begin() + step);
  }
  Value whole =
      LLVM::PoisonOp::create(b, VectorType::get({kPieceWords}, b.getI32Type()));
  for (int64_t i = 0; i < kPieceWords; ++i) {
    Value word = words[i + 1];
    if (bits < 32)
      word = LLVM::FshlOp::create(b, word, words[i],
                                  lowering.mulConst(both(shift, i32(3)), 8));
    whole = LLVM::InsertElementOp::create(b, whole, word, i32(i));
  }
  return whole;
}

void PieceStorer::storeSingly(Value pointer, Value elements, Value which) {
  auto isAny = scf::IfOp::create(
      b, compare(arith::CmpIPredicate::ne, which, i32(0)), /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(isAny.thenBlock());
  for (int64_t i = 0; i < count; ++i) {
    Value is =
        compare(arith::CmpIPredicate::ne, both(which, i32(1 << i)), i32(0));
    auto branch = scf::IfOp::create(b, is, /*withElse=*/false);
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value place =
        LLVM::GEPOp::create(b, pointer.getType(), b.getIntegerType(bits),
                            pointer, ArrayRef<LLVM::GEPArg>{int32_t(i)});
    storeWithPolicy(lowering, place,
                    LLVM::ExtractElementOp::create(b, elements, i32(i)),
                    bits / 8, policy);
  }
}

void PieceStorer::store(Value pointer, Value elements, Value valid) {
  Value whole = LLVM::BitcastOp::create(
      b, VectorType::get({kPieceWords}, b.getI32Type()), elements);
  SmallVector<Value> words;
  for (int64_t i = 0; i < kPieceWords; ++i)
    words.push_back(LLVM::ExtractElementOp::create(b, whole, i32(i)));
  Value address = LLVM::PtrToIntOp::create(b, b.getI64Type(), pointer);
  Value shift = both(b.createOrFold<arith::TruncIOp>(b.getI32Type(), address),
                     i32(kPieceBytes - 1));
  Value aligned = piece(words, shift);
  // Elements of the own run in the piece in which it begins.
  Value begins = b.createOrFold<arith::SubIOp>(
      i32(count),
      b.createOrFold<arith::ShRUIOp>(shift, i32(llvm::Log2_64(bits / 8))));
  Value isAligned = compare(arith::CmpIPredicate::eq, shift, i32(0));
  Value storesPiece = either(negated(isFirst), isAligned);
  Value storesRest = isLast;
  if (valid) {
    storesPiece =
        both(storesPiece, compare(arith::CmpIPredicate::sge, valid, begins));
    Value next = shuffle(lowering, valid, NVVM::ShflKind::idx, behind);
    storesRest =
        either(storesRest, compare(arith::CmpIPredicate::slt, next, begins));
  }
  auto branch = scf::IfOp::create(b, storesPiece, /*withElse=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value place = LLVM::GEPOp::create(
        b, pointer.getType(), b.getI8Type(), pointer,
        ArrayRef<LLVM::GEPArg>{b.createOrFold<arith::SubIOp>(i32(0), shift)});
    storeWithPolicy(lowering, place, aligned, kPieceBytes, policy);
  }
  Value first = ones(begins);
  Value rest = b.createOrFold<arith::XOrIOp>(first, ones(i32(count)));
  Value which =
      either(b.createOrFold<arith::SelectOp>(storesPiece, i32(0), first),
             b.createOrFold<arith::SelectOp>(storesRest, rest, i32(0)));
  if (valid)
    which = both(which, ones(valid));
  storeSingly(pointer, elements, which);
}

LogicalResult tile::nvvm::storeRealigned(KernelLowering &lowering,
                                         Operation *op, Endpoint &source,
                                         Endpoint &target,
                                         const FragmentLayout &loop,
                                         bool isInside) {
  auto &b = lowering.builder;
  int64_t bits = getStorageBits(target.elementType);
  int64_t count = kPieceBytes * 8 / bits;
  int64_t lanes =
      loop.rank() ? loop.lanesInRow(loop.rank() - 1, count) : int64_t(1);
  if (target.space != MemorySpace::Global ||
      source.space == MemorySpace::Global ||
      (bits != 8 && bits != 16 && bits != 32) || lanes == 1 ||
      loop.vectorWidth(loop.rank() - 1) % count || loop.numRegisters() % count)
    return op->emitOpError()
           << "expected to realign runs of 16 bytes to global memory, of "
              "elements of one, two or four bytes, several lanes next to each "
              "other "
              "in a row";
  SmallVector<Value> threadPart = lowering.threadCoordinates(loop);
  Value replica = lowering.firstReplica(loop);
  Type stored = VectorType::get({count}, b.getIntegerType(bits));
  /// The run of registers from `reg` on, as it is stored.
  auto elementsOf = [&](int64_t reg) -> FailureOr<Value> {
    auto values = source.load(reg, count, Value());
    if (failed(values))
      return failure();
    Value whole = LLVM::PoisonOp::create(b, stored);
    for (auto [i, value] : llvm::enumerate(
             lowering.convertElements(*values, target.elementType))) {
      Value element = lowering.toStorage(value);
      if (element.getType() != cast<VectorType>(stored).getElementType())
        element = arith::BitcastOp::create(
            b, cast<VectorType>(stored).getElementType(), element);
      whole = LLVM::InsertElementOp::create(b, whole, element,
                                            lowering.i32(int64_t(i)));
    }
    return whole;
  };
  auto emit = [&](bool inside) -> LogicalResult {
    target.assumeInside(inside);
    PieceStorer storer(lowering, target, count, lanes);
    for (int64_t reg = 0, e = loop.numRegisters(); reg < e; reg += count) {
      Value predicate =
          both(lowering, replica, lowering.inBounds(loop, threadPart, reg));
      Value elements;
      if (predicate && source.space == MemorySpace::Shared) {
        // Shared memory has no elements beyond the tile.
        auto branch =
            scf::IfOp::create(b, stored, predicate, /*withElse=*/true);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(branch.thenBlock());
        auto inTile = elementsOf(reg);
        if (failed(inTile))
          return failure();
        scf::YieldOp::create(b, *inTile);
        b.setInsertionPointToStart(branch.elseBlock());
        scf::YieldOp::create(b, LLVM::PoisonOp::create(b, stored).getResult());
        elements = branch.getResult(0);
      } else {
        auto all = elementsOf(reg);
        if (failed(all))
          return failure();
        elements = *all;
      }
      Value valid = inside ? Value() : target.validElements(reg, count);
      if (predicate)
        valid = b.createOrFold<arith::SelectOp>(
            predicate, valid ? valid : lowering.i32(count), lowering.i32(0));
      storer.store(target.address(reg), elements, valid);
    }
    return success();
  };
  if (isInside)
    return emit(/*inside=*/true);
  return twice(lowering, target.regionInside(), emit);
}
