//===- ExpectedPasses.cpp - what later passes will do to a kernel ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of a kernel is asked before layouts, rings and stores are decided.
// How far that can be known from the program is asked of the predicates that
// the passes themselves use.
//
//===----------------------------------------------------------------------===//
#include "KernelReader.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tile/Analysis/RegisterPressure.h"
#include "tile/Analysis/SplitRest.h"
#include "tile/Analysis/StagedStores.h"
#include "tile/Analysis/WarpRoles.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Target/ThreadBudget.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::cost;

/// Whether `tile-stage-stores` finds room in shared memory for pieces of what
/// is stored. Other reasons to store directly are not modelled: there threads
/// hold whole pieces of rows, or there is little to store.
bool KernelReader::passesShared(TileMoveOpInterface copy) {
  if (!target.hasTma())
    return false;
  Reason why;
  FailureOr<StoredTile> tile = storedTile(copy, why);
  if (failed(tile))
    return true;
  // Of rows that an instruction's 64 do not divide, threads hold eight at a
  // time (operands swapped).
  bool mayBeSwapped = tile->rows % kWgmmaM != 0;
  // Behind the loops a tile may lie in their slots; see idleBytes().
  SharedRoom room{facts.sharedBytes + kSlackBytes};
  if (!facts.persistent && facts.split == 1 && mayLeaveThroughSlots(target) &&
      !copy->getParentOfType<LoopLikeOpInterface>())
    room.idle = slotBytes;
  return storedPiece(*tile, room, /*blocks=*/0, target,
                     [&](unsigned dim, int64_t extent) {
                       return dim == 1 || (mayBeSwapped && extent % 8 == 0);
                     })
      .has_value();
}

/// Whether all results stay in registers until the next tile's products run, as
/// far as `tile-delay-stores` will find room for them; a part is not modelled.
bool KernelReader::leavesLater(TileMoveOpInterface copy, unsigned phase) {
  if (!facts.persistent || facts.streamK || !facts.hasRoles || phase != 0 ||
      facts.phases.size() < 2 || !passesShared(copy))
    return false;
  // Halves are stored by stmatrix, as pairs.
  int64_t bits = storageBitsOf(copy.getTarget());
  if (!waitInWholeRegisters(bits, target.hasStmatrix() && bits == 16))
    return false;
  int64_t consumers = facts.threads - kProducerThreads;
  double results =
      elements(copy.getTileShape()) * double(bits) / 32 / double(consumers);
  int64_t most = ThreadBudget(target).consumer(consumers, /*hasRoles=*/true);
  return results <= double(registersForResults(most, fragmentRegisters));
}

/// The blocks of a cluster that a copy is the same for, as far as
/// `tile-pipeline` will have them share it.
int64_t KernelReader::sharers(TileMoveOpInterface copy) {
  if (!target.hasTma() || copy.getDisableTma() ||
      !tile::isShared(copy.getTarget()))
    return 1;
  ClusterDims dims =
      sharing.copiesSameAlong(copy) & sharing.runsAlikeAlong(copy);
  return ClusterGroups(kernel).size(dims);
}

/// The blocks that finish a part each of a split tile, as far as
/// `--tile-share-results` will find that what follows works on elements, and
/// equal parts in the layout: eight columns, or eight rows where operands are
/// swapped, belong together.
int64_t KernelReader::finishers(Value fragment) {
  if (facts.split <= 1 || !isFragment(fragment) ||
      typeOf(fragment).getRank() != 2)
    return 1;
  if (!endsByElements) {
    auto loops = kernel.getBodyRegion().getOps<PipelinedOp>();
    endsByElements = llvm::all_of(loops, isFollowedByElements);
  }
  if (!*endsByElements)
    return 1;
  ArrayRef<int64_t> shape = typeOf(fragment).getShape();
  int64_t extent = shape[0] % kWgmmaM != 0 ? shape[0] : shape[1];
  constexpr int64_t kTogether = 8;
  return extent % (kTogether * facts.split) == 0 ? facts.split : 1;
}
