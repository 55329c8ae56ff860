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
#include "tile/Dialect/Tile/IR/LayoutConstraints.h"
#include "tile/Layout/ByteTransposition.h"

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
               {problem.m, problem.k}, gemm.getTransposeA());
    if (wrong.empty())
      wrong =
          demand(alternative, gemm.getBMutable(), MmaOperand::B, problem.bitsB,
                 {problem.k, problem.n}, gemm.getTransposeB());
    if (wrong.empty())
      wrong = demand(alternative, gemm.getCMutable(), MmaOperand::C,
                     problem.bitsC, {problem.m, problem.n}, false);
    return wrong;
  }

private:
  std::string demand(LayoutAlternative &alternative, OpOperand &operand,
                     MmaOperand role, unsigned bits, ArrayRef<int64_t> tile,
                     bool transposed) {
    auto fragment = mmaSyncFragment(plan.shape, role, bits);
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
          transposesBytes(role, plan.shape, plan.warps, problem.m, problem.n),
          layout));
      return "";
    }
    static constexpr const char *kNames[] = {"A", "B", "C"};
    bool isResult = role == MmaOperand::C;
    alternative.exacts.push_back(
        {&operand, layout, /*reads=*/!isResult || !gemm.getClear(),
         /*writes=*/isResult, /*isPreference=*/false,
         std::string("operand ") + kNames[unsigned(role)] + " of mma_sync " +
             shapeText(plan.shape)});
    return "";
  }

  GemmOp gemm;
  const GemmProblem &problem;
  const GemmPlan &plan;
};

} // namespace

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
  if (MmaPlanAttr stated = getPlanAttr()) {
    std::string wrong = checkStatedPlan(*this, target, problem);
    if (!wrong.empty())
      return constraints.refuse(wrong);
    bool isWgmma = stated.getInstruction() == MmaInstruction::Wgmma;
    if (isWgmma || stated.getInstruction() == MmaInstruction::Tcgen05) {
      for (LayoutAlternative &alternative :
           isWgmma ? wgmmaAlternatives(*this, target, problem, refused)
                   : tcgen05Alternatives(*this, target, problem, refused))
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
    if (target.hasWgmma())
      for (LayoutAlternative &alternative :
           wgmmaAlternatives(*this, target, problem, refused))
        offer(std::move(alternative));
    if (target.hasTcgen05() || isTensorMemory(getC()))
      for (LayoutAlternative &alternative :
           tcgen05Alternatives(*this, target, problem, refused))
        offer(std::move(alternative));
    if (isTensorMemory(getC())) {
      if (constraints.alternatives.empty())
        constraints.refuse("expected a gemm into tensor memory that is "
                           "possible: " +
                           refused.front());
      return;
    }
    bool hasBetter = !constraints.alternatives.empty();
    if (auto shape = chooseInstruction(*this, target, problem, refused))
      for (WarpGrid grid : chooseGrids(problem, *shape))
        plans.push_back({MmaInstruction::MmaSync, *shape, grid});
    else
      plans.push_back({});
    // One way is enough for where layouts that wgmma needs cannot be had:
    // chained gemms are compared in all their combinations.
    if (hasBetter)
      plans.truncate(1);
  }

  for (GemmPlan &plan : plans) {
    LayoutAlternative alternative;
    if (plan.instruction == MmaInstruction::MmaSync) {
      std::string wrong =
          AlternativeBuilder(*this, problem, plan).addMmaSync(alternative);
      if (!wrong.empty())
        return constraints.refuse(wrong);
      alternative.cost = gridCost(problem, plan.shape, plan.warps);
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
