//===- OptionalVersions.h - versions that cannot be compiled ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_LIB_PIPELINES_OPTIONALVERSIONS_H
#define TILE_LIB_PIPELINES_OPTIONALVERSIONS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::tile {

/// A version that cannot be compiled, and the kernel that it is one of.
struct RefusedVersion {
  std::string version, kernel, why;
};

/// Lowers a module in which kernels have versions (VersionKernels.cpp). A
/// program is right without them: where errors are of versions only, the module
/// is lowered again without them. `lower` takes their names, to which those are
/// added that it turns out to be.
LogicalResult lowerWithVersions(
    ModuleOp module, SmallVectorImpl<std::string> &without,
    llvm::function_ref<LogicalResult(ArrayRef<std::string> without)> lower);

/// Makes of `module`, in whatever state, what was written again, says which
/// versions are left out, and adds their names to `without`.
void leaveOut(ModuleOp module, OwningOpRef<ModuleOp> written,
              ArrayRef<RefusedVersion> refused,
              SmallVectorImpl<std::string> &without);

/// The versions of a lowered module that an assembler refuses: those that its
/// message names, else all.
SmallVector<RefusedVersion> versionsRefusedBy(ModuleOp module,
                                              StringRef message);

} // namespace mlir::tile
#endif // TILE_LIB_PIPELINES_OPTIONALVERSIONS_H
