//===- IndexFacts.cpp - divisibility and ranges of indices ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Analysis/IndexFacts.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tile/Analysis/Divisibility.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/Surroundings.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tile;

/// Definitions are followed this far; beyond, nothing is known.
static constexpr unsigned kMaxDepth = 32;

using Bound = std::optional<int64_t>;

static Bound checkedAdd(Bound a, Bound b) {
  int64_t sum;
  if (!a || !b || llvm::AddOverflow(*a, *b, sum))
    return std::nullopt;
  return sum;
}

static Bound checkedMul(Bound a, Bound b) {
  int64_t product;
  if (!a || !b || llvm::MulOverflow(*a, *b, product))
    return std::nullopt;
  return product;
}

IndexFacts IndexFacts::constant(int64_t value) {
  // |INT64_MIN| has no representation; nothing needs its divisors.
  bool representable = value != std::numeric_limits<int64_t>::min();
  return {representable ? std::abs(value) : 1, value, value};
}

IndexFacts tile::operator+(const IndexFacts &a, const IndexFacts &b) {
  return {std::gcd(a.divisor, b.divisor), checkedAdd(a.min, b.min),
          checkedAdd(a.max, b.max)};
}

IndexFacts tile::operator*(const IndexFacts &a, const IndexFacts &b) {
  IndexFacts result;
  // An overflowing divisor still divides by either factor's.
  result.divisor =
      checkedMul(a.divisor, b.divisor).value_or(std::max(a.divisor, b.divisor));
  Bound corners[] = {checkedMul(a.min, b.min), checkedMul(a.min, b.max),
                     checkedMul(a.max, b.min), checkedMul(a.max, b.max)};
  if (llvm::all_of(corners, [](Bound c) { return c.has_value(); })) {
    result.min = result.max = *corners[0];
    for (Bound corner : corners) {
      result.min = std::min(*result.min, *corner);
      result.max = std::max(*result.max, *corner);
    }
  } else if (a.min && b.min && *a.min >= 0 && *b.min >= 0) {
    result.min = checkedMul(a.min, b.min);
  }
  return result;
}

static IndexFacts negate(const IndexFacts &a) {
  return {a.divisor, checkedMul(a.max, -1), checkedMul(a.min, -1)};
}

/// Facts of a value that is one or the other.
static IndexFacts either(const IndexFacts &a, const IndexFacts &b) {
  IndexFacts result{std::gcd(a.divisor, b.divisor), {}, {}};
  if (a.min && b.min)
    result.min = std::min(*a.min, *b.min);
  if (a.max && b.max)
    result.max = std::max(*a.max, *b.max);
  return result;
}

/// Facts of floor(a / b).
static IndexFacts floorDivide(const IndexFacts &a, const IndexFacts &b) {
  Bound by = b.asConstant();
  if (!by || *by < 1)
    return {};
  IndexFacts result;
  if (a.divisor % *by == 0)
    result.divisor = a.divisor / *by;
  if (a.min)
    result.min = llvm::divideFloorSigned(*a.min, *by);
  if (a.max)
    result.max = llvm::divideFloorSigned(*a.max, *by);
  return result;
}

/// Facts of a mod b in [0, b).
static IndexFacts modulo(const IndexFacts &a, const IndexFacts &b) {
  Bound by = b.asConstant();
  if (!by || *by < 1)
    return {};
  if (a.min && a.max && *a.min >= 0 && *a.max < *by)
    return a;
  return {std::gcd(a.divisor, *by), 0, *by - 1};
}

/// Promises about `value` that stand before `user`.
static void addPromises(Value value, Operation *user, IndexFacts &facts) {
  for (AssumeOp assume : promisesOf(value)) {
    Operation *here = assume->getBlock()->findAncestorOpInBlock(*user);
    if (!here || !assume->isBeforeInBlock(here))
      continue;
    if (auto divisor = assume.getDivisibleBy()) {
      int64_t by = *divisor, known = facts.divisor;
      if (by >= 1 && known != 0)
        facts.divisor =
            checkedMul(known / std::gcd(known, by), by).value_or(known);
    }
    if (auto min = assume.getMin())
      facts.min = facts.min ? std::max<int64_t>(*facts.min, *min) : *min;
    if (auto max = assume.getMax())
      facts.max = facts.max ? std::min<int64_t>(*facts.max, *max) : *max;
  }
}

/// More than a launch may have of blocks, or an address space of elements.
static std::optional<int64_t> mostOf(Value value) {
  Operation *op = value.getDefiningOp();
  auto argument = dyn_cast<BlockArgument>(value);
  KernelOp kernel = argument ? getKernelOfArgument(argument) : KernelOp();
  if ((op && isPlaceOfBlock(op)) ||
      (kernel && argument.getArgNumber() >= kernel.getNumKernelArguments()))
    return int64_t(1) << 32;
  if (isa_and_nonnull<memref::DimOp>(op))
    return int64_t(1) << 48;
  return std::nullopt;
}

/// Whether a sum or product, of which `facts` are known if it does not wrap
/// around, may leave the numbers of its type.
static bool mayWrap(Value value, const IndexFacts &facts) {
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp,
                       arith::ShLIOp, affine::AffineApplyOp>(
          value.getDefiningOp()))
    return false;
  if (!facts.min || !facts.max)
    return true;
  auto type = dyn_cast<IntegerType>(value.getType());
  if (!type || type.getWidth() >= 64)
    return false; // bounds that overflow 64 bits are none
  int64_t end = int64_t(1) << (type.getWidth() - 1);
  return *facts.min < -end || *facts.max >= end;
}

namespace {
/// One question: follows definitions, to a limited depth.
class Evaluator {
public:
  Evaluator(Operation *user, bool wraps) : user(user), wraps(wraps) {}

  IndexFacts of(Value value, unsigned depth = 0) {
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return constant.getSignificantBits() <= 64
                 ? IndexFacts::constant(constant.getSExtValue())
                 : IndexFacts();
    IndexFacts facts;
    if (depth < kMaxDepth) {
      if (auto argument = dyn_cast<BlockArgument>(value))
        facts = ofArgument(argument, depth + 1);
      else
        facts = ofResult(value.getDefiningOp(), value, depth + 1);
    }
    if (wraps && mayWrap(value, facts))
      facts = {};
    if (wraps && !facts.max)
      facts.max = mostOf(value);
    addPromises(value, user, facts);
    return facts;
  }

private:
  IndexFacts ofArgument(BlockArgument argument, unsigned depth);
  IndexFacts ofResult(Operation *op, Value value, unsigned depth);
  IndexFacts ofAffine(AffineExpr expr, ArrayRef<IndexFacts> operands,
                      unsigned numDims);
  IndexFacts ofBound(OpFoldResult bound, unsigned depth) {
    if (auto value = dyn_cast<Value>(bound))
      return of(value, depth);
    return IndexFacts::constant(
        cast<IntegerAttr>(cast<Attribute>(bound)).getInt());
  }

  Operation *user;
  bool wraps;
};
} // namespace

/// A block index along a dimension of the grid.
static IndexFacts ofBlock(KernelOp kernel, unsigned dim) {
  IndexFacts id{1, 0, {}};
  if (auto extent =
          dyn_cast<AffineConstantExpr>(kernel.getGrid().getResult(dim)))
    id.max = std::max<int64_t>(extent.getValue(), 1) - 1;
  return id;
}

IndexFacts Evaluator::ofArgument(BlockArgument argument, unsigned depth) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (KernelOp kernel = getKernelOfArgument(argument)) {
    unsigned arguments = kernel.getNumKernelArguments();
    if (argument.getArgNumber() < arguments)
      return {};
    return ofBlock(kernel, argument.getArgNumber() - arguments);
  }
  if (ParallelOp tile = elementLoopOf(argument)) {
    int64_t extent = tile.getExtents()[argument.getArgNumber()];
    if (ShapedType::isDynamic(extent))
      return {1, 0, {}};
    return {1, 0, std::max<int64_t>(extent, 1) - 1};
  }
  auto loop = dyn_cast_or_null<LoopLikeOpInterface>(parent);
  if (!loop)
    return {};
  // Bounds of a loop that compares without a sign are no such numbers.
  if (auto counted = dyn_cast<scf::ForOp>(parent);
      counted && counted.getUnsignedCmp())
    return {};
  auto ivs = loop.getLoopInductionVars();
  auto lowers = loop.getLoopLowerBounds(), uppers = loop.getLoopUpperBounds(),
       steps = loop.getLoopSteps();
  if (!ivs || !lowers || !uppers || !steps)
    return {};
  for (auto [iv, lower, upper, step] :
       llvm::zip(*ivs, *lowers, *uppers, *steps)) {
    if (iv != argument)
      continue;
    IndexFacts from = ofBound(lower, depth), to = ofBound(upper, depth),
               by = ofBound(step, depth);
    IndexFacts facts{std::gcd(from.divisor, by.divisor), from.min, {}};
    if (to.max)
      facts.max = *to.max - (*to.max > std::numeric_limits<int64_t>::min());
    // The last value a constant step reaches.
    if (Bound first = from.asConstant(), stride = by.asConstant();
        first && stride && facts.max && *stride > 0 && *facts.max >= *first)
      if (Bound distance = checkedAdd(*facts.max, checkedMul(*first, -1)))
        facts.max = *first + *distance / *stride * *stride;
    return facts;
  }
  return {};
}

IndexFacts Evaluator::ofAffine(AffineExpr expr, ArrayRef<IndexFacts> operands,
                               unsigned numDims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return IndexFacts::constant(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return operands[numDims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  IndexFacts lhs = ofAffine(binary.getLHS(), operands, numDims);
  IndexFacts rhs = ofAffine(binary.getRHS(), operands, numDims);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::FloorDiv:
    return floorDivide(lhs, rhs);
  case AffineExprKind::Mod:
    return modulo(lhs, rhs);
  default:
    return {}; // ceildiv: nothing that copies need
  }
}

IndexFacts Evaluator::ofResult(Operation *op, Value value, unsigned depth) {
  auto lhs = [&] { return of(op->getOperand(0), depth); };
  auto rhs = [&] { return of(op->getOperand(1), depth); };
  return llvm::TypeSwitch<Operation *, IndexFacts>(op)
      .Case<BlockRangeOp>([](auto) { return IndexFacts{1, 0, {}}; })
      .Case<ClusterPartsOp>([&](ClusterPartsOp parts) {
        auto blocks = static_cast<int64_t>(parts.getBlocks());
        return IndexFacts{1, 0, value == parts.getEnd() ? blocks : blocks - 1};
      })
      .Case<BlockCoordinatesOp>([&](BlockCoordinatesOp block) {
        KernelOp kernel = kernelOf(block);
        IndexFacts id =
            ofBlock(kernel, cast<OpResult>(value).getResultNumber());
        // Clusters may reach over the grid's end.
        if (kernel.getClusterSize() > 1)
          id.max = {};
        return id;
      })
      .Case<arith::AddIOp>([&](auto) { return lhs() + rhs(); })
      .Case<arith::SubIOp>([&](auto) { return lhs() + negate(rhs()); })
      .Case<arith::MulIOp>([&](auto) { return lhs() * rhs(); })
      .Case<arith::DivUIOp, arith::DivSIOp>([&](auto) {
        IndexFacts dividend = lhs(), by = rhs();
        bool isUnsigned = isa<arith::DivUIOp>(op);
        if (dividend.min && *dividend.min >= 0) {
          // Both are the floor of what is not negative; by whatever it is
          // divided, an unsigned quotient is not larger.
          IndexFacts quotient = floorDivide(dividend, by);
          if (!quotient.min && (isUnsigned || (by.min && *by.min >= 0)))
            quotient = {1, 0, dividend.max};
          return quotient;
        }
        // Without a sign, half of any number has its first bit free.
        return isUnsigned && by.min && *by.min >= 2 ? IndexFacts{1, 0, {}}
                                                    : IndexFacts();
      })
      .Case<arith::FloorDivSIOp>(
          [&](auto) { return floorDivide(lhs(), rhs()); })
      .Case<arith::RemUIOp, arith::RemSIOp>([&](auto) {
        IndexFacts dividend = lhs(), by = rhs();
        bool isUnsigned = isa<arith::RemUIOp>(op);
        if (dividend.min && *dividend.min >= 0) {
          IndexFacts rest = modulo(dividend, by);
          return rest.min ? rest : IndexFacts{1, 0, dividend.max};
        }
        // Without a sign, whatever the dividend is.
        if (isUnsigned && by.min && *by.min >= 0)
          return IndexFacts{1, 0, checkedAdd(by.max, -1)};
        return IndexFacts();
      })
      .Case<arith::AndIOp>([&](auto) {
        // No bits but those of an operand that is not negative.
        IndexFacts a = lhs(), b = rhs(), facts;
        for (const IndexFacts &mask : {a, b})
          if (mask.min && mask.max && *mask.min >= 0)
            facts = {1, 0, std::min(facts.max.value_or(*mask.max), *mask.max)};
        return facts;
      })
      .Case<arith::ShLIOp, arith::ShRUIOp>([&](auto) {
        IndexFacts number = lhs(), places = rhs();
        if (!places.min || !places.max || *places.min < 0 || *places.max > 30 ||
            !number.min || *number.min < 0)
          return IndexFacts();
        // By the fewest and by the most places.
        auto moved = [&](int64_t count) {
          IndexFacts power = IndexFacts::constant(int64_t(1) << count);
          return isa<arith::ShLIOp>(op) ? number * power
                                        : floorDivide(number, power);
        };
        IndexFacts few = moved(*places.min), many = moved(*places.max);
        if (isa<arith::ShRUIOp>(op))
          std::swap(few, many);
        return IndexFacts{std::gcd(few.divisor, many.divisor), few.min,
                          many.max};
      })
      .Case<arith::MinUIOp>([&](auto) {
        IndexFacts a = lhs(), b = rhs(), facts;
        for (const IndexFacts &bound : {a, b})
          if (bound.min && bound.max && *bound.min >= 0)
            facts = {1, 0,
                     std::min(facts.max.value_or(*bound.max), *bound.max)};
        return facts;
      })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](auto) {
        auto bits = [](Type type) {
          return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
        };
        unsigned from = bits(op->getOperand(0).getType()),
                 to = bits(op->getResult(0).getType());
        if (to < from)
          return IndexFacts();
        IndexFacts number = lhs();
        if (number.min && *number.min >= 0)
          return number;
        return from < 63 ? IndexFacts{1, 0, (int64_t(1) << from) - 1}
                         : IndexFacts();
      })
      .Case<arith::MinSIOp>([&](auto) {
        IndexFacts a = lhs(), b = rhs(), facts = either(a, b);
        facts.max =
            a.max && b.max ? std::min(a.max, b.max) : (a.max ? a.max : b.max);
        return facts;
      })
      .Case<arith::MaxSIOp>([&](auto) {
        IndexFacts a = lhs(), b = rhs(), facts = either(a, b);
        facts.min =
            a.min && b.min ? std::max(a.min, b.min) : (a.min ? a.min : b.min);
        return facts;
      })
      .Case<arith::SelectOp>([&](auto select) {
        return either(of(select.getTrueValue(), depth),
                      of(select.getFalseValue(), depth));
      })
      .Case<arith::IndexCastOp, arith::ExtSIOp>([&](auto) {
        // Narrowing to fewer bits may wrap; widening keeps the value.
        Type to = op->getResult(0).getType();
        Type from = op->getOperand(0).getType();
        auto bits = [](Type type) {
          return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
        };
        return bits(to) >= bits(from) ? lhs() : IndexFacts();
      })
      .Case<affine::AffineApplyOp>([&](affine::AffineApplyOp apply) {
        SmallVector<IndexFacts> operands;
        for (Value operand : apply.getMapOperands())
          operands.push_back(of(operand, depth));
        return ofAffine(apply.getAffineMap().getResult(0), operands,
                        apply.getAffineMap().getNumDims());
      })
      .Case<memref::DimOp>([&](memref::DimOp dim) {
        auto index = dim.getConstantIndex();
        auto type = dyn_cast<MemRefType>(dim.getSource().getType());
        if (!index || !type || *index < 0 || *index >= type.getRank())
          return IndexFacts{1, 0, {}};
        return getDimFacts(dim.getSource(), *index, user);
      })
      .Default([](Operation *) { return IndexFacts(); });
}

IndexFacts tile::getIndexFacts(Value value, Operation *user, bool wraps) {
  return Evaluator(user, wraps).of(value);
}

IndexFacts tile::getDimFacts(Value buffer, unsigned dim, Operation *user) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dim))
    return IndexFacts::constant(type.getDimSize(dim));
  IndexFacts facts{1, 0, {}};
  for (Operation *op : buffer.getUsers())
    if (auto dimOp = dyn_cast<memref::DimOp>(op))
      if (dimOp.getSource() == buffer && dimOp.getConstantIndex() == dim)
        addPromises(dimOp.getResult(), user, facts);
  return facts;
}

SmallVector<IndexFacts> tile::getStrideFacts(Value buffer, Operation *user) {
  auto type = cast<MemRefType>(buffer.getType());
  unsigned rank = type.getRank();
  SmallVector<IndexFacts> strides(rank);
  if (type.getLayout().isIdentity()) {
    IndexFacts stride = IndexFacts::constant(1);
    for (unsigned dim = rank; dim-- > 0;) {
      strides[dim] = stride;
      stride = stride * getDimFacts(buffer, dim, user);
    }
    return strides;
  }
  SmallVector<int64_t> values;
  int64_t offset;
  if (failed(type.getStridesAndOffset(values, offset)))
    return strides;
  for (auto [dim, value] : llvm::enumerate(values)) {
    if (!ShapedType::isDynamic(value)) {
      strides[dim] = IndexFacts::constant(value);
      continue;
    }
    for (Operation *op : buffer.getUsers())
      if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op))
        addPromises(metadata.getStrides()[dim], user, strides[dim]);
  }
  return strides;
}
