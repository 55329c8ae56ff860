//===- OptionalVersions.h - versions that cannot be compiled ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_LIB_PIPELINES_OPTIONALVERSIONS_H
#define TILE_LIB_PIPELINES_OPTIONALVERSIONS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::tile {

/// Lowers a module in which kernels have versions (VersionKernels.cpp). A
/// program is right without them: where errors are of versions only, the module
/// is lowered again, and their kernels are compiled once. `lower` takes their
/// names.
LogicalResult lowerWithVersions(
    ModuleOp module,
    llvm::function_ref<LogicalResult(ArrayRef<std::string> once)> lower);

} // namespace mlir::tile
#endif // TILE_LIB_PIPELINES_OPTIONALVERSIONS_H
