//===- Exchange.cpp - values between the threads of an agent --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Within a warp by shuffles, between warps through scratch memory. Reductions
// and scans are made of them.
//
//===----------------------------------------------------------------------===//
#include "Exchange.h"
#include "Prepare/Scratch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// shfl.sync moves 32 bits: narrower values are widened, wider ones split.
Value nvvm::shuffle(KernelLowering &lowering, Value value, NVVM::ShflKind kind,
                    Value operand) {
  ImplicitLocOpBuilder &b = lowering.builder;
  Type i32 = b.getI32Type();
  auto move = [&](Value word) -> Value {
    return NVVM::ShflOp::create(b, i32, lowering.i32(-1), word, operand,
                                lowering.i32(31), kind, UnitAttr());
  };
  Type type = value.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(bits);
  Value word = isa<FloatType>(type)
                   ? Value(arith::BitcastOp::create(b, integer, value))
                   : value;
  if (bits < 32) {
    word = arith::ExtUIOp::create(b, i32, word);
    word = arith::TruncIOp::create(b, integer, move(word));
  } else if (bits == 32) {
    word = move(word);
  } else {
    Value low = arith::TruncIOp::create(b, i32, word);
    Value high = arith::TruncIOp::create(
        b, i32, arith::ShRUIOp::create(b, word, lowering.i64(32)));
    low = arith::ExtUIOp::create(b, integer, move(low));
    high = arith::ExtUIOp::create(b, integer, move(high));
    word = arith::OrIOp::create(
        b, low, arith::ShLIOp::create(b, high, lowering.i64(32)));
  }
  return isa<FloatType>(type) ? Value(arith::BitcastOp::create(b, type, word))
                              : word;
}

// For each value of a tuple: scratch[warp][index][lane].
WarpScratch::WarpScratch(KernelLowering &lowering, ArrayRef<Type> types,
                         int64_t count)
    : lowering(lowering), types(types), count(count), base(lowering.scratch(0)),
      lane(lowering.laneId()) {}

WarpScratch::WarpScratch(KernelLowering &lowering, ArrayRef<Type> types,
                         int64_t count, const FragmentLayout &source,
                         unsigned dim)
    : WarpScratch(lowering, types, count) {
  lanes = lanesWithResults(source, dim);
  if (lanes == kWarpSize)
    return;
  auto &b = lowering.builder;
  lane = lowering.i32(0);
  int64_t stride = 1;
  for (auto [i, mode] : llvm::enumerate(source.modes(Axis::Lane))) {
    if (mode.extent == 1)
      continue;
    Value index;
    Value digit = lowering.threadDigit(source, Axis::Lane, i, index);
    if (!haveSameResult(mode, dim)) {
      lane = lowering.add(lane, lowering.mulConst(digit, stride));
      stride *= mode.extent;
      continue;
    }
    Value isZero = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq,
                                                 digit, lowering.i32(0));
    isFirst = isFirst ? b.createOrFold<arith::AndIOp>(isFirst, isZero) : isZero;
  }
}

Value WarpScratch::address(size_t number, Value warp, Value index) {
  int64_t start = warpScratchBytes(ArrayRef(types).take_front(number), count,
                                   lowering.numThreads() / kWarpSize * lanes);
  int64_t bytes = warpScratchBytes(types[number], 1, 1);
  int64_t perWarp = warpScratchBytes(types[number], count, lanes);
  Value offset = lowering.add(lowering.mulConst(warp, perWarp),
                              lowering.mulConst(lane, bytes));
  offset = lowering.add(offset, lowering.mulConst(index, lanes * bytes));
  if (start)
    offset = lowering.addConst(offset, start);
  return LLVM::GEPOp::create(lowering.builder, base.getType(),
                             lowering.builder.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

void WarpScratch::leave(ArrayRef<Tuple> tuples, bool isAgain) {
  if (isAgain)
    lowering.barrier();
  auto &b = lowering.builder;
  {
    OpBuilder::InsertionGuard guard(b);
    if (isFirst) {
      auto first = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
      b.setInsertionPointToStart(first.thenBlock());
    }
    for (auto [i, tuple] : llvm::enumerate(tuples))
      for (auto [number, value] : llvm::enumerate(tuple))
        LLVM::StoreOp::create(
            b, lowering.toStorage(value),
            address(number, lowering.warpId(), lowering.i32(int64_t(i))));
  }
  lowering.barrier();
}

WarpScratch::Tuple WarpScratch::take(Value warp, Value index) {
  Tuple tuple;
  for (auto [number, type] : llvm::enumerate(types)) {
    Value loaded =
        LLVM::LoadOp::create(lowering.builder, lowering.storageType(type),
                             address(number, warp, index));
    tuple.push_back(lowering.fromStorage(loaded, type));
  }
  return tuple;
}
