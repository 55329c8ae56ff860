//===- KernelBuilder.cpp - kernels from C++ -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/Dialect/Tile/IR/KernelBuilder.h"

using namespace mlir;
using namespace mlir::tile;

AffineExpr GridExtents::symbol(int64_t argument, int64_t dim) {
  for (size_t i = 0; i < operands.size(); i += 2)
    if (operands[i] == argument && operands[i + 1] == dim)
      return getAffineSymbolExpr(i / 2, context);
  operands.append({argument, dim});
  return getAffineSymbolExpr(operands.size() / 2 - 1, context);
}

AffineMap GridExtents::map(ArrayRef<AffineExpr> extents) const {
  return AffineMap::get(0, operands.size() / 2, extents, context);
}

KernelOp
mlir::tile::buildKernel(OpBuilder &builder, Location loc, StringRef name,
                        ArrayRef<KernelArgument> arguments,
                        const GridExtents &extents, ArrayRef<AffineExpr> grid,
                        int64_t threads,
                        function_ref<void(OpBuilder &, KernelOp)> body) {
  SmallVector<Attribute> types, names, attributes;
  SmallVector<Type> blockTypes;
  for (const KernelArgument &argument : arguments) {
    types.push_back(TypeAttr::get(argument.type));
    names.push_back(builder.getStringAttr(argument.name));
    attributes.push_back(builder.getDictionaryAttr(argument.attributes));
    blockTypes.push_back(argument.type);
  }
  blockTypes.append(grid.size(), builder.getIndexType());

  OperationState state(loc, KernelOp::getOperationName());
  state.addRegion();
  KernelOp::Properties &header =
      state.getOrAddProperties<KernelOp::Properties>();
  header.sym_name = builder.getStringAttr(name);
  header.arg_types = builder.getArrayAttr(types);
  header.arg_names = builder.getArrayAttr(names);
  header.arg_attrs = builder.getArrayAttr(attributes);
  header.grid = AffineMapAttr::get(extents.map(grid));
  header.grid_operands = builder.getDenseI64ArrayAttr(extents.getOperands());
  header.threads = builder.getI64IntegerAttr(threads);
  auto kernel = cast<KernelOp>(builder.create(state));
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&kernel.getBody(), /*insertPt=*/{}, blockTypes,
                      SmallVector<Location>(blockTypes.size(), loc));
  auto end = ReturnOp::create(builder, loc);
  if (body) {
    builder.setInsertionPoint(end);
    body(builder, kernel);
  }
  return kernel;
}
