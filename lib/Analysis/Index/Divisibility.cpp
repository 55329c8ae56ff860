//===- Divisibility.cpp - what is known to divide a value -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Analysis/Divisibility.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "tile/Dialect/Tile/IR/Addresses.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tile;

/// Divides everything of interest; kept small enough that products of two fit.
static constexpr int64_t kEverything = int64_t(1) << 31;
static constexpr int kMaxDepth = 16;

static int64_t clampProduct(int64_t a, int64_t b) {
  // Beyond 2^31 only the power of two matters; a smaller divisor stays true.
  int64_t product = 0;
  if (llvm::MulOverflow(a, b, product) || product > kEverything) {
    int shift = std::min<int>(31, llvm::countr_zero<uint64_t>(a) +
                                      llvm::countr_zero<uint64_t>(b));
    return int64_t(1) << shift;
  }
  return product;
}

static int64_t ofExpression(AffineExpr expr, ArrayRef<int64_t> dims,
                            ArrayRef<int64_t> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    int64_t value = constant.getValue();
    return value == 0 ? kEverything : std::abs(value);
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs = ofExpression(binary.getLHS(), dims, symbols);
  int64_t rhs = ofExpression(binary.getRHS(), dims, symbols);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
  case AffineExprKind::Mod:
    return std::gcd(lhs, rhs);
  case AffineExprKind::Mul:
    return clampProduct(lhs, rhs);
  case AffineExprKind::FloorDiv:
  case AffineExprKind::CeilDiv:
    if (auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS()))
      if (constant.getValue() > 0 && lhs % constant.getValue() == 0)
        return std::max<int64_t>(1, lhs / constant.getValue());
    return 1;
  default:
    return 1;
  }
}

SmallVector<AssumeOp> tile::promisesAbout(Value value) {
  SmallVector<AssumeOp> promises;
  for (Operation *user : value.getUsers())
    if (auto assume = dyn_cast<AssumeOp>(user))
      promises.push_back(assume);
  return promises;
}

SmallVector<AssumeOp> tile::promisesOf(Value value) {
  SmallVector<AssumeOp> promises = promisesAbout(value);
  llvm::erase_if(promises,
                 [&](AssumeOp assume) { return assume.getValue() != value; });
  return promises;
}

/// Whether a promise about `value` holds wherever the value is used: it stands
/// under no condition, or all uses stand under the same one. What is promised
/// of arguments and their sizes in loops is checked when a kernel is launched.
static bool holdsForAllUses(AssumeOp assume, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  bool isChecked = value.getDefiningOp<memref::DimOp>() ||
                   (argument && getKernelOfArgument(argument));
  Region *defined = value.getParentRegion();
  for (Region *region = assume->getParentRegion(); region != defined;
       region = region->getParentRegion()) {
    if (!region)
      return false;
    // A loop may have no iterations.
    Operation *parent = region->getParentOp();
    auto loop = dyn_cast<LoopLikeOpInterface>(parent);
    std::optional<APInt> trips =
        loop ? loop.getStaticTripCount() : std::nullopt;
    if ((loop ? !isChecked && !(trips && *trips != 0)
              : isa<RegionBranchOpInterface>(parent)) &&
        !llvm::all_of(value.getUsers(), [&](Operation *user) {
          return region->isAncestor(user->getParentRegion());
        }))
      return false;
  }
  return true;
}

/// What `tile.assume` promises of a value itself.
static int64_t statedDivisor(Value value) {
  int64_t divisor = 1;
  for (AssumeOp assume : promisesOf(value))
    if (assume.getDivisibleBy() && holdsForAllUses(assume, value))
      divisor = std::lcm(
          divisor, std::min<int64_t>(*assume.getDivisibleBy(), kEverything));
  return std::min(divisor, kEverything);
}

/// What `tile.assume` promises of a value, or of one that it equals by another
/// promise: canonicalization leaves promises on one of the two.
static int64_t assumedDivisor(Value value) {
  int64_t divisor = statedDivisor(value);
  for (AssumeOp assume : promisesAbout(value))
    if (assume.getEquals() && holdsForAllUses(assume, value)) {
      bool isFirst = assume.getValue() == value;
      divisor = std::lcm(divisor, statedDivisor(isFirst ? assume.getEquals()
                                                        : assume.getValue()));
    }
  return std::min(divisor, kEverything);
}

static int64_t divisorOf(Value value, int depth);

static int64_t definedDivisor(Value value, int depth) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    int64_t v = constant.getSExtValue();
    if (v == 0 || v == std::numeric_limits<int64_t>::min())
      return kEverything;
    return std::min(std::abs(v), kEverything) == std::abs(v)
               ? std::abs(v)
               : int64_t(1) << std::min<int>(
                     31, llvm::countr_zero<uint64_t>(std::abs(v)));
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    auto loop = dyn_cast_or_null<LoopLikeOpInterface>(parent);
    if (loop && loop.getSingleInductionVar() == argument) {
      auto ofBound = [&](std::optional<OpFoldResult> bound) -> int64_t {
        if (!bound)
          return 1;
        if (auto value = dyn_cast<Value>(*bound))
          return divisorOf(value, depth + 1);
        int64_t number = getConstantIntValue(*bound).value_or(1);
        return number == 0 ? kEverything : std::abs(number);
      };
      return std::gcd(ofBound(loop.getSingleLowerBound()),
                      ofBound(loop.getSingleStep()));
    }
    return 1;
  }
  Operation *op = value.getDefiningOp();
  auto operand = [&](unsigned i) {
    return divisorOf(op->getOperand(i), depth + 1);
  };
  if (isa<arith::MulIOp>(op))
    return clampProduct(operand(0), operand(1));
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp,
          arith::MinUIOp, arith::MaxUIOp, arith::RemUIOp, arith::RemSIOp>(op))
    return std::gcd(operand(0), operand(1));
  if (isa<arith::SelectOp>(op))
    return std::gcd(operand(1), operand(2));
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
          arith::ExtUIOp>(op))
    return operand(0);
  if (isa<arith::ShLIOp>(op))
    if (std::optional<int64_t> shift = getConstantIntValue(op->getOperand(1)))
      if (*shift >= 0 && *shift < 31)
        return clampProduct(operand(0), int64_t(1) << *shift);
  if (auto dim = dyn_cast<memref::DimOp>(op))
    if (std::optional<int64_t> index = dim.getConstantIndex())
      if (auto type = dyn_cast<MemRefType>(dim.getSource().getType()))
        if (*index >= 0 && *index < type.getRank())
          return sizeDivisor(dim.getSource(), *index);
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    SmallVector<int64_t> operands;
    for (Value v : apply.getMapOperands())
      operands.push_back(divisorOf(v, depth + 1));
    ArrayRef<int64_t> all(operands);
    unsigned numDims = apply.getAffineMap().getNumDims();
    return ofExpression(apply.getAffineMap().getResult(0),
                        all.take_front(numDims), all.drop_front(numDims));
  }
  return 1;
}

static int64_t divisorOf(Value value, int depth) {
  if (depth > kMaxDepth)
    return 1;
  int64_t divisor = std::max<int64_t>(1, definedDivisor(value, depth));
  int64_t assumed = assumedDivisor(value);
  int64_t both = std::lcm(divisor, assumed);
  return both > 0 && both <= kEverything ? both : divisor;
}

int64_t tile::knownDivisor(Value value) { return divisorOf(value, 0); }

int64_t tile::sizeDivisor(Value memref, unsigned dim) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(dim)) {
    int64_t size = type.getDimSize(dim);
    return size == 0 ? kEverything : std::min(size, kEverything);
  }
  int64_t divisor = 1;
  for (Operation *user : memref.getUsers())
    if (auto op = dyn_cast<memref::DimOp>(user))
      if (op.getSource() == memref && op.getConstantIndex() == dim)
        divisor = std::lcm(divisor, assumedDivisor(op.getResult()));
  return std::min(divisor, kEverything);
}

int64_t tile::strideDivisor(Value memref, unsigned dim) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return 1;
  if (!ShapedType::isDynamic(strides[dim]))
    return strides[dim] == 0 ? kEverything : std::abs(strides[dim]);
  int64_t divisor = 1;
  if (!type.getLayout().isIdentity()) {
    for (Operation *user : memref.getUsers())
      if (auto op = dyn_cast<memref::ExtractStridedMetadataOp>(user))
        divisor = std::lcm(divisor, assumedDivisor(op.getStrides()[dim]));
    return std::min(divisor, kEverything);
  }
  for (int64_t d = dim + 1; d < type.getRank(); ++d)
    divisor = clampProduct(divisor, sizeDivisor(memref, d));
  return divisor;
}

/// The largest power of two that divides `value`, which is positive.
static int64_t powerOfTwoIn(int64_t value) { return value & -value; }

int64_t tile::knownAlignment(Value buffer) {
  if (auto cast = buffer.getDefiningOp<memref::CastOp>())
    return knownAlignment(cast.getSource());
  if (auto cast = buffer.getDefiningOp<memref::MemorySpaceCastOp>())
    return knownAlignment(cast.getSource());
  if (auto view = buffer.getDefiningOp<ViewOp>())
    return knownAlignment(view.getSource());
  auto type = mlir::cast<MemRefType>(buffer.getType());
  int64_t element =
      std::max<int64_t>(1, getStorageBits(type.getElementType()) / 8);
  if (auto from = buffer.getDefiningOp<FromAddressOp>())
    return getAlignment(from);
  if (buffer.getDefiningOp<WorkspaceOp>())
    return kWorkspaceAlignment;
  if (auto view = buffer.getDefiningOp<memref::SubViewOp>()) {
    int64_t alignment = knownAlignment(view.getSource());
    for (auto [d, offset] : llvm::enumerate(view.getMixedOffsets())) {
      std::optional<int64_t> constant = getConstantIntValue(offset);
      if (constant == 0)
        continue;
      int64_t steps =
          constant ? powerOfTwoIn(*constant)
                   : powerOfTwoIn(knownDivisor(mlir::cast<Value>(offset)));
      int64_t bytes = clampProduct(
          clampProduct(steps, powerOfTwoIn(strideDivisor(view.getSource(), d))),
          element);
      alignment = std::min(alignment, powerOfTwoIn(bytes));
    }
    return std::max(alignment, element);
  }
  auto argument = dyn_cast<BlockArgument>(buffer);
  KernelOp kernel = getKernelOfArgument(buffer);
  if (!kernel || argument.getArgNumber() >= kernel.getNumKernelArguments())
    return element;
  return std::max(element,
                  kernel.getArgumentAlignment(argument.getArgNumber()));
}
