//===- Scan.cpp - lowering of scans ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A coordinate along the scanned dimension is a number whose digits the layout
// deals out to registers, lanes and warps (ScanDigits.h). From the fastest
// digit to the slowest, every element is combined with what comes before it
// within the elements that share the slower digits; a total of those goes on to
// the next digit. Digits of registers are a chain, those of lanes shuffles that
// double their distance, those of warps a trip through scratch memory. The
// order is always the same: results do not depend on timing.
//
//===----------------------------------------------------------------------===//
#include "Exchange.h"
#include "Moves/Endpoint.h"
#include "Moves/Move.h"
#include "ScanDigits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Conversion/Combination.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

namespace {

class ScanLowering {
public:
  ScanLowering(KernelLowering &lowering, ScanOp op)
      : lowering(lowering), b(lowering.builder), op(op), combination(op),
        element(cast<MemRefType>(op.getSource().getType()).getElementType()),
        working(Combination::workingType(element)),
        layout(op.getLayout()->getLayout()) {}

  LogicalResult run();

private:
  LogicalResult load();
  LogicalResult store();
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
  void prepend(const llvm::DenseMap<int64_t, Value> &before);
  SmallVector<int64_t> standing() const;
  Value combine(Value x, Value y) {
    return combination.combine(b, b.getLoc(), x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  int64_t vectorLength(Value buffer) const;

  KernelLowering &lowering;
  ImplicitLocOpBuilder &b;
  ScanOp op;
  Combination combination;
  Type element, working;
  FragmentLayout layout;
  Value identity;
  SmallVector<ScanDigit> digits;
  /// By register: the result so far, and the register that stands for all which
  /// differ from it in faster digits only; it has their total.
  SmallVector<Value> values, totals;
  SmallVector<int64_t> standsFor;
};

} // namespace

/// Elements of shared memory that one access takes.
int64_t ScanLowering::vectorLength(Value buffer) const {
  if (!isShared(buffer) || layout.rank() == 0 || layout.overshoots())
    return 1;
  FailureOr<SharedBuffer> shared = lowering.shared(buffer, op);
  if (failed(shared) || shared->layout.shape() != layout.shape())
    return 1;
  int64_t count = widestVector(layout, shared->layout, layout.rank() - 1);
  int64_t run = layout.vectorWidth(layout.rank() - 1);
  while (count > 1 && (run % count || layout.numRegisters() % count))
    count /= 2;
  return std::max<int64_t>(1, count);
}

LogicalResult ScanLowering::load() {
  ArrayRef<int64_t> shape =
      cast<MemRefType>(op.getSource().getType()).getShape();
  FailureOr<Endpoint> source = Endpoint::create(lowering, op, op.getSource(),
                                                ValueRange(), shape, layout);
  if (failed(source))
    return failure();
  int64_t count = vectorLength(op.getSource());
  SmallVector<Value> threadPart = lowering.threadCoordinates(layout);
  for (int64_t reg = 0, e = layout.numRegisters(); reg < e; reg += count) {
    Value inside = lowering.inBounds(layout, threadPart, reg);
    SmallVector<Value> loaded;
    auto prepare = [&]() -> LogicalResult {
      FailureOr<SmallVector<Value>> found = source->load(reg, count, Value());
      if (failed(found))
        return failure();
      for (Value value : *found)
        loaded.push_back(lowering.convertElement(value, working));
      return success();
    };
    if (!inside || !isShared(op.getSource())) {
      if (failed(prepare()))
        return failure();
      if (inside)
        for (Value &value : loaded)
          value = select(inside, value, identity);
    } else {
      auto branch = scf::IfOp::create(b, SmallVector<Type>(count, working),
                                      inside, /*withElse=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      if (failed(prepare()))
        return failure();
      scf::YieldOp::create(b, loaded);
      b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(b, SmallVector<Value>(count, identity));
      loaded = llvm::to_vector_of<Value>(branch.getResults());
    }
    llvm::append_range(values, loaded);
  }
  // A NaN is left of elements only where nothing else came before it.
  if (combination.ignoresNan(working))
    for (Value &value : values)
      value = combine(identity, value);
  return success();
}

LogicalResult ScanLowering::store() {
  ArrayRef<int64_t> shape =
      cast<MemRefType>(op.getTarget().getType()).getShape();
  FailureOr<Endpoint> target = Endpoint::create(lowering, op, op.getTarget(),
                                                ValueRange(), shape, layout);
  if (failed(target))
    return failure();
  bool toShared = isShared(op.getTarget());
  Value first = toShared ? lowering.firstReplica(layout) : Value();
  // Replicas in other warps read what is now overwritten.
  if (first && isShared(op.getSource()))
    lowering.barrier();
  int64_t count = vectorLength(op.getTarget());
  SmallVector<Value> threadPart = lowering.threadCoordinates(layout);
  for (int64_t reg = 0, e = layout.numRegisters(); reg < e; reg += count) {
    SmallVector<Value> stored;
    for (int64_t i = 0; i < count; ++i)
      stored.push_back(lowering.convertElement(values[reg + i], element));
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

void ScanLowering::prepend(const llvm::DenseMap<int64_t, Value> &before) {
  for (auto [reg, value] : llvm::enumerate(values))
    if (Value earlier = before.lookup(standsFor[reg]))
      value = combine(earlier, value);
}

Value ScanLowering::placeOf(const ScanDigit &digit, Value number) {
  Value place = nvvm::digit(lowering, number, digit.divisor, digit.extent,
                            digit.isSlowestOfAxis);
  if (!op.getReverse())
    return place;
  return b.createOrFold<arith::SubIOp>(lowering.i32(digit.extent - 1), place);
}

void ScanLowering::scanRegisters(const ScanDigit &digit) {
  auto number = [&](int64_t reg) { return reg / digit.divisor % digit.extent; };
  llvm::DenseMap<int64_t, Value> before;
  for (int64_t base : standing()) {
    if (number(base) != 0)
      continue;
    Value soFar;
    for (int64_t i = 0; i < digit.extent; ++i) {
      int64_t place = op.getReverse() ? digit.extent - 1 - i : i;
      int64_t reg = base + place * digit.divisor;
      if (soFar)
        before[reg] = soFar;
      soFar = soFar ? combine(soFar, totals[reg]) : totals[reg];
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
  auto earlier = [&](Value value, int64_t distance) {
    int64_t offset = distance * digit.divisor * (op.getReverse() ? 1 : -1);
    return shuffle(lowering, value, NVVM::ShflKind::idx,
                   lowering.addConst(lane, offset));
  };
  llvm::DenseMap<int64_t, Value> before;
  for (int64_t reg : standing()) {
    Value soFar = totals[reg];
    for (int64_t distance = 1; distance < digit.extent; distance *= 2) {
      Value other = earlier(soFar, distance);
      soFar = select(isAtLeast(place, distance), combine(other, soFar), soFar);
    }
    before[reg] = select(isAtLeast(place, 1), earlier(soFar, 1), identity);
    if (isLast)
      continue;
    // The total is where the place is the last.
    Value missing =
        b.createOrFold<arith::SubIOp>(lowering.i32(digit.extent - 1), place);
    Value distance = lowering.mulConst(
        missing, op.getReverse() ? -digit.divisor : digit.divisor);
    totals[reg] = shuffle(lowering, soFar, NVVM::ShflKind::idx,
                          lowering.add(lane, distance));
  }
  prepend(before);
}

void ScanLowering::scanWarps(const ScanDigit &digit) {
  int64_t perTrip = scanTotalsPerTrip(working, lowering.numThreads());
  Value warp = lowering.warpId();
  Value number = nvvm::digit(lowering, warp, digit.divisor, digit.extent,
                             digit.isSlowestOfAxis);
  Value place = placeOf(digit, warp);
  Value first = b.createOrFold<arith::SubIOp>(
      warp, lowering.mulConst(number, digit.divisor));
  SmallVector<int64_t> registers = standing();
  llvm::DenseMap<int64_t, Value> before;
  for (ArrayRef<int64_t> rest = registers; !rest.empty();) {
    ArrayRef<int64_t> trip = rest.take_front(perTrip);
    rest = rest.drop_front(trip.size());
    WarpScratch scratch(lowering, working, int64_t(trip.size()));
    scratch.leave(
        llvm::map_to_vector(trip, [&](int64_t reg) { return totals[reg]; }));
    for (auto [i, reg] : llvm::enumerate(trip)) {
      Value soFar, mine = identity;
      for (int64_t d = 0; d < digit.extent; ++d) {
        int64_t digitOfWarp = op.getReverse() ? digit.extent - 1 - d : d;
        Value total = scratch.take(
            lowering.addConst(first, digitOfWarp * digit.divisor), int64_t(i));
        soFar = soFar ? combine(soFar, total) : total;
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
  identity = arith::ConstantOp::create(b, combination.identity(b, working));
  FailureOr<SmallVector<ScanDigit>> found = findScanDigits(op);
  if (failed(found))
    return failure();
  digits = *found;
  if (failed(load()))
    return failure();
  totals = values;
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
  return store();
}

static LogicalResult lowerScan(KernelLowering &lowering, ScanOp scan) {
  Operation *op = scan;
  if (failed(requireLayout(op, scan.getLayout().has_value())))
    return failure();
  return ScanLowering(lowering, scan).run();
}

void tile::nvvm::registerScanLowerings(Registry &registry) {
  registry.add<ScanOp>(lowerScan);
}
