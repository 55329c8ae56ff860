//===- RingAccumulators.cpp - two accumulators in turn --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after --tile-pipeline and --tile-pair-gemms, before roles. A loop over
// tiles that multiplies into tensor memory and then reads the result gets a
// ring of two accumulators, so that who multiplies may be a tile ahead of who
// reads. The division of the warps is --tile-specialize-warps' business; where
// no roles follow there is nothing to gain, and nothing is done.
//
//===----------------------------------------------------------------------===//
#include "Accumulators.h"
#include "Phases.h"
#include "UseCounter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/Iterations.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/MmaTypes.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "tile/Target/TargetInfo.h"

namespace mlir::tile {
#define GEN_PASS_DEF_RINGACCUMULATORSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

static constexpr int64_t kAccumulators = 2;

namespace {
/// Who touches an accumulator: in the body of one loop, zeros, then gemms, then
/// a copy to a fragment.
struct Turn {
  AllocOp alloc;
  FillOp fill; // null where the first gemm starts from zero
  SmallVector<GemmOp> gemms;
  CopyOp read;
  Operation *first = nullptr; // of the above, in the loop's body
  scf::ForOp steps;           // around the gemms, null without `fill`
};

struct RingAccumulatorsPass
    : tile::impl::RingAccumulatorsPassBase<RingAccumulatorsPass> {
  using RingAccumulatorsPassBase::RingAccumulatorsPassBase;

  void runOnOperation() override {
    if (failed(
            requireBefore(*this, getOperation(), {Need::Numbers, Need::Rings})))
      return signalPassFailure();
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      convert(kernel);
  }

private:
  void convert(KernelOp kernel) {
    SmallVector<Turn> turns;
    int64_t columns = 0;
    bool all = true;
    auto refuse = [&](AllocOp alloc, const Reason &reason) {
      all = false;
      missedAt(remarks, alloc,
               "the epilogue of this accumulator does not overlap the next "
               "tile",
               reason.why, reason.advice);
    };
    kernel.walk([&](AllocOp alloc) {
      if (!isTensorMemory(alloc.getResult()))
        return;
      Reason why;
      columns +=
          kAccumulators *
          tensorMemoryColumns(cast<MemRefType>(alloc.getResult().getType()));
      std::optional<Turn> turn = findTurn(alloc, why);
      if (!turn)
        return refuse(alloc, why);
      if (columns > kTensorMemoryColumns)
        return refuse(alloc,
                      {("tensor memory has " + Twine(kTensorMemoryColumns) +
                        " columns, " + Twine(kAccumulators) +
                        " accumulators would take " + Twine(columns))
                           .str(),
                       "tiles of fewer columns fit twice"});
      turns.push_back(*turn);
    });
    // One agent issues all gemms of a kernel: what they read is then its own.
    if (all)
      for (Turn &turn : turns)
        makeRing(turn);
  }

  static std::optional<Turn> findTurn(AllocOp alloc, Reason &why);
  void makeRing(Turn &turn);
};
} // namespace

/// Whether an operand comes from a ring of TMA that only gemms read: then the
/// role that multiplies depends on the copying role alone.
static bool arrivesByTma(Value operand) {
  if (!isToBeRead(operand))
    return false;
  auto type = cast<RingType>(ringOf(operand).getType());
  return type.getProducer() == RingProducer::Tma &&
         type.getConsumers() == ArrayRef(RingConsumer::Tcgen05);
}

std::optional<Turn> RingAccumulatorsPass::findTurn(AllocOp alloc, Reason &why) {
  auto no = [&](const Twine &reason, StringRef advice) {
    why = {reason.str(), advice.str()};
    return std::nullopt;
  };
  KernelOp kernel = kernelOf(alloc);
  if (!hasRoles(kernel))
    return no("its warps have no roles",
              "the remark at the kernel says what gives them some");
  Turn turn;
  turn.alloc = alloc;
  Value buffer = alloc.getResult();
  for (Operation *user : buffer.getUsers()) {
    auto gemm = dyn_cast<GemmOp>(user);
    FillOp fill = zeroFillOf(user, buffer);
    auto copy = dyn_cast<CopyOp>(user);
    if (gemm && traitsOf(gemm).usesTensorMemory && gemm.getC() == buffer &&
        !gemm.isAsync()) {
      if (!arrivesByTma(gemm.getA()) || !arrivesByTma(gemm.getB()))
        return no(
            "an operand of its gemms is written by the warps that read "
            "the result",
            "operands that TMA copies in a `tile.pipelined` loop are not");
      turn.gemms.push_back(gemm);
    } else if (fill && !turn.fill) {
      turn.fill = fill;
    } else if (copy && !turn.read && copy.getSource() == buffer) {
      turn.read = copy;
    } else {
      return no(
          "'" + user->getName().getStringRef() +
              "' touches it, too, and more than once a tile it changes sides",
          "copy the result to a fragment of its own once, and use that");
    }
  }
  if (turn.gemms.empty() || !turn.read)
    return no("no gemms fill it before one copy reads the result",
              "copy the result once, behind the gemms");
  Block *body = turn.read->getBlock();
  auto tiles = dyn_cast<scf::ForOp>(body->getParentOp());
  if (!tiles)
    return no("its result is not read in a loop over tiles",
              "`persistent = 1` on the kernel makes one");
  if (Operation *obstacle = UseCounter::obstacle(turn.read))
    return no("its uses cannot be counted through '" +
                  obstacle->getName().getStringRef() + "'",
              "enclose it by `scf.for` and `scf.if` only");
  for (GemmOp gemm : turn.gemms) {
    Operation *level = body->findAncestorOpInBlock(*gemm);
    if (!level || !level->isBeforeInBlock(turn.read))
      return no("it is read before it is complete, or in another loop",
                "read it behind its gemms, in the same loop");
    if (!turn.first || level->isBeforeInBlock(turn.first))
      turn.first = level;
  }
  if (turn.fill) {
    // Whether any product was added is known to both sides by one comparison.
    if (turn.fill->getBlock() != body ||
        !turn.fill->isBeforeInBlock(turn.first))
      return no("it is not filled with zeros once a tile, before the gemms",
                "put one `tile.fill` with zero there");
    turn.steps = dyn_cast<scf::ForOp>(turn.first);
    if (!turn.steps || llvm::any_of(turn.gemms, [&](GemmOp gemm) {
          return gemm->getParentOp() != turn.steps;
        }))
      return no("its gemms are not all in the body of one loop",
                "put them there, without conditions");
    turn.first = turn.fill;
  } else if (llvm::none_of(turn.gemms, [&](GemmOp gemm) {
               return gemm == turn.first && gemm.getClear();
             })) {
    return no("it does not start from zero",
              "fill it with zero, or say `clear` on its first gemm");
  }
  return turn;
}

void RingAccumulatorsPass::makeRing(Turn &turn) {
  Location loc = turn.alloc.getLoc();
  KernelOp kernel = kernelOf(turn.alloc);
  Value buffer = turn.alloc.getResult();
  Type view = buffer.getType();
  auto type = RingType::get(&getContext(), kAccumulators, {view},
                            RingProducer::Mma, {RingConsumer::Threads});
  bool isPair = turn.gemms.front().getPlan()->getPair();
  OpBuilder builder(&getContext());
  builder.setInsertionPointToStart(&kernel.getBodyRegion().front());
  auto ring = RingCreateOp::create(
      builder, loc, type, /*layouts=*/ArrayAttr(),
      isPair ? builder.getI64IntegerAttr(2) : IntegerAttr(),
      isPair ? builder.getDenseI64ArrayAttr({-1}) : DenseI64ArrayAttr());

  // Replaces the loops around, not what is in their bodies.
  UseCounter counter;
  Value use = counter.begin(turn.first);
  builder.setInsertionPoint(turn.first);
  Value filled =
      RingAcquireOp::create(builder, loc, view, ring, use).getViews().front();
  for (GemmOp gemm : turn.gemms)
    gemm.getCMutable().assign(filled);
  if (turn.fill)
    turn.fill.getTargetMutable().assign(filled);
  builder.setInsertionPoint(turn.read);
  RingCommitOp::create(builder, loc, ring, use);
  auto wait = RingWaitOp::create(builder, loc, view, ring, use, IntegerAttr());
  turn.read.getSourceMutable().assign(wait.getViews().front());
  builder.setInsertionPointAfter(turn.read);
  RingReleaseOp::create(builder, loc, ring, use);
  if (turn.fill) {
    // Tensor memory has no zeros of its own: where nothing was added to them,
    // who reads supplies them.
    Value none = hasNoIteration(builder, loc, turn.steps, 0);
    auto branch =
        scf::IfOp::create(builder, loc, none, /*withElseRegion=*/false);
    OpBuilder inner = branch.getThenBodyBuilder();
    FillOp zeros = inner.cloneWithoutRegions(turn.fill);
    zeros.getTargetMutable().assign(turn.read.getTarget());
    if (auto layout = turn.read.getLayoutAttr())
      zeros.setLayoutAttr(layout);
  }
  builder.setInsertionPoint(turn.read->getBlock()->getTerminator());
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  counter.finish(arith::AddIOp::create(builder, loc, use, one));
  turn.alloc.erase();
  ++ringedAccumulators;
  remarkAt(remarks, turn.read)
      << kAccumulators
      << " accumulators in turn: the epilogue overlaps the "
         "gemms of the next tile";
}
