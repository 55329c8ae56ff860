//===- Tokens.h - asynchronous operations and waits -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_TOKENS_H
#define TILE_LIB_CONVERSION_TILETONVVM_TOKENS_H

#include "Lowering.h"

namespace mlir::tile::nvvm {

/// How the hardware counts what an operation leaves in flight.
enum class AsyncKind { None, Wgmma, Tcgen05, BulkStore };
AsyncKind asyncKind(Operation *op);

/// Whether a wait is for copies: it ends with a barrier of the agent then.
bool awaitsCopies(AwaitOp await);

/// The operations that have ended after a wait.
llvm::SmallPtrSet<Operation *, 4> issuesEndedBy(AwaitOp await);

/// Loops that carry tokens stay as they are: a first iteration peeled off by
/// LLVM would leave a gemm in flight where registers meet the loop's, and ptxas
/// then serializes every gemm (C7514). For the same reason (C7515) their
/// accumulators get their first values in front of them, once for the path into
/// the loop and the one around it.
LogicalResult keepAsyncLoops(KernelLowering &lowering);

/// Tokens have no value at run time: gives every one that loops and branches
/// still carry the type i32.
void eraseTokens(LLVM::LLVMFuncOp function);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_TOKENS_H
