//===- RingClaims.cpp - what passes have written down ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes that one pass writes and later ones believe: the arrivals of a
// ring (R9), and what is said about loops (R23). Here each is compared with the
// program, independently of the pass that wrote it.
//
//===----------------------------------------------------------------------===//
#include "RingExtractor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "tile/Analysis/RingArrivals.h"
#include "tile/Dialect/Tile/IR/Buffers.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::rings;

//===----------------------------------------------------------------------===//
// R9: counts
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// R23: claims about loops
//===----------------------------------------------------------------------===//

/// Whether the flag is false in the first iteration of the loop around.
static bool isFalseFirst(Value flag, scf::ForOp loop) {
  if (matchPattern(flag, m_Zero()))
    return true;
  auto compare = flag.getDefiningOp<arith::CmpIOp>();
  if (!loop || !compare || compare.getPredicate() != arith::CmpIPredicate::ne)
    return false;
  Value first = loop.getInductionVar(), lower = loop.getLowerBound();
  return (compare.getLhs() == first && compare.getRhs() == lower) ||
         (compare.getRhs() == first && compare.getLhs() == lower);
}

/// The two values of which a condition says that the first is less than the
/// second, however it is written; null where it says something else.
static std::pair<Value, Value> comparedLess(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (compare && compare.getPredicate() == arith::CmpIPredicate::slt)
    return {compare.getLhs(), compare.getRhs()};
  if (compare && compare.getPredicate() == arith::CmpIPredicate::sgt)
    return {compare.getRhs(), compare.getLhs()};
  return {};
}

/// Whether the condition says that the loop around has an iteration `ahead`
/// after its own.
static bool asksForIteration(scf::IfOp branch, int64_t ahead) {
  auto loop = dyn_cast<scf::ForOp>(branch->getParentOp());
  auto [index, end] = comparedLess(branch.getCondition());
  if (!loop || !index || end != loop.getUpperBound())
    return matchPattern(branch.getCondition(), m_Constant());
  if (index == loop.getInductionVar())
    return ahead == 0;
  auto sum = index.getDefiningOp<arith::AddIOp>();
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  return sum && step && sum.getLhs() == loop.getInductionVar() &&
         getConstantIntValue(sum.getRhs()) == ahead * *step;
}

/// Whether the condition says that the first loop in the branch has an
/// iteration.
static bool asksForLoop(scf::IfOp branch) {
  if (matchPattern(branch.getCondition(), m_Constant()))
    return true;
  auto loops = branch.thenBlock()->getOps<scf::ForOp>();
  auto [first, end] = comparedLess(branch.getCondition());
  if (loops.empty() || !first)
    return false;
  scf::ForOp loop = *loops.begin();
  return isEqualConstantIntOrValue(first, loop.getLowerBound()) &&
         isEqualConstantIntOrValue(end, loop.getUpperBound());
}

static bool carriesGemms(scf::ForOp loop) {
  auto gemms = loop.getBody()->getOps<GemmOp>();
  return !gemms.empty() &&
         llvm::all_of(gemms, [](GemmOp gemm) { return gemm.isAsync(); }) &&
         llvm::any_of(loop.getRegionIterArgs(), [](Value argument) {
           return isa<TokenType>(argument.getType());
         });
}

/// What is wrong with what is said about `op`; empty: nothing.
static std::pair<StringRef, StringRef> brokenClaim(Operation *op) {
  if (auto gemm = dyn_cast<GemmOp>(op))
    if (gemm->hasAttr(kClearFirstAttrName) &&
        !isFalseFirst(gemm.getAccumulate(),
                      dyn_cast<scf::ForOp>(gemm->getParentOp())))
      return {kClearFirstAttrName,
              "the flag of `accumulate` does not compare the index of the loop "
              "around with its first value"};
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (loop->hasAttr(kRingLoopAttrName) &&
        !matchPattern(loop.getStep(), m_One()))
      return {kRingLoopAttrName, "the loop does not step by one"};
    if (loop->hasAttr(kGemmsInFlightAttrName) && !carriesGemms(loop))
      return {kGemmsInFlightAttrName,
              "the loop carries no token, or not all of its gemms return one"};
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (std::optional<int64_t> ahead = iterationsAhead(branch);
        ahead && !asksForIteration(branch, *ahead))
      return {kIterationAheadAttrName,
              "the condition does not compare the index of the loop around, "
              "so many steps ahead, with its end"};
    if (branch->hasAttr(kGuardsLoopAttrName) && !asksForLoop(branch))
      return {kGuardsLoopAttrName,
              "the condition does not compare the bounds of the first loop in "
              "the branch"};
  }
  return {};
}

void Extractor::checkClaims() {
  kernel.walk([&](Operation *op) {
    if (auto [name, reason] = brokenClaim(op); !name.empty())
      model.findings.push_back({RingRule::R23,
                                op,
                                ("'" + name + "' is not so: " + reason).str(),
                                {}});
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
