//===- GemmConstraints.cpp - what a gemm demands of layouts ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Offers one alternative per instruction and grid of warps: the fragments it
// works on, and how it reads shared memory (by wgmma: WgmmaPlan.cpp, by
// tcgen05: Tcgen05Plan.cpp). A plan stated by the user is respected where it is
// possible and refused with the reason where not.
//
//===----------------------------------------------------------------------===//
#include "GemmPlan.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/LayoutConstraints.h"
#include "tile/Layout/ByteTransposition.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tile;

namespace {

/// How the instruction reads an operand from shared memory. `kDim` is the
/// buffer's dimension of k.
SharedDemand sharedRead(Value buffer, unsigned kDim, unsigned bits,
                        bool transposesBytes, const FragmentLayout &elements) {
  // ldmatrix moves rows of 16 bytes along k and, for 16-bit elements only, can
  // transpose on the way (PTX ISA, "ldmatrix"); bytes are transposed in pairs.
  bool kIsContiguous = kDim == 1;
  if (bits == 16 || (kIsContiguous && bits >= 8 && bits <= 32) ||
      (bits == 8 && transposesBytes))
    return {buffer, /*isLdmatrix=*/true, /*rowDim=*/0, /*columnDim=*/1, {}};
  return {buffer, /*isLdmatrix=*/false, 0, 0, elements};
}

class AlternativeBuilder {
public:
  AlternativeBuilder(GemmOp gemm, const GemmProblem &problem,
                     const GemmPlan &plan)
      : gemm(gemm), problem(problem), plan(plan) {}

  /// The demands of a plan by mma.sync, or the reason why it has none.
  std::string addMmaSync(LayoutAlternative &alternative) {
    std::string wrong =
        demand(alternative, gemm.getAMutable(), MmaOperand::A, problem.bitsA,
               {problem.m, problem.isSparse ? problem.k / 2 : problem.k},
               gemm.getTransposeA());
    if (wrong.empty())
      wrong =
          demand(alternative, gemm.getBMutable(), MmaOperand::B, problem.bitsB,
                 {problem.k, problem.n}, gemm.getTransposeB());
    if (wrong.empty())
      wrong = demand(alternative, gemm.getCMutable(), MmaOperand::C,
                     problem.bitsC, {problem.m, problem.n}, false);
    if (wrong.empty() && problem.isSparse)
      wrong = demandMetadata(alternative, gemm, plan);
    return wrong;
  }

private:
  std::string demand(LayoutAlternative &alternative, OpOperand &operand,
                     MmaOperand role, unsigned bits, ArrayRef<int64_t> tile,
                     bool transposed) {
    auto fragment = mmaFragment(problem, plan.shape, role);
    if (!fragment)
      return fragment.reason();
    auto tiled = tileMmaFragment(*fragment, role, tile, plan.warps);
    if (!tiled)
      return tiled.reason();
    // A buffer that holds the operand transposed has the transposed layout.
    FragmentLayout layout = transposed ? tiled->permuted({1, 0}) : *tiled;
    if (!isFragment(operand.get())) {
      unsigned kDim = (role == MmaOperand::A) != transposed ? 1 : 0;
      alternative.shareds.push_back(sharedRead(
          operand.get(), kDim, bits,
          !problem.isSparse && transposesBytes(role, plan.shape, plan.warps,
                                               problem.m, problem.n),
          layout));
      return "";
    }
    static constexpr const char *kNames[] = {"A", "B", "C"};
    bool isResult = role == MmaOperand::C;
    alternative.exacts.push_back(
        {&operand, layout, /*reads=*/!isResult || !gemm.getClear(),
         /*writes=*/isResult, /*isPreference=*/false,
         std::string("operand ") + kNames[unsigned(role)] + " of " +
             stringifyMmaInstruction(plan.instruction).str() + " " +
             shapeText(plan.shape)});
    return "";
  }

  GemmOp gemm;
  const GemmProblem &problem;
  const GemmPlan &plan;
};

} // namespace

//===----------------------------------------------------------------------===//
// Instructions of whole warpgroups
//===----------------------------------------------------------------------===//

namespace {
/// Who plans gemms by an instruction that reads operands by descriptors.
struct GemmPlanner {
  MmaInstruction instruction;
  bool (TargetInfo::*isOn)() const;
  /// Why a stated plan is impossible, layouts aside; empty where it is not.
  std::string (*checkStated)(GemmOp, const TargetInfo &, const GemmProblem &);
  /// Ways to multiply (by the stated plan, if there is one), the cheapest
  /// first; the reasons where there is none.
  std::vector<LayoutAlternative> (*alternatives)(
      GemmOp, const TargetInfo &, const GemmProblem &,
      SmallVectorImpl<std::string> &refused);
};
} // namespace

/// In order of preference; mma.sync and fma come after them.
static constexpr GemmPlanner kPlanners[] = {
    {MmaInstruction::Wgmma, &TargetInfo::hasWgmma, checkStatedWgmma,
     wgmmaAlternatives},
    {MmaInstruction::WgmmaSp, &TargetInfo::hasWgmma, checkStatedWgmma,
     wgmmaAlternatives},
    {MmaInstruction::Tcgen05, &TargetInfo::hasTcgen05, checkStatedTcgen05,
     tcgen05Alternatives},
};

static const GemmPlanner *plannerOf(MmaInstruction instruction) {
  const auto *planner =
      llvm::find_if(kPlanners, [&](const GemmPlanner &planner) {
        return planner.instruction == instruction;
      });
  return planner == std::end(kPlanners) ? nullptr : planner;
}

/// Why a plan that the user stated is impossible; empty when it is possible.
static std::string checkStatedPlan(GemmOp gemm, const TargetInfo &target,
                                   const GemmProblem &problem) {
  MmaPlanAttr stated = gemm.getPlanAttr();
  int64_t m = stated.getWarpsM(), n = stated.getWarpsN();
  if (m < 1 || n < 1 || m > problem.warps || n > problem.warps ||
      m * n != problem.warps)
    return "expected a plan whose warps multiply to the kernel's " +
           std::to_string(problem.warps) + ", got " + std::to_string(m) +
           " x " + std::to_string(n);
  MmaShape shape{stated.getM(), stated.getN(), stated.getK()};
  if (stated.getInstruction() == MmaInstruction::Fma)
    return shape == MmaShape{1, 1, 1}
               ? ""
               : "expected m = 1, n = 1, k = 1 of an fma plan, got " +
                     shapeText(shape);
  if (traitsOf(stated).loadsOperandFragments)
    return checkStatedMmaSync(gemm, target, problem, shape);
  const GemmPlanner *planner = plannerOf(stated.getInstruction());
  if (planner && (target.*planner->isOn)()) {
    std::string why = planner->checkStated(gemm, target, problem);
    return why.empty() ? why : "expected a plan that is possible: " + why;
  }
  SmallVector<StringRef> names;
  for (MmaInstruction other :
       {MmaInstruction::Fma, MmaInstruction::MmaSync, MmaInstruction::MmaSp})
    if (traitsOf(other).readsMetadata == gemm.isSparse())
      names.push_back(stringifyMmaInstruction(other));
  for (const GemmPlanner &other : kPlanners)
    if ((target.*other.isOn)() &&
        traitsOf(other.instruction).readsMetadata == gemm.isSparse())
      names.push_back(stringifyMmaInstruction(other.instruction));
  std::string others = llvm::join(ArrayRef(names).drop_back(), ", ");
  return "expected a plan with " + others + (others.empty() ? "" : " or ") +
         names.back().str() + " on " + target.arch.str() + ", got " +
         stringifyMmaInstruction(stated.getInstruction()).str();
}

//===----------------------------------------------------------------------===//
// What a gemm demands
//===----------------------------------------------------------------------===//

void GemmOp::getLayoutConstraints(LayoutConstraints &constraints) {
  const TargetInfo &target = constraints.target();
  GemmProblem problem = getGemmProblem(*this, constraints.numWarps());

  SmallVector<GemmPlan> plans;
  SmallVector<std::string> refused;
  bool isStated = bool(getPlanAttr());
  auto offer = [&](LayoutAlternative alternative) {
    if (isStated)
      alternative.decision.why = "stated by the user";
    alternative.decision.attribute = "plan";
    alternative.decision.refused = refused;
    constraints.offer(std::move(alternative));
  };
  // Staged before layouts are chosen (StageTiles.cpp).
  if (isSparse())
    constraints.needsFragment(getMetadataMutable()[0], /*reads=*/true,
                              /*writes=*/false);
  if (MmaPlanAttr stated = getPlanAttr()) {
    std::string wrong = checkStatedPlan(*this, target, problem);
    if (!wrong.empty())
      return constraints.refuse(wrong);
    if (const GemmPlanner *planner = plannerOf(stated.getInstruction())) {
      for (LayoutAlternative &alternative :
           planner->alternatives(*this, target, problem, refused))
        offer(std::move(alternative));
      if (constraints.alternatives.empty())
        constraints.refuse("expected a plan that is possible: " +
                           refused.front());
      return;
    }
    plans.push_back({stated.getInstruction(),
                     {stated.getM(), stated.getN(), stated.getK()},
                     {stated.getWarpsM(), stated.getWarpsN()}});
  } else {
    for (const GemmPlanner &planner : kPlanners) {
      bool isOnlyWay = isTensorMemory(getC()) &&
                       traitsOf(planner.instruction).usesTensorMemory;
      if ((!(target.*planner.isOn)() && !isOnlyWay) ||
          traitsOf(planner.instruction).readsMetadata != isSparse())
        continue;
      for (LayoutAlternative &alternative :
           planner.alternatives(*this, target, problem, refused))
        offer(std::move(alternative));
    }
    if (isTensorMemory(getC())) {
      if (constraints.alternatives.empty())
        constraints.refuse("expected a gemm into tensor memory that is "
                           "possible: " +
                           refused.front());
      return;
    }
    bool hasBetter = !constraints.alternatives.empty();
    MmaInstruction byWarp =
        isSparse() ? MmaInstruction::MmaSp : MmaInstruction::MmaSync;
    if (auto shape = chooseInstruction(*this, target, problem, refused)) {
      for (WarpGrid grid : chooseGrids(problem, *shape, target))
        if (!isSparse() || problem.m % (grid.m * shape->m) == 0)
          plans.push_back({byWarp, *shape, grid});
    } else if (!isSparse()) {
      plans.push_back({MmaInstruction::Fma});
    }
    if (isSparse() && plans.empty() && !hasBetter)
      return constraints.refuse(
          "expected an instruction for a sparse A: " +
          (refused.empty() ? "no grid of warps divides its rows"
                           : llvm::join(refused, "; ")) +
          "; --tile-expand-sparse-gemms gives A its zeros back");
    // One way is enough for where layouts that wgmma needs cannot be had:
    // chained gemms are compared in all their combinations.
    if (hasBetter && !plans.empty())
      plans.truncate(1);
  }

  for (GemmPlan &plan : plans) {
    LayoutAlternative alternative;
    if (traitsOf(plan.instruction).loadsOperandFragments) {
      std::string wrong =
          AlternativeBuilder(*this, problem, plan).addMmaSync(alternative);
      if (!wrong.empty())
        return constraints.refuse(wrong);
      alternative.cost = gridCost(problem, plan.shape, plan.warps, target);
      alternative.decision.why = gridReason(problem, plan.shape, plan.warps);
    } else {
      // Any layout of C serves; operands are read from shared memory.
      WarpGrid grid;
      FragmentLayout blocked =
          fmaAccumulator(problem, constraints.numThreads(), grid);
      if (!isStated)
        plan.warps = grid;
      alternative.decision.why = "each thread multiplies a block of rows and "
                                 "columns";
      // What it costs matters only where it is not the one way.
      constexpr double kMultiplyAdds = 128; // of a multiprocessor, a cycle
      if (!constraints.alternatives.empty())
        alternative.cost = double(problem.m) * double(problem.n) *
                           double(problem.k) / kMultiplyAdds;
      alternative.exacts.push_back({&getCMutable(), blocked, false, false,
                                    /*isPreference=*/true,
                                    "accumulator of a gemm by fma"});
    }
    alternative.decision.value = plan.toAttr(getContext());
    offer(std::move(alternative));
  }
}
