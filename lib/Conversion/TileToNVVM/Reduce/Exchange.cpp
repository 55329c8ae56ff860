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
    : lowering(lowering), types(types), count(count),
      base(lowering.scratch(0)) {}

Value WarpScratch::address(size_t number, Value warp, Value index) {
  int64_t start = warpScratchBytes(ArrayRef(types).take_front(number), count,
                                   lowering.numThreads());
  int64_t bytes = warpScratchBytes(types[number], 1, 1);
  int64_t perWarp = warpScratchBytes(types[number], count, kWarpSize);
  Value offset = lowering.add(lowering.mulConst(warp, perWarp),
                              lowering.mulConst(lowering.laneId(), bytes));
  offset = lowering.add(offset, lowering.mulConst(index, kWarpSize * bytes));
  if (start)
    offset = lowering.addConst(offset, start);
  return LLVM::GEPOp::create(lowering.builder, base.getType(),
                             lowering.builder.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

void WarpScratch::leave(ArrayRef<Tuple> tuples) {
  lowering.barrier(); // earlier users of the scratch are done
  for (auto [i, tuple] : llvm::enumerate(tuples))
    for (auto [number, value] : llvm::enumerate(tuple))
      LLVM::StoreOp::create(
          lowering.builder, lowering.toStorage(value),
          address(number, lowering.warpId(), lowering.i32(int64_t(i))));
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
