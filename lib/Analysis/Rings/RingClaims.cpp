//===- RingClaims.cpp - what passes have written down ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes that one pass writes and later ones believe: the arrivals of a
// ring (R9). Here they are compared with the program, independently of the pass
// that wrote them.
//
//===----------------------------------------------------------------------===//
#include "RingExtractor.h"
#include "tile/Analysis/RingArrivals.h"
#include "tile/Dialect/Tile/IR/Buffers.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::rings;

/// Blocks whose releases arrive in one block, which is of rank 0.
static int64_t numReleasers(const Model &model, const Ring &ring) {
  // The leader of a pair empties its operands for both blocks.
  bool isPair = static_cast<bool>(RingCreateOp(ring.create).getPair());
  if (isPair && !ring.type.inTensorMemory())
    return 1;
  int64_t blocks = 0;
  for (int64_t rank = 0; rank < model.clusterSize; ++rank)
    blocks += rank == 0 || llvm::any_of(ring.releases, [&](ClusterDims dims) {
                return model.groups->isGroup(0, rank, dims);
              });
  return blocks;
}

void Extractor::checkArrivals(const Ring &ring) {
  if (!ring.arrivals)
    return;
  int64_t full = 0, empty = 0;
  for (int agent : ring.producers)
    full += arrivalsOfCommit(ring.type, model.agents[agent].warps);
  for (int agent : ring.consumers)
    empty += arrivalsOfRelease(ring.arrivals->by, model.agents[agent].warps) +
             ring.type.hasConsumer(RingConsumer::Tcgen05);
  int64_t blocks = numReleasers(model, ring);
  auto check = [&](StringRef name, int64_t stated, int64_t counted,
                   StringRef what) {
    if (stated == counted || counted == 0)
      return;
    model.findings.push_back(
        {RingRule::R9,
         ring.create,
         "a phase of its " + name.str() + " mbarriers counts " +
             std::to_string(stated) + " arrivals, but " +
             std::to_string(counted) + " are made by " + what.str(),
         {}});
  };
  check("full", ring.arrivals->full, full, "who commits");
  check("empty", ring.arrivals->empty, empty * blocks,
        blocks > 1 ? "who releases, in " + std::to_string(blocks) + " blocks"
                   : std::string("who releases"));
}

void Extractor::checkClaims() {
  kernel.walk([&](Operation *op) {
    auto release = dyn_cast<TileRingOpInterface>(op);
    if (!release || !op->hasAttr(kMeetAttrName))
      return;
    RingCreateOp ring = creationOf(release.getRing());
    if (!ring)
      return;
    std::optional<RingArrivals> arrivals = RingArrivals::of(ring);
    if (!arrivals || arrivals->by != RingArrival::Warpgroup)
      model.findings.push_back(
          {RingRule::R9,
           op,
           "warpgroups meet for a ring whose arrivals are not by warpgroups",
           {}});
  });
}
