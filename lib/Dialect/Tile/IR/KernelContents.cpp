//===- KernelContents.cpp - what a kernel may contain ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that is compiled and run is input from outside. What a kernel
// contains is therefore listed, not what it must not contain: values are
// computed, and memory is reached through buffers by an index that can be
// compared with their sizes. Calls, addresses and inline assembly are none of
// that, on the CPU as on a GPU; `tile.from_address` is the one exception, which
// who runs a program on the CPU has to allow.
//
//===----------------------------------------------------------------------===//
#include "KernelContents.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IntegerSet.h"

using namespace mlir;
using namespace mlir::tile;

/// Dialects whose operations compute on values, or are control flow.
static constexpr llvm::StringLiteral kComputing[] = {
    "arith", "math", "scf", "cf", "affine", "vector", "ub"};

/// Operations of these dialects that print or stop by calls of the C library;
/// the tile dialect has operations of its own for that.
static constexpr llvm::StringLiteral kCalling[] = {"cf.assert", "vector.print"};

/// What a kernel does with buffers by other dialects' operations.
static constexpr llvm::StringLiteral kOnBuffers[] = {
    "memref.load",       "memref.store",
    "memref.atomic_rmw", "affine.load",
    "affine.store",      "memref.dim",
    "memref.rank",       "memref.extract_strided_metadata",
    "memref.subview",    "memref.cast",
    "arith.select",      "memref.memory_space_cast",
    "memref.get_global"};

/// Deeper than real programs nest, and small enough for every pass that recurs
/// over regions.
static constexpr int64_t kMaxNesting = 256;

static bool hasBuffers(TypeRange types) {
  return llvm::any_of(types, llvm::IsaPred<BaseMemRefType>);
}

static bool belongsInKernel(Operation *op) {
  // A type without rank or layout says nothing that an index is checked by.
  if (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<UnrankedMemRefType>) ||
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<UnrankedMemRefType>))
    return false;
  // Sizes and strides are asked for, not the first element.
  if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op))
    return metadata.getBaseBuffer().use_empty();
  StringRef name = op->getName().getStringRef();
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == TileDialect::getDialectNamespace() ||
      llvm::is_contained(kOnBuffers, name))
    return true;
  if (!llvm::is_contained(kComputing, dialect) ||
      llvm::is_contained(kCalling, name))
    return false;
  // Control flow hands buffers on as it does other values.
  return op->getNumRegions() || op->hasTrait<OpTrait::IsTerminator>() ||
         (!hasBuffers(op->getOperandTypes()) &&
          !hasBuffers(op->getResultTypes()));
}

/// Whether the constants that maps of an operation divide by are positive:
/// others have no meaning, and MLIR's expandAffineExpr gives no value for them.
static bool dividesByPositive(Operation *op) {
  bool allPositive = true;
  auto check = [&](AffineExpr expr) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary || binary.getKind() == AffineExprKind::Add ||
        binary.getKind() == AffineExprKind::Mul)
      return;
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    allPositive &= !divisor || divisor.getValue() > 0;
  };
  for (NamedAttribute attribute : op->getAttrDictionary()) {
    if (auto map = dyn_cast<AffineMapAttr>(attribute.getValue()))
      map.getValue().walkExprs(check);
    else if (auto set = dyn_cast<IntegerSetAttr>(attribute.getValue()))
      set.getValue().walkExprs(check);
  }
  return allPositive;
}

LogicalResult tile::verifyKernelContents(KernelOp kernel) {
  WalkResult walk = kernel.getBodyRegion().walk<WalkOrder::PreOrder>(
      [](Operation *op) -> WalkResult {
        if (op->getName().getDialectNamespace() == "affine" &&
            !dividesByPositive(op))
          return op->emitOpError() << "[kernel-16] expected the constants that "
                                      "affine maps divide by to be positive";
        if (auto truncation = dyn_cast<arith::TruncFOp>(op))
          if (auto mode = truncation.getRoundingmode();
              mode && *mode != arith::RoundingMode::to_nearest_even)
            return op->emitOpError()
                   << "[kernel-16] expected a conversion that rounds to the "
                      "nearest number, of two to the even one, got "
                   << arith::stringifyRoundingMode(*mode);
        if (belongsInKernel(op)) {
          // Operations of the dialect look at their own.
          return isa<TileDialect>(op->getDialect()) ? success()
                                                    : verifyKnownAttributes(op);
        }
        InFlightDiagnostic diag =
            op->emitOpError()
            << "[kernel-16] expected an operation that a kernel may contain: "
               "of tile, or of arith, math, scf, cf, affine or vector on "
               "values";
        diag.attachNote()
            << "single elements are accessed by `memref.load`, `memref.store`, "
               "`memref.atomic_rmw`, `affine.load` and `affine.store`; nothing "
               "is called, and no address is taken";
        return diag;
      });
  return failure(walk.wasInterrupted());
}

LogicalResult tile::verifyNesting(KernelOp kernel) {
  // An explicit stack: recursion could overflow on exactly the input that is
  // refused here.
  SmallVector<std::pair<Operation *, int64_t>> worklist{{kernel, 0}};
  while (!worklist.empty()) {
    auto [op, depth] = worklist.pop_back_val();
    if (op->getNumRegions() && ++depth > kMaxNesting)
      return op->emitOpError() << "[kernel-17] expected at most " << kMaxNesting
                               << " regions of a kernel one in another";
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        worklist.push_back({&inner, depth});
  }
  return success();
}

LogicalResult tile::verifyOnlyKernels(ModuleOp module) {
  if (module.getOps<KernelOp>().empty())
    return success();
  for (Operation &op : *module.getBody()) {
    auto global = dyn_cast<memref::GlobalOp>(op);
    bool isTable = global && global.getConstant() && global.getInitialValue() &&
                   !global.isUninitialized();
    if (!isa<KernelOp>(op) && !isTable)
      return op.emitOpError()
             << "[kernel-16] expected nothing but kernels, and constant "
                "`memref.global` with values, in a module with kernels";
  }
  return success();
}
