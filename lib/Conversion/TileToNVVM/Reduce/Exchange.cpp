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

// scratch[warp][value][lane]
WarpScratch::WarpScratch(KernelLowering &lowering, Type type, int64_t count)
    : lowering(lowering), type(type), bytes(warpScratchBytes(type, 1, 1)),
      perWarp(warpScratchBytes(type, count, kWarpSize)) {
  base = lowering.scratch(0);
  lane = lowering.mulConst(lowering.laneId(), bytes);
}

Value WarpScratch::address(Value warp, Value index) {
  Value offset = lowering.add(lowering.mulConst(warp, perWarp), lane);
  offset = lowering.add(offset, lowering.mulConst(index, kWarpSize * bytes));
  return LLVM::GEPOp::create(lowering.builder, base.getType(),
                             lowering.builder.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

void WarpScratch::leave(ArrayRef<Value> values) {
  lowering.barrier(); // earlier users of the scratch are done
  for (auto [i, value] : llvm::enumerate(values))
    LLVM::StoreOp::create(lowering.builder, lowering.toStorage(value),
                          address(lowering.warpId(), lowering.i32(i)));
  lowering.barrier();
}

Value WarpScratch::take(Value warp, int64_t index) {
  return take(warp, lowering.i32(index));
}

Value WarpScratch::take(Value warp, Value index) {
  Value loaded = LLVM::LoadOp::create(
      lowering.builder, lowering.storageType(type), address(warp, index));
  return lowering.fromStorage(loaded, type);
}
