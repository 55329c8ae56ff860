//===- KernelFacts.cpp - what a kernel does to its arguments --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "KernelFacts.h"
#include "Elements.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tile/Dialect/Tile/IR/MmaTypes.h"
#include <cmath>
#include <functional>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::run;

//===----------------------------------------------------------------------===//
// Arguments and rounding
//===----------------------------------------------------------------------===//

/// The kernel argument that a buffer is a view of.
static std::optional<unsigned> argumentOf(KernelOp kernel, Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (!argument || argument.getOwner() != &kernel.getBodyRegion().front() ||
      argument.getArgNumber() >= kernel.getNumKernelArguments())
    return std::nullopt;
  return argument.getArgNumber();
}

static Type elementOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementType();
}

namespace {
/// What an operation rounds, for all operations of a kernel.
class RoundingFacts {
public:
  explicit RoundingFacts(KernelFacts &facts) : facts(facts) {}

  void visit(Operation *op) {
    if (isa<arith::SubFOp, arith::NegFOp>(op))
      facts.subtracts = true;
    if (auto gemm = dyn_cast<GemmOp>(op)) {
      if (elementOf(gemm.getA()).isF32() &&
          gemm.getPrecision() != Precision::Ieee)
        facts.innerRoundoff += std::ldexp(1.0, -10); // rounds, or cuts
    } else if (auto copy = dyn_cast<TileMoveOpInterface>(op)) {
      if (elementOf(copy.getSource()) != elementOf(copy.getTarget()) &&
          !isGlobal(copy.getTarget()))
        rounds(elementOf(copy.getTarget()));
    } else if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
               op->getNumResults() == 1) {
      visitArithmetic(op, getElementTypeOrSelf(op->getResult(0).getType()));
    }
  }

private:
  void rounds(Type type) {
    facts.innerRoundoff += unitRoundoff(type);
    facts.innerSmallest += smallestRoundoff(type);
  }

  void visitArithmetic(Operation *op, Type type) {
    if (!isa<FloatType>(type))
      return;
    if (auto number = constantOf(op)) {
      if (*number != std::trunc(*number))
        facts.keepsIntegers = false;
      return;
    }
    if (isa<arith::ExtFOp, arith::SelectOp, arith::BitcastOp, arith::NegFOp,
            arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
            arith::MinNumFOp, math::AbsFOp, math::CopySignOp>(op))
      return; // exact
    rounds(type);
    if (isa<arith::TruncFOp>(op))
      return;
    // Functions are right to a few last places.
    bool isFunction = isa<math::MathDialect>(op->getDialect()) &&
                      !isa<math::FmaOp, math::SqrtOp>(op);
    if (isFunction)
      facts.innerRoundoff += 3 * unitRoundoff(type);
    if (isFunction || isa<arith::DivFOp, math::SqrtOp>(op))
      facts.keepsIntegers = false;
    facts.arithmeticRoundoff =
        std::max(facts.arithmeticRoundoff, unitRoundoff(type));
    if (isa<arith::MulFOp, math::FmaOp>(op))
      for (Value factor : op->getOperands().take_front(2))
        scales(factor, 1);
    if (isa<arith::DivFOp>(op))
      scales(op->getOperand(1), -1);
  }

  /// A factor, or with the exponent -1 a divisor.
  void scales(Value factor, int exponent) {
    if (auto number = constantOf(factor.getDefiningOp()); number && *number)
      facts.largestFactor *=
          std::max(1.0, std::pow(std::fabs(*number), exponent));
  }

  static std::optional<double> constantOf(Operation *op) {
    FloatAttr number;
    if (!op || !matchPattern(op, m_Constant(&number)))
      return std::nullopt;
    return number.getValueAsDouble();
  }

  KernelFacts &facts;
};
} // namespace

KernelFacts run::analyzeKernel(KernelOp kernel) {
  KernelFacts facts;
  facts.isRead.assign(kernel.getNumKernelArguments(), false);
  facts.isWritten = facts.isIndices = facts.isRead;
  facts.sparseColumns.assign(kernel.getNumKernelArguments(), 0);
  auto touch = [&](Value buffer, bool read, bool written) {
    if (auto i = argumentOf(kernel, buffer)) {
      facts.isRead[*i] = facts.isRead[*i] || read;
      facts.isWritten[*i] = facts.isWritten[*i] || written;
    }
  };
  auto index = [&](Value indices) {
    if (auto i = argumentOf(kernel, indices))
      facts.isIndices[*i] = true;
  };
  // Copied to a tile that a gemm has for metadata, or to another one, first.
  std::function<void(Value, int64_t)> metadata = [&](Value tile,
                                                     int64_t columns) {
    for (Operation *user : tile.getUsers()) {
      auto move = dyn_cast<TileMoveOpInterface>(user);
      if (!move || move.getTarget() != tile || move.getSource() == tile)
        continue;
      if (auto i = argumentOf(kernel, move.getSource()))
        facts.sparseColumns[*i] = columns;
      else
        metadata(move.getSource(), columns);
    }
  };
  RoundingFacts rounding(facts);
  kernel.walk([&](Operation *op) {
    rounding.visit(op);
    if (auto gather = dyn_cast<GatherOp>(op))
      index(gather.getIndices());
    if (auto scatter = dyn_cast<ScatterOp>(op))
      index(scatter.getIndices());
    if (auto gemm = dyn_cast<GemmOp>(op); gemm && gemm.isSparse())
      metadata(gemm.getMetadata(), SparseGroup::of(gemm).columns);
    if (auto tileOp = dyn_cast<TileOpInterface>(op)) {
      SmallVector<TileAccess> accesses;
      tileOp.getAccesses(accesses);
      for (const TileAccess &access : accesses)
        touch(access.buffer, !access.isWrite || access.isAtomic,
              access.isWrite);
    } else if (auto effects = dyn_cast<MemoryEffectOpInterface>(op)) {
      for (Value operand : op->getOperands())
        if (isa<MemRefType>(operand.getType()))
          touch(operand,
                effects.getEffectOnValue<MemoryEffects::Read>(operand)
                    .has_value(),
                effects.getEffectOnValue<MemoryEffects::Write>(operand)
                    .has_value());
    }
  });
  return facts;
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

namespace {
/// Evaluates index expressions over the kernel's arguments.
class Evaluator {
public:
  Evaluator(KernelOp kernel, const Extents &extents)
      : kernel(kernel), extents(extents) {}

  std::optional<int64_t> evaluate(Value value) {
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return constant.getSExtValue();
    if (auto i = argumentOf(kernel, value))
      return extents.scalars[*i];
    Operation *op = value.getDefiningOp();
    if (!op)
      return std::nullopt;
    if (auto dim = dyn_cast<memref::DimOp>(op)) {
      auto argument = argumentOf(kernel, dim.getSource());
      auto index = evaluate(dim.getIndex());
      if (!argument || !index || *index < 0 ||
          *index >= static_cast<int64_t>(extents.sizes[*argument].size()) ||
          !isa<BlockArgument>(dim.getSource()))
        return std::nullopt;
      return extents.sizes[*argument][*index];
    }
    SmallVector<int64_t> operands;
    for (Value operand : op->getOperands()) {
      std::optional<int64_t> number = evaluate(operand);
      if (!number)
        return std::nullopt;
      operands.push_back(*number);
    }
    return fold(op, operands);
  }

  /// Trip count of a loop; 1 for anything else.
  std::optional<double> tripCount(Operation *op) {
    auto loop = dyn_cast<LoopLikeOpInterface>(op);
    if (!loop)
      return 1;
    auto lower = loop.getSingleLowerBound(), upper = loop.getSingleUpperBound(),
         step = loop.getSingleStep();
    if (!lower || !upper || !step)
      return std::nullopt;
    auto number = [&](OpFoldResult bound) -> std::optional<int64_t> {
      if (auto value = dyn_cast<Value>(bound))
        return evaluate(value);
      return cast<IntegerAttr>(cast<Attribute>(bound)).getInt();
    };
    auto from = number(*lower), to = number(*upper), by = number(*step);
    if (!from || !to || !by || *by <= 0)
      return std::nullopt;
    return *to <= *from ? 0 : std::ceil(double(*to - *from) / double(*by));
  }

  /// How often `op` runs in one block; with `onElement`, for one index of the
  /// loops over tiles around it.
  std::optional<double> timesRun(Operation *op, bool onElement = false) {
    double times = 1;
    for (op = op->getParentOp(); op != kernel; op = op->getParentOp()) {
      if (onElement && isa<ParallelOp>(op))
        continue;
      std::optional<double> trips = tripCount(op);
      if (!trips)
        return std::nullopt;
      times *= *trips;
    }
    return times;
  }

private:
  static std::optional<int64_t> fold(Operation *op, ArrayRef<int64_t> x) {
    if (isa<arith::AddIOp>(op))
      return x[0] + x[1];
    if (isa<arith::SubIOp>(op))
      return x[0] - x[1];
    if (isa<arith::MulIOp>(op))
      return x[0] * x[1];
    if (isa<arith::MinSIOp, arith::MinUIOp>(op))
      return std::min(x[0], x[1]);
    if (isa<arith::MaxSIOp, arith::MaxUIOp>(op))
      return std::max(x[0], x[1]);
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp>(op))
      return x[0];
    if (isa<arith::DivSIOp, arith::DivUIOp>(op) && x[1] > 0 && x[0] >= 0)
      return x[0] / x[1];
    if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op) && x[1] > 0 &&
        x[0] >= 0)
      return (x[0] + x[1] - 1) / x[1];
    if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
      SmallVector<Attribute> in, out;
      for (int64_t number : x)
        in.push_back(
            IntegerAttr::get(IndexType::get(op->getContext()), number));
      if (succeeded(apply.getAffineMap().constantFold(in, out)))
        return cast<IntegerAttr>(out.front()).getInt();
    }
    return std::nullopt;
  }

  KernelOp kernel;
  const Extents &extents;
};
} // namespace

/// Whether the value is the previous result of the operation: an argument of
/// the loop around it, or a load from the place where the result is stored.
static bool isCarried(Value value, Operation *op) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop =
        dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    return loop && llvm::is_contained(loop.getRegionIterArgs(), argument);
  }
  auto load = value.getDefiningOp<memref::LoadOp>();
  return load && llvm::any_of(op->getUsers(), [&](Operation *user) {
           auto store = dyn_cast<memref::StoreOp>(user);
           return store && store.getMemRef() == load.getMemRef();
         });
}

/// What an operation adds to one element, each time that it runs.
namespace {
struct AddedTerms {
  double terms = 0, flops = 0;
  Type type; ///< that is added in
  bool isShort = false;
};
} // namespace
static AddedTerms addedTerms(Operation *op, double blocks, double longest) {
  if (auto gemm = dyn_cast<GemmOp>(op))
    return {double(gemm.getK()), 2.0 * gemm.getM() * gemm.getN() * gemm.getK(),
            elementOf(gemm.getC()),
            elementOf(gemm.getA()).getIntOrFloatBitWidth() == 8 &&
                isa<FloatType>(elementOf(gemm.getA()))};
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return {double(cast<MemRefType>(reduce.getSource().getType())
                       .getDimSize(reduce.getDim())),
            0, elementOf(reduce.getTarget())};
  if (auto scan = dyn_cast<ScanOp>(op))
    return {double(cast<MemRefType>(scan.getSource().getType())
                       .getDimSize(scan.getDim())),
            0, elementOf(scan.getTarget())};
  if (auto atomic = dyn_cast<AtomicOp>(op))
    return {blocks, 0, elementOf(atomic.getTarget())};
  if (auto atomic = dyn_cast<memref::AtomicRMWOp>(op))
    return {longest, 0, elementOf(atomic.getMemref())};
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, math::FmaOp>(op) &&
      llvm::any_of(op->getOperands(),
                   [&](Value operand) { return isCarried(operand, op); }))
    return {1, 0, getElementTypeOrSelf(op->getResult(0).getType())};
  return {};
}

KernelWork run::measureWork(KernelOp kernel, const Extents &extents) {
  Evaluator evaluator(kernel, extents);
  KernelWork work;
  SmallVector<Attribute> symbols, grid;
  ArrayRef<int64_t> operands = kernel.getGridOperands();
  Type index = IndexType::get(kernel.getContext());
  for (size_t i = 0; i < operands.size(); i += 2) {
    int64_t number = operands[i + 1] >= 0
                         ? extents.sizes[operands[i]][operands[i + 1]]
                         : extents.scalars[operands[i]].value_or(0);
    symbols.push_back(IntegerAttr::get(index, number));
  }
  work.blocks = 1;
  if (succeeded(kernel.getGrid().constantFold(symbols, grid)))
    for (Attribute extent : grid)
      work.blocks *= std::max<int64_t>(0, cast<IntegerAttr>(extent).getInt());

  // Where a loop's length is not known, no sum is longer than the elements of
  // the largest extents suggest.
  double longest = 1;
  for (const auto &sizes : extents.sizes)
    for (int64_t size : sizes)
      longest = std::max(longest, double(size));
  work.flops = 0;
  kernel.walk([&](Operation *op) {
    AddedTerms added = addedTerms(op, double(work.blocks), longest);
    if (added.terms == 0)
      return;
    bool onElement =
        isa<arith::ArithDialect, math::MathDialect>(op->getDialect());
    std::optional<double> times = evaluator.timesRun(op, onElement);
    work.sums.push_back({added.terms * times.value_or(longest),
                         unitRoundoff(added.type), added.isShort});
    if (!times && added.flops > 0)
      work.flops.reset();
    else if (work.flops)
      *work.flops += added.flops * times.value_or(0) * double(work.blocks);
  });
  return work;
}
