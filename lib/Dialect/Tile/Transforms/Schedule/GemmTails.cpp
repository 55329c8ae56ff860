//===- GemmTails.cpp - ends of loops that can wait ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may stand behind the gemms of an iteration, so that their end is waited
// for in the next one. What is carried across the back edge is read by the
// hardware meanwhile: accumulators, operands and slots.
//
//===----------------------------------------------------------------------===//
#include "GemmTails.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"

using namespace mlir;
using namespace mlir::tile;

bool GemmTail::isBehindLoop() const {
  return llvm::all_of(gemms, [](GemmOp gemm) {
    return traitsOf(gemm).completion == MmaCompletion::Mbarrier;
  });
}

/// Whether `op` touches one of the fragments that are in flight.
static bool touches(Operation *op, const llvm::SmallDenseSet<Value> &pending) {
  bool result = false;
  op->walk([&](Operation *inner) {
    auto gemm = dyn_cast<GemmOp>(inner);
    for (OpOperand &operand : inner->getOpOperands())
      if (pending.contains(operand.get()))
        result |= !gemm || operand.get() != gemm.getC() || !gemm.getToken() ||
                  gemm.getA() == operand.get() || gemm.getB() == operand.get();
  });
  return result;
}

/// Whether `op` writes a shared tile that a gemm may still read an iteration
/// later. Slots of rings are guarded by their releases.
static bool writesOperand(Operation *op, ArrayRef<GemmOp> gemms) {
  SmallVector<OpAccess> accesses;
  collectAccesses(op, accesses);
  return llvm::any_of(accesses, [&](const OpAccess &own) {
    return own.access.isWrite && llvm::any_of(gemms, [&](GemmOp gemm) {
             return llvm::any_of(
                 ValueRange{gemm.getA(), gemm.getB()}, [&](Value tile) {
                   return !isa<RingType>(getBaseBuffer(tile).getType()) &&
                          mayAlias(tile, own.access.buffer);
                 });
           });
  });
}

/// Whether copies into a ring are in `op`: under the condition that their
/// iteration runs.
static bool fillsSlot(Operation &op) {
  return op
      .walk([](TileRingOpInterface ringOp) {
        return ringOp.fillsSlots() ? WalkResult::interrupt()
                                   : WalkResult::advance();
      })
      .wasInterrupted();
}

static constexpr char kSameAgent[] =
    "the agent that multiplies also fills the ring";
static constexpr char kOtherAgent[] =
    "with roles another does: the remark at the kernel says what they need";

std::optional<GemmTail> tile::findGemmTail(scf::ForOp loop, Reason &why) {
  GemmTail tail;
  auto no = [&](const Twine &reason, StringRef advice) {
    why = {reason.str(), advice.str()};
    return std::nullopt;
  };
  Block &body = *loop.getBody();
  llvm::SmallDenseSet<Value> pending;
  for (Operation &op : body.without_terminator()) {
    if (auto gemm = dyn_cast<GemmOp>(op); gemm && gemm.getToken()) {
      if (isFragment(gemm.getA()) || isFragment(gemm.getB()) || gemm.isSparse())
        return no("an operand is in registers, and would be in flight across "
                  "the back edge",
                  "operands in shared memory can be");
      tail.gemms.push_back(gemm);
      pending.insert(gemm.getC());
    } else if (auto await = dyn_cast<AwaitOp>(op)) {
      tail.awaits.push_back(await);
    } else if (auto ringOp = dyn_cast<TileRingOpInterface>(op);
               ringOp && ringOp.releasesSlot() && !tail.awaits.empty()) {
      tail.releases.push_back(ringOp);
    }
  }
  if (tail.gemms.empty())
    return std::nullopt;
  if (tail.awaits.empty())
    return no("they are awaited outside of the loop",
              "await them at the end of its body");
  // Each token is awaited once, here, and by nothing else.
  llvm::SmallDenseSet<Value> tokens;
  for (AwaitOp await : tail.awaits)
    for (Value token : await.getTokens())
      tokens.insert(token);
  for (GemmOp gemm : tail.gemms)
    if (!gemm.getToken().hasOneUse() || !tokens.erase(gemm.getToken()))
      return no("their tokens are used by more than one wait",
                "await each once");
  if (!tokens.empty())
    return no("an await in the loop also waits for something else",
              "give that a `tile.await` of its own, before the gemms");
  Operation *lastGemm = tail.gemms.back();
  for (Operation &op : body.without_terminator()) {
    if (llvm::is_contained(tail.awaits, &op) ||
        llvm::is_contained(tail.releases, &op) ||
        llvm::is_contained(tail.gemms, &op))
      continue;
    std::string name = "'" + op.getName().getStringRef().str() + "'";
    if (touches(&op, pending))
      return no(name + " needs a result in the same iteration",
                "use results behind the loop");
    if (writesOperand(&op, tail.gemms))
      return no(name + " writes an operand that is no slot of a ring",
                "what copies of a `tile.pipelined` loop fill is one");
    if (auto order = dyn_cast<TileOrderOpInterface>(op);
        order && order.handsOver())
      return no(name + " says that their operands have been read",
                "let it arrive an iteration later");
    bool isLater = lastGemm->isBeforeInBlock(&op);
    if (isLater && !isMemoryEffectFree(&op) && !tail.isBehindLoop())
      return fillsSlot(op)
                 ? no(kSameAgent, kOtherAgent)
                 : no(name + " follows them", "put it before the gemms");
  }
  if (tail.isBehindLoop() && !tail.releases.empty())
    return no("their slots are released in the loop, which needs a wait",
              "slots that TMA fills need none: the remarks at the copies say "
              "what it needs");
  for (AwaitOp await : tail.awaits)
    if (await->isBeforeInBlock(lastGemm))
      return no("one of them is awaited before another is issued",
                "await them behind the last gemm");
  // A slot that is released an iteration later must not be needed before, and
  // the agent that fills it must be another one.
  for (TileRingOpInterface release : tail.releases) {
    auto type = cast<RingType>(release.getRing().getType());
    if (!type.usesMbarriers())
      return no("a barrier, not a release, empties the slots of its ring",
                "rings that TMA or a role fills have releases");
    if (type.getStages() < 2)
      return no("its ring has one slot, which would never be empty",
                "`stages(2)` or more has others");
    if (!runsInRole(release))
      return no(kSameAgent, kOtherAgent);
    for (Operation *user : release.getRing().getUsers())
      if (showsOpenSlot(user) && loop->isProperAncestor(user))
        return no(kSameAgent, kOtherAgent);
  }
  return tail;
}

/// Cycles that a warpgroup's gemms need to end and begin again, where nothing
/// else multiplies meanwhile (fitted, as those of the cost model).
static constexpr double kRestartCycles = 100;

bool tile::gainsInFlight(scf::ForOp loop, const GemmTail &tail,
                         const TargetInfo &target) {
  int64_t slots = std::numeric_limits<int64_t>::max();
  for (TileRingOpInterface release : tail.releases)
    slots = std::min<int64_t>(
        slots, cast<RingType>(release.getRing().getType()).getStages());
  for (Operation &op : loop.getBody()->without_terminator())
    if (isa<TileOpInterface>(op) && !gemmTraits(&op))
      return true;
  if (tail.releases.empty() || slots < 2)
    return true;
  const MultiprocessorRates &rates = deviceOf(loop, target).rates;
  double products = 0;
  for (GemmOp gemm : tail.gemms)
    products +=
        double(gemm.getM()) * gemm.getN() * gemm.getK() *
        std::max(storageBitsOf(gemm.getA()), storageBitsOf(gemm.getB())) / 16 /
        rates.tensorMultiplyAdds;
  auto blocks = double(residentBlocks(loop));
  double together = blocks * products, latency = rates.loadLatency;
  double inFlight = std::max(together, latency / double(slots - 1));
  double awaited = std::max(together + (blocks == 1 ? kRestartCycles : 0),
                            (latency + products) / double(slots));
  return inFlight <= awaited;
}
