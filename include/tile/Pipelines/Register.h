//===- Register.h - everything the tools know -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One list of dialects, extensions, passes and pipelines, shared by every tool
// and the C API, so that no two of them understand different input.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_PIPELINES_REGISTER_H
#define TILE_PIPELINES_REGISTER_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::tile {

/// The tile dialect, its companions (arith, math, scf, affine, memref, vector,
/// func) and the dialects lowering produces, with their translation interfaces.
void registerTileDialects(DialectRegistry &registry);

/// Own passes and pipelines, and upstream's canonicalizer, CSE and friends.
void registerTilePasses();

/// Drivers that create contexts call this before. Errors then name their
/// operation and show its line; the note with the whole operation, which may be
/// a kernel of many pages, is printed on request only
/// (`--mlir-print-op-on-diagnostic`).
void nameOperationsInErrors();

} // namespace mlir::tile
#endif // TILE_PIPELINES_REGISTER_H
