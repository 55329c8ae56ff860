//===- WgmmaPlan.cpp - gemms by warpgroup instructions --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether wgmma can multiply a gemm's tiles, how warpgroups share the result,
// and what that demands: accumulators in registers, B (and A, unless it is in
// registers) in a shared layout that matrix descriptors express. The same with
// a sparse A, by wgmma.sp: its metadata is in registers, too. Where the rows
// are too few, the product is the transposed one (SwappedPlan.cpp), and
// `problem` is that product's. Instructions of single warps are in
// GemmPlan.cpp.
//
//===----------------------------------------------------------------------===//
#include "GemmPlan.h"
#include "tile/Layout/CheckedMath.h"
#include "tile/Target/ThreadBudget.h"

using namespace mlir;
using namespace mlir::tile;

static StringRef nameOf(bool isSparse, bool swapped) {
  return swapped ? StringRef(kSwappedWgmma) : isSparse ? "wgmma_sp" : "wgmma";
}

static const WgmmaInstructionInfo *wgmmaFor(GemmOp gemm,
                                            const TargetInfo &target,
                                            bool swapped, std::string &why) {
  return instructionFor(gemm, target, nameOf(gemm.isSparse(), swapped),
                        gemm.isSparse() ? &TargetInfo::sparseWgmmaInstruction
                                        : &TargetInfo::wgmmaInstruction,
                        why, swapped);
}

/// `n` is that of one instruction.
static WarpgroupShape shapeOf(const WgmmaInstructionInfo &info, int64_t n,
                              bool swapped) {
  return {nameOf(info.isSparse, swapped),
          info.k,
          kWgmmaM,
          info.hasN(n) ? n : 0,
          info.isInteger() ? "8, 24 or multiples of 16" : "multiples of 8",
          /*bytesAlongMn=*/false,
          swapped};
}

/// Accumulators are in registers from the first instruction to the wait, all of
/// them; ptxas gives up where they do not fit, and spills nothing.
static std::string checkRegisters(const GemmProblem &problem,
                                  const TargetInfo &target) {
  int64_t threads = problem.warps * kWarpSize;
  int64_t available = ThreadBudget(target).share(threads);
  int64_t needed = problem.m * problem.n * problem.bitsC / 32 / threads;
  if (needed + kRegistersBesideWgmma <= available)
    return "";
  return "wgmma keeps " + std::to_string(needed) +
         " registers of accumulators in each of " + std::to_string(threads) +
         " threads, which have " + std::to_string(available) + ", " +
         std::to_string(kRegistersBesideWgmma) +
         " of them for addresses: use a smaller tile" +
         (available < target.maxRegistersPerThread ? "" : " or more threads");
}

/// What wgmma needs of a gemm whatever the grid; empty when it has it.
static std::string checkProblem(GemmOp gemm, const GemmProblem &problem,
                                const WgmmaInstructionInfo &info,
                                const TargetInfo &target, bool swapped) {
  if (std::string why = checkRegisters(problem, target); !why.empty())
    return why;
  std::string why = checkTile(problem, shapeOf(info, 0, swapped));
  if (!why.empty())
    return why;
  why = checkSparse(gemm, problem, {kWgmmaM, 0, info.k});
  if (!why.empty())
    return why;
  if (swapped && (!problem.sharedA || !problem.sharedB))
    return kSwappedWgmma.str() +
           " reads A and B from shared memory, got a fragment";
  if (!problem.sharedB)
    return nameOf(gemm.isSparse(), swapped).str() +
           " reads B from shared memory, got a fragment";
  if (auto every = gemm.getPromoteEvery())
    if (int64_t(*every) % info.k != 0)
      return "wgmma needs a `promote_every` that is a multiple of " +
             std::to_string(info.k) + ", got " + std::to_string(*every);
  return "";
}

std::string tile::checkStatedWgmma(GemmOp gemm, const TargetInfo &target,
                                   const GemmProblem &own) {
  MmaPlanAttr stated = gemm.getPlanAttr();
  bool swapped = stated.getSwapped();
  GemmProblem problem = swapped ? swappedProblem(own) : own;
  std::string why;
  const WgmmaInstructionInfo *info = wgmmaFor(gemm, target, swapped, why);
  if (!info)
    return why;
  why = checkProblem(gemm, problem, *info, target, swapped);
  if (!why.empty())
    return why;
  if (stated.getM() != kWgmmaM || stated.getK() != info->k ||
      !info->hasN(stated.getN()))
    return nameOf(info->isSparse, swapped).str() + " has no shape " +
           shapeText({stated.getM(), stated.getN(), stated.getK()}) +
           " for these element types";
  return checkGrid(problem, shapeOf(*info, stated.getN(), swapped),
                   {stated.getWarpsM(), stated.getWarpsN()});
}

static double wgmmaCost(const GemmProblem &problem, const GemmPlan &plan) {
  // A multiprocessor does 2048 multiply-adds of 16 bits a cycle and reads 128
  // bytes of shared memory; every instruction reads its operands anew.
  constexpr double kMultipliers = 2048, kReadBits = 128 * 8;
  const MmaShape &shape = plan.shape;
  double products = double(problem.m) * double(problem.n) * double(problem.k);
  double instructions = products / double(shape.m * shape.n * shape.k);
  // Of a sparse A half is there, and half of the products are made.
  double half = problem.isSparse ? 0.5 : 1;
  double bits =
      double(shape.n * shape.k) * problem.bitsB +
      (problem.sharedA ? half * double(shape.m * shape.k) * problem.bitsA : 0);
  // Reads go on while the tensor cores multiply: only the longer one counts,
  // but of two grids that multiply as fast the one that reads less is better.
  double tensor = half * products * problem.bitsA / 16 / kMultipliers;
  double reads = instructions * bits / kReadBits;
  constexpr double kTie = 1.0 / 64;
  return std::max(tensor, reads) + kTie * std::min(tensor, reads);
}

//===----------------------------------------------------------------------===//
// Demands
//===----------------------------------------------------------------------===//

namespace {
class WgmmaDemands {
public:
  WgmmaDemands(GemmOp gemm, const GemmProblem &problem, const GemmPlan &plan,
               const WarpgroupShape &shape)
      : gemm(gemm), problem(problem), plan(plan), shape(shape) {}

  /// What the plan demands, or the reason why it is impossible.
  std::string add(LayoutAlternative &alternative) {
    std::string wrong;
    if (problem.sharedA)
      wrong = shared(alternative, /*isA=*/true);
    else
      wrong = fragment(alternative, gemm.getAMutable(), MmaOperand::A,
                       {plan.shape.m, plan.shape.n, plan.shape.k / part},
                       problem.bitsA, {problem.m, problem.k / part},
                       gemm.getTransposeA());
    if (wrong.empty())
      wrong = shared(alternative, /*isA=*/false);
    // Swapped, the result of the instructions is C^T.
    if (wrong.empty())
      wrong =
          fragment(alternative, gemm.getCMutable(), MmaOperand::C, plan.shape,
                   problem.bitsC, {problem.m, problem.n}, plan.swapped);
    if (wrong.empty() && problem.isSparse)
      wrong = demandMetadata(alternative, gemm, plan);
    return wrong;
  }

private:
  /// Operand A or B of the instructions, which is the gemm's other one where
  /// they are swapped.
  std::string shared(LayoutAlternative &alternative, bool isA) {
    bool ofA = isA != plan.swapped;
    bool transposed = ofA ? gemm.getTransposeA() : gemm.getTransposeB();
    return demandDescriptors(
        alternative, ofA ? gemm.getA() : gemm.getB(), ofA ? "A" : "B", shape,
        isA ? plan.warps.m / kWarpsPerGroup : plan.warps.n,
        isA ? plan.shape.m : plan.shape.n, /*mnDim=*/ofA == transposed ? 1 : 0,
        /*steps=*/problem.k / shape.k,
        isA ? kDescriptorBits : part * kDescriptorBits);
  }

  std::string fragment(LayoutAlternative &alternative, OpOperand &operand,
                       MmaOperand role, MmaShape part, unsigned bits,
                       ArrayRef<int64_t> tile, bool transposed) {
    auto instruction = wgmmaFragment(part, role, bits);
    if (!instruction)
      return instruction.reason();
    auto tiled = tileMmaFragment(*instruction, role, tile, plan.warps);
    if (!tiled)
      return tiled.reason();
    bool isResult = role == MmaOperand::C;
    alternative.exacts.push_back(
        {&operand, transposed ? tiled->permuted({1, 0}) : *tiled,
         /*reads=*/!isResult || !gemm.getClear(), /*writes=*/isResult,
         /*isPreference=*/false,
         std::string("operand ") + (isResult ? "C" : "A") + " of " +
             shape.name.str() + " " + shapeText(plan.shape)});
    return "";
  }

  GemmOp gemm;
  const GemmProblem &problem;
  const GemmPlan &plan;
  const WarpgroupShape &shape;
  int64_t part = problem.isSparse ? 2 : 1; // of K, is in A
};
} // namespace

//===----------------------------------------------------------------------===//
// Alternatives
//===----------------------------------------------------------------------===//

namespace {
/// The ways to give one product to wgmma: that of a gemm, or with `swapped`
/// operands the transposed one.
class WgmmaPlanner {
public:
  WgmmaPlanner(GemmOp gemm, const TargetInfo &target, const GemmProblem &own,
               bool swapped, SmallVectorImpl<std::string> &refused)
      : gemm(gemm), target(target),
        problem(swapped ? swappedProblem(own) : own), swapped(swapped),
        refused(refused) {}

  /// Whether wgmma has what it needs whatever the grid.
  bool isPossible();
  /// Where it has: the cheapest first.
  std::vector<LayoutAlternative> alternatives();

private:
  void refuse(std::string reason) {
    if (!llvm::is_contained(refused, reason))
      refused.push_back(std::move(reason));
  }
  /// The stated plan, or those of all grids that the tile allows.
  SmallVector<GemmPlan> plans();
  std::string describe(const GemmPlan &plan);

  GemmOp gemm;
  const TargetInfo &target;
  GemmProblem problem;
  bool swapped;
  SmallVectorImpl<std::string> &refused;
  const WgmmaInstructionInfo *info = nullptr;
};
} // namespace

bool WgmmaPlanner::isPossible() {
  std::string why;
  info = wgmmaFor(gemm, target, swapped, why);
  if (info)
    why = checkProblem(gemm, problem, *info, target, swapped);
  if (!why.empty())
    refuse(why);
  return why.empty();
}

SmallVector<GemmPlan> WgmmaPlanner::plans() {
  MmaInstruction instruction =
      gemm.isSparse() ? MmaInstruction::WgmmaSp : MmaInstruction::Wgmma;
  SmallVector<GemmPlan> plans;
  if (MmaPlanAttr stated = gemm.getPlanAttr()) {
    plans.push_back({instruction,
                     {stated.getM(), stated.getN(), stated.getK()},
                     {stated.getWarpsM(), stated.getWarpsN()},
                     swapped});
    return plans;
  }
  for (WarpGrid grid : warpgroupGrids(problem, kWgmmaM)) {
    int64_t n =
        problem.n % grid.n == 0 ? info->largestN(problem.n / grid.n) : 0;
    std::string why = checkGrid(problem, shapeOf(*info, n, swapped), grid);
    if (why.empty())
      plans.push_back({instruction, {kWgmmaM, n, info->k}, grid, swapped});
    else
      refuse(why);
  }
  return plans;
}

std::string WgmmaPlanner::describe(const GemmPlan &plan) {
  WarpGrid groups{plan.warps.m / kWarpsPerGroup, plan.warps.n};
  return (swapped ? "operands swapped, since " + std::to_string(problem.n) +
                        " rows are no multiple of 64 for each warpgroup; "
                  : "") +
         std::to_string(groups.m) + "x" + std::to_string(groups.n) +
         " warpgroups (" + stringifyWarpPolicy(gemm.getPolicy()).str() +
         "), each with " +
         std::to_string(problem.m / (groups.m * plan.shape.m)) + "x" +
         std::to_string(problem.n / (groups.n * plan.shape.n)) +
         " instructions per step of k";
}

std::vector<LayoutAlternative> WgmmaPlanner::alternatives() {
  std::vector<LayoutAlternative> alternatives;
  for (const GemmPlan &plan : plans()) {
    LayoutAlternative alternative;
    WarpgroupShape shape = shapeOf(*info, plan.shape.n, swapped);
    std::string why = WgmmaDemands(gemm, problem, plan, shape).add(alternative);
    if (!why.empty()) {
      refuse(why);
      continue;
    }
    alternative.cost = wgmmaCost(problem, plan);
    alternative.decision.why = describe(plan);
    alternative.decision.value = plan.toAttr(gemm.getContext());
    alternatives.push_back(std::move(alternative));
  }
  // Ties keep more warpgroups along m.
  llvm::stable_sort(alternatives,
                    [](const LayoutAlternative &a, const LayoutAlternative &b) {
                      return a.cost < b.cost;
                    });
  return alternatives;
}

/// Alternatives with swapped operands for a gemm that has no others, if it may
/// have them unasked.
static std::vector<LayoutAlternative>
swappedAlternatives(GemmOp gemm, const TargetInfo &target,
                    const GemmProblem &problem,
                    SmallVectorImpl<std::string> &refused) {
  // Other rows would not help where they are what wgmma needs already.
  if (gemm.isSparse() || problem.m % kWgmmaM == 0)
    return {};
  WgmmaPlanner planner(gemm, target, problem, /*swapped=*/true, refused);
  if (!planner.isPossible())
    return {};
  std::string why = whyNotSwappedUnasked(gemm, problem);
  if (why.empty())
    return planner.alternatives();
  refused.push_back(std::move(why));
  return {};
}

std::vector<LayoutAlternative>
tile::wgmmaAlternatives(GemmOp gemm, const TargetInfo &target,
                        const GemmProblem &problem,
                        SmallVectorImpl<std::string> &refused) {
  MmaPlanAttr stated = gemm.getPlanAttr();
  WgmmaPlanner planner(gemm, target, problem,
                       /*swapped=*/stated && stated.getSwapped(), refused);
  if (!planner.isPossible())
    return {};
  std::vector<LayoutAlternative> alternatives = planner.alternatives();
  if (alternatives.empty() && !stated)
    alternatives = swappedAlternatives(gemm, target, problem, refused);
  if (!alternatives.empty())
    refused.clear();
  return alternatives;
}
