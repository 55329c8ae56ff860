//===- GemmTails.h - ends of loops that can wait ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to --tile-schedule-gemms: which loops may leave their gemms in
// flight until the next iteration, why others may not, and where it pays.
// Changes nothing.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_TRANSFORMS_GEMMTAILS_H
#define TILE_LIB_TRANSFORMS_GEMMTAILS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Analysis/Reason.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Target/TargetInfo.h"

namespace mlir::tile {

/// The end of a loop's body that can wait for the next iteration.
struct GemmTail {
  SmallVector<AwaitOp> awaits;
  SmallVector<TileRingOpInterface> releases;
  SmallVector<GemmOp> gemms;
  /// Whether all gemms are by tcgen05: then nothing has to be awaited inside
  /// the loop.
  bool isBehindLoop() const;
};

/// Finds gemms into accumulators that nothing else in the loop touches, which
/// are awaited at the end of the body, followed by releases and scalars only.
/// If there are gemms but no such end, `why` says what prevents it.
std::optional<GemmTail> findGemmTail(scf::ForOp loop, Reason &why);

/// Whether a loop of products alone is faster with a group in flight, which
/// keeps a slot longer: a slot is filled again only when the next one is full.
/// Loads that take `latency` then come every latency / (slots - 1) cycles; with
/// the wait at once every (latency + products) / slots, but products pause.
/// Where threads compute between products, these hide that.
bool gainsInFlight(scf::ForOp loop, const GemmTail &tail,
                   const TargetInfo &target);

} // namespace mlir::tile
#endif // TILE_LIB_TRANSFORMS_GEMMTAILS_H
