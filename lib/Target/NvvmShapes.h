//===- NvvmShapes.h - what an operation is to the hazard checks -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to --tile-verify-nvvm: instructions come as NVVM operations or as
// inline assembly. NvvmHazards.cpp and MbarrierHazards.cpp ask alike.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_TARGET_NVVMSHAPES_H
#define TILE_LIB_TARGET_NVVMSHAPES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include <optional>

namespace mlir::tile::hazards {

/// Text of inline assembly; empty for anything else.
StringRef assembly(Operation *op);
bool isWgmma(Operation *op);
bool isTcgen05Mma(Operation *op);
/// Barrier and parity of a wait for a phase; assembly names them in this order.
std::optional<std::pair<Value, Value>> phaseWait(Operation *op);
/// Writes shared memory through the generic proxy.
bool writesShared(Operation *op);
bool isProxyFence(Operation *op);

/// Arrivals on mbarriers against the counts that these are initialized with,
/// and fences between data that others wrote and the matrix instructions that
/// read it. False after an error.
bool checkMbarriers(LLVM::LLVMFuncOp function, DominanceInfo &dominance);

} // namespace mlir::tile::hazards
#endif // TILE_LIB_TARGET_NVVMSHAPES_H
