//===- PairGemms.cpp - gemms of two blocks as one -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after --tile-pipeline, which made the rings that operands arrive in.
// Where the two blocks of a cluster multiply different A by the same B, one
// tcgen05.mma of twice the rows does it for both; each block then holds all of
// its A and half of B. Only rings, plans and `multicast` change: what a view
// means stays as it is. All gemms of a kernel are paired or none.
//
// Source: PTX ISA 9.0, "tcgen05: CTA Pair", "Matrix and Data Movement Shape",
// "Issue Granularity".
//
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "tile/Analysis/ClusterSharing.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "tile/Layout/WgmmaOperand.h"
#include "tile/Target/TargetInfo.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tile {
#define GEN_PASS_DEF_PAIRGEMMSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
/// How the blocks of a pair hold a buffer of a ring.
struct Held {
  int64_t dim = -1; // that they share out
  bool isOperand = false;
  SharedLayoutAttr layout;
};

constexpr char kRunAlike[] =
    "bounds and conditions that do not depend on the block let them";
constexpr char kOtherCluster[] =
    "`cluster(...)` of two blocks along the rows of C has them share B";

/// Why gemms are not paired.
struct Obstacle {
  std::string reason;
  std::string advice;
  Operation *cause = nullptr;
};

class PairDecision {
public:
  explicit PairDecision(KernelOp kernel) : kernel(kernel), sharing(kernel) {}

  std::optional<Obstacle> decide(ArrayRef<GemmOp> gemms);
  void apply(ArrayRef<GemmOp> gemms);

private:
  std::optional<Obstacle> checkShape(GemmOp gemm);
  std::optional<Obstacle> addOperand(GemmOp gemm, bool isA);
  std::optional<Obstacle> checkRing(RingCreateOp ring);

  KernelOp kernel;
  ClusterSharing sharing;
  llvm::MapVector<RingCreateOp, SmallVector<Held, 2>> rings;
};

struct PairGemmsPass : tile::impl::PairGemmsPassBase<PairGemmsPass> {
  using PairGemmsPassBase::PairGemmsPassBase;

  void runOnOperation() override {
    if (failed(
            requireBefore(*this, getOperation(), {Need::Numbers, Need::Rings})))
      return signalPassFailure();
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      if (failed(pair(kernel)))
        return signalPassFailure();
  }

private:
  LogicalResult pair(KernelOp kernel) {
    bool isForced = kernel.getPairs().value_or(false);
    SmallVector<GemmOp> gemms;
    kernel.walk([&](GemmOp gemm) {
      if (traitsOf(gemm).worksInPairs)
        gemms.push_back(gemm);
    });
    if (!isForced && (gemms.empty() || kernel.getClusterSize() == 1))
      return success();
    PairDecision decision(kernel);
    if (std::optional<Obstacle> obstacle = decision.decide(gemms)) {
      Remark diag =
          isForced ? Remark(kernel.emitOpError()) : remarkAt(remarks, kernel);
      diag << (isForced ? "cannot be paired, which `pairs` asks for: "
                        : "not multiplied in pairs of blocks: ")
           << obstacle->reason << "; " << obstacle->advice;
      if (obstacle->cause)
        diag.attachNote(obstacle->cause) << "because of this";
      return failure(isForced);
    }
    decision.apply(gemms);
    pairedGemms += gemms.size();
    for (GemmOp gemm : gemms)
      remarkAt(remarks, gemm)
          << "two blocks multiply together: " << 2 * gemm.getM() << "x"
          << gemm.getN()
          << ", half of B in each; `pairs = false` on the kernel has each "
             "multiply alone";
    return success();
  }
};
} // namespace

std::optional<Obstacle> PairDecision::checkShape(GemmOp gemm) {
  MmaPlanAttr plan = *gemm.getPlan();
  if (plan.getM() != kTensorMemoryLanes)
    return Obstacle{"a block needs a multiple of 128 rows, got " +
                        std::to_string(gemm.getM()),
                    "a tile of 128 rows has that", gemm};
  // The halves of one instruction's columns are the halves of the tile's.
  if (gemm.getN() != plan.getN() || plan.getN() % 32 != 0)
    return Obstacle{"the N tile has to be one instruction's, a multiple of 32 "
                    "up to 256, got " +
                        std::to_string(gemm.getN()),
                    "a tile of 128 or 256 columns is", gemm};
  if (!isTensorMemory(gemm.getC()))
    return Obstacle{"the accumulator is not in tensor memory",
                    "`--tile-place-accumulators` puts it there", gemm};
  if (!sharing.isRunAlike(gemm))
    return Obstacle{"the blocks of a cluster may run it differently often",
                    kRunAlike, gemm};
  return std::nullopt;
}

std::optional<Obstacle> PairDecision::addOperand(GemmOp gemm, bool isA) {
  Value view = isA ? gemm.getA() : gemm.getB();
  std::string name = isA ? "A" : "B";
  RingCreateOp ring =
      isToBeRead(view) ? creationOf(ringOf(view)) : RingCreateOp();
  if (!ring || ring.getRing().getType().getProducer() != RingProducer::Tma)
    return Obstacle{"operand " + name + " is in no ring filled by tma",
                    "copy it by TMA in a `tile.pipelined` loop of `stages(2)` "
                    "or more",
                    gemm};
  if (!ring.getLayouts())
    return Obstacle{"the ring of operand " + name + " has no layouts",
                    "`--tile-infer-layouts` gives it some", ring};
  unsigned buffer = cast<OpResult>(view).getResultNumber();
  auto &held = rings[ring];
  held.resize(ring.getRing().getType().getBuffers().size());
  Held own;
  own.isOperand = true;
  own.layout = cast<SharedLayoutAttr>((*ring.getLayouts())[buffer]);
  if (!isA) {
    own.dim = gemm.getTransposeB() ? 0 : 1;
    SmallVector<int64_t> shape(cast<MemRefType>(view.getType()).getShape());
    shape[own.dim] /= 2;
    WgmmaSplit split{unsigned(own.dim),
                     unsigned(1 - own.dim),
                     /*groups=*/1,
                     /*repeats=*/1,
                     shape[own.dim],
                     gemm.getK() / gemm.getPlan()->getK(),
                     /*bytesAlongMn=*/true};
    std::string why;
    SmallVector<SharedLayout> layouts =
        wgmmaLayouts(shape, own.layout.getElementBits(), split, why);
    if (layouts.empty())
      return Obstacle{"half of B: " + why, "use a wider N tile", gemm};
    own.layout = SharedLayoutAttr::get(ring.getContext(), layouts.front());
  }
  if (held[buffer].isOperand &&
      (held[buffer].dim != own.dim || held[buffer].layout != own.layout))
    return Obstacle{"one buffer is A and B, or B in two ways",
                    "copy it to a tile for each", gemm};
  held[buffer] = own;
  return std::nullopt;
}

/// All operations that use a ring of operands.
std::optional<Obstacle> PairDecision::checkRing(RingCreateOp ring) {
  if (ring.getRing().getType().getConsumers() !=
      ArrayRef(RingConsumer::Tcgen05))
    return Obstacle{"others than gemms by tcgen05 read the operands",
                    "copy what they read to a tile of its own", ring};
  ArrayRef<Held> held = rings[ring];
  for (auto [i, own] : llvm::enumerate(held))
    if (!own.isOperand)
      return Obstacle{"a ring of operands holds something else, too",
                      "copy that in another loop", ring};
  for (Operation *user : ring->getUsers()) {
    if (!sharing.isRunAlike(user))
      return Obstacle{"the blocks of a cluster may use a ring differently "
                      "often",
                      kRunAlike, user};
    if (!showsOpenSlot(user))
      continue;
    for (auto [i, view] : llvm::enumerate(user->getResults()))
      for (Operation *filling : view.getUsers()) {
        auto copy = dyn_cast<TileMoveOpInterface>(filling);
        if (!copy || !copy.isPlain() || !copy.getPlan() ||
            !traitsOf(*copy.getPlan()).usesTensorMap)
          return Obstacle{"only tensor copies arrive in another block, and an "
                          "operand is filled by something else",
                          "fill it by copies alone", filling};
        if (!sharing.isRunAlike(copy))
          return Obstacle{"the blocks of a cluster may copy an operand "
                          "differently often",
                          kRunAlike, copy};
        bool isSame = sharing.copiesSame(copy);
        if (held[i].dim >= 0 && !isSame)
          return Obstacle{"the blocks of a cluster differ in B", kOtherCluster,
                          copy};
        if (held[i].dim < 0 && isSame)
          return Obstacle{"the blocks of a cluster share A", kOtherCluster,
                          copy};
      }
  }
  return std::nullopt;
}

std::optional<Obstacle> PairDecision::decide(ArrayRef<GemmOp> gemms) {
  if (auto stated = kernel.getPairs(); stated && !*stated)
    return Obstacle{"`pairs = false` forbids it",
                    "without it the compiler decides"};
  if (gemms.empty())
    return Obstacle{"no gemm is by tcgen05",
                    "the remarks at the gemms say why"};
  if (kernel.getClusterSize() != 2)
    return Obstacle{"expected a cluster of two blocks, got " +
                        std::to_string(kernel.getClusterSize()),
                    "`cluster(...)` of two along the rows of C pairs them"};
  for (GemmOp gemm : gemms) {
    if (auto obstacle = checkShape(gemm))
      return obstacle;
    for (bool isA : {true, false})
      if (auto obstacle = addOperand(gemm, isA))
        return obstacle;
  }
  for (auto &[ring, held] : rings)
    if (auto obstacle = checkRing(ring))
      return obstacle;
  return std::nullopt;
}

void PairDecision::apply(ArrayRef<GemmOp> gemms) {
  for (auto &[ring, held] : rings) {
    SmallVector<int64_t> dims;
    SmallVector<Attribute> layouts;
    for (const Held &own : held) {
      dims.push_back(own.dim);
      layouts.push_back(own.layout);
    }
    RingCreateOp op = ring;
    op.setPeers(2);
    op.setPair(dims);
    op.setLayoutsAttr(ArrayAttr::get(op.getContext(), layouts));
    for (Operation *user : op->getUsers())
      if (showsOpenSlot(user))
        for (Value view : user->getResults())
          for (Operation *copy : view.getUsers())
            cast<TileMoveOpInterface>(copy).setMulticast({}, {});
  }
  for (GemmOp gemm : gemms) {
    MmaPlanAttr plan = *gemm.getPlan();
    gemm.setPlanAttr(MmaPlanAttr::get(
        gemm.getContext(), plan.getInstruction(), plan.getM(), plan.getN(),
        plan.getK(), plan.getWarpsM(), plan.getWarpsN(), /*pair=*/true));
  }
}
