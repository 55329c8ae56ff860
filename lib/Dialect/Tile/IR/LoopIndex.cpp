//===- LoopIndex.cpp - indices of a tile loop as linear forms -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides how an index inside a tile loop depends on the loop's induction
// variables, and from that whether ownership of a fragment's elements can
// express an access.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tile/Dialect/Tile/IR/Aliasing.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/LayoutConstraints.h"
#include "tile/Layout/CheckedMath.h"

using namespace mlir;
using namespace mlir::tile;

bool LoopIndex::isInvariant() const {
  return !isIrregular &&
         llvm::all_of(coefficients, [](int64_t c) { return c == 0; });
}

int64_t LoopIndex::evaluate(ArrayRef<int64_t> ivs) const {
  int64_t value = constant;
  for (auto [coefficient, iv] : llvm::zip_equal(coefficients, ivs))
    value += coefficient * iv;
  return value;
}

namespace {

class IndexAnalyzer {
public:
  explicit IndexAnalyzer(ValueRange ivs)
      : ivs(ivs), loop(ivs.empty() ? nullptr : ivs.front().getParentBlock()) {}

  LoopIndex analyze(Value value) {
    LoopIndex index = constant(0);
    for (auto [dim, iv] : llvm::enumerate(ivs))
      if (value == iv) {
        index.coefficients[dim] = 1;
        return index;
      }
    APInt literal;
    if (matchPattern(value, m_ConstantInt(&literal)) &&
        literal.getSignificantBits() <= 64) {
      index.constant = literal.getSExtValue();
      return index;
    }
    Operation *definition = value.getDefiningOp();
    if (!definition)
      return isInside(value.getParentBlock())
                 ? irregular(dimsOf(cast<BlockArgument>(value)))
                 : uniform(value);
    if (!isInside(definition->getBlock()))
      return uniform(value);
    // Expressions nest as deep as the user wrote them; a bound keeps the walk
    // linear where operands are shared.
    if (++visited > kMaxVisited)
      return irregular();
    if (auto op = dyn_cast<arith::AddIOp>(definition))
      return sum(analyze(op.getLhs()), analyze(op.getRhs()), 1);
    if (auto op = dyn_cast<arith::SubIOp>(definition))
      return sum(analyze(op.getLhs()), analyze(op.getRhs()), -1);
    if (auto op = dyn_cast<arith::MulIOp>(definition))
      return product(analyze(op.getLhs()), analyze(op.getRhs()), value);
    if (auto op = dyn_cast<arith::IndexCastOp>(definition))
      return analyze(op.getIn());
    if (auto op = dyn_cast<affine::AffineApplyOp>(definition)) {
      AffineMap map = op.getAffineMap();
      return analyze(map.getResult(0), map.getNumDims(), op.getMapOperands());
    }
    // Anything else is uniform when all it is made of is.
    if (isMemoryEffectFree(definition) && definition->getNumRegions() == 0 &&
        llvm::all_of(definition->getOperands(), [&](Value operand) {
          return analyze(operand).isInvariant();
        }))
      return uniform(value);
    return irregular(dimsOf(definition));
  }

private:
  static constexpr unsigned kMaxVisited = 256;

  LoopIndex constant(int64_t value) const {
    LoopIndex index;
    index.coefficients.assign(ivs.size(), 0);
    index.constant = value;
    return index;
  }
  LoopIndex uniform(Value value) const {
    LoopIndex index = constant(0);
    index.uniforms.push_back(value);
    return index;
  }
  /// Of which nothing is known but the loop dimensions that it changes with.
  LoopIndex irregular(const llvm::SmallBitVector &dims) const {
    LoopIndex index = constant(0);
    index.isIrregular = true;
    index.irregularIn = dims;
    return index;
  }
  LoopIndex irregular() const {
    return irregular(llvm::SmallBitVector(ivs.size(), true));
  }

  /// The loop dimensions that an index changes with.
  llvm::SmallBitVector dimsOf(const LoopIndex &index) const {
    llvm::SmallBitVector dims(ivs.size());
    for (unsigned d = 0; d < ivs.size(); ++d)
      dims[d] = index.dependsOn(d);
    return dims;
  }
  /// The same of what an operation of the loop computes: those of its operands
  /// and of what its regions take from outside. All of them where it may see
  /// what an iteration writes.
  llvm::SmallBitVector dimsOf(Operation *op) {
    llvm::SmallBitVector dims(ivs.size());
    WalkResult walk = op->walk([&](Operation *inner) {
      if (!isRepeatable(inner))
        return WalkResult::interrupt();
      for (Value operand : inner->getOperands())
        if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
          dims |= dimsOf(analyze(operand));
      return WalkResult::advance();
    });
    return walk.wasInterrupted() ? llvm::SmallBitVector(ivs.size(), true)
                                 : dims;
  }
  /// The same of the counter of a loop inside: what its bounds change with.
  llvm::SmallBitVector dimsOf(BlockArgument argument) {
    llvm::SmallBitVector dims(ivs.size());
    auto inner =
        dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    if (!inner || inner.getSingleInductionVar() != argument)
      return dims.flip();
    for (Value operand : inner->getOperands())
      dims |= dimsOf(analyze(operand));
    return dims;
  }
  /// Whether each iteration sees the same where the operands are the same: it
  /// has no effects, or reads what the loop does not write.
  bool isRepeatable(Operation *op) {
    if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
        isMemoryEffectFree(op))
      return true;
    auto load = dyn_cast<memref::LoadOp>(op);
    if (!load)
      return false;
    auto found = isWritten.try_emplace(load.getMemRef(), false);
    if (found.second)
      found.first->second = mayWrite(loop->getParentOp(), load.getMemRef());
    return !found.first->second;
  }
  bool isInside(Block *block) const {
    while (block) {
      if (block == loop)
        return true;
      Operation *parent = block->getParentOp();
      block = parent ? parent->getBlock() : nullptr;
    }
    return false;
  }

  LoopIndex sum(const LoopIndex &a, const LoopIndex &b, int64_t sign) const {
    return sum(a, scaled(b, sign));
  }
  LoopIndex sum(const LoopIndex &a, const LoopIndex &b) const {
    LoopIndex result = a;
    if (b.isIrregular) {
      result.irregularIn =
          a.isIrregular ? a.irregularIn | b.irregularIn : b.irregularIn;
      result.isIrregular = true;
    }
    result.uniforms.append(b.uniforms);
    std::optional<int64_t> total = checkedAdd(a.constant, b.constant);
    if (!total)
      return irregular();
    result.constant = *total;
    for (auto [into, other] :
         llvm::zip_equal(result.coefficients, b.coefficients)) {
      std::optional<int64_t> added = checkedAdd(into, other);
      if (!added)
        return irregular();
      into = *added;
    }
    return result;
  }
  LoopIndex scaled(LoopIndex a, int64_t factor) const {
    std::optional<int64_t> value = checkedMul(a.constant, factor);
    if (!value)
      return irregular();
    a.constant = *value;
    for (int64_t &coefficient : a.coefficients) {
      value = checkedMul(coefficient, factor);
      if (!value)
        return irregular();
      coefficient = *value;
    }
    return a;
  }
  /// `value` is the product, null where it is an expression's.
  LoopIndex product(const LoopIndex &a, const LoopIndex &b, Value value) const {
    if (a.isInvariant() && b.isInvariant() &&
        (a.hasUniform() || b.hasUniform()))
      return uniform(value);
    if (b.isInvariant() && !b.hasUniform())
      return scaled(a, b.constant);
    if (a.isInvariant() && !a.hasUniform())
      return scaled(b, a.constant);
    return irregular(dimsOf(a) | dimsOf(b));
  }
  LoopIndex analyze(AffineExpr expr, unsigned numDims, ValueRange operands) {
    if (auto literal = dyn_cast<AffineConstantExpr>(expr))
      return constant(literal.getValue());
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return analyze(operands[dim.getPosition()]);
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      return analyze(operands[numDims + symbol.getPosition()]);
    auto binary = cast<AffineBinaryOpExpr>(expr);
    LoopIndex lhs = analyze(binary.getLHS(), numDims, operands);
    LoopIndex rhs = analyze(binary.getRHS(), numDims, operands);
    if (binary.getKind() == AffineExprKind::Add)
      return sum(lhs, rhs);
    if (binary.getKind() == AffineExprKind::Mul)
      return product(lhs, rhs, Value());
    return lhs.isInvariant() && rhs.isInvariant()
               ? uniform(Value())
               : irregular(dimsOf(lhs) | dimsOf(rhs));
  }

  ValueRange ivs;
  Block *loop;
  unsigned visited = 0;
  DenseMap<Value, bool> isWritten; // buffers that the loop loads from
};

} // namespace

LoopIndex tile::analyzeLoopIndex(Value index, ValueRange ivs) {
  return IndexAnalyzer(ivs).analyze(index);
}

bool LoopAccess::isConditional() const {
  Operation *op = operand->getOwner();
  return !isa<TileOpInterface>(op) && !isa<TileOpInterface>(op->getParentOp());
}

bool tile::hasDigits(const FragmentLayout &layout, int dim, bool ofThreads) {
  for (Axis axis : {Axis::Register, Axis::Lane, Axis::Warp, Axis::Block})
    for (const Mode &mode : layout.modes(axis))
      if (mode.dim == dim && mode.extent > 1 &&
          !(ofThreads && axis == Axis::Register))
        return true;
  return false;
}

std::optional<OwnedAccess> tile::getOwnedAccess(const LoopDemand &loop,
                                                const LoopAccess &access) {
  if (access.isAtomic)
    return std::nullopt;
  auto type = cast<MemRefType>(access.buffer().getType());
  OwnedAccess owned;
  owned.isWrite = access.isWrite;
  SmallVector<bool> used(loop.shape.size(), false);
  for (auto [dim, index] : llvm::enumerate(access.indices)) {
    int64_t extent = type.getDimSize(dim);
    if (index.isIrregular || index.hasUniform() || index.constant < 0 ||
        index.constant >= extent)
      return std::nullopt;
    owned.offsets.push_back(index.constant);
    owned.isShifted |= index.constant != 0;
    auto isUsedHere = [](int64_t coefficient) { return coefficient != 0; };
    auto *own = llvm::find_if(index.coefficients, isUsedHere);
    if (own == index.coefficients.end()) {
      owned.loopDims.push_back(-1);
      owned.isShifted |= extent != 1;
      owned.isWhole &= extent == 1;
      continue;
    }
    unsigned loopDim = own - index.coefficients.begin();
    // Beyond the fragment only what a condition keeps from running.
    if (index.constant + loop.shape[loopDim] > extent &&
        !access.isConditional())
      return std::nullopt;
    if (*own != 1 || llvm::count_if(index.coefficients, isUsedHere) > 1 ||
        used[loopDim] || loop.shape[loopDim] > extent)
      return std::nullopt;
    used[loopDim] = true;
    owned.isWhole &= loop.shape[loopDim] == extent && index.constant == 0;
    owned.loopDims.push_back(loopDim);
  }
  for (auto [dim, isUsed] : llvm::enumerate(used)) {
    if (isUsed || loop.shape[dim] == 1)
      continue;
    owned.determinesLoop = false;
    // Several iterations name the element that one of them writes: a thread of
    // them need not be the only one that holds it.
    if (isa<memref::StoreOp>(access.operand->getOwner()) &&
        (!loop.stated ||
         hasDigits(loop.stated.getLayout(), int(dim), /*ofThreads=*/true)))
      return std::nullopt;
  }
  return owned;
}
