//===- CheckAccesses.cpp - assertions on what a kernel's author wrote -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On request: an index outside its buffer, a view that is not a part of its
// buffer, a loop whose step is not positive or a division that the processor
// stops at fails with a message instead of reading foreign memory, running for
// ever or ending the process. Runs before tile operations become loops, whose
// accesses are right by construction. What else could reach memory no kernel
// may contain (kernel-16).
//
//===----------------------------------------------------------------------===//
#include "TileToCPU.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::tile;
using Predicate = arith::CmpIPredicate;

namespace {
/// Builds a condition in front of an operation, and asserts it.
class Checker {
public:
  explicit Checker(Operation *op) : b(op), loc(op->getLoc()) {}

  Value index(int64_t value) { return indexConstant(b, loc, value); }
  Value index(OpFoldResult value) {
    if (auto constant = dyn_cast<Attribute>(value))
      return index(cast<IntegerAttr>(constant).getInt());
    return cast<Value>(value);
  }
  Value extent(Value buffer, int64_t dim) {
    return memref::DimOp::create(b, loc, buffer, dim);
  }
  Value compare(Predicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value both(Value x, Value y) {
    return x ? arith::AndIOp::create(b, loc, x, y) : y;
  }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, loc, x, y); }
  /// Nothing where `condition` is null.
  void check(Value condition, StringRef what) {
    if (!condition)
      return;
    std::string text;
    llvm::raw_string_ostream os(text);
    os << what << " at ";
    if (auto place = loc->findInstanceOf<FileLineColLoc>())
      os << place.getFilename().getValue() << ":" << place.getLine() << ":"
         << place.getColumn();
    else
      os << loc;
    AssertOp::create(b, loc, condition, text);
  }

  OpBuilder b;
  Location loc;
};
} // namespace

static void checkIndices(Operation *op, Value buffer, ValueRange indices) {
  Checker checker(op);
  auto type = cast<MemRefType>(buffer.getType());
  Value inside;
  for (auto [d, index] : llvm::enumerate(indices)) {
    // Loops that are written out have many constant indices.
    std::optional<int64_t> number = getConstantIntValue(index);
    if (number && *number >= 0 && !type.isDynamicDim(d) &&
        *number < type.getDimSize(d))
      continue;
    inside = checker.both(
        inside,
        checker.compare(Predicate::ult, index,
                        checker.extent(buffer, static_cast<int64_t>(d))));
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "expected indices inside the buffer of ";
  for (int64_t extent : type.getShape())
    ShapedType::isDynamic(extent) ? os << "?x" : os << extent << "x";
  os << type.getElementType();
  checker.check(inside, text);
}

/// The first and the last element of each dimension lie in the source, unless
/// the part is empty.
static void checkSubview(memref::SubViewOp op) {
  Checker checker(op);
  Value inside;
  Value zero = checker.index(0), one = checker.index(1);
  auto source = op.getSource();
  for (int64_t d = 0, rank = source.getType().getRank(); d < rank; ++d) {
    Value offset = checker.index(op.getMixedOffsets()[d]);
    Value size = checker.index(op.getMixedSizes()[d]);
    Value stride = checker.index(op.getMixedStrides()[d]);
    Value extent = checker.extent(source, d);
    Value steps = arith::SubIOp::create(checker.b, checker.loc, size, one);
    Value last = arith::AddIOp::create(
        checker.b, checker.loc, offset,
        arith::MulIOp::create(checker.b, checker.loc, steps, stride));
    // Unsigned: what is negative is too large. Steps of at most the extent keep
    // the product from wrapping around.
    Value within = checker.both(
        checker.compare(Predicate::ult, offset, extent),
        checker.either(
            checker.compare(Predicate::eq, size, one),
            checker.both(
                checker.both(checker.compare(Predicate::ule, size, extent),
                             checker.compare(Predicate::ule, stride, extent)),
                checker.compare(Predicate::ult, last, extent))));
    inside = checker.both(
        inside,
        checker.either(checker.compare(Predicate::eq, size, zero), within));
  }
  checker.check(inside, "expected a part of the buffer");
}

/// What the type of the result states is so.
static void checkCast(memref::CastOp op) {
  auto from = dyn_cast<MemRefType>(op.getSource().getType());
  auto to = dyn_cast<MemRefType>(op.getType());
  if (!from || !to)
    return;
  Checker checker(op);
  Value holds;
  auto equal = [&](Value actual, int64_t stated) {
    holds = checker.both(
        holds, checker.compare(Predicate::eq, actual, checker.index(stated)));
  };
  for (int64_t d = 0, rank = to.getRank(); d < rank; ++d)
    if (from.isDynamicDim(d) && !to.isDynamicDim(d))
      equal(checker.extent(op.getSource(), d), to.getDimSize(d));
  auto [fromStrides, fromOffset] = from.getStridesAndOffset();
  auto [toStrides, toOffset] = to.getStridesAndOffset();
  auto isStated = [](int64_t before, int64_t after) {
    return ShapedType::isDynamic(before) && !ShapedType::isDynamic(after);
  };
  bool states = isStated(fromOffset, toOffset);
  for (auto [before, after] : llvm::zip(fromStrides, toStrides))
    states |= isStated(before, after);
  if (states) {
    auto metadata = memref::ExtractStridedMetadataOp::create(
        checker.b, checker.loc, op.getSource());
    if (isStated(fromOffset, toOffset))
      equal(metadata.getOffset(), toOffset);
    for (auto [d, stride] : llvm::enumerate(toStrides))
      if (isStated(fromStrides[d], stride))
        equal(metadata.getStrides()[d], stride);
  }
  checker.check(holds, "expected the sizes and strides that the type of the "
                       "result states");
}

static void checkDimension(memref::DimOp op) {
  auto type = dyn_cast<MemRefType>(op.getSource().getType());
  if (!type || op.getConstantIndex())
    return;
  Checker checker(op);
  checker.check(checker.compare(Predicate::ult, op.getIndex(),
                                checker.index(type.getRank())),
                "expected a dimension of the buffer");
}

static void checkStep(Operation *op, Value step) {
  APInt constant;
  if (matchPattern(step, m_ConstantInt(&constant)) &&
      constant.isStrictlyPositive())
    return;
  Checker checker(op);
  Value zero = arith::ConstantOp::create(checker.b, checker.loc,
                                         checker.b.getZeroAttr(step.getType()));
  checker.check(checker.compare(Predicate::sgt, step, zero),
                "expected a positive step of the loop");
}

/// Divisions by zero, and of the smallest number by -1: of numbers, and of
/// vectors of one dimension.
static void checkDivision(Operation *op) {
  Value dividend = op->getOperand(0), divisor = op->getOperand(1);
  Type type = getElementTypeOrSelf(divisor.getType());
  auto vector = dyn_cast<VectorType>(divisor.getType());
  APInt constant;
  if ((vector && vector.getRank() != 1) ||
      (matchPattern(divisor, m_ConstantInt(&constant)) && !constant.isZero() &&
       !constant.isAllOnes()))
    return;
  Checker checker(op);
  auto number = [&](const APInt &value) -> Value {
    TypedAttr attr = checker.b.getIntegerAttr(type, value);
    if (vector)
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(checker.b, checker.loc, attr);
  };
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  Value defined =
      checker.compare(Predicate::ne, divisor, number(APInt::getZero(bits)));
  if (isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp,
          arith::FloorDivSIOp>(op))
    defined = checker.both(
        defined, checker.either(
                     checker.compare(Predicate::ne, divisor,
                                     number(APInt::getAllOnes(bits))),
                     checker.compare(Predicate::ne, dividend,
                                     number(APInt::getSignedMinValue(bits)))));
  if (vector)
    defined = vector::ReductionOp::create(checker.b, checker.loc,
                                          vector::CombiningKind::AND, defined);
  checker.check(defined, "expected a division that has a result");
}

void tile::checkAccesses(KernelOp kernel) {
  SmallVector<Operation *> operations;
  kernel.getBodyRegion().walk([&](Operation *op) { operations.push_back(op); });
  for (Operation *op : operations) {
    if (auto load = dyn_cast<memref::LoadOp>(op))
      checkIndices(op, load.getMemRef(), load.getIndices());
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      checkIndices(op, store.getMemRef(), store.getIndices());
    else if (auto rmw = dyn_cast<memref::AtomicRMWOp>(op))
      checkIndices(op, rmw.getMemref(), rmw.getIndices());
    else if (auto atomic = dyn_cast<AtomicLoadOp>(op))
      checkIndices(op, atomic.getMemref(), atomic.getIndices());
    else if (auto atomic = dyn_cast<AtomicStoreOp>(op))
      checkIndices(op, atomic.getMemref(), atomic.getIndices());
    else if (auto arrival = dyn_cast<LastArrivalOp>(op))
      checkIndices(op, arrival.getCounters(), arrival.getIndices());
    else if (auto view = dyn_cast<memref::SubViewOp>(op))
      checkSubview(view);
    else if (auto cast = dyn_cast<memref::CastOp>(op))
      checkCast(cast);
    else if (auto dim = dyn_cast<memref::DimOp>(op))
      checkDimension(dim);
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      checkStep(op, loop.getStep());
    else if (auto loop = dyn_cast<PipelinedOp>(op))
      checkStep(op, loop.getStep());
    else if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
                 arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(
                 op))
      checkDivision(op);
  }
}
