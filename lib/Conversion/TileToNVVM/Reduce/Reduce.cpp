//===- Reduce.cpp - lowering of reductions --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers of a thread first, then lanes by butterfly shuffles (integers of a
// whole warp by redux.sync), then warps through scratch memory, always in one
// order: results do not depend on timing.
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

/// Elements of one tuple.
using Tuple = SmallVector<Value, 2>;

static size_t targetRank(const Reduction &op) {
  return cast<MemRefType>(op.targets.front().getType()).getRank();
}

/// How a loop over the sources reaches a target.
static FragmentUse targetUse(const Reduction &op, Value target) {
  FragmentUse use = wholeUse(op.sources.front());
  use.buffer = target;
  if (use.coefficients.size() == targetRank(op))
    use.coefficients[op.dim][op.dim] = 0;
  else
    use.coefficients.erase(use.coefficients.begin() + op.dim);
  return use;
}

/// How that loop reaches all of them.
static SmallVector<FragmentUse> allUses(const Reduction &op) {
  SmallVector<FragmentUse> uses = llvm::map_to_vector(op.sources, wholeUse);
  for (Value target : op.targets)
    uses.push_back(targetUse(op, target));
  return uses;
}

/// A target's index of one of the sources': without the reduced dimension.
static SmallVector<int64_t> projected(const Reduction &op,
                                      SmallVector<int64_t> coordinates) {
  if (coordinates.size() == targetRank(op))
    coordinates[op.dim] = 0;
  else
    coordinates.erase(coordinates.begin() + op.dim);
  return coordinates;
}

/// Registers of the targets that a loop over the sources with layout `loop`
/// reaches.
static SmallVector<int64_t> rowsOf(const Reduction &op,
                                   const FragmentLayout &loop,
                                   const RegisterMap &map) {
  SmallVector<int64_t> rows;
  for (int64_t r = 0, e = loop.numRegisters(); r < e; ++r)
    rows.push_back(map(projected(op, loop.axisCoordinates(Axis::Register, r))));
  llvm::sort(rows);
  rows.erase(llvm::unique(rows), rows.end());
  return rows;
}

int64_t tile::nvvm::resultsAtATime(const Reduction &op, KernelOp kernel,
                                   const TargetInfo &target) {
  OpBuilder builder(op.op);
  KernelLowering context(kernel, target, builder);
  bool isInLocalMemory = false;
  for (Value buffer : llvm::concat<const Value>(op.sources, op.targets)) {
    AllocOp alloc = allocationOf(getViewedTile(buffer));
    bool isKept = alloc && isKeptInLocalMemory(alloc, target);
    context.fragments[buffer] = {Value(), getFragmentLayout(buffer).getLayout(),
                                 isKept};
    isInLocalMemory |= isKept && llvm::is_contained(op.targets, buffer);
  }
  const FragmentBuffer &to = context.fragments[op.targets.front()];
  if (isInLocalMemory) {
    RegisterLoops loops(context, context.fragments[op.sources.front()].layout,
                        allUses(op), {op.dim});
    if (!loops.isEmpty())
      return rowsOf(op, loops.inner(), RegisterMap(to.layout)).size();
  }
  return to.layout.numRegisters();
}

namespace {
class ReduceLowering {
public:
  ReduceLowering(KernelLowering &lowering, Reduction reduction)
      : lowering(lowering), b(lowering.builder), op(std::move(reduction)),
        combiner(op.combiner), dim(op.dim) {}

  LogicalResult run();

private:
  /// Combines the sources' elements of a thread into `partial`, one for each of
  /// `rows`, registers of the targets.
  LogicalResult combineRegisters(const FragmentLayout &loop,
                                 ArrayRef<int64_t> rows,
                                 MutableArrayRef<Tuple> partial);
  /// The same in loops over sources in local memory.
  LogicalResult combineInLoops(RegisterLoops &loops, ArrayRef<int64_t> rows,
                               MutableArrayRef<Tuple> partial);
  /// What the loop `source` over the sources' elements has of the rows.
  LogicalResult reduce(const FragmentLayout &source);
  Tuple combine(const Tuple &x, const Tuple &y) {
    return Tuple(combiner.combine(b, b.getLoc(), x, y));
  }
  /// Combines what lanes hold whose number differs in the bit `step`. Both get
  /// the same bits: the lower lane's tuple stands first.
  Tuple combineLanes(const Tuple &own, int64_t step);
  /// Whether one instruction combines what all lanes of the warp have.
  bool hasWarpReduction() const;
  Value combineWarp(Value own);
  Tuple neutral() { return Tuple(combiner.neutral(b, b.getLoc())); }
  Tuple shuffled(const Tuple &tuple, NVVM::ShflKind kind, int64_t operand) {
    Tuple other;
    for (Value value : tuple)
      other.push_back(shuffle(lowering, value, kind, lowering.i32(operand)));
    return other;
  }
  Tuple select(Value condition, const Tuple &x, const Tuple &y) {
    Tuple chosen;
    for (auto [whenTrue, whenFalse] : llvm::zip(x, y))
      chosen.push_back(
          b.createOrFold<arith::SelectOp>(condition, whenTrue, whenFalse));
    return chosen;
  }
  /// The elements of a tuple, as the combination takes them.
  FailureOr<Tuple> load(ArrayRef<Value> buffers, ArrayRef<int64_t> registers);
  void combineLanes(const FragmentLayout &source,
                    MutableArrayRef<Tuple> partial);
  void combineWarps(const FragmentLayout &source,
                    MutableArrayRef<Tuple> partial);
  bool lanesShare(const FragmentLayout &source, ArrayRef<int64_t> group,
                  size_t count) const;
  void combineByLanes(WarpScratch &scratch, Value base, ArrayRef<int64_t> group,
                      MutableArrayRef<Tuple> partial);

  KernelLowering &lowering;
  ImplicitLocOpBuilder &b;
  Reduction op;
  const Combiner &combiner;
  unsigned dim;
};
} // namespace

Tuple ReduceLowering::combineLanes(const Tuple &own, int64_t step) {
  Tuple other = shuffled(own, NVVM::ShflKind::bfly, step);
  if (combiner.isCommutative())
    return combine(own, other);
  Value bit = arith::AndIOp::create(b, lowering.laneId(), lowering.i32(step));
  Value isUpper =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bit, lowering.i32(0));
  return combine(select(isUpper, other, own), select(isUpper, own, other));
}

/// How `redux.sync` combines integers; nothing where it does not.
static std::optional<NVVM::ReduxKind>
warpReduction(const Combination &combination) {
  switch (combination.kind) {
  case ReduceKind::Sum:
  case ReduceKind::AbsSum:
    return NVVM::ReduxKind::ADD;
  case ReduceKind::Max:
  case ReduceKind::AbsMax:
    return combination.isUnsigned ? NVVM::ReduxKind::UMAX
                                  : NVVM::ReduxKind::MAX;
  case ReduceKind::Min:
    return combination.isUnsigned ? NVVM::ReduxKind::UMIN
                                  : NVVM::ReduxKind::MIN;
  case ReduceKind::BitAnd:
    return NVVM::ReduxKind::AND;
  case ReduceKind::BitOr:
    return NVVM::ReduxKind::OR;
  case ReduceKind::BitXor:
    return NVVM::ReduxKind::XOR;
  case ReduceKind::Prod:
    return std::nullopt;
  }
  return std::nullopt;
}

bool ReduceLowering::hasWarpReduction() const {
  const Combination *combination = combiner.combination();
  auto type = dyn_cast<IntegerType>(combiner.workingTypes().front());
  return combination && warpReduction(*combination) && type &&
         type.getWidth() <= 32;
}

Value ReduceLowering::combineWarp(Value own) {
  const Combination &combination = *combiner.combination();
  Type type = own.getType(), i32 = b.getI32Type();
  bool isSmall = type.getIntOrFloatBitWidth() < 32;
  if (isSmall)
    own = combination.isUnsigned ? Value(arith::ExtUIOp::create(b, i32, own))
                                 : Value(arith::ExtSIOp::create(b, i32, own));
  Value all = NVVM::ReduxOp::create(b, i32, own, *warpReduction(combination),
                                    lowering.i32(-1));
  return isSmall ? Value(arith::TruncIOp::create(b, type, all)) : all;
}

FailureOr<Tuple> ReduceLowering::load(ArrayRef<Value> buffers,
                                      ArrayRef<int64_t> registers) {
  Tuple loaded;
  for (auto [buffer, reg, type] :
       llvm::zip(buffers, registers, combiner.workingTypes())) {
    FailureOr<FragmentBuffer> from = lowering.fragment(buffer, op.op);
    if (failed(from))
      return failure();
    Value value = lowering.loadRegister(*from, elementTypeOf(buffer), reg);
    loaded.push_back(lowering.convertElement(value, type));
  }
  return loaded;
}

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
                                    MutableArrayRef<Tuple> partial) {
  auto warps = int64_t(group.size());
  int64_t atATime = kWarpSize / warps;
  Value lane = lowering.laneId();
  Value warp = b.createOrFold<arith::RemUIOp>(lane, lowering.i32(warps));
  warp = lowering.add(base, lowering.mulConst(warp, group[1] - group[0]));
  for (size_t first = 0; first < partial.size(); first += atATime) {
    MutableArrayRef<Tuple> some = partial.drop_front(first).take_front(atATime);
    Value index = lowering.i32(int64_t(first));
    if (some.size() > 1) {
      Value own = b.createOrFold<arith::DivUIOp>(lane, lowering.i32(warps));
      own = b.createOrFold<arith::MinUIOp>(
          own, lowering.i32(int64_t(some.size()) - 1));
      index = lowering.add(index, own);
    }
    Tuple sum = scratch.take(warp, index);
    for (int64_t step = 1; step < warps; step *= 2)
      sum = combineLanes(sum, step);
    for (auto [i, value] : llvm::enumerate(some))
      value = some.size() == 1
                  ? sum
                  : shuffled(sum, NVVM::ShflKind::idx, int64_t(i) * warps);
  }
}

void ReduceLowering::combineLanes(const FragmentLayout &source,
                                  MutableArrayRef<Tuple> partial) {
  bool isWholeWarp =
      llvm::all_of(source.modes(Axis::Lane), [&](const Mode &mode) {
        return mode.extent == 1 || mode.dim == static_cast<int>(dim);
      });
  if (isWholeWarp && hasWarpReduction()) {
    for (Tuple &tuple : partial)
      tuple = {combineWarp(tuple.front())};
    return;
  }
  int64_t divisor = 1;
  for (const Mode &mode : source.modes(Axis::Lane)) {
    if (mode.dim == static_cast<int>(dim))
      for (int64_t step = 1; step < mode.extent; step *= 2)
        for (Tuple &tuple : partial)
          tuple = combineLanes(tuple, step * divisor);
    divisor *= mode.extent;
  }
}

void ReduceLowering::combineWarps(const FragmentLayout &source,
                                  MutableArrayRef<Tuple> partial) {
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
  WarpScratch scratch(lowering, combiner.workingTypes(),
                      int64_t(partial.size()), source, dim);
  scratch.leave(partial, /*isAgain=*/bool(lowering.innerLayout));
  if (lanesShare(source, group, partial.size())) {
    combineByLanes(scratch, base, group, partial);
    return;
  }
  for (auto [i, value] : llvm::enumerate(partial)) {
    Tuple sum;
    for (int64_t warp : group) {
      Tuple loaded =
          scratch.take(lowering.addConst(base, warp), lowering.i32(int64_t(i)));
      sum = sum.empty() ? loaded : combine(sum, loaded);
    }
    value = sum;
  }
}

LogicalResult ReduceLowering::combineRegisters(const FragmentLayout &loop,
                                               ArrayRef<int64_t> rows,
                                               MutableArrayRef<Tuple> partial) {
  RegisterMap map(lowering.fragment(op.targets.front(), op.op)->layout);
  SmallVector<Value> threadPart = lowering.threadCoordinates(loop);
  SmallVector<SmallVector<int64_t>> registers;
  for (Value source : op.sources)
    registers.push_back(
        registersInside(lowering, *lowering.fragment(source, op.op)));
  for (int64_t r = 0, e = loop.numRegisters(); r < e; ++r) {
    const int64_t *row = llvm::find(
        rows, map(projected(op, loop.axisCoordinates(Axis::Register, r))));
    if (row == rows.end())
      return op.op->emitOpError()
             << "expected the target to hold a result for each "
                "of the source's rows";
    FailureOr<Tuple> value =
        load(op.sources, llvm::map_to_vector(registers, [&](auto &numbers) {
               return numbers[r];
             }));
    if (failed(value))
      return failure();
    for (Value &element : *value)
      element = combiner.prepare(b, b.getLoc(), element);
    if (Value inside = lowering.inBounds(loop, threadPart, r))
      value = select(inside, *value, neutral());
    Tuple &sum = partial[row - rows.begin()];
    sum = sum.empty() ? *value : combine(sum, *value);
  }
  return success();
}

/// The values of tuples, one after the other, and back.
static SmallVector<Value> flattened(ArrayRef<Tuple> tuples) {
  SmallVector<Value> values;
  for (const Tuple &tuple : tuples)
    llvm::append_range(values, tuple);
  return values;
}
static void assign(MutableArrayRef<Tuple> tuples, ValueRange values) {
  for (Tuple &tuple : tuples) {
    size_t size = values.size() / tuples.size();
    tuple.assign(values.begin(), values.begin() + size);
    values = values.drop_front(size);
    tuples = tuples.drop_front();
  }
}

LogicalResult ReduceLowering::combineInLoops(RegisterLoops &loops,
                                             ArrayRef<int64_t> rows,
                                             MutableArrayRef<Tuple> partial) {
  for (Tuple &tuple : partial)
    tuple = neutral();
  auto sums =
      loops.emit(flattened(partial),
                 [&](ValueRange carried) -> FailureOr<SmallVector<Value>> {
                   SmallVector<Tuple> next(partial.size());
                   assign(next, carried);
                   if (failed(combineRegisters(loops.inner(), rows, next)))
                     return failure();
                   return flattened(next);
                 });
  if (failed(sums))
    return failure();
  assign(partial, *sums);
  return success();
}

LogicalResult ReduceLowering::run() {
  bool isInLocalMemory = false;
  FragmentLayout source, target;
  for (auto [number, buffer] : llvm::enumerate(llvm::to_vector(
           llvm::concat<const Value>(op.sources, op.targets)))) {
    FailureOr<FragmentBuffer> found = lowering.fragment(buffer, op.op);
    if (failed(found))
      return failure();
    bool isTarget = number >= op.sources.size();
    isInLocalMemory |= isTarget && found->isInLocalMemory;
    FragmentLayout &layout = isTarget ? target : source;
    if (number % op.sources.size() == 0)
      layout = found->layout;
    else if (found->layout != layout)
      return op.op->emitOpError()
             << "expected tiles that are combined together to have one "
                "layout: run --tile-infer-layouts";
  }
  // The target's threads are the source's, the dimension left out.
  for (Axis axis : {Axis::Lane, Axis::Warp})
    for (int64_t i = 0, e = source.size(axis); i < e; ++i)
      if (source.size(axis) != target.size(axis) ||
          projected(op, source.axisCoordinates(axis, i)) !=
              target.axisCoordinates(axis, i))
        return op.op->emitOpError()
               << "expected the target's layout to be the source's without "
                  "dimension "
               << dim << ": run --tile-infer-layouts";

  // Rows that no thread has registers for, some at a time.
  if (isInLocalMemory) {
    RegisterLoops loops(lowering, source, allUses(op), {dim});
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
  FragmentLayout to = lowering.fragment(op.targets.front(), op.op)->layout;
  SmallVector<int64_t> rows;
  RegisterMap map(to);
  if (lowering.innerLayout) {
    rows = rowsOf(op, source, map);
  } else {
    rows = llvm::to_vector(llvm::seq<int64_t>(0, to.numRegisters()));
  }
  SmallVector<Tuple> partial(rows.size());
  SmallVector<unsigned> kept;
  for (unsigned d = 0; d < source.rank(); ++d)
    if (d != dim)
      kept.push_back(d);
  std::optional<RegisterLoops> loops;
  if (llvm::any_of(op.sources, [&](Value buffer) {
        return lowering.fragment(buffer, op.op)->isInLocalMemory;
      }))
    loops.emplace(lowering, source, llvm::map_to_vector(op.sources, wholeUse),
                  kept);
  if (failed(loops && !loops->isEmpty()
                 ? combineInLoops(*loops, rows, partial)
                 : combineRegisters(source, rows, partial)))
    return failure();
  for (Tuple &tuple : partial)
    if (tuple.empty())
      tuple = neutral();
  combineLanes(source, partial);
  combineWarps(source, partial);
  for (auto [r, tuple] : llvm::zip(rows, partial)) {
    // NaN is left of a row only where all of it is.
    if (combiner.ignoresNan())
      tuple = combine(neutral(), tuple);
    if (op.accumulates) {
      FailureOr<Tuple> held =
          load(op.targets, SmallVector<int64_t>(op.targets.size(), r));
      if (failed(held))
        return failure();
      tuple = combine(*held, tuple);
    }
    for (auto [target, value] : llvm::zip(op.targets, tuple)) {
      Type element = elementTypeOf(target);
      lowering.storeRegister(*lowering.fragment(target, op.op), element, r,
                             lowering.convertElement(value, element));
    }
  }
  return success();
}

template <typename OpT>
static LogicalResult lowerReduce(KernelLowering &lowering, OpT reduce) {
  return ReduceLowering(lowering, Reduction(reduce)).run();
}

void tile::nvvm::registerReduceLowerings(Registry &registry) {
  registry.add<ReduceOp>(lowerReduce<ReduceOp>);
  registry.add<ReduceWithOp>(lowerReduce<ReduceWithOp>);
}
