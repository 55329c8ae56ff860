//===- Reduce.cpp - lowering of reductions --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers of a thread first, then lanes by butterfly shuffles, then warps
// through scratch memory, always in one order: results do not depend on timing.
//
//===----------------------------------------------------------------------===//
#include "Exchange.h"
#include "Memory/RegisterLoops.h"
#include "Prepare/Scratch.h"
#include "RegisterMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Analysis/RegisterPressure.h"
#include "tile/Conversion/Combination.h"
#include "tile/Dialect/Tile/IR/Buffers.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// How a loop over the source reaches the target.
static FragmentUse targetUse(ReduceOp op) {
  unsigned dim = op.getDim();
  size_t rank = cast<MemRefType>(op.getTarget().getType()).getRank();
  FragmentUse use = wholeUse(op.getSource());
  use.buffer = op.getTarget();
  if (use.coefficients.size() == rank)
    use.coefficients[dim][dim] = 0;
  else
    use.coefficients.erase(use.coefficients.begin() + dim);
  return use;
}

/// The target's index of one of the source's: without the reduced dimension.
static SmallVector<int64_t> projected(ReduceOp op,
                                      SmallVector<int64_t> coordinates) {
  size_t rank = cast<MemRefType>(op.getTarget().getType()).getRank();
  if (coordinates.size() == rank)
    coordinates[op.getDim()] = 0;
  else
    coordinates.erase(coordinates.begin() + op.getDim());
  return coordinates;
}

/// Registers of the target that a loop over the source with layout `loop`
/// reaches.
static SmallVector<int64_t> rowsOf(ReduceOp op, const FragmentLayout &loop,
                                   const RegisterMap &map) {
  SmallVector<int64_t> rows;
  for (int64_t r = 0, e = loop.numRegisters(); r < e; ++r)
    rows.push_back(map(projected(op, loop.axisCoordinates(Axis::Register, r))));
  llvm::sort(rows);
  rows.erase(llvm::unique(rows), rows.end());
  return rows;
}

int64_t tile::nvvm::resultsAtATime(ReduceOp op, KernelOp kernel,
                                   const TargetInfo &target) {
  OpBuilder builder(op);
  KernelLowering context(kernel, target, builder);
  for (Value buffer : {op.getSource(), op.getTarget()}) {
    AllocOp alloc = allocationOf(getViewedTile(buffer));
    context.fragments[buffer] = {Value(), getFragmentLayout(buffer).getLayout(),
                                 alloc && isKeptInLocalMemory(alloc, target)};
  }
  const FragmentBuffer &to = context.fragments[op.getTarget()];
  if (to.isInLocalMemory) {
    RegisterLoops loops(context, context.fragments[op.getSource()].layout,
                        {wholeUse(op.getSource()), targetUse(op)},
                        {unsigned(op.getDim())});
    if (!loops.isEmpty())
      return rowsOf(op, loops.inner(), RegisterMap(to.layout)).size();
  }
  return to.layout.numRegisters();
}

namespace {
class ReduceLowering {
public:
  ReduceLowering(KernelLowering &lowering, ReduceOp op)
      : lowering(lowering), b(lowering.builder), op(op), combination(op),
        element(cast<MemRefType>(op.getSource().getType()).getElementType()),
        working(Combination::workingType(element)), dim(op.getDim()) {}

  LogicalResult run();

private:
  /// Combines the source's elements of a thread into `partial`, one for each of
  /// `rows`, registers of the target.
  LogicalResult combineRegisters(const FragmentLayout &loop,
                                 ArrayRef<int64_t> rows,
                                 MutableArrayRef<Value> partial);
  /// The same in loops over a source in local memory.
  LogicalResult combineInLoops(RegisterLoops &loops, ArrayRef<int64_t> rows,
                               MutableArrayRef<Value> partial);
  /// What the loop `source` over the source's elements has of the rows.
  LogicalResult reduce(const FragmentLayout &source);
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
  bool lanesShare(const FragmentLayout &source, ArrayRef<int64_t> group,
                  size_t count) const;
  void combineByLanes(WarpScratch &scratch, Value base, ArrayRef<int64_t> group,
                      MutableArrayRef<Value> partial);

  KernelLowering &lowering;
  ImplicitLocOpBuilder &b;
  ReduceOp op;
  Combination combination;
  Type element, working;
  unsigned dim;
};
} // namespace

/// Whether the lanes of a warp take the warps' results one each, and combine
/// them by shuffles, instead of every lane taking all of them: all lanes need
/// the same, and there are enough results. Many warps that take many results
/// each keep the shared memory busy for longer than the loads of a row take.
bool ReduceLowering::lanesShare(const FragmentLayout &source,
                                ArrayRef<int64_t> group, size_t count) const {
  constexpr size_t kLoadsWorthwhile = 16;
  int64_t lanes = 1;
  for (const Mode &mode : source.modes(Axis::Lane))
    if (mode.dim == static_cast<int>(dim))
      lanes *= mode.extent;
  if (lanes != kWarpSize || group.size() * count < kLoadsWorthwhile ||
      !llvm::isPowerOf2_64(group.size()) || group.size() > kWarpSize)
    return false;
  int64_t step = group[1] - group[0];
  for (auto [i, warp] : llvm::enumerate(group))
    if (warp != group[0] + int64_t(i) * step)
      return false;
  return true;
}

/// With W warps, lane l takes of warp l mod W result l / W: as many results at
/// a time as a warp has lanes for.
void ReduceLowering::combineByLanes(WarpScratch &scratch, Value base,
                                    ArrayRef<int64_t> group,
                                    MutableArrayRef<Value> partial) {
  auto warps = int64_t(group.size());
  int64_t atATime = kWarpSize / warps;
  Value lane = lowering.laneId();
  Value warp = b.createOrFold<arith::RemUIOp>(lane, lowering.i32(warps));
  warp = lowering.add(base, lowering.mulConst(warp, group[1] - group[0]));
  for (size_t first = 0; first < partial.size(); first += atATime) {
    MutableArrayRef<Value> some = partial.drop_front(first).take_front(atATime);
    Value index = lowering.i32(int64_t(first));
    if (some.size() > 1) {
      Value own = b.createOrFold<arith::DivUIOp>(lane, lowering.i32(warps));
      own = b.createOrFold<arith::MinUIOp>(
          own, lowering.i32(int64_t(some.size()) - 1));
      index = lowering.add(index, own);
    }
    Value sum = scratch.take(warp, index);
    for (int64_t step = 1; step < warps; step *= 2)
      sum = combine(sum, shuffle(lowering, sum, NVVM::ShflKind::bfly,
                                 lowering.i32(step)));
    for (auto [i, value] : llvm::enumerate(some))
      value = some.size() == 1
                  ? sum
                  : shuffle(lowering, sum, NVVM::ShflKind::idx,
                            lowering.i32(int64_t(i) * warps));
  }
}

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
  if (lanesShare(source, group, partial.size())) {
    combineByLanes(scratch, base, group, partial);
    return;
  }
  for (auto [i, value] : llvm::enumerate(partial)) {
    Value sum;
    for (int64_t warp : group) {
      Value loaded = scratch.take(lowering.addConst(base, warp), int64_t(i));
      sum = sum ? combine(sum, loaded) : loaded;
    }
    value = sum;
  }
}

LogicalResult ReduceLowering::combineRegisters(const FragmentLayout &loop,
                                               ArrayRef<int64_t> rows,
                                               MutableArrayRef<Value> partial) {
  FragmentBuffer from = *lowering.fragment(op.getSource(), op);
  RegisterMap map(lowering.fragment(op.getTarget(), op)->layout);
  SmallVector<Value> threadPart = lowering.threadCoordinates(loop);
  SmallVector<int64_t> registers = registersInside(lowering, from);
  for (int64_t r = 0, e = loop.numRegisters(); r < e; ++r) {
    const int64_t *row = llvm::find(
        rows, map(projected(op, loop.axisCoordinates(Axis::Register, r))));
    if (row == rows.end())
      return op.emitOpError()
             << "expected the target to hold a result for each "
                "of the source's rows";
    Value value = prepare(lowering.loadRegister(from, element, registers[r]));
    if (Value inside = lowering.inBounds(loop, threadPart, r))
      value = b.createOrFold<arith::SelectOp>(inside, value, identity());
    Value &sum = partial[row - rows.begin()];
    sum = sum ? combine(sum, value) : value;
  }
  return success();
}

LogicalResult ReduceLowering::combineInLoops(RegisterLoops &loops,
                                             ArrayRef<int64_t> rows,
                                             MutableArrayRef<Value> partial) {
  for (Value &value : partial)
    value = identity();
  auto sums = loops.emit(
      partial, [&](ValueRange carried) -> FailureOr<SmallVector<Value>> {
        SmallVector<Value> next(carried);
        if (failed(combineRegisters(loops.inner(), rows, next)))
          return failure();
        return next;
      });
  if (failed(sums))
    return failure();
  llvm::copy(*sums, partial.begin());
  return success();
}

LogicalResult ReduceLowering::run() {
  FailureOr<FragmentBuffer> from = lowering.fragment(op.getSource(), op);
  FailureOr<FragmentBuffer> to = lowering.fragment(op.getTarget(), op);
  if (failed(from) || failed(to))
    return failure();
  const FragmentLayout &source = from->layout, &target = to->layout;
  // The target's threads are the source's, the dimension left out.
  for (Axis axis : {Axis::Lane, Axis::Warp})
    for (int64_t i = 0, e = source.size(axis); i < e; ++i)
      if (source.size(axis) != target.size(axis) ||
          projected(op, source.axisCoordinates(axis, i)) !=
              target.axisCoordinates(axis, i))
        return op.emitOpError()
               << "expected the target's layout to be the source's without "
                  "dimension "
               << dim << ": run --tile-infer-layouts";

  // Rows that no thread has registers for, some at a time.
  if (to->isInLocalMemory) {
    RegisterLoops loops(lowering, source,
                        {wholeUse(op.getSource()), targetUse(op)}, {dim});
    if (!loops.isEmpty())
      return loops.emit({}, [&](ValueRange) -> FailureOr<SmallVector<Value>> {
        if (failed(reduce(loops.inner())))
          return failure();
        return SmallVector<Value>();
      });
  }
  return reduce(source);
}

LogicalResult ReduceLowering::reduce(const FragmentLayout &source) {
  FragmentBuffer from = *lowering.fragment(op.getSource(), op);
  FragmentBuffer to = *lowering.fragment(op.getTarget(), op);
  SmallVector<int64_t> rows;
  RegisterMap map(to.layout);
  if (lowering.innerLayout) {
    rows = rowsOf(op, source, map);
  } else {
    rows = llvm::to_vector(llvm::seq<int64_t>(0, to.layout.numRegisters()));
  }
  SmallVector<Value> partial(rows.size());
  SmallVector<unsigned> kept;
  for (unsigned d = 0; d < source.rank(); ++d)
    if (d != dim)
      kept.push_back(d);
  std::optional<RegisterLoops> loops;
  if (from.isInLocalMemory)
    loops.emplace(lowering, source, wholeUse(op.getSource()), kept);
  if (failed(loops && !loops->isEmpty()
                 ? combineInLoops(*loops, rows, partial)
                 : combineRegisters(source, rows, partial)))
    return failure();
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
  for (auto [r, value] : llvm::zip(rows, partial)) {
    // NaN is left of a row only where all of it is.
    if (combination.ignoresNan(working))
      value = combine(identity(), value);
    if (op.getAccumulate())
      value = combine(lowering.convertElement(
                          lowering.loadRegister(to, element, r), working),
                      value);
    lowering.storeRegister(to, element, r,
                           lowering.convertElement(value, element));
  }
  return success();
}

static LogicalResult lowerReduce(KernelLowering &lowering, ReduceOp reduce) {
  return ReduceLowering(lowering, reduce).run();
}

void tile::nvvm::registerReduceLowerings(Registry &registry) {
  registry.add<ReduceOp>(lowerReduce);
}
