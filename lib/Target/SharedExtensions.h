//===- SharedExtensions.h - extensions that hundreds of places use --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What keeps LLVM's code generation from taking time that grows with the square
// of the number of memory accesses.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_TARGET_SHAREDEXTENSIONS_H
#define TILE_LIB_TARGET_SHAREDEXTENSIONS_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::tile {

/// Hides the operands of extensions with very many uses, their own or those of
/// addresses that are made of them, from CodeGenPrepare: for each access whose
/// address has one in it, it tries to widen the arithmetic in front of the
/// extension, which rewrites all the uses, and takes it back.
void hideOperandsOfSharedExtensions(llvm::Module &module);

} // namespace mlir::tile

#endif // TILE_LIB_TARGET_SHAREDEXTENSIONS_H
