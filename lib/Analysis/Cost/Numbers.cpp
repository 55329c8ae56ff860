//===- Numbers.cpp - what index values are in one problem -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Numbers.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tile/Dialect/Tile/IR/Tunables.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::cost;

/// Sizes of an argument in each problem that a hint names; or none.
static FailureOr<SmallVector<SmallVector<int64_t>>>
hintedSizes(KernelOp kernel, unsigned argument, const SizeHints &hints) {
  auto name = cast<StringAttr>(kernel.getArgNames()[argument]).getValue();
  auto attrs = cast<DictionaryAttr>(kernel.getArgAttrs()[argument]);
  Type type = kernel.getKernelArgument(argument).getType();
  auto memref = dyn_cast<MemRefType>(type);
  if (auto it = hints.find(name); it != hints.end()) {
    for (ArrayRef<int64_t> own : it->second) {
      bool fits = memref ? static_cast<int64_t>(own.size()) == memref.getRank()
                         : own.size() == 1 && type.isIntOrIndex();
      for (size_t d = 0; fits && memref && d < own.size(); ++d)
        fits = own[d] >= 0 &&
               (memref.isDynamicDim(d) || memref.getDimSize(d) == own[d]);
      if (!fits)
        return kernel.emitOpError()
               << "expected sizes to choose for that argument '" << name
               << "' of type " << type << " can have";
    }
    return it->second;
  }
  SmallVector<SmallVector<int64_t>> found;
  if (auto hint = attrs.getAs<DenseI64ArrayAttr>(kShapeHintAttrName))
    found.emplace_back(hint.asArrayRef());
  if (auto list = attrs.getAs<ArrayAttr>(kShapeHintAttrName))
    for (auto hint : list.getAsRange<DenseI64ArrayAttr>())
      found.emplace_back(hint.asArrayRef());
  if (!found.empty())
    return found;
  found.emplace_back();
  if (memref)
    for (int64_t size : memref.getShape())
      found.front().push_back(ShapedType::isDynamic(size) ? kDefaultExtent
                                                          : size);
  return found;
}

FailureOr<SmallVector<ProblemSizes>>
cost::problemSizes(KernelOp kernel, const SizeHints &hints) {
  SmallVector<SmallVector<SmallVector<int64_t>>> ofArguments;
  size_t count = 1;
  for (unsigned i = 0; i < kernel.getNumKernelArguments(); ++i) {
    auto sizes = hintedSizes(kernel, i, hints);
    if (failed(sizes))
      return failure();
    if (sizes->size() > 1 && count > 1 && sizes->size() != count)
      return kernel.emitOpError()
             << "expected sizes of as many problems for each argument, got "
             << static_cast<int64_t>(sizes->size()) << " of argument '"
             << cast<StringAttr>(kernel.getArgNames()[i]).getValue() << "' and "
             << static_cast<int64_t>(count) << " before";
    count = std::max(count, sizes->size());
    ofArguments.push_back(std::move(*sizes));
  }
  SmallVector<ProblemSizes> problems(count);
  for (auto [p, problem] : llvm::enumerate(problems))
    for (ArrayRef<SmallVector<int64_t>> sizes : ofArguments)
      problem.push_back(sizes[sizes.size() > 1 ? p : 0]);
  return problems;
}

Numbers::Numbers(KernelOp kernel, const ProblemSizes &sizes)
    : kernel(kernel), sizes(sizes) {
  for (unsigned i = 0; i < kernel.getNumKernelArguments(); ++i)
    if (!isa<MemRefType>(kernel.getKernelArgument(i).getType()) &&
        !sizes[i].empty())
      known[kernel.getKernelArgument(i)] = sizes[i].front();
}

std::optional<int64_t> Numbers::of(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  return known[value] = compute(value);
}

std::optional<int64_t> Numbers::extent(AffineExpr expr) {
  SmallVector<AffineExpr> symbols;
  ArrayRef<int64_t> operands = kernel.getGridOperands();
  for (size_t i = 0; i < operands.size(); i += 2) {
    int64_t argument = operands[i], dim = operands[i + 1];
    ArrayRef<int64_t> own = sizes[argument];
    size_t place = dim < 0 ? 0 : static_cast<size_t>(dim);
    if (place >= own.size())
      return std::nullopt;
    symbols.push_back(getAffineConstantExpr(own[place], kernel.getContext()));
  }
  auto constant = dyn_cast<AffineConstantExpr>(expr.replaceSymbols(symbols));
  return constant ? std::optional(constant.getValue()) : std::nullopt;
}

std::optional<int64_t> Numbers::compute(Value value) {
  auto dim = value.getDefiningOp<memref::DimOp>();
  if (!dim)
    return foldToNumber(value, [&](Value operand) { return of(operand); });
  auto argument = dyn_cast<BlockArgument>(dim.getSource());
  std::optional<int64_t> index = of(dim.getIndex());
  if (!argument || argument.getOwner() != &kernel.getBodyRegion().front() ||
      argument.getArgNumber() >= sizes.size() || !index || *index < 0 ||
      *index >= static_cast<int64_t>(sizes[argument.getArgNumber()].size()))
    return std::nullopt;
  return sizes[argument.getArgNumber()][*index];
}
