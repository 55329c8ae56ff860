//===- Reduce.cpp - lowering of reductions --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers of a thread first, then lanes by butterfly shuffles, then warps
// through scratch memory, always in one order: results do not depend on timing.
//
//===----------------------------------------------------------------------===//
#include "RegisterMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

namespace {
class ReduceLowering {
public:
  ReduceLowering(KernelLowering &lowering, ReduceOp op)
      : lowering(lowering), b(lowering.builder), op(op),
        element(cast<MemRefType>(op.getSource().getType()).getElementType()),
        working(element), dim(op.getDim()) {
    // Half-precision sums are carried in f32 and rounded once.
    if (element.isF16() || element.isBF16() ||
        (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8))
      working = b.getF32Type();
  }

  LogicalResult run();

private:
  Value combine(Value x, Value y);
  Value prepare(Value x); // to the working type, absolute value taken
  Value identity();
  Value shuffle(Value value, int64_t laneMask);
  LogicalResult combineWarps(const FragmentLayout &source,
                             MutableArrayRef<Value> partial);

  KernelLowering &lowering;
  ImplicitLocOpBuilder &b;
  ReduceOp op;
  Type element, working;
  unsigned dim;
};
} // namespace

Value ReduceLowering::combine(Value x, Value y) {
  bool isFloat = isa<FloatType>(working);
  bool isUnsigned = op.getIsUnsigned(), keepNan = op.getPropagateNan();
  switch (op.getKind()) {
  case ReduceKind::Sum:
  case ReduceKind::AbsSum:
    if (isFloat)
      return arith::AddFOp::create(b, x, y);
    return arith::AddIOp::create(b, x, y);
  case ReduceKind::Max:
  case ReduceKind::AbsMax:
    if (isFloat && keepNan)
      return arith::MaximumFOp::create(b, x, y);
    if (isFloat)
      return arith::MaxNumFOp::create(b, x, y);
    if (isUnsigned)
      return arith::MaxUIOp::create(b, x, y);
    return arith::MaxSIOp::create(b, x, y);
  case ReduceKind::Min:
    if (isFloat && keepNan)
      return arith::MinimumFOp::create(b, x, y);
    if (isFloat)
      return arith::MinNumFOp::create(b, x, y);
    if (isUnsigned)
      return arith::MinUIOp::create(b, x, y);
    return arith::MinSIOp::create(b, x, y);
  }
  return {};
}

Value ReduceLowering::prepare(Value x) {
  x = lowering.convertElement(x, working);
  if (op.getKind() != ReduceKind::AbsSum && op.getKind() != ReduceKind::AbsMax)
    return x;
  if (isa<FloatType>(working))
    return math::AbsFOp::create(b, x);
  if (op.getIsUnsigned())
    return x;
  return math::AbsIOp::create(b, x);
}

Value ReduceLowering::identity() {
  bool isMax = op.getKind() == ReduceKind::Max;
  bool isMin = op.getKind() == ReduceKind::Min;
  if (auto type = dyn_cast<FloatType>(working)) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    APFloat value = APFloat::getZero(semantics);
    if (isMax || isMin)
      value = APFloat::getInf(semantics, /*Negative=*/isMax);
    return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
  }
  unsigned bits = working.getIntOrFloatBitWidth();
  APInt value = APInt::getZero(bits);
  if (isMax && !op.getIsUnsigned())
    value = APInt::getSignedMinValue(bits);
  if (isMin)
    value = op.getIsUnsigned() ? APInt::getMaxValue(bits)
                               : APInt::getSignedMaxValue(bits);
  return arith::ConstantOp::create(b, b.getIntegerAttr(working, value));
}

/// shfl.sync.bfly moves 32 bits: narrower values are widened, wider ones split.
Value ReduceLowering::shuffle(Value value, int64_t laneMask) {
  Type i32 = b.getI32Type();
  auto move = [&](Value word) -> Value {
    return NVVM::ShflOp::create(b, i32, lowering.i32(-1), word,
                                lowering.i32(laneMask), lowering.i32(31),
                                NVVM::ShflKind::bfly, UnitAttr());
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

LogicalResult ReduceLowering::combineWarps(const FragmentLayout &source,
                                           MutableArrayRef<Value> partial) {
  // Which warps differ only along the reduced dimension.
  SmallVector<int64_t> group = {0};
  Value base = lowering.warpId();
  int64_t divisor = 1;
  for (const Mode &mode : source.modes(Axis::Warp)) {
    if (mode.dim == static_cast<int>(dim) && mode.extent > 1) {
      SmallVector<int64_t> next;
      for (int64_t d = 0; d < mode.extent; ++d)
        for (int64_t warp : group)
          next.push_back(warp + d * divisor);
      group = std::move(next);
      Value digit = b.createOrFold<arith::RemUIOp>(
          b.createOrFold<arith::DivUIOp>(lowering.warpId(),
                                         lowering.i32(divisor)),
          lowering.i32(mode.extent));
      base = b.createOrFold<arith::SubIOp>(base,
                                           lowering.mulConst(digit, divisor));
    }
    divisor *= mode.extent;
  }
  if (group.size() == 1)
    return success();
  llvm::sort(group);
  // scratch[warp][value][lane]
  int64_t bytes = std::max<int64_t>(1, working.getIntOrFloatBitWidth() / 8);
  int64_t count = partial.size(), perWarp = count * kWarpSize * bytes;
  lowering.reserveScratch(perWarp * lowering.numThreads() / 32);
  Value scratch = lowering.scratch(0);
  Value lane = lowering.mulConst(lowering.laneId(), bytes);
  auto address = [&](Value warp, int64_t value) -> Value {
    Value offset = lowering.add(lowering.mulConst(warp, perWarp), lane);
    offset = lowering.addConst(offset, value * kWarpSize * bytes);
    return LLVM::GEPOp::create(b, scratch.getType(), b.getI8Type(), scratch,
                               ArrayRef<LLVM::GEPArg>{offset});
  };
  lowering.barrier(); // earlier users of the scratch are done
  for (int64_t i = 0; i < count; ++i)
    LLVM::StoreOp::create(b, lowering.toStorage(partial[i]),
                          address(lowering.warpId(), i));
  lowering.barrier();
  for (int64_t i = 0; i < count; ++i) {
    Value sum;
    for (int64_t warp : group) {
      Value loaded = lowering.fromStorage(
          LLVM::LoadOp::create(b, lowering.storageType(working),
                               address(lowering.addConst(base, warp), i)),
          working);
      sum = sum ? combine(sum, loaded) : loaded;
    }
    partial[i] = sum;
  }
  return success();
}

LogicalResult ReduceLowering::run() {
  FailureOr<FragmentBuffer> from = lowering.fragment(op.getSource(), op);
  FailureOr<FragmentBuffer> to = lowering.fragment(op.getTarget(), op);
  if (failed(from) || failed(to))
    return failure();
  const FragmentLayout &source = from->layout, &target = to->layout;
  bool keepsDim = source.rank() == target.rank();
  auto project = [&](SmallVector<int64_t> coordinates) {
    if (keepsDim)
      coordinates[dim] = 0;
    else
      coordinates.erase(coordinates.begin() + dim);
    return coordinates;
  };
  // The target's threads are the source's, the dimension left out.
  for (Axis axis : {Axis::Lane, Axis::Warp})
    for (int64_t i = 0, e = source.size(axis); i < e; ++i)
      if (source.size(axis) != target.size(axis) ||
          project(source.axisCoordinates(axis, i)) !=
              target.axisCoordinates(axis, i))
        return op.emitOpError()
               << "expected the target's layout to be the source's without "
                  "dimension "
               << dim << ": run --tile-infer-layouts";

  RegisterMap map(target);
  int64_t count = target.numRegisters();
  SmallVector<Value> partial(count);
  SmallVector<Value> threadPart = lowering.threadCoordinates(source);
  for (int64_t r = 0, e = source.numRegisters(); r < e; ++r) {
    SmallVector<int64_t> own = source.axisCoordinates(Axis::Register, r);
    int64_t reg = map(project(own));
    if (reg < 0)
      return op.emitOpError()
             << "expected the target to hold a result for each "
                "of the source's rows";
    Value value = prepare(lowering.loadRegister(*from, element, r));
    if (Value inside = lowering.inBounds(source, threadPart, r))
      value = b.createOrFold<arith::SelectOp>(inside, value, identity());
    partial[reg] = partial[reg] ? combine(partial[reg], value) : value;
  }
  for (Value &value : partial)
    if (!value)
      value = identity();
  int64_t divisor = 1;
  for (const Mode &mode : source.modes(Axis::Lane)) {
    if (mode.dim == static_cast<int>(dim))
      for (int64_t step = 1; step < mode.extent; step *= 2)
        for (Value &value : partial)
          value = combine(value, shuffle(value, step * divisor));
    divisor *= mode.extent;
  }
  if (failed(combineWarps(source, partial)))
    return failure();
  bool ignoresNan = isa<FloatType>(working) && !op.getPropagateNan() &&
                    op.getKind() != ReduceKind::Sum &&
                    op.getKind() != ReduceKind::AbsSum;
  for (int64_t r = 0; r < count; ++r) {
    Value value = partial[r];
    // NaN is left of a row only where all of it is.
    if (ignoresNan)
      value = combine(identity(), value);
    if (op.getAccumulate())
      value = combine(lowering.convertElement(
                          lowering.loadRegister(*to, element, r), working),
                      value);
    lowering.storeRegister(*to, element, r,
                           lowering.convertElement(value, element));
  }
  return success();
}

static LogicalResult lowerReduce(KernelLowering &lowering, Operation *op) {
  return ReduceLowering(lowering, cast<ReduceOp>(op)).run();
}

void tile::nvvm::registerReduceLowerings(Registry &registry) {
  registry.add<ReduceOp>(lowerReduce);
}
