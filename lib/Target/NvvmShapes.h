//===- NvvmShapes.h - what an operation is to the hazard checks -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to --tile-verify-nvvm: instructions come as NVVM operations or as
// inline assembly. NvvmHazards.cpp, NvvmAccumulators.cpp, MbarrierHazards.cpp
// and SharedPlaces.cpp ask alike.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_TARGET_NVVMSHAPES_H
#define TILE_LIB_TARGET_NVVMSHAPES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/MapVector.h"
#include <map>
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

/// A place in shared memory as the text names it: the constant part of its
/// address. A slot that is computed counts for the first one.
struct Place {
  Value root;
  int64_t offset = 0;
  bool isExact = true;
  std::pair<Value, int64_t> key() const { return {root, offset}; }
};
std::optional<Place> placeOf(Value address);

/// Tells operands of matrix instructions that TMA alone brings from those that
/// threads may have written.
class CopiedByTma {
public:
  explicit CopiedByTma(LLVM::LLVMFuncOp function);
  /// Whether all shared operands of an instruction lie where TMA writes, as far
  /// as the text says where they lie.
  bool areOperandsOf(Operation *mma) const;

private:
  void addWrite(Value address, bool isTma);

  /// Where something is written, by offset in each symbol, and whether TMA is
  /// all that writes there.
  llvm::MapVector<Value, std::map<int64_t, bool>> writes;
  /// A write of threads whose place is not known.
  bool isUnclear = false;
};

/// What a wgmma still writes is neither read nor written before it is waited
/// for.
bool checkAccumulators(LLVM::LLVMFuncOp function);
/// What tcgen05.ld gives goes to the wait first, in the same piece of assembly
/// or as an operand of the next: LLVM keeps no order between the two otherwise.
bool checkTensorLoads(LLVM::LLVMFuncOp function);

/// Arrivals on mbarriers against the counts that these are initialized with,
/// and fences between data that others wrote and the matrix instructions that
/// read it. False after an error.
bool checkMbarriers(LLVM::LLVMFuncOp function, DominanceInfo &dominance);

} // namespace mlir::tile::hazards
#endif // TILE_LIB_TARGET_NVVMSHAPES_H
