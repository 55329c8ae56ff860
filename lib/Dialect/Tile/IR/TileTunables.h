//===- TileTunables.h - what kernels leave open -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the operations' syntax and verifiers. A kernel with tunables holds
// tiles of dynamic shape; verifiers then check what is known of it, and all of
// it again for every candidate.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_DIALECT_TILE_IR_TILETUNABLES_H
#define TILE_LIB_DIALECT_TILE_IR_TILETUNABLES_H

#include "tile/Dialect/Tile/IR/Tunables.h"

namespace mlir::tile {

/// Whether an expression over `grid_operands` is a number once tunables are.
bool isFixedByTunables(AffineExpr expr, ArrayRef<int64_t> gridOperands);

/// The number an expression of tunables has; nothing where it overflows or
/// divides by what is not positive.
std::optional<int64_t> evaluate(AffineExpr expr, ArrayRef<int64_t> values);

/// The attribute for values of the tunables, in `result` (may be null).
bool tunedAttribute(StringRef name, ArrayRef<AffineExpr> expressions,
                    ArrayRef<int64_t> values, MLIRContext *context,
                    Attribute &result);

/// Whether extents are the same, as far as they are known.
inline bool mayBeEqual(int64_t a, int64_t b) {
  return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
}
inline bool mayBeEqual(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           return mayBeEqual(std::get<0>(pair), std::get<1>(pair));
         });
}

/// Whether `op` stands in a kernel that has tunables.
bool isInTunedKernel(Operation *op);

/// Whether a `tile.shape_hint` fits an argument's type.
bool isShapeHint(Attribute hint, Type argument);

/// kernel-13 to kernel-15.
LogicalResult verifyTunables(KernelOp kernel);

/// Integer attributes of a kernel's header as they are parsed: numbers, or
/// expressions of tunables.
class HeaderAttributes {
public:
  HeaderAttributes(MLIRContext *context, ArrayRef<Attribute> tunables)
      : context(context), tunables(tunables) {}
  void add(StringRef attribute, ArrayRef<AffineExpr> values);
  /// Adds the attributes at their first values. Fails where one is there.
  LogicalResult finish(NamedAttrList &attributes,
                       function_ref<InFlightDiagnostic()> emitError);
  bool isTuned() const { return !open.empty(); }
  ArrayAttr tuned(MLIRContext *context) const {
    return ArrayAttr::get(context, open);
  }

private:
  MLIRContext *context;
  ArrayRef<Attribute> tunables;
  SmallVector<NamedAttribute> fixed;
  SmallVector<Attribute> open;
  std::string impossible; // the attribute that has no first value
  std::string structural; // the attribute that cannot be tuned
};

} // namespace mlir::tile
#endif // TILE_LIB_DIALECT_TILE_IR_TILETUNABLES_H
