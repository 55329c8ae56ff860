//===- WgmmaPlan.cpp - gemms by warpgroup instructions --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether wgmma can multiply a gemm's tiles, how warpgroups share the result,
// and what that demands: accumulators in registers, B (and A, unless it is in
// registers) in a shared layout that matrix descriptors express. Instructions
// of single warps are in GemmPlan.cpp.
//
//===----------------------------------------------------------------------===//
#include "GemmPlan.h"
#include "tile/Dialect/Tile/IR/MmaTypes.h"
#include "tile/Layout/CheckedMath.h"
#include "tile/Layout/WgmmaOperand.h"

using namespace mlir;
using namespace mlir::tile;

static MemRefType typeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}

const WgmmaInstructionInfo *
tile::wgmmaFor(GemmOp gemm, const TargetInfo &target, std::string &why) {
  Type a = typeOf(gemm.getA()).getElementType();
  Type b = typeOf(gemm.getB()).getElementType();
  Type c = typeOf(gemm.getC()).getElementType();
  if (a.isF32() && gemm.getPrecision() == Precision::Ieee) {
    why = "wgmma multiplies f32 in tf32, and the gemm asks for precision ieee";
    return nullptr;
  }
  std::optional<MmaType> typeA = getMmaOperandType(a, gemm.getUnsignedA());
  std::optional<MmaType> typeB = getMmaOperandType(b, gemm.getUnsignedB());
  std::optional<MmaType> typeC = getMmaAccumulatorType(c);
  const WgmmaInstructionInfo *info =
      typeA && typeB && typeC ? target.wgmmaInstruction(*typeA, *typeB, *typeC)
                              : nullptr;
  if (!info) {
    llvm::raw_string_ostream os(why);
    os << "wgmma has no " << a << " x " << b << " into " << c << " on "
       << target.arch;
  }
  return info;
}

/// What wgmma needs of a gemm whatever the grid; empty when it has it.
static std::string checkProblem(GemmOp gemm, const GemmProblem &problem,
                                const WgmmaInstructionInfo &info) {
  if (problem.warps % kWarpsPerGroup != 0)
    return "wgmma needs whole warpgroups of 4 warps, got " +
           std::to_string(problem.warps) + " warps";
  if (!problem.sharedB)
    return "wgmma reads B from shared memory, got a fragment";
  if (problem.k % info.k != 0 || problem.k == 0)
    return "wgmma needs a K tile that is a multiple of " +
           std::to_string(info.k) + ", got " + std::to_string(problem.k);
  if (auto every = gemm.getPromoteEvery())
    if (int64_t(*every) % info.k != 0)
      return "wgmma needs a `promote_every` that is a multiple of " +
             std::to_string(info.k) + ", got " + std::to_string(*every);
  return "";
}

/// What it needs of a grid of warps.
static std::string checkGrid(const GemmProblem &problem,
                             const WgmmaInstructionInfo &info, WarpGrid warps,
                             int64_t n) {
  WarpGrid groups{warps.m / kWarpsPerGroup, warps.n};
  if (warps.m % kWarpsPerGroup != 0)
    return "wgmma needs a multiple of 4 warps along m, got " +
           std::to_string(warps.m);
  if (problem.m % (kWgmmaM * groups.m) != 0 || problem.m == 0)
    return "wgmma needs an M tile that is a multiple of 64 for each of " +
           std::to_string(groups.m) + " warpgroups, got " +
           std::to_string(problem.m);
  if (!info.hasN(n) || problem.n % (n * groups.n) != 0)
    return std::string("wgmma needs an N tile of ") +
           (info.isInteger() ? "8, 24 or multiples of 16" : "multiples of 8") +
           " for each of " + std::to_string(groups.n) + " warpgroups, got " +
           std::to_string(problem.n);
  return "";
}

std::string tile::checkStatedWgmma(GemmOp gemm, const TargetInfo &target,
                                   const GemmProblem &problem) {
  MmaPlanAttr stated = gemm.getPlanAttr();
  std::string why;
  const WgmmaInstructionInfo *info = wgmmaFor(gemm, target, why);
  if (!info)
    return why;
  why = checkProblem(gemm, problem, *info);
  if (!why.empty())
    return why;
  if (stated.getM() != kWgmmaM || stated.getK() != info->k ||
      !info->hasN(stated.getN()))
    return "wgmma has no shape " +
           shapeText({stated.getM(), stated.getN(), stated.getK()}) +
           " for these element types";
  return checkGrid(problem, *info, {stated.getWarpsM(), stated.getWarpsN()},
                   stated.getN());
}

//===----------------------------------------------------------------------===//
// Grids of warpgroups
//===----------------------------------------------------------------------===//

static double wgmmaCost(const GemmProblem &problem, const GemmPlan &plan) {
  // A multiprocessor does 2048 multiply-adds of 16 bits a cycle and reads 128
  // bytes of shared memory; every instruction reads its operands anew.
  constexpr double kMultipliers = 2048, kReadBits = 128 * 8;
  const MmaShape &shape = plan.shape;
  double products = double(problem.m) * double(problem.n) * double(problem.k);
  double instructions = products / double(shape.m * shape.n * shape.k);
  double bits =
      double(shape.n * shape.k) * problem.bitsB +
      (problem.sharedA ? double(shape.m * shape.k) * problem.bitsA : 0);
  // Reads go on while the tensor cores multiply: only the longer one counts,
  // but of two grids that multiply as fast the one that reads less is better.
  double tensor = products * problem.bitsA / 16 / kMultipliers;
  double reads = instructions * bits / kReadBits;
  constexpr double kTie = 1.0 / 64;
  return std::max(tensor, reads) + kTie * std::min(tensor, reads);
}

SmallVector<WarpGrid> tile::warpgroupGrids(const GemmProblem &problem) {
  int64_t groups = problem.warps / kWarpsPerGroup;
  switch (problem.policy) {
  case WarpPolicy::FullRow:
    return {{problem.warps, 1}};
  case WarpPolicy::FullCol:
    return {{kWarpsPerGroup, groups}};
  case WarpPolicy::Square:
    break;
  }
  SmallVector<WarpGrid> grids;
  for (int64_t m = groups; m >= 1; --m)
    if (groups % m == 0)
      grids.push_back({m * kWarpsPerGroup, groups / m});
  return grids;
}

//===----------------------------------------------------------------------===//
// Demands
//===----------------------------------------------------------------------===//

namespace {
class WgmmaDemands {
public:
  WgmmaDemands(GemmOp gemm, const GemmProblem &problem, const GemmPlan &plan)
      : gemm(gemm), problem(problem), plan(plan) {}

  /// What the plan demands, or the reason why it is impossible.
  std::string add(LayoutAlternative &alternative) {
    WarpGrid groups{plan.warps.m / kWarpsPerGroup, plan.warps.n};
    std::string wrong;
    if (problem.sharedA)
      wrong = shared(alternative, gemm.getA(), "A", groups.m, problem.m,
                     plan.shape.m, gemm.getTransposeA() ? 1 : 0);
    else
      wrong =
          fragment(alternative, gemm.getAMutable(), MmaOperand::A,
                   problem.bitsA, {problem.m, problem.k}, gemm.getTransposeA());
    if (wrong.empty())
      wrong = shared(alternative, gemm.getB(), "B", groups.n, problem.n,
                     plan.shape.n, gemm.getTransposeB() ? 0 : 1);
    if (wrong.empty())
      wrong = fragment(alternative, gemm.getCMutable(), MmaOperand::C,
                       problem.bitsC, {problem.m, problem.n}, false);
    return wrong;
  }

private:
  std::string fragment(LayoutAlternative &alternative, OpOperand &operand,
                       MmaOperand role, unsigned bits, ArrayRef<int64_t> tile,
                       bool transposed) {
    auto instruction = wgmmaFragment(plan.shape, role, bits);
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
         std::string("operand ") + (isResult ? "C" : "A") + " of wgmma " +
             shapeText(plan.shape)});
    return "";
  }

  std::string shared(LayoutAlternative &alternative, Value buffer,
                     StringRef name, int64_t groups, int64_t extent,
                     int64_t piece, unsigned mnDim) {
    WgmmaSplit split{mnDim,  1 - mnDim,
                     groups, extent / (groups * piece),
                     piece,  problem.k / plan.shape.k};
    MemRefType type = typeOf(buffer);
    unsigned bits = getStorageBits(type.getElementType());
    SharedDemand demand;
    demand.buffer = buffer;
    std::string why;
    if (SharedLayoutAttr stated = getSharedLayout(buffer)) {
      auto operand = wgmmaOperand(stated.getLayout(), split);
      if (operand)
        demand.oneOf.push_back(stated.getLayout());
      else
        why = operand.reason();
    } else {
      demand.oneOf = wgmmaLayouts(type.getShape(), bits, split, why);
    }
    if (demand.oneOf.empty())
      return "operand " + name.str() + " of wgmma: " + why;
    alternative.shareds.push_back(std::move(demand));
    return "";
  }

  GemmOp gemm;
  const GemmProblem &problem;
  const GemmPlan &plan;
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
    why = checkProblem(gemm, problem, *info);
  if (!why.empty()) {
    refuse(why);
    return {};
  }

  SmallVector<GemmPlan> plans;
  if (MmaPlanAttr stated = gemm.getPlanAttr()) {
    plans.push_back({MmaInstruction::Wgmma,
                     {stated.getM(), stated.getN(), stated.getK()},
                     {stated.getWarpsM(), stated.getWarpsN()}});
  } else {
    for (WarpGrid grid : warpgroupGrids(problem)) {
      int64_t n =
          problem.n % grid.n == 0 ? info->largestN(problem.n / grid.n) : 0;
      why = checkGrid(problem, *info, grid, n);
      if (why.empty())
        plans.push_back({MmaInstruction::Wgmma, {kWgmmaM, n, info->k}, grid});
      else
        refuse(why);
    }
  }

  std::vector<LayoutAlternative> alternatives;
  for (const GemmPlan &plan : plans) {
    LayoutAlternative alternative;
    why = WgmmaDemands(gemm, problem, plan).add(alternative);
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
