//===- ManifestBuilder.h - what launchers must know -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's header and promises as an entry of the artifact's manifest. The
// conversion to NVVM builds it before it erases the tile.kernel, keeps it as
// JSON on the function that replaces the kernel, and the artifact builder reads
// it back.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TARGET_MANIFESTBUILDER_H
#define TILE_TARGET_MANIFESTBUILDER_H

#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Runtime/Manifest.h"
#include <optional>

namespace mlir::tile {

/// Attributes of the llvm.func of a kernel: its manifest entry as JSON (a
/// string), and its bytes of dynamic shared memory (an i64).
inline constexpr llvm::StringLiteral kManifestAttrName = "mlir_tile.manifest";
inline constexpr llvm::StringLiteral kSharedBytesAttrName =
    "mlir_tile.shared_bytes";

/// Attribute of a kernel, and of the llvm.func it becomes: the name of the
/// kernel that it is a version of (KernelSpec::versions).
inline constexpr llvm::StringLiteral kVersionOfAttrName =
    "mlir_tile.version_of";

/// Attribute of a kernel that is compiled for several combinations of its
/// tunables, and of the llvm.func it becomes: the name that its own combination
/// has as a version, under which it can be left out.
inline constexpr llvm::StringLiteral kStandsForAttrName =
    "mlir_tile.stands_for";

/// An extent of the grid as the launcher computes it.
runtime::Expr gridExprOf(KernelOp kernel, AffineExpr extent);
/// A value of the kernel that the launcher knows: a scalar argument, an extent
/// or a stride of a buffer, through casts that keep it.
std::optional<runtime::Expr> launchExprOf(KernelOp kernel, Value value);

/// Arguments, device parameters in their order (per argument: pointer, dynamic
/// extents, dynamic strides of a strided layout; or the scalar), grid, block,
/// cluster, and what the kernel relies on. `sharedBytes` and `code` are left
/// for later phases. An error at the kernel where a manifest cannot say it.
FailureOr<runtime::KernelSpec> buildKernelManifest(KernelOp kernel);

/// The manifest's own rules, after parameters were added: an error at the
/// kernel that breaks them.
LogicalResult verifyKernelManifest(KernelOp kernel,
                                   const runtime::KernelSpec &spec);

/// The text kept in `mlir_tile.manifest`, and back.
std::string writeKernelManifest(const runtime::KernelSpec &kernel);
runtime::Result<runtime::KernelSpec> readKernelManifest(StringRef text);

} // namespace mlir::tile
#endif // TILE_TARGET_MANIFESTBUILDER_H
