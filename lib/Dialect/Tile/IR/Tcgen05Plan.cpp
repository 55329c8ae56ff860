//===- Tcgen05Plan.cpp - gemms into tensor memory -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether tcgen05.mma can multiply a gemm's tiles, and what that demands: both
// operands in shared layouts that matrix descriptors express, the accumulator
// in the layout in which warps read tensor memory. One thread issues the
// instruction, so the grid of warps only says which warp reads which part of
// the result. That the accumulator moves to tensor memory is
// PlaceAccumulators.cpp's business. Source: PTX ISA 9.0, "TensorCore 5th
// Generation Family Instructions".
//
//===----------------------------------------------------------------------===//
#include "GemmPlan.h"
#include "tile/Layout/CheckedMath.h"

using namespace mlir;
using namespace mlir::tile;

static MemRefType typeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}

static const Tcgen05InstructionInfo *
tcgen05For(GemmOp gemm, const TargetInfo &target, std::string &why) {
  return instructionFor(gemm, target, "tcgen05",
                        &TargetInfo::tcgen05Instruction, why);
}

/// Rows of the instruction for a tile of `m` rows; 0 when there is none.
static int64_t rowsFor(int64_t m) {
  return m > 0 && m % 128 == 0 ? 128 : m == 64 ? 64 : 0;
}

/// Warpgroups share the result out as they read it, whatever the instruction's
/// N.
static WarpgroupShape shapeOf(const Tcgen05InstructionInfo &info, int64_t m) {
  return {"tcgen05", info.k, m, 8, "multiples of 8", /*bytesAlongMn=*/true};
}

int64_t tile::tensorMemoryColumns(MemRefType type) {
  return ceilDiv(type.getDimSize(0), kTensorMemoryLanes) * type.getDimSize(1);
}

/// What tcgen05 needs of a gemm whatever the grid; empty when it has it.
static std::string checkProblem(GemmOp gemm, const TargetInfo &target,
                                const GemmProblem &problem,
                                const Tcgen05InstructionInfo &info) {
  std::string why = checkTile(problem, shapeOf(info, rowsFor(problem.m)));
  if (!why.empty())
    return why;
  auto role = gemm->getParentOfType<WarpSpecializeOp>();
  if (role && !isa<KernelOp>(role->getParentOp()))
    return "tcgen05 keeps its sums in tensor memory around a loop, and these "
           "warps part anew in each round of it";
  if (!problem.sharedB)
    return "tcgen05 reads B from shared memory, got a fragment";
  // In tensor memory A has a row in each lane, words of 32 bits along k.
  if (!problem.sharedA && (gemm.getTransposeA() || rowsFor(problem.m) != 128))
    return "tcgen05 reads A from shared memory, or from tensor memory where it "
           "is M x K and M a multiple of 128, got a fragment of " +
           std::to_string(problem.m) + " rows" +
           (gemm.getTransposeA() ? ", transposed" : "");
  if (gemm.getPromoteEvery())
    return "tcgen05 keeps partial sums in tensor memory, and the gemm asks for "
           "`promote_every`";
  if (!rowsFor(problem.m))
    return "tcgen05 needs an M tile of 64 or a multiple of 128, got " +
           std::to_string(problem.m);
  if (!info.largestN(problem.n))
    return "tcgen05 needs an N tile that is a multiple of 16, got " +
           std::to_string(problem.n);
  // Accumulators of all gemms of the kernel may be alive at once.
  llvm::SmallSetVector<Value, 4> accumulators;
  int64_t columns = 0;
  gemm->getParentOfType<KernelOp>().walk([&](GemmOp other) {
    std::string ignored;
    if (!tcgen05For(other, target, ignored))
      return;
    accumulators.insert(other.getC());
    MemRefType a = typeOf(other.getA());
    if (isFragment(other.getA()))
      columns += tensorMemoryColumns(a) * a.getElementTypeBitWidth() / 32;
  });
  for (Value accumulator : accumulators)
    columns += tensorMemoryColumns(typeOf(accumulator));
  if (columns > kTensorMemoryColumns)
    return "tensor memory has " + std::to_string(kTensorMemoryColumns) +
           " columns, the accumulators of the kernel" +
           (problem.sharedA ? "" : " and operands in registers") + " take " +
           std::to_string(columns);
  return "";
}

std::string tile::checkStatedTcgen05(GemmOp gemm, const TargetInfo &target,
                                     const GemmProblem &problem) {
  MmaPlanAttr stated = gemm.getPlanAttr();
  std::string why;
  const Tcgen05InstructionInfo *info = tcgen05For(gemm, target, why);
  if (!info)
    return why;
  why = checkProblem(gemm, target, problem, *info);
  if (!why.empty())
    return why;
  if (stated.getM() != rowsFor(problem.m) || stated.getK() != info->k ||
      !info->hasN(stated.getN()) || problem.n % stated.getN() != 0)
    return "tcgen05 has no shape " +
           shapeText({stated.getM(), stated.getN(), stated.getK()}) +
           " for these element types and this tile";
  return checkGrid(problem, shapeOf(*info, stated.getM()),
                   {stated.getWarpsM(), stated.getWarpsN()});
}

//===----------------------------------------------------------------------===//
// Demands
//===----------------------------------------------------------------------===//

static double tcgen05Cost(const GemmProblem &problem) {
  // A multiprocessor does 4096 multiply-adds of 16 bits a cycle, and warps read
  // 16 bytes a lane and cycle of the accumulator.
  constexpr double kMultipliers = 4096, kReadBits = 128 * 128;
  double products = double(problem.m) * double(problem.n) * double(problem.k);
  double writes = problem.sharedA ? 0
                                  : double(problem.m) * double(problem.k) *
                                        problem.bitsA / kReadBits;
  return products * problem.bitsA / 16 / kMultipliers + writes +
         double(problem.m) * double(problem.n) * problem.bitsC / kReadBits;
}

/// An operand, in pieces of `piece` along dimension `mnDim`.
static std::string demandShared(LayoutAlternative &alternative, Value buffer,
                                StringRef name, int64_t piece, unsigned mnDim,
                                int64_t steps,
                                const Tcgen05InstructionInfo &info) {
  if (mnDim == 1 && !info.transposes())
    return "operand " + name.str() +
           " of tcgen05: expected tf32 contiguous along k";
  return demandDescriptors(alternative, buffer, name, shapeOf(info, piece),
                           /*groups=*/1, piece, mnDim, steps);
}

/// Operand A in registers goes to tensor memory as the accumulator's rows do:
/// weights computed from scores do not leave their thread.
static std::string demandRegisters(LayoutAlternative &alternative, GemmOp gemm,
                                   const GemmProblem &problem,
                                   const GemmPlan &plan) {
  if (plan.warps.n != 1)
    return "tcgen05 needs all warpgroups along m where A is in registers";
  auto layout =
      tcgen05Fragment(plan.shape.m, {problem.m, problem.k}, plan.warps);
  if (!layout)
    return layout.reason();
  alternative.exacts.push_back(
      {&gemm.getAMutable(), *layout, /*reads=*/true,
       /*writes=*/false, /*isPreference=*/false,
       "operand A of tcgen05 " + shapeText(plan.shape)});
  return "";
}

static std::string demandAccumulator(LayoutAlternative &alternative,
                                     GemmOp gemm, const GemmProblem &problem,
                                     const GemmPlan &plan) {
  if (isTensorMemory(gemm.getC()))
    return "";
  auto layout =
      tcgen05Fragment(plan.shape.m, {problem.m, problem.n}, plan.warps);
  if (!layout)
    return layout.reason();
  alternative.exacts.push_back(
      {&gemm.getCMutable(), *layout, /*reads=*/!gemm.getClear(),
       /*writes=*/true, /*isPreference=*/false,
       "accumulator of tcgen05 " + shapeText(plan.shape)});
  return "";
}

std::vector<LayoutAlternative>
tile::tcgen05Alternatives(GemmOp gemm, const TargetInfo &target,
                          const GemmProblem &problem,
                          SmallVectorImpl<std::string> &refused) {
  std::string why;
  auto refuse = [&](std::string reason) {
    if (!llvm::is_contained(refused, reason))
      refused.push_back(std::move(reason));
  };
  const Tcgen05InstructionInfo *info = tcgen05For(gemm, target, why);
  if (info)
    why = checkProblem(gemm, target, problem, *info);
  if (!why.empty()) {
    refuse(why);
    return {};
  }
  MmaShape shape{rowsFor(problem.m), info->largestN(problem.n), info->k};
  SmallVector<WarpGrid> grids;
  if (MmaPlanAttr stated = gemm.getPlanAttr()) {
    shape.n = stated.getN();
    grids.push_back({stated.getWarpsM(), stated.getWarpsN()});
  } else {
    grids = warpgroupGrids(problem, kWgmmaM);
  }

  for (WarpGrid grid : grids) {
    why = checkGrid(problem, shapeOf(*info, shape.m), grid);
    GemmPlan plan{MmaInstruction::Tcgen05, shape, grid};
    LayoutAlternative alternative;
    int64_t steps = problem.k / shape.k;
    if (why.empty())
      why = problem.sharedA
                ? demandShared(alternative, gemm.getA(), "A", shape.m,
                               gemm.getTransposeA() ? 1 : 0, steps, *info)
                : demandRegisters(alternative, gemm, problem, plan);
    if (why.empty())
      why = demandShared(alternative, gemm.getB(), "B", shape.n,
                         gemm.getTransposeB() ? 0 : 1, steps, *info);
    if (why.empty())
      why = demandAccumulator(alternative, gemm, problem, plan);
    if (!why.empty()) {
      refuse(why);
      continue;
    }
    alternative.cost = tcgen05Cost(problem);
    alternative.decision.why =
        "one thread issues " + std::to_string(problem.m / shape.m) + "x" +
        std::to_string(problem.n / shape.n) + " instructions per step of k, " +
        std::to_string(grid.m / kWarpsPerGroup) + "x" + std::to_string(grid.n) +
        " warpgroups (" + stringifyWarpPolicy(problem.policy).str() +
        ") read the result";
    alternative.decision.value = plan.toAttr(gemm.getContext());
    // Grids cost the same: the first, with most warpgroups along m, is enough.
    refused.clear();
    return {std::move(alternative)};
  }
  return {};
}
