//===- LayoutRelations.h - loops and the fragments they access --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop executes an element where the fragments it accesses have it. These
// functions carry a layout across that relation, in both directions, and say
// whether two known layouts satisfy it.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_ANALYSIS_LAYOUTRELATIONS_H
#define TILE_LIB_ANALYSIS_LAYOUTRELATIONS_H

#include "tile/Dialect/Tile/IR/LayoutConstraints.h"

namespace mlir::tile {

/// The loop's layout when `access` decides it; nullopt when it cannot.
std::optional<FragmentLayout> loopFromFragment(ArrayRef<int64_t> loopShape,
                                               const OwnedAccess &access,
                                               const FragmentLayout &fragment);

/// A layout of the loop with which each thread finds in its registers what
/// `access` names: dimensions of the loop that the access does not name lie in
/// registers, too. nullopt when there is none.
std::optional<FragmentLayout>
loopAroundFragment(ArrayRef<int64_t> loopShape, const OwnedAccess &access,
                   const FragmentLayout &fragment);

/// The fragment's layout that fits the loop's: dimensions the access does not
/// use are sliced away, others reordered. Extents beyond the loop's go to
/// registers.
FragmentLayout fragmentFromLoop(ArrayRef<int64_t> fragmentShape,
                                const OwnedAccess &access,
                                const FragmentLayout &loop);

/// Each thread finds the elements of its iterations in its own registers, in
/// the same order (for shifted accesses: in any).
bool isCompatible(const OwnedAccess &access, const FragmentLayout &fragment,
                  const FragmentLayout &loop);

} // namespace mlir::tile
#endif // TILE_LIB_ANALYSIS_LAYOUTRELATIONS_H
