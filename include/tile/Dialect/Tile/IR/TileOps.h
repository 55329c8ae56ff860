//===- TileOps.h - operations of the tile dialect ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_IR_TILEOPS_H
#define TILE_DIALECT_TILE_IR_TILEOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tile/Dialect/Tile/IR/TileDialect.h"
#include "tile/Dialect/Tile/IR/TileInterfaces.h"

namespace mlir::tile {
/// Effects on it keep operations in program order and touch no buffer.
struct ProgramOrderResource
    : public SideEffects::Resource::Base<ProgramOrderResource> {
  StringRef getName() final { return "<ProgramOrder>"; }
};

/// Fails where `op` has an attribute without a dialect's name that is not one
/// of its own; names the one that was probably meant.
LogicalResult verifyKnownAttributes(Operation *op);

/// Trait of every tile operation: verifyKnownAttributes.
template <typename OpT>
class KnownAttributes : public OpTrait::TraitBase<OpT, KnownAttributes> {
public:
  static LogicalResult verifyTrait(Operation *op) {
    return verifyKnownAttributes(op);
  }
};
} // namespace mlir::tile

#define GET_OP_CLASSES
#include "tile/Dialect/Tile/IR/TileOps.h.inc"

namespace mlir::tile {
/// The program that `op` stands in: that of a role, else the kernel's body;
/// null outside of kernels.
Region *getAgent(Operation *op);
/// Warps that run such a program.
int64_t getAgentWarps(Region *agent);
/// Threads that run the block-level code around `op`: those of the role or the
/// `tile.on_warps` it is in, else the kernel's.
int64_t getAgentThreads(Operation *op);

/// Threads that a fragment is spread over: those that run the code around what
/// uses it, which may be a role's though the block allocates it.
int64_t getFragmentThreads(Value fragment);
/// The operations of the kernel that `op` stands in, innermost first.
SmallVector<Operation *> getEnclosingOps(Operation *op);
/// The kernel that a value is an argument of; null where it is none.
KernelOp getKernelOfArgument(Value value);

/// Fails where a module with kernels holds anything else: a function or a
/// global would be compiled with them, and could be any code.
LogicalResult verifyOnlyKernels(ModuleOp module);
} // namespace mlir::tile

#endif // TILE_DIALECT_TILE_IR_TILEOPS_H
