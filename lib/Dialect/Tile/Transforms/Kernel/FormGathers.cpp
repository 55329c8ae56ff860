//===- FormGathers.cpp - parallel loops that gather rows ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop `S[i, j] = X[b, I[b, f + i], h, c + j]` fills a tile of shared memory
// with rows that a buffer of indices names, as `tile.gather` does. The fixed
// indices of both buffers become views: of X what has the rows along its first
// dimension, of I what has the names along its only one. A gather reads rows
// that X does not have as zeros: guards that say the same are dropped, any
// other keeps the loop a loop.
//
//===----------------------------------------------------------------------===//
#include "FormGathers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "tile/Analysis/Divisibility.h"
#include "tile/Dialect/Tile/IR/LayoutConstraints.h"

using namespace mlir;
using namespace mlir::tile;

/// Rows of fewer bytes are no faster as copies.
static constexpr int64_t kLeastRowBytes = 16;
/// Conditions and definitions are followed this far.
static constexpr unsigned kMaxDepth = 16;

namespace {
class GatherLoop {
public:
  explicit GatherLoop(ParallelOp loop)
      : loop(loop), ivs(loop.getBodyRegion().getArguments()) {}

  bool match();
  GatherOp build();

private:
  bool findStore();
  bool findLoad();
  bool findRow();
  bool addConditions(Value condition, unsigned depth = 0);
  bool isKeptByGather(Value condition);
  bool isBelow(Value index, Value bound);
  bool isRow(Value value);
  bool isSame(Value a, Value b, unsigned depth = 0);
  bool isInvariant(Value index) {
    LoopIndex form = analyzeLoopIndex(index, ivs);
    return !form.dependsOn(0) && !form.dependsOn(1);
  }
  /// Whether the value can be computed in front of the loop.
  bool isComputable(Value value, unsigned depth = 0) {
    if (!loop.getBodyRegion().isAncestor(value.getParentRegion()) ||
        llvm::is_contained(ivs, value))
      return true;
    Operation *op = value.getDefiningOp();
    return op && depth < kMaxDepth && op->getNumRegions() == 0 && isPure(op) &&
           llvm::all_of(
               op->getOperands(),
               [&](Value operand) { return isComputable(operand, depth + 1); });
  }
  /// Whether the index is `iv` plus what the loop does not change.
  bool runsAlong(Value index, unsigned iv) {
    LoopIndex form = analyzeLoopIndex(index, ivs);
    return !form.isIrregular && form.coefficients[iv] == 1 &&
           form.coefficients[1 - iv] == 0;
  }
  Value atStart(Value value);
  /// The part of `buffer` with the dimensions `kept`, in whole, at the start's
  /// indices of all others.
  Value viewOf(Value buffer, OperandRange indices, ArrayRef<unsigned> kept);

  ParallelOp loop;
  ValueRange ivs;
  memref::StoreOp store;
  memref::LoadOp load; // of the rows' elements
  unsigned along = 0;  // the dimension of its buffer that has the rows
  memref::LoadOp name; // of a row's index
  SmallVector<Value> conditions;
  IRMapping started;
};
} // namespace

/// The value that was converted to more bits, or to as many.
static Value beforeWidening(Value value) {
  auto bits = [](Type type) {
    return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  };
  while (value.getDefiningOp<arith::IndexCastOp>() ||
         value.getDefiningOp<arith::ExtSIOp>()) {
    Value narrow = value.getDefiningOp()->getOperand(0);
    if (bits(narrow.getType()) > bits(value.getType()))
      break;
    value = narrow;
  }
  return value;
}

namespace {
/// A value that is `first` where a condition holds, and zero or false
/// elsewhere.
struct Conditional {
  Value condition, first;
};
} // namespace

static std::optional<Conditional> conditionalOf(Value value) {
  auto isZero = [](Value other) {
    return matchPattern(other, m_Zero()) ||
           matchPattern(other, m_PosZeroFloat());
  };
  if (auto select = value.getDefiningOp<arith::SelectOp>())
    if (isZero(select.getFalseValue()))
      return Conditional{select.getCondition(), select.getTrueValue()};
  auto branch = value.getDefiningOp<scf::IfOp>();
  if (!branch || !branch.elseBlock())
    return std::nullopt;
  unsigned at = cast<OpResult>(value).getResultNumber();
  if (!isZero(branch.elseYield().getOperand(at)))
    return std::nullopt;
  return Conditional{branch.getCondition(), branch.thenYield().getOperand(at)};
}

bool GatherLoop::findStore() {
  if (ivs.size() != 2 || loop.getLayout())
    return false;
  WalkResult walked = loop.getBodyRegion().walk([&](Operation *op) {
    if (auto found = dyn_cast<memref::StoreOp>(op)) {
      bool isFirst = !store && op->getParentOp() == loop;
      store = found;
      return isFirst ? WalkResult::advance() : WalkResult::interrupt();
    }
    bool isPlain = isa<memref::LoadOp, scf::IfOp>(op) ||
                   (op->getNumRegions() == 0 && isMemoryEffectFree(op));
    return isPlain ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (walked.wasInterrupted() || !store || !isShared(store.getMemRef()))
    return false;
  MemRefType type = store.getMemRefType();
  // Rows at places of their own are whole bytes.
  return type.getRank() == 2 && type.getElementTypeBitWidth() % 8 == 0 &&
         type.getShape() == loop.getExtents() &&
         llvm::equal(store.getIndices(), ivs) &&
         type.getDimSize(1) * type.getElementTypeBitWidth() >=
             8 * kLeastRowBytes;
}

bool GatherLoop::findLoad() {
  Value value = store.getValueToStore();
  for (unsigned depth = 0; depth < kMaxDepth; ++depth) {
    std::optional<Conditional> conditional = conditionalOf(value);
    if (!conditional)
      break;
    conditions.push_back(conditional->condition);
    value = conditional->first;
  }
  load = value.getDefiningOp<memref::LoadOp>();
  if (!load || !isGlobal(load.getMemRef()) || load.getIndices().size() < 2 ||
      !runsAlong(load.getIndices().back(), 1))
    return false;
  std::optional<unsigned> rows;
  for (auto [d, index] : llvm::enumerate(load.getIndices().drop_back())) {
    if (isInvariant(index))
      continue;
    if (rows)
      return false;
    rows = d;
  }
  if (!rows)
    return false;
  along = *rows;
  return true;
}

bool GatherLoop::findRow() {
  Value row = beforeWidening(load.getIndices()[along]);
  name = row.getDefiningOp<memref::LoadOp>();
  if (!name)
    return false;
  Value buffer = name.getMemRef();
  Type element = name.getMemRefType().getElementType();
  if (!element.isIndex() && !element.isInteger(32) && !element.isInteger(64))
    return false;
  OperandRange indices = name.getIndices();
  bool isView = isGlobal(buffer);
  if (indices.empty() ||
      (!isView && !(isShared(buffer) && indices.size() == 1)))
    return false;
  return runsAlong(indices.back(), 0) &&
         llvm::all_of(indices.drop_back(),
                      [&](Value index) { return isInvariant(index); });
}

/// Whether two values are computed alike: loads of one element, too, since the
/// loop writes nothing that it reads.
bool GatherLoop::isSame(Value a, Value b, unsigned depth) {
  if (a == b)
    return true;
  Operation *left = a.getDefiningOp(), *right = b.getDefiningOp();
  if (!left || !right || depth > kMaxDepth ||
      cast<OpResult>(a).getResultNumber() !=
          cast<OpResult>(b).getResultNumber() ||
      left->getNumRegions() != 0 ||
      !(isa<memref::LoadOp>(left) || isMemoryEffectFree(left)))
    return false;
  return left->getName() == right->getName() &&
         left->getNumOperands() == right->getNumOperands() &&
         left->getAttrDictionary() == right->getAttrDictionary() &&
         left->getResultTypes() == right->getResultTypes() &&
         llvm::all_of(llvm::zip(left->getOperands(), right->getOperands()),
                      [&](auto pair) {
                        return isSame(std::get<0>(pair), std::get<1>(pair),
                                      depth + 1);
                      });
}

bool GatherLoop::isRow(Value value) {
  return isSame(beforeWidening(value), name.getResult());
}

/// Whether `value` is the extent of a dimension, or equals it by a promise.
static bool isExtent(Value value, Value buffer, unsigned d) {
  value = beforeWidening(value);
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(d))
    return getConstantIntValue(value) == type.getDimSize(d);
  for (Operation *user : buffer.getUsers()) {
    auto dim = dyn_cast<memref::DimOp>(user);
    if (!dim || dim.getSource() != buffer || dim.getConstantIndex() != d)
      continue;
    if (dim.getResult() == value)
      return true;
    for (AssumeOp assume : promisesAbout(dim.getResult()))
      if (assume.getValue() == value || assume.getEquals() == value)
        return true;
  }
  return false;
}

/// Whether what the loop does where `index` is not below `bound` is what a
/// gather does there: rows and columns that the source does not have are zeros,
/// and rows that a global buffer of indices is too short to name.
bool GatherLoop::isBelow(Value index, Value bound) {
  unsigned last = load.getIndices().size() - 1;
  unsigned lastName = name.getIndices().size() - 1;
  if (isRow(index))
    return isExtent(bound, load.getMemRef(), along);
  index = beforeWidening(index);
  if (isSame(index, load.getIndices().back()))
    return isExtent(bound, load.getMemRef(), last);
  return isGlobal(name.getMemRef()) &&
         isSame(index, name.getIndices().back()) &&
         isExtent(bound, name.getMemRef(), lastName);
}

/// Whether a gather reads zeros where the condition does not hold.
bool GatherLoop::isKeptByGather(Value condition) {
  using Predicate = arith::CmpIPredicate;
  auto comparison = condition.getDefiningOp<arith::CmpIOp>();
  if (!comparison)
    return false;
  Value lhs = comparison.getLhs(), rhs = comparison.getRhs();
  switch (comparison.getPredicate()) {
  case Predicate::slt:
    return isBelow(lhs, rhs) || (isRow(rhs) && getConstantIntValue(lhs) == -1);
  case Predicate::ult:
    return isBelow(lhs, rhs);
  case Predicate::sgt:
    return isBelow(rhs, lhs) || (isRow(lhs) && getConstantIntValue(rhs) == -1);
  case Predicate::ugt:
    return isBelow(rhs, lhs);
  case Predicate::sge:
    return isRow(lhs) && getConstantIntValue(rhs) == 0;
  case Predicate::sle:
    return isRow(rhs) && getConstantIntValue(lhs) == 0;
  default:
    return false;
  }
}

bool GatherLoop::addConditions(Value condition, unsigned depth) {
  if (depth > kMaxDepth)
    return false;
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return addConditions(both.getLhs(), depth + 1) &&
           addConditions(both.getRhs(), depth + 1);
  if (std::optional<Conditional> nested = conditionalOf(condition))
    return addConditions(nested->condition, depth + 1) &&
           addConditions(nested->first, depth + 1);
  return isKeptByGather(condition);
}

bool GatherLoop::match() {
  if (!findStore() || !findLoad() || !findRow())
    return false;
  for (auto [d, index] : llvm::enumerate(load.getIndices()))
    if (d != along && !isComputable(index))
      return false;
  return llvm::all_of(name.getIndices(),
                      [&](Value index) { return isComputable(index); }) &&
         llvm::all_of(conditions, [&](Value condition) {
           return addConditions(condition);
         });
}

/// What a value of the body is where the loop's counters are zero.
Value GatherLoop::atStart(Value value) {
  if (!loop.getBodyRegion().isAncestor(value.getParentRegion()))
    return value;
  if (Value known = started.lookupOrNull(value))
    return known;
  OpBuilder builder(loop);
  if (isa<BlockArgument>(value)) {
    Value zero = arith::ConstantIndexOp::create(builder, loop.getLoc(), 0);
    started.map(value, zero);
    return zero;
  }
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    started.map(operand, atStart(operand));
  Operation *clone = builder.clone(*op, started);
  SmallVector<OpFoldResult> folded;
  if (clone->getNumResults() == 1 && succeeded(clone->fold(folded)) &&
      folded.size() == 1)
    if (auto simple = dyn_cast<Value>(folded.front())) {
      clone->erase();
      started.map(value, simple);
      return simple;
    }
  return started.lookup(value);
}

Value GatherLoop::viewOf(Value buffer, OperandRange indices,
                         ArrayRef<unsigned> kept) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() == int64_t(kept.size()))
    return buffer;
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  SmallVector<OpFoldResult> offsets, sizes;
  SmallVector<int64_t> shape;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!llvm::is_contained(kept, d)) {
      offsets.push_back(getAsOpFoldResult(atStart(indices[d])));
      sizes.push_back(builder.getIndexAttr(1));
      continue;
    }
    offsets.push_back(builder.getIndexAttr(0));
    shape.push_back(type.getDimSize(d));
    if (!type.isDynamicDim(d))
      sizes.push_back(builder.getIndexAttr(type.getDimSize(d)));
    else
      sizes.push_back(
          memref::DimOp::create(builder, loc, buffer, d).getResult());
  }
  SmallVector<OpFoldResult> steps(type.getRank(), builder.getIndexAttr(1));
  MemRefType view = memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, steps);
  return memref::SubViewOp::create(builder, loc, view, buffer, offsets, sizes,
                                   steps);
}

GatherOp GatherLoop::build() {
  auto last = [](memref::LoadOp op) -> unsigned {
    return op.getIndices().size() - 1;
  };
  Value source =
      viewOf(load.getMemRef(), load.getIndices(), {along, last(load)});
  Value column = atStart(load.getIndices().back());
  Value indices = viewOf(name.getMemRef(), name.getIndices(), {last(name)});
  Value first = atStart(name.getIndices().back());
  OpBuilder builder(loop);
  auto gather = GatherOp::create(builder, loop.getLoc(), source, column,
                                 indices, first, store.getMemRef(),
                                 MoveRequestAttr(), MoveDecisionAttr());
  MoveRequest asked;
  asked.coalescedWidth = loop.getCoalescedWidthAttr();
  gather.setAsked(asked);
  return gather;
}

GatherOp tile::formGather(ParallelOp loop) {
  GatherLoop gather(loop);
  return gather.match() ? gather.build() : GatherOp();
}
