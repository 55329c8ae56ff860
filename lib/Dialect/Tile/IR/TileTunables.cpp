//===- TileTunables.cpp - what kernels leave open -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tunables in two places: the attributes of a kernel's header (numbers, or
// expressions of tunables kept as affine maps), and verification of a kernel
// that has some. The syntax is in TileKernelSyntax.cpp; values take their place
// in SubstituteTunables.cpp.
//
//===----------------------------------------------------------------------===//
#include "TileTunables.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace mlir;
using namespace mlir::tile;

static constexpr size_t kMaxValues = 64;
static constexpr int64_t kMaxValue = 65536;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

bool tile::isFixedByTunables(AffineExpr expr, ArrayRef<int64_t> gridOperands) {
  bool fixed = true;
  expr.walk([&](AffineExpr part) {
    auto symbol = dyn_cast<AffineSymbolExpr>(part);
    fixed &= !isa<AffineDimExpr>(part);
    if (symbol)
      fixed &= 2 * symbol.getPosition() + 1 < gridOperands.size() &&
               gridOperands[2 * symbol.getPosition() + 1] ==
                   KernelOp::kTunableOperand;
  });
  return fixed;
}

std::optional<int64_t> tile::evaluate(AffineExpr expr,
                                      ArrayRef<int64_t> values) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbol.getPosition() < values.size()
               ? std::optional<int64_t>(values[symbol.getPosition()])
               : std::nullopt;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  auto lhs = evaluate(binary.getLHS(), values);
  auto rhs = evaluate(binary.getRHS(), values);
  if (!lhs || !rhs)
    return std::nullopt;
  int64_t result = 0;
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return llvm::AddOverflow(*lhs, *rhs, result) ? std::nullopt
                                                 : std::optional(result);
  case AffineExprKind::Mul:
    return llvm::MulOverflow(*lhs, *rhs, result) ? std::nullopt
                                                 : std::optional(result);
  default:
    break;
  }
  if (*rhs <= 0)
    return std::nullopt;
  if (binary.getKind() == AffineExprKind::CeilDiv)
    return llvm::divideCeilSigned(*lhs, *rhs);
  if (binary.getKind() == AffineExprKind::FloorDiv)
    return llvm::divideFloorSigned(*lhs, *rhs);
  return llvm::mod(*lhs, *rhs);
}

/// The attribute of a header that numbers stand for; null where it is absent:
/// 0 leaves an optional one out.
static Attribute headerAttribute(StringRef name, ArrayRef<int64_t> values,
                                 MLIRContext *context) {
  Builder builder(context);
  if (name == "cluster")
    return builder.getDenseI64ArrayAttr(values);
  if (name == "specialize" || name == "pairs")
    return builder.getBoolAttr(values.front() != 0);
  if (values.front() == 0 && name != "threads")
    return {};
  return builder.getI64IntegerAttr(values.front());
}

bool tile::tunedAttribute(StringRef name, ArrayRef<AffineExpr> expressions,
                          ArrayRef<int64_t> values, MLIRContext *context,
                          Attribute &result) {
  SmallVector<int64_t> numbers;
  for (AffineExpr expr : expressions) {
    std::optional<int64_t> number = evaluate(expr, values);
    if (!number)
      return false;
    numbers.push_back(*number);
  }
  result = headerAttribute(name, numbers, context);
  return true;
}

/// Whether a header's attribute may be tuned: not those that make up the rest
/// of the header.
static bool isTunable(StringRef name) {
  return !name.empty() &&
         !llvm::is_contained({"sym_name", "arg_types", "arg_names", "arg_attrs",
                              "grid", "grid_operands", "tunables", "tuned"},
                             name);
}

static SmallVector<int64_t> firstValues(ArrayRef<Attribute> tunables) {
  SmallVector<int64_t> values;
  for (Attribute attr : tunables) {
    ArrayRef<int64_t> all = cast<TunableAttr>(attr).getValues();
    values.push_back(all.empty() ? 0 : all.front());
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Headers
//===----------------------------------------------------------------------===//

void HeaderAttributes::add(StringRef attribute, ArrayRef<AffineExpr> values) {
  Attribute first;
  if (!isTunable(attribute)) {
    structural = attribute.str();
    return;
  }
  if (!tunedAttribute(attribute, values, firstValues(tunables), context,
                      first)) {
    impossible = attribute.str();
    return;
  }
  if (first)
    fixed.push_back(NamedAttribute(StringAttr::get(context, attribute), first));
  bool isOpen = llvm::any_of(
      values, [](AffineExpr e) { return !isa<AffineConstantExpr>(e); });
  // `tuned(panel = 0)` says nothing that absence would not.
  if (isOpen)
    open.push_back(TunedAttr::get(context, attribute,
                                  AffineMapAttr::get(AffineMap::get(
                                      0, tunables.size(), values, context))));
}

LogicalResult
HeaderAttributes::finish(NamedAttrList &attributes,
                         function_ref<InFlightDiagnostic()> emitError) {
  if (!structural.empty())
    return emitError() << "[kernel-14] expected `tuned` to name integer "
                          "attributes of the kernel once, got '"
                       << structural << "'";
  if (!impossible.empty())
    return emitError() << "[kernel-15] expected `" << impossible
                       << "` to be a number for the first values of all "
                          "tunables";
  for (NamedAttribute attribute : fixed) {
    if (attributes.get(attribute.getName()))
      return emitError() << "[kernel-14] expected '"
                         << attribute.getName().getValue()
                         << "' once, got it twice";
    attributes.append(attribute);
  }
  return success();
}

bool tile::isShapeHint(Attribute hint, Type argument) {
  // Of several problems, or of one.
  if (auto list = dyn_cast<ArrayAttr>(hint))
    return !list.empty() && llvm::all_of(list, [&](Attribute sizes) {
      return isa<DenseI64ArrayAttr>(sizes) && isShapeHint(sizes, argument);
    });
  auto sizes = dyn_cast<DenseI64ArrayAttr>(hint);
  if (!sizes)
    return false;
  auto memref = dyn_cast<MemRefType>(argument);
  if (!memref)
    return argument.isIntOrIndex() && sizes.size() == 1;
  if (sizes.size() != memref.getRank())
    return false;
  for (auto [d, size] : llvm::enumerate(sizes.asArrayRef()))
    if (size < 1 || (!memref.isDynamicDim(d) && memref.getDimSize(d) != size))
      return false;
  return true;
}

static bool listsVersions(KernelOp kernel) {
  return isa_and_present<ArrayAttr>(kernel->getAttr(kVersionsAttrName));
}

/// kernel-13.
static LogicalResult verifyNames(KernelOp kernel) {
  llvm::SmallDenseSet<StringRef> names;
  for (Attribute name : kernel.getArgNames())
    names.insert(cast<StringAttr>(name).getValue());
  int64_t combinations = 1;
  for (unsigned i = 0; i < kernel.getNumTunables(); ++i) {
    TunableAttr tunable = kernel.getTunable(i);
    ArrayRef<int64_t> values = tunable.getValues();
    if (tunable.getName().empty() || !names.insert(tunable.getName()).second)
      return kernel.emitOpError() << "[kernel-13] expected tunables with names "
                                     "of their own, got '"
                                  << tunable.getName() << "'";
    std::set<int64_t> seen(values.begin(), values.end());
    if (values.empty() || values.size() > kMaxValues ||
        seen.size() != values.size() || llvm::any_of(values, [](int64_t value) {
          return value < 0 || value > kMaxValue;
        }))
      return kernel.emitOpError()
             << "[kernel-13] expected 1 to " << kMaxValues
             << " distinct values in [0, " << kMaxValue << "] of '"
             << tunable.getName() << "', got " << tunable;
    // Where the kernel lists those to try, the others do not count.
    if (listsVersions(kernel))
      continue;
    combinations *= static_cast<int64_t>(values.size());
    if (combinations > kMaxCombinations)
      return kernel.emitOpError()
             << "[kernel-13] expected at most " << kMaxCombinations
             << " combinations of the tunables' values";
  }
  return success();
}

/// kernel-14 and kernel-15.
static LogicalResult verifyTuned(KernelOp kernel) {
  SmallVector<int64_t> first =
      kernel.getTunables() ? firstValues(kernel.getTunables()->getValue())
                           : SmallVector<int64_t>();
  llvm::SmallDenseSet<StringRef> seen;
  ArrayAttr all = kernel.getTunedAttr();
  for (Attribute attr : all) {
    auto tuned = cast<TunedAttr>(attr);
    StringRef name = tuned.getAttribute();
    AffineMap map = tuned.getValue().getValue();
    unsigned results = name == "cluster" ? kernel.getGridRank() : 1;
    if (!isTunable(name) || !seen.insert(name).second)
      return kernel.emitOpError()
             << "[kernel-14] expected `tuned` to name integer attributes of "
                "the kernel once, got '"
             << name << "'";
    if (map.getNumDims() != 0 || map.getNumSymbols() != first.size() ||
        map.getNumResults() != results)
      return kernel.emitOpError()
             << "[kernel-14] expected '" << name << "' to be tuned to "
             << results << " expressions of " << first.size()
             << " tunables, got " << tuned.getValue();
    Attribute expected;
    if (!tunedAttribute(name, map.getResults(), first, kernel.getContext(),
                        expected) ||
        kernel->getAttr(name) != expected) {
      InFlightDiagnostic diag =
          kernel.emitOpError()
          << "[kernel-15] expected '" << name
          << "' at its value for the first value of every tunable, ";
      if (expected)
        diag << expected;
      else
        diag << "absent";
      return diag;
    }
  }
  return success();
}

LogicalResult tile::verifyTunables(KernelOp kernel) {
  if (failed(verifyNames(kernel)))
    return failure();
  return kernel.getTuned() ? verifyTuned(kernel) : success();
}

//===----------------------------------------------------------------------===//
// Open tiles
//===----------------------------------------------------------------------===//

bool tile::isInTunedKernel(Operation *op) {
  auto kernel = op->getParentOfType<KernelOp>();
  return kernel && kernel.getNumTunables() != 0;
}

bool tile::isOpenTile(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type || type.hasStaticShape() || isGlobal(buffer))
    return false;
  Region *region = buffer.getParentRegion();
  if (!region)
    return false;
  Operation *parent = region->getParentOp();
  auto kernel = dyn_cast<KernelOp>(parent);
  if (!kernel)
    kernel = parent->getParentOfType<KernelOp>();
  return kernel && kernel.getNumTunables() != 0;
}

SmallVector<int64_t> tile::closeExtents(ArrayRef<int64_t> extents) {
  SmallVector<int64_t> closed(extents);
  for (int64_t &extent : closed)
    if (ShapedType::isDynamic(extent))
      extent = 1;
  return closed;
}
