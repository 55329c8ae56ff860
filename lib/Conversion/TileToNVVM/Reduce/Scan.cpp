//===- Scan.cpp - lowering of scans ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A coordinate along the scanned dimension is a number whose digits the layout
// deals out to registers, lanes and warps (ScanDigits.h). From the fastest
// digit to the slowest, every element is combined with what comes before it
// within the elements that share the slower digits; a total of those goes on to
// the next digit. Digits of registers are a chain, those of lanes shuffles that
// double their distance, those of warps a trip through scratch memory. The
// order is always the same: results do not depend on timing. An element is a
// tuple where a region combines.
//
//===----------------------------------------------------------------------===//
#include "Exchange.h"
#include "Moves/Endpoint.h"
#include "Moves/Move.h"
#include "ScanDigits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Conversion/Combination.h"
#include "tile/Dialect/Tile/IR/Buffers.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

namespace {

/// Elements of one tuple.
using Tuple = SmallVector<Value, 2>;

class ScanLowering {
public:
  ScanLowering(KernelLowering &lowering, Scan scan)
      : lowering(lowering), b(lowering.builder), op(std::move(scan)),
        combiner(op.combiner), layout(op.layout.getLayout()),
        neutral(combiner.neutral(b, b.getLoc())) {}

  LogicalResult run();

private:
  /// Element `number` of the tuples.
  LogicalResult load(size_t number);
  LogicalResult store(size_t number, bool mayOverwrite);
  void scanRegisters(const ScanDigit &digit);
  void scanLanes(const ScanDigit &digit, bool isLast);
  void scanWarps(const ScanDigit &digit);
  /// The place of a digit in the order of combination.
  Value placeOf(const ScanDigit &digit, Value number);
  Value isAtLeast(Value place, int64_t bound) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::uge, place,
                                 lowering.i32(bound));
  }
  /// Combines what comes before, by the register that stands for it.
  void prepend(const llvm::DenseMap<int64_t, Tuple> &before);
  SmallVector<int64_t> standing() const;
  Tuple combine(const Tuple &x, const Tuple &y) {
    return Tuple(combiner.combine(b, b.getLoc(), x, y));
  }
  Tuple select(Value condition, const Tuple &x, const Tuple &y) {
    Tuple chosen;
    for (auto [whenTrue, whenFalse] : llvm::zip(x, y))
      chosen.push_back(
          arith::SelectOp::create(b, condition, whenTrue, whenFalse));
    return chosen;
  }
  /// What lane `lane` has of `tuple`.
  Tuple shuffled(const Tuple &tuple, Value lane) {
    Tuple other;
    for (Value value : tuple)
      other.push_back(shuffle(lowering, value, NVVM::ShflKind::idx, lane));
    return other;
  }
  int64_t vectorLength(Value buffer) const;

  KernelLowering &lowering;
  ImplicitLocOpBuilder &b;
  Scan op;
  const Combiner &combiner;
  FragmentLayout layout;
  Tuple neutral;
  SmallVector<ScanDigit> digits;
  /// By register: the result so far (of an exclusive scan empty while nothing
  /// comes before), and the register that stands for all which differ from it
  /// in faster digits only; it has their total.
  SmallVector<Tuple> values, totals;
  SmallVector<int64_t> standsFor;
  /// Whether an earlier trip may still be read.
  bool hasUsedScratch = false;
};

} // namespace

/// Elements of shared memory that one access takes.
int64_t ScanLowering::vectorLength(Value buffer) const {
  if (!isShared(buffer) || layout.rank() == 0 || layout.overshoots())
    return 1;
  FailureOr<SharedBuffer> shared = lowering.shared(buffer, op.op);
  if (failed(shared) || shared->layout.shape() != layout.shape())
    return 1;
  int64_t count = widestVector(layout, shared->layout, layout.rank() - 1);
  int64_t run = layout.vectorWidth(layout.rank() - 1);
  while (count > 1 && (run % count || layout.numRegisters() % count))
    count /= 2;
  return std::max<int64_t>(1, count);
}

LogicalResult ScanLowering::load(size_t number) {
  Value buffer = op.sources[number];
  Type working = combiner.workingTypes()[number];
  ArrayRef<int64_t> shape = cast<MemRefType>(buffer.getType()).getShape();
  FailureOr<Endpoint> source =
      Endpoint::create(lowering, op.op, buffer, ValueRange(), shape, layout);
  if (failed(source))
    return failure();
  int64_t count = vectorLength(buffer);
  SmallVector<Value> threadPart = lowering.threadCoordinates(layout);
  for (int64_t reg = 0, e = layout.numRegisters(); reg < e; reg += count) {
    Value inside = lowering.inBounds(layout, threadPart, reg);
    SmallVector<Value> loaded;
    auto prepare = [&]() -> LogicalResult {
      FailureOr<SmallVector<Value>> found = source->load(reg, count, Value());
      if (failed(found))
        return failure();
      for (Value value : *found)
        loaded.push_back(combiner.prepare(
            b, b.getLoc(), lowering.convertElement(value, working)));
      return success();
    };
    if (!inside || !isShared(buffer)) {
      if (failed(prepare()))
        return failure();
      if (inside)
        for (Value &value : loaded)
          value = arith::SelectOp::create(b, inside, value, neutral[number]);
    } else {
      auto branch = scf::IfOp::create(b, SmallVector<Type>(count, working),
                                      inside, /*withElse=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      if (failed(prepare()))
        return failure();
      scf::YieldOp::create(b, loaded);
      b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(b, SmallVector<Value>(count, neutral[number]));
      loaded = llvm::to_vector_of<Value>(branch.getResults());
    }
    for (auto [i, value] : llvm::enumerate(loaded))
      totals[reg + int64_t(i)].push_back(value);
  }
  return success();
}

LogicalResult ScanLowering::store(size_t number, bool mayOverwrite) {
  Value buffer = op.targets[number];
  Type element = elementTypeOf(buffer);
  ArrayRef<int64_t> shape = cast<MemRefType>(buffer.getType()).getShape();
  FailureOr<Endpoint> target =
      Endpoint::create(lowering, op.op, buffer, ValueRange(), shape, layout);
  if (failed(target))
    return failure();
  bool toShared = isShared(buffer);
  Value first = toShared ? lowering.firstReplica(layout) : Value();
  // Replicas in other warps read what is now overwritten.
  if (first && mayOverwrite)
    lowering.barrier();
  int64_t count = vectorLength(buffer);
  SmallVector<Value> threadPart = lowering.threadCoordinates(layout);
  for (int64_t reg = 0, e = layout.numRegisters(); reg < e; reg += count) {
    SmallVector<Value> stored;
    for (int64_t i = 0; i < count; ++i)
      stored.push_back(
          lowering.convertElement(values[reg + i][number], element));
    // Registers of nobody may be written.
    Value predicate =
        toShared ? lowering.inBounds(layout, threadPart, reg) : Value();
    if (first)
      predicate =
          predicate ? b.createOrFold<arith::AndIOp>(first, predicate) : first;
    OpBuilder::InsertionGuard guard(b);
    if (predicate)
      b.setInsertionPointToStart(
          scf::IfOp::create(b, predicate, /*withElse=*/false).thenBlock());
    if (failed(target->store(reg, stored)))
      return failure();
  }
  return success();
}

SmallVector<int64_t> ScanLowering::standing() const {
  SmallVector<int64_t> found;
  for (int64_t reg = 0, e = values.size(); reg < e; ++reg)
    if (standsFor[reg] == reg)
      found.push_back(reg);
  return found;
}

void ScanLowering::prepend(const llvm::DenseMap<int64_t, Tuple> &before) {
  for (auto [reg, value] : llvm::enumerate(values)) {
    Tuple earlier = before.lookup(standsFor[reg]);
    if (!earlier.empty())
      value = value.empty() ? earlier : combine(earlier, value);
  }
}

Value ScanLowering::placeOf(const ScanDigit &digit, Value number) {
  Value place = nvvm::digit(lowering, number, digit.divisor, digit.extent,
                            digit.isSlowestOfAxis);
  if (!op.isReverse)
    return place;
  return b.createOrFold<arith::SubIOp>(lowering.i32(digit.extent - 1), place);
}

void ScanLowering::scanRegisters(const ScanDigit &digit) {
  auto number = [&](int64_t reg) { return reg / digit.divisor % digit.extent; };
  llvm::DenseMap<int64_t, Tuple> before;
  for (int64_t base : standing()) {
    if (number(base) != 0)
      continue;
    Tuple soFar;
    for (int64_t i = 0; i < digit.extent; ++i) {
      int64_t place = op.isReverse ? digit.extent - 1 - i : i;
      int64_t reg = base + place * digit.divisor;
      if (!soFar.empty())
        before[reg] = soFar;
      soFar = soFar.empty() ? totals[reg] : combine(soFar, totals[reg]);
    }
    totals[base] = soFar;
  }
  prepend(before);
  for (int64_t &reg : standsFor)
    reg -= number(reg) * digit.divisor;
}

void ScanLowering::scanLanes(const ScanDigit &digit, bool isLast) {
  Value lane = lowering.laneId();
  Value place = placeOf(digit, lane);
  // The lane `distance` places earlier.
  auto earlier = [&](const Tuple &tuple, int64_t distance) {
    int64_t offset = distance * digit.divisor * (op.isReverse ? 1 : -1);
    return shuffled(tuple, lowering.addConst(lane, offset));
  };
  llvm::DenseMap<int64_t, Tuple> before;
  for (int64_t reg : standing()) {
    Tuple soFar = totals[reg];
    for (int64_t distance = 1; distance < digit.extent; distance *= 2) {
      Tuple other = earlier(soFar, distance);
      soFar = select(isAtLeast(place, distance), combine(other, soFar), soFar);
    }
    before[reg] = select(isAtLeast(place, 1), earlier(soFar, 1), neutral);
    if (isLast)
      continue;
    // The total is where the place is the last.
    Value missing =
        b.createOrFold<arith::SubIOp>(lowering.i32(digit.extent - 1), place);
    Value distance = lowering.mulConst(missing, op.isReverse ? -digit.divisor
                                                             : digit.divisor);
    totals[reg] = shuffled(soFar, lowering.add(lane, distance));
  }
  prepend(before);
}

void ScanLowering::scanWarps(const ScanDigit &digit) {
  ArrayRef<Type> types = combiner.workingTypes();
  int64_t perTrip = scanTotalsPerTrip(types, lowering.numThreads());
  Value warp = lowering.warpId();
  Value number = nvvm::digit(lowering, warp, digit.divisor, digit.extent,
                             digit.isSlowestOfAxis);
  Value place = placeOf(digit, warp);
  Value first = b.createOrFold<arith::SubIOp>(
      warp, lowering.mulConst(number, digit.divisor));
  SmallVector<int64_t> registers = standing();
  llvm::DenseMap<int64_t, Tuple> before;
  for (ArrayRef<int64_t> rest = registers; !rest.empty();) {
    ArrayRef<int64_t> trip = rest.take_front(perTrip);
    rest = rest.drop_front(trip.size());
    WarpScratch scratch(lowering, types, int64_t(trip.size()));
    scratch.leave(
        llvm::map_to_vector(trip, [&](int64_t reg) { return totals[reg]; }),
        std::exchange(hasUsedScratch, true));
    for (auto [i, reg] : llvm::enumerate(trip)) {
      Tuple soFar, mine = neutral;
      for (int64_t d = 0; d < digit.extent; ++d) {
        int64_t digitOfWarp = op.isReverse ? digit.extent - 1 - d : d;
        Tuple total =
            scratch.take(lowering.addConst(first, digitOfWarp * digit.divisor),
                         lowering.i32(int64_t(i)));
        soFar = soFar.empty() ? total : combine(soFar, total);
        if (d + 1 < digit.extent)
          mine = select(isAtLeast(place, d + 1), soFar, mine);
      }
      before[reg] = mine;
      totals[reg] = soFar;
    }
  }
  prepend(before);
}

LogicalResult ScanLowering::run() {
  FailureOr<SmallVector<ScanDigit>> found = findScanDigits(op);
  if (failed(found))
    return failure();
  digits = *found;
  if (!op.carries.empty())
    return op.op->emitOpError()
           << "expected no carry: run --tile-expand-operations";
  totals.resize(layout.numRegisters());
  for (size_t number = 0; number < combiner.size(); ++number)
    if (failed(load(number)))
      return failure();
  // A NaN is left of elements only where nothing else came before it.
  if (combiner.ignoresNan())
    for (Tuple &tuple : totals)
      tuple = combine(neutral, tuple);
  values.resize(totals.size());
  if (!op.isExclusive)
    values = totals;
  for (int64_t reg = 0, e = values.size(); reg < e; ++reg)
    standsFor.push_back(reg);
  for (const ScanDigit &digit : digits)
    switch (digit.axis) {
    case Axis::Register:
      scanRegisters(digit);
      break;
    case Axis::Lane:
      scanLanes(digit, &digit == &digits.back());
      break;
    default:
      scanWarps(digit);
    }
  for (Tuple &tuple : values)
    if (tuple.empty())
      tuple = neutral;
  // One barrier is enough: whatever is overwritten, all have read it.
  bool mayOverwrite = llvm::any_of(op.sources, isShared);
  for (size_t number = 0; number < combiner.size(); ++number) {
    if (failed(store(number, mayOverwrite)))
      return failure();
    mayOverwrite &= !isShared(op.targets[number]);
  }
  return success();
}

template <typename OpT>
static LogicalResult lowerScan(KernelLowering &lowering, OpT scan) {
  Operation *op = scan;
  if (failed(requireLayout(op, scan.getLayout().has_value())))
    return failure();
  return ScanLowering(lowering, Scan(scan)).run();
}

void tile::nvvm::registerScanLowerings(Registry &registry) {
  registry.add<ScanOp>(lowerScan<ScanOp>);
  registry.add<ScanWithOp>(lowerScan<ScanWithOp>);
}
