//===- WgmmaPlan.cpp - gemms by warpgroup instructions --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether wgmma can multiply a gemm's tiles, how warpgroups share the result,
// and what that demands: accumulators in registers, B (and A, unless it is in
// registers) in a shared layout that matrix descriptors express. The same with
// a sparse A, by wgmma.sp: its metadata is in registers, too. Instructions of
// single warps are in GemmPlan.cpp.
//
//===----------------------------------------------------------------------===//
#include "GemmPlan.h"
#include "tile/Layout/CheckedMath.h"
#include "tile/Target/ThreadBudget.h"

using namespace mlir;
using namespace mlir::tile;

static StringRef nameOf(bool isSparse) {
  return isSparse ? "wgmma_sp" : "wgmma";
}

static const WgmmaInstructionInfo *
wgmmaFor(GemmOp gemm, const TargetInfo &target, std::string &why) {
  return instructionFor(gemm, target, nameOf(gemm.isSparse()),
                        gemm.isSparse() ? &TargetInfo::sparseWgmmaInstruction
                                        : &TargetInfo::wgmmaInstruction,
                        why);
}

/// `n` is that of one instruction.
static WarpgroupShape shapeOf(const WgmmaInstructionInfo &info, int64_t n) {
  return {nameOf(info.isSparse),
          info.k,
          kWgmmaM,
          info.hasN(n) ? n : 0,
          info.isInteger() ? "8, 24 or multiples of 16" : "multiples of 8",
          /*bytesAlongMn=*/false};
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
                                const TargetInfo &target) {
  if (std::string why = checkRegisters(problem, target); !why.empty())
    return why;
  std::string why = checkTile(problem, shapeOf(info, 0));
  if (!why.empty())
    return why;
  why = checkSparse(gemm, problem, {kWgmmaM, 0, info.k});
  if (!why.empty())
    return why;
  if (!problem.sharedB)
    return nameOf(gemm.isSparse()).str() +
           " reads B from shared memory, got a fragment";
  if (auto every = gemm.getPromoteEvery())
    if (int64_t(*every) % info.k != 0)
      return "wgmma needs a `promote_every` that is a multiple of " +
             std::to_string(info.k) + ", got " + std::to_string(*every);
  return "";
}

std::string tile::checkStatedWgmma(GemmOp gemm, const TargetInfo &target,
                                   const GemmProblem &problem) {
  MmaPlanAttr stated = gemm.getPlanAttr();
  std::string why;
  const WgmmaInstructionInfo *info = wgmmaFor(gemm, target, why);
  if (!info)
    return why;
  why = checkProblem(gemm, problem, *info, target);
  if (!why.empty())
    return why;
  if (stated.getM() != kWgmmaM || stated.getK() != info->k ||
      !info->hasN(stated.getN()))
    return nameOf(info->isSparse).str() + " has no shape " +
           shapeText({stated.getM(), stated.getN(), stated.getK()}) +
           " for these element types";
  return checkGrid(problem, shapeOf(*info, stated.getN()),
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
    WarpGrid groups{plan.warps.m / kWarpsPerGroup, plan.warps.n};
    int64_t steps = problem.k / shape.k;
    std::string wrong;
    int64_t part = problem.isSparse ? 2 : 1; // of K, is in A
    if (problem.sharedA)
      wrong =
          demandDescriptors(alternative, gemm.getA(), "A", shape, groups.m,
                            plan.shape.m, gemm.getTransposeA() ? 1 : 0, steps);
    else
      wrong = fragment(alternative, gemm.getAMutable(), MmaOperand::A,
                       {plan.shape.m, plan.shape.n, plan.shape.k / part},
                       problem.bitsA, {problem.m, problem.k / part},
                       gemm.getTransposeA());
    if (wrong.empty())
      wrong = demandDescriptors(alternative, gemm.getB(), "B", shape, groups.n,
                                plan.shape.n, gemm.getTransposeB() ? 0 : 1,
                                steps, part * kDescriptorBits);
    if (wrong.empty())
      wrong =
          fragment(alternative, gemm.getCMutable(), MmaOperand::C, plan.shape,
                   problem.bitsC, {problem.m, problem.n}, false);
    if (wrong.empty() && problem.isSparse)
      wrong = demandMetadata(alternative, gemm, plan);
    return wrong;
  }

private:
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
};
} // namespace

std::vector<LayoutAlternative>
tile::wgmmaAlternatives(GemmOp gemm, const TargetInfo &target,
                        const GemmProblem &problem,
                        SmallVectorImpl<std::string> &refused) {
  std::string why;
  auto refuse = [&](std::string reason) {
    if (!llvm::is_contained(refused, reason))
      refused.push_back(std::move(reason));
  };
  const WgmmaInstructionInfo *info = wgmmaFor(gemm, target, why);
  if (info)
    why = checkProblem(gemm, problem, *info, target);
  if (!why.empty()) {
    refuse(why);
    return {};
  }

  MmaInstruction instruction =
      gemm.isSparse() ? MmaInstruction::WgmmaSp : MmaInstruction::Wgmma;
  SmallVector<GemmPlan> plans;
  if (MmaPlanAttr stated = gemm.getPlanAttr()) {
    plans.push_back({instruction,
                     {stated.getM(), stated.getN(), stated.getK()},
                     {stated.getWarpsM(), stated.getWarpsN()}});
  } else {
    for (WarpGrid grid : warpgroupGrids(problem, kWgmmaM)) {
      int64_t n =
          problem.n % grid.n == 0 ? info->largestN(problem.n / grid.n) : 0;
      why = checkGrid(problem, shapeOf(*info, n), grid);
      if (why.empty())
        plans.push_back({instruction, {kWgmmaM, n, info->k}, grid});
      else
        refuse(why);
    }
  }

  std::vector<LayoutAlternative> alternatives;
  for (const GemmPlan &plan : plans) {
    LayoutAlternative alternative;
    WarpgroupShape shape = shapeOf(*info, plan.shape.n);
    why = WgmmaDemands(gemm, problem, plan, shape).add(alternative);
    if (!why.empty()) {
      refuse(why);
      continue;
    }
    WarpGrid groups{plan.warps.m / kWarpsPerGroup, plan.warps.n};
    alternative.cost = wgmmaCost(problem, plan);
    alternative.decision.why =
        std::to_string(groups.m) + "x" + std::to_string(groups.n) +
        " warpgroups (" + stringifyWarpPolicy(problem.policy).str() +
        "), each with " +
        std::to_string(problem.m / (groups.m * plan.shape.m)) + "x" +
        std::to_string(problem.n / (groups.n * plan.shape.n)) +
        " instructions per step of k";
    alternative.decision.value = plan.toAttr(gemm.getContext());
    alternatives.push_back(std::move(alternative));
  }
  // Ties keep more warpgroups along m.
  llvm::stable_sort(alternatives,
                    [](const LayoutAlternative &a, const LayoutAlternative &b) {
                      return a.cost < b.cost;
                    });
  if (!alternatives.empty())
    refused.clear();
  return alternatives;
}
