//===- KernelFacts.cpp - what a kernel does to its arguments --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "KernelFacts.h"
#include "Elements.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include <cmath>

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

KernelFacts run::analyzeKernel(KernelOp kernel) {
  KernelFacts facts;
  facts.isRead.assign(kernel.getNumKernelArguments(), false);
  facts.isWritten = facts.isRead;
  auto touch = [&](Value buffer, bool read, bool written) {
    if (auto i = argumentOf(kernel, buffer)) {
      facts.isRead[*i] = facts.isRead[*i] || read;
      facts.isWritten[*i] = facts.isWritten[*i] || written;
    }
  };
  auto inner = [&](double roundoff) {
    facts.innerRoundoff = std::max(facts.innerRoundoff, roundoff);
  };
  auto accumulator = [&](Type type) {
    facts.accumulatorRoundoff =
        std::max(facts.accumulatorRoundoff, unitRoundoff(type));
  };
  kernel.walk([&](Operation *op) {
    if (isa<arith::SubFOp, arith::NegFOp>(op))
      facts.subtracts = true;
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
    if (auto gemm = dyn_cast<GemmOp>(op)) {
      accumulator(elementOf(gemm.getC()));
      if (elementOf(gemm.getA()).isF32() &&
          gemm.getPrecision() != Precision::Ieee)
        inner(std::ldexp(1.0, -10)); // tf32, by rounding or by cutting
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      accumulator(elementOf(reduce.getTarget()));
    } else if (auto atomic = dyn_cast<AtomicOp>(op)) {
      accumulator(elementOf(atomic.getTarget()));
    } else if (auto cast = dyn_cast<arith::TruncFOp>(op)) {
      inner(unitRoundoff(getElementTypeOrSelf(cast.getType())));
    } else if (auto copy = dyn_cast<TileMoveOpInterface>(op)) {
      if (elementOf(copy.getSource()) != elementOf(copy.getTarget()) &&
          !isGlobal(copy.getTarget()))
        inner(unitRoundoff(elementOf(copy.getTarget())));
    } else if (op->getNumResults() == 1 &&
               op->getDialect()->getNamespace() != "memref") {
      // Arithmetic done in a narrow type rounds in it.
      Type type = getElementTypeOrSelf(op->getResult(0).getType());
      if (isa<FloatType>(type) && !matchPattern(op, m_Constant()))
        inner(unitRoundoff(type));
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

  /// How often `op` runs in one block.
  std::optional<double> timesRun(Operation *op) {
    double times = 1;
    for (op = op->getParentOp(); op != kernel; op = op->getParentOp()) {
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
    double terms = 0, flops = 0;
    if (auto gemm = dyn_cast<GemmOp>(op)) {
      terms = gemm.getK();
      flops = 2.0 * gemm.getM() * gemm.getN() * gemm.getK();
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      terms = cast<MemRefType>(reduce.getSource().getType())
                  .getDimSize(reduce.getDim());
    } else if (isa<AtomicOp>(op)) {
      terms = work.blocks;
    } else if (isa<memref::AtomicRMWOp>(op)) {
      terms = longest;
    } else {
      return;
    }
    std::optional<double> times = evaluator.timesRun(op);
    work.terms += terms * times.value_or(longest);
    if (!times && flops > 0)
      work.flops.reset();
    else if (work.flops)
      *work.flops += flops * times.value_or(0) * double(work.blocks);
  });
  return work;
}
