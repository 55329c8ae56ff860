//===- BarrierConflicts.h - what an operation has to wait for ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions that the placement of barriers asks: which accesses that have
// happened since the last barrier conflict with those of an operation. Sets of
// accesses are bits by the numbers of the table (BarrierAccesses.h).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_BARRIERCONFLICTS_H
#define TILE_LIB_CONVERSION_TILETONVVM_BARRIERCONFLICTS_H

#include "Prepare/BarrierAccesses.h"

namespace mlir::tile::nvvm {

/// Which of `pending` conflict with accesses of `op` itself.
llvm::BitVector conflictsOf(const AccessTable &table, Operation *op,
                            const llvm::BitVector &pending);

/// All accesses made inside of a loop, of roles or of a branch.
llvm::BitVector accessesIn(const AccessTable &table, Operation *op);

/// Which of `pending`, made before a loop, roles or a branch, conflict with any
/// access inside: all of them where copies may stay under way that are none of
/// them, else one.
llvm::BitVector conflictsInside(const AccessTable &table, Operation *op,
                                const llvm::BitVector &pending);

/// Copies under way that operations right behind `op` need, too: those of a
/// group of copies, or of what reads several tiles. One barrier is for all.
llvm::BitVector copiesWantedSoon(const AccessTable &table, Operation *op,
                                 const llvm::BitVector &pending);

/// The division of a tile among groups of warps of which every conflict of `op`
/// with `conflicts` stays inside one part; null for none.
DenseI64ArrayAttr commonGroups(const AccessTable &table, Operation *op,
                               const llvm::BitVector &conflicts);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_BARRIERCONFLICTS_H
