//===- SubstituteTunables.cpp - values in place of tunables ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that a program computes from constants and tunables, and a kernel
// with numbers where it had tunables: extents, stages, grid, attributes.
//
//===----------------------------------------------------------------------===//
#include "TileTunables.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

std::optional<int64_t> tile::foldToNumber(Value value) {
  return foldToNumber(value, [](Value other) { return foldToNumber(other); });
}

std::optional<int64_t>
tile::foldToNumber(Value value,
                   llvm::function_ref<std::optional<int64_t>(Value)> numberOf) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() || !isMemoryEffectFree(op))
    return std::nullopt;
  SmallVector<Attribute> operands;
  Builder builder(value.getContext());
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> known =
        operand.getType().isIntOrIndex() ? numberOf(operand) : std::nullopt;
    operands.push_back(known ? builder.getIntegerAttr(operand.getType(), *known)
                             : Attribute());
  }
  // Without numbers for all operands folding may change the operation.
  for (auto [attribute, operand] : llvm::zip(operands, op->getOperands()))
    if (!attribute && operand.getType().isIntOrIndex())
      return std::nullopt;
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(operands, results)) || results.empty())
    return std::nullopt;
  OpFoldResult result = results[cast<OpResult>(value).getResultNumber()];
  if (auto attribute = dyn_cast<Attribute>(result)) {
    auto integer = dyn_cast<IntegerAttr>(attribute);
    return integer ? std::optional(integer.getValue().getSExtValue())
                   : std::nullopt;
  }
  Value other = cast<Value>(result);
  return other == value ? std::nullopt : numberOf(other);
}

/// Numbers for the extents that operands give.
static std::optional<SmallVector<int64_t>>
resolveExtents(ArrayRef<int64_t> extents, ValueRange operands) {
  SmallVector<int64_t> resolved(extents);
  for (int64_t &extent : resolved) {
    if (!ShapedType::isDynamic(extent))
      continue;
    std::optional<int64_t> number =
        operands.empty() ? std::nullopt : foldToNumber(operands.front());
    if (!number || *number < 0)
      return std::nullopt;
    operands = operands.drop_front();
    extent = *number;
  }
  return resolved;
}

static constexpr llvm::StringLiteral kNotANumber =
    " that tunables and constants do not determine";

/// Gives what stands in the body its numbers.
static std::optional<std::string> closeBody(KernelOp kernel) {
  std::optional<std::string> why;
  kernel.getBodyRegion().walk([&](Operation *op) {
    if (auto alloc = dyn_cast<AllocOp>(op)) {
      auto type = cast<MemRefType>(alloc.getResult().getType());
      auto shape = resolveExtents(type.getShape(), alloc.getDynamicExtents());
      if (!shape) {
        why = "a tile has an extent" + kNotANumber.str();
        return WalkResult::interrupt();
      }
      alloc.getResult().setType(MemRefType::Builder(type).setShape(*shape));
      alloc.getDynamicExtentsMutable().clear();
    } else if (auto loop = dyn_cast<ParallelOp>(op)) {
      auto extents =
          resolveExtents(loop.getExtents(), loop.getDynamicExtents());
      if (!extents) {
        why = "`tile.parallel` has an extent" + kNotANumber.str();
        return WalkResult::interrupt();
      }
      loop.setExtents(*extents);
      loop.getDynamicExtentsMutable().clear();
    } else if (auto loop = dyn_cast<PipelinedOp>(op)) {
      if (!loop.getOpenStages())
        return WalkResult::advance();
      std::optional<int64_t> stages = foldToNumber(loop.getOpenStages());
      if (!stages) {
        why = "`tile.pipelined` has stages" + kNotANumber.str();
        return WalkResult::interrupt();
      }
      loop.setStages(*stages);
      loop.getOpenStagesMutable().clear();
    }
    return WalkResult::advance();
  });
  return why;
}

/// Whether no extent of the grid divides by what is not positive.
static bool dividesByPositive(KernelOp kernel, ArrayRef<int64_t> values) {
  ArrayRef<int64_t> operands = kernel.getGridOperands();
  SmallVector<int64_t> bySymbol;
  for (size_t i = 0; i < operands.size(); i += 2)
    bySymbol.push_back(
        operands[i + 1] == KernelOp::kTunableOperand ? values[operands[i]] : 1);
  bool valid = true;
  kernel.getGrid().walkExprs([&](AffineExpr expr) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary || binary.getKind() == AffineExprKind::Add ||
        binary.getKind() == AffineExprKind::Mul)
      return;
    std::optional<int64_t> divisor = evaluate(binary.getRHS(), bySymbol);
    valid &= divisor && *divisor > 0;
  });
  return valid;
}

/// Gives the grid its numbers, and its symbols new places.
static void closeGrid(KernelOp kernel, ArrayRef<int64_t> values) {
  MLIRContext *context = kernel.getContext();
  ArrayRef<int64_t> operands = kernel.getGridOperands();
  SmallVector<int64_t> kept;
  SmallVector<AffineExpr> symbols;
  for (size_t i = 0; i < operands.size(); i += 2) {
    if (operands[i + 1] == KernelOp::kTunableOperand) {
      symbols.push_back(getAffineConstantExpr(values[operands[i]], context));
      continue;
    }
    symbols.push_back(getAffineSymbolExpr(kept.size() / 2, context));
    kept.append({operands[i], operands[i + 1]});
  }
  kernel.setGrid(
      kernel.getGrid().replaceDimsAndSymbols({}, symbols, 0, kept.size() / 2));
  kernel.setGridOperands(kept);
}

std::optional<std::string> tile::substituteTunables(KernelOp kernel,
                                                    ArrayRef<int64_t> values) {
  MLIRContext *context = kernel.getContext();
  if (ArrayAttr tuned = kernel.getTunedAttr())
    for (Attribute attr : tuned) {
      auto one = cast<TunedAttr>(attr);
      StringRef name = one.getAttribute();
      Attribute value;
      if (!tunedAttribute(name, one.getValue().getValue().getResults(), values,
                          context, value))
        return "'" + name.str() + "' is not a number";
      if (value)
        kernel->setAttr(name, value);
      else
        kernel->removeAttr(name);
    }
  if (!dividesByPositive(kernel, values))
    return "a grid extent that divides by zero";
  closeGrid(kernel, values);

  Block &body = kernel.getBodyRegion().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  NamedAttrList chosen;
  for (unsigned i = 0, e = kernel.getNumTunables(); i < e; ++i) {
    chosen.append(kernel.getTunable(i).getName(),
                  builder.getI64IntegerAttr(values[i]));
    kernel.getTunableArgument(i).replaceAllUsesWith(
        arith::ConstantIndexOp::create(builder, kernel.getLoc(), values[i]));
  }
  body.eraseArguments(kernel.getNumKernelArguments() + kernel.getGridRank(),
                      kernel.getNumTunables());
  kernel->removeAttr(kVersionsAttrName);
  kernel->setAttr(kChosenAttrName, chosen.getDictionary(context));
  kernel.removeTunablesAttr();
  kernel.removeTunedAttr();
  return closeBody(kernel);
}

LogicalResult tile::requireChosen(ModuleOp module) {
  for (KernelOp kernel : module.getOps<KernelOp>())
    if (kernel.getNumTunables())
      return kernel.emitOpError()
             << "expected a kernel without tunables, got '"
             << kernel.getTunable(0).getName()
             << "' open: `--tile-choose-tunables` comes first";
  return success();
}
