//===- CopyGroups.h - copies by cp.async that are counted -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wait that leaves copies under way names a number of groups: those that
// have begun after what it waits for. So many have to begin on each path, which
// branches are given empty groups for.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_COPYGROUPS_H
#define TILE_LIB_CONVERSION_TILETONVVM_COPYGROUPS_H

#include "Prepare/BarrierAccesses.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tile::nvvm {

/// Groups of copies that begin where the block runs, each branch in it having
/// as many on both paths; none where a loop has some, whose number is not
/// known.
std::optional<unsigned> copyGroupsOf(Block &block, const AccessTable &table);

/// Groups that each path through a branch has; none where that is not known.
std::optional<unsigned> copyGroupsOf(scf::IfOp branch,
                                     const AccessTable &table);

/// Makes the copies of each operation that copies by cp.async, outside of
/// rings, a group, by `tile.commit_copies`; each path of a branch has as many.
void commitCopies(KernelOp kernel, const AccessTable &table);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_COPYGROUPS_H
