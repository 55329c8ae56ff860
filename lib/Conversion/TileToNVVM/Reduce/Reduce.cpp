//===- Reduce.cpp - lowering of reductions --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers of a thread first, then lanes by butterfly shuffles, then warps
// through scratch memory, always in one order: results do not depend on timing.
//
//===----------------------------------------------------------------------===//
#include "Exchange.h"
#include "Prepare/Scratch.h"
#include "RegisterMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tile/Conversion/Combination.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

namespace {
class ReduceLowering {
public:
  ReduceLowering(KernelLowering &lowering, ReduceOp op)
      : lowering(lowering), b(lowering.builder), op(op), combination(op),
        element(cast<MemRefType>(op.getSource().getType()).getElementType()),
        working(Combination::workingType(element)), dim(op.getDim()) {}

  LogicalResult run();

private:
  Value combine(Value x, Value y) {
    return combination.combine(b, b.getLoc(), x, y);
  }
  /// To the working type, absolute value taken.
  Value prepare(Value x) {
    return combination.magnitude(b, b.getLoc(),
                                 lowering.convertElement(x, working));
  }
  Value identity() {
    return arith::ConstantOp::create(b, combination.identity(b, working));
  }
  void combineWarps(const FragmentLayout &source,
                    MutableArrayRef<Value> partial);

  KernelLowering &lowering;
  ImplicitLocOpBuilder &b;
  ReduceOp op;
  Combination combination;
  Type element, working;
  unsigned dim;
};
} // namespace

void ReduceLowering::combineWarps(const FragmentLayout &source,
                                  MutableArrayRef<Value> partial) {
  if (!isSpreadOverWarps(source, dim))
    return;
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
  llvm::sort(group);
  WarpScratch scratch(lowering, working, int64_t(partial.size()));
  scratch.leave(partial);
  for (auto [i, value] : llvm::enumerate(partial)) {
    Value sum;
    for (int64_t warp : group) {
      Value loaded = scratch.take(lowering.addConst(base, warp), int64_t(i));
      sum = sum ? combine(sum, loaded) : loaded;
    }
    value = sum;
  }
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
          value = combine(value, shuffle(lowering, value, NVVM::ShflKind::bfly,
                                         lowering.i32(step * divisor)));
    divisor *= mode.extent;
  }
  combineWarps(source, partial);
  for (int64_t r = 0; r < count; ++r) {
    Value value = partial[r];
    // NaN is left of a row only where all of it is.
    if (combination.ignoresNan(working))
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
