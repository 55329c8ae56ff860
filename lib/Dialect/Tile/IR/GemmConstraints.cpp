//===- GemmConstraints.cpp - what a gemm demands of layouts ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the instruction and the grid of warps of a gemm, and demands the
// fragments that instruction works on. A plan stated by the user is respected
// where it is possible and refused with the reason where not.
//
//===----------------------------------------------------------------------===//
#include "tile/Dialect/Tile/IR/LayoutConstraints.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Layout/CheckedMath.h"
#include "tile/Layout/Distribute.h"
#include <tuple>

using namespace mlir;
using namespace mlir::tile;

namespace {

std::optional<MmaType> operandType(Type type, bool isUnsigned) {
  if (type.isF16())
    return MmaType::F16;
  if (type.isBF16())
    return MmaType::BF16;
  if (type.isF32())
    return MmaType::TF32;
  if (type.isF64())
    return MmaType::F64;
  if (type.isInteger(8))
    return isUnsigned ? MmaType::U8 : MmaType::I8;
  if (isa<Float8E4M3FNType>(type))
    return MmaType::E4M3;
  if (isa<Float8E5M2Type>(type))
    return MmaType::E5M2;
  return std::nullopt;
}

std::optional<MmaType> accumulatorType(Type type) {
  if (type.isF16())
    return MmaType::F16;
  if (type.isF32())
    return MmaType::F32;
  if (type.isF64())
    return MmaType::F64;
  if (type.isInteger(32))
    return MmaType::I32;
  return std::nullopt;
}

std::string shapeText(MmaShape shape) {
  return "m" + std::to_string(shape.m) + "n" + std::to_string(shape.n) + "k" +
         std::to_string(shape.k);
}

/// What a gemm is planned for.
struct Problem {
  int64_t m, n, k, warps;
  WarpPolicy policy;
  unsigned bitsA, bitsC;
};

/// Instructions per warp, then the rows and columns of operands that a warp
/// reads per step of k: both follow from the larger warp tile.
using GridCost = std::tuple<int64_t, int64_t>;
GridCost gridCost(const Problem &problem, MmaShape shape, WarpGrid grid) {
  int64_t rows = ceilDiv(problem.m, grid.m * shape.m);
  int64_t columns = ceilDiv(problem.n, grid.n * shape.n);
  return {rows * columns, rows * shape.m + columns * shape.n};
}

WarpGrid chooseGrid(const Problem &problem, MmaShape shape) {
  switch (problem.policy) {
  case WarpPolicy::FullRow:
    return {problem.warps, 1};
  case WarpPolicy::FullCol:
    return {1, problem.warps};
  case WarpPolicy::Square:
    break;
  }
  // More warps along m first: with equal traffic fewer warps share a row, which
  // makes row reductions of the result cheaper.
  WarpGrid best{problem.warps, 1};
  for (int64_t m = problem.warps; m >= 1; --m)
    if (problem.warps % m == 0 &&
        gridCost(problem, shape, {m, problem.warps / m}) <
            gridCost(problem, shape, best))
      best = {m, problem.warps / m};
  return best;
}

std::string gridReason(const Problem &problem, MmaShape shape, WarpGrid grid) {
  auto [instructions, traffic] = gridCost(problem, shape, grid);
  return std::to_string(grid.m) + "x" + std::to_string(grid.n) + " warps (" +
         stringifyWarpPolicy(problem.policy).str() + "), " +
         std::to_string(instructions) +
         " instructions per warp and step of k, " + std::to_string(traffic) +
         " rows and columns of operands read";
}

/// Accumulator layout of a gemm by FMA: each thread holds a block of rows and
/// columns, since a block of r x c costs r + c operand reads per step of k.
FragmentLayout fmaAccumulator(const Problem &problem, int64_t threads,
                              WarpGrid &grid) {
  constexpr int64_t kVector = 4;
  int64_t vector = problem.n % kVector == 0 ? kVector : 1;
  std::tuple<int64_t, int64_t> bestCost{INT64_MAX, 0};
  DimensionSplit bestRows, bestColumns;
  for (int64_t laneRows = 1; laneRows <= kWarpSize; laneRows *= 2)
    for (int64_t warpRows = 1; warpRows <= problem.warps; ++warpRows) {
      if (problem.warps % warpRows)
        continue;
      int64_t laneColumns = kWarpSize / laneRows;
      int64_t warpColumns = problem.warps / warpRows;
      int64_t rows = ceilDiv(problem.m, laneRows * warpRows);
      int64_t columns =
          ceilDiv(problem.n, laneColumns * warpColumns * vector) * vector;
      std::tuple<int64_t, int64_t> cost{rows * columns, rows + columns};
      if (cost < bestCost) {
        bestCost = cost;
        bestRows = {1, laneRows, warpRows};
        bestColumns = {vector, laneColumns, warpColumns};
      }
    }
  grid = {bestRows.warps, bestColumns.warps};
  return distributed({problem.m, problem.n}, threads, {bestRows, bestColumns},
                     {1, 0}, /*warpsContiguous=*/true);
}

/// The layout of a buffer that holds the operand transposed.
FragmentLayout orient(const FragmentLayout &layout, bool transposed) {
  return transposed ? layout.permuted({1, 0}) : layout;
}

struct Plan {
  MmaInstruction instruction = MmaInstruction::Fma;
  MmaShape shape{1, 1, 1};
  WarpGrid warps{1, 1};
};

/// The reasons why no tensor-core instruction serves; empty when `shape` does.
SmallVector<std::string> chooseInstruction(GemmOp gemm,
                                           const TargetInfo &target,
                                           const Problem &problem,
                                           std::optional<MmaShape> &shape) {
  SmallVector<std::string> refused;
  Type a = cast<MemRefType>(gemm.getA().getType()).getElementType();
  Type b = cast<MemRefType>(gemm.getB().getType()).getElementType();
  Type c = cast<MemRefType>(gemm.getC().getType()).getElementType();
  if (a.isF32() && gemm.getPrecision() == Precision::Ieee) {
    refused.push_back("mma_sync multiplies f32 in tf32, and the gemm asks for "
                      "precision ieee");
    return refused;
  }
  std::optional<MmaType> typeA = operandType(a, gemm.getUnsignedA());
  std::optional<MmaType> typeB = operandType(b, gemm.getUnsignedB());
  std::optional<MmaType> typeC = accumulatorType(c);
  if (!typeA || !typeB || !typeC) {
    refused.push_back("mma_sync has no such element types");
    return refused;
  }
  auto candidates = target.mmaInstructions(*typeA, *typeB, *typeC);
  if (candidates.empty())
    refused.push_back(("mma_sync has no " + stringify(*typeA) + " x " +
                       stringify(*typeB) + " into " + stringify(*typeC) +
                       " on " + target.arch)
                          .str());
  for (const MmaInstructionInfo *info : candidates) {
    std::string name = "mma_sync " + shapeText(info->shape);
    if (problem.k == 0 || problem.k % info->shape.k != 0) {
      refused.push_back(name + " needs a K tile that is a multiple of " +
                        std::to_string(info->shape.k) + ", got " +
                        std::to_string(problem.k));
      continue;
    }
    auto fragment = mmaSyncFragment(info->shape, MmaOperand::C, problem.bitsC);
    if (!fragment) {
      refused.push_back(name + ": " + fragment.reason());
      continue;
    }
    shape = info->shape;
    break;
  }
  return refused;
}

/// Checks a plan the user stated; the reason when it is impossible.
std::string checkStated(MmaPlanAttr stated, const Problem &problem,
                        ArrayRef<const MmaInstructionInfo *> candidates,
                        const TargetInfo &target) {
  if (stated.getWarpsM() < 1 || stated.getWarpsN() < 1 ||
      stated.getWarpsM() > problem.warps ||
      stated.getWarpsN() > problem.warps ||
      stated.getWarpsM() * stated.getWarpsN() != problem.warps)
    return "expected a plan whose warps multiply to the kernel's " +
           std::to_string(problem.warps) + ", got " +
           std::to_string(stated.getWarpsM()) + " x " +
           std::to_string(stated.getWarpsN());
  MmaShape shape{stated.getM(), stated.getN(), stated.getK()};
  if (stated.getInstruction() == MmaInstruction::Fma)
    return shape == MmaShape{1, 1, 1}
               ? ""
               : "expected m = 1, n = 1, k = 1 of an fma plan, got " +
                     shapeText(shape);
  if (stated.getInstruction() != MmaInstruction::MmaSync)
    return "expected a plan with fma or mma_sync on " + target.arch.str() +
           ", got " + stringifyMmaInstruction(stated.getInstruction()).str();
  if (llvm::none_of(candidates, [&](const MmaInstructionInfo *info) {
        return info->shape == shape;
      }))
    return "expected an mma_sync shape that " + target.arch.str() +
           " has for these element types, got " + shapeText(shape);
  if (problem.k % shape.k != 0)
    return "expected a K tile that is a multiple of the plan's k = " +
           std::to_string(shape.k) + ", got " + std::to_string(problem.k);
  return "";
}

/// How the instruction reads an operand from shared memory. `kDim` is the
/// buffer's dimension of k.
void demandShared(LayoutConstraints &constraints, Value buffer, unsigned kDim,
                  unsigned bits, const FragmentLayout &elements) {
  // ldmatrix moves rows of 16 bytes along k and, for 16-bit elements only, can
  // transpose on the way.
  bool kIsContiguous = kDim == 1;
  if (bits == 16 || (kIsContiguous && bits <= 32)) {
    constraints.sharedLdmatrix(buffer, /*rowDim=*/0, /*columnDim=*/1);
    return;
  }
  constraints.sharedElements(buffer, elements);
}

} // namespace

void GemmOp::getLayoutConstraints(LayoutConstraints &constraints) {
  const TargetInfo &target = constraints.target();
  auto typeOf = [](Value v) { return cast<MemRefType>(v.getType()); };
  unsigned bitsA = typeOf(getA()).getElementTypeBitWidth();
  unsigned bitsC = typeOf(getC()).getElementTypeBitWidth();
  Problem problem{getM(),      getN(), getK(), constraints.numWarps(),
                  getPolicy(), bitsA,  bitsC};

  std::optional<MmaShape> shape;
  LayoutDecision decision;
  decision.attribute = "plan";
  Plan plan;
  if (MmaPlanAttr stated = getPlanAttr()) {
    std::optional<MmaType> a =
        operandType(typeOf(getA()).getElementType(), getUnsignedA());
    std::optional<MmaType> b =
        operandType(typeOf(getB()).getElementType(), getUnsignedB());
    std::optional<MmaType> c = accumulatorType(typeOf(getC()).getElementType());
    SmallVector<const MmaInstructionInfo *> candidates;
    if (a && b && c)
      candidates = target.mmaInstructions(*a, *b, *c);
    std::string wrong = checkStated(stated, problem, candidates, target);
    if (!wrong.empty())
      return constraints.refuse(wrong);
    plan = {stated.getInstruction(),
            {stated.getM(), stated.getN(), stated.getK()},
            {stated.getWarpsM(), stated.getWarpsN()}};
    decision.why = "stated by the user";
  } else {
    decision.refused = chooseInstruction(*this, target, problem, shape);
    if (shape) {
      plan = {MmaInstruction::MmaSync, *shape, chooseGrid(problem, *shape)};
      decision.why = gridReason(problem, *shape, plan.warps);
    }
  }

  if (plan.instruction == MmaInstruction::MmaSync) {
    auto demand = [&](OpOperand &operand, MmaOperand role, unsigned bits,
                      ArrayRef<int64_t> tile, bool transposed, bool writes) {
      auto fragment = mmaSyncFragment(plan.shape, role, bits);
      if (!fragment)
        return constraints.refuse(fragment.reason());
      auto tiled = tileMmaFragment(*fragment, role, tile, plan.warps);
      if (!tiled)
        return constraints.refuse(tiled.reason());
      FragmentLayout layout = orient(*tiled, transposed);
      if (isFragment(operand.get())) {
        static const char *const kNames[] = {"A", "B", "C"};
        bool reads = role != MmaOperand::C || !getClear();
        constraints.exact(operand, layout, reads, writes,
                          std::string("operand ") + kNames[unsigned(role)] +
                              " of mma_sync " + shapeText(plan.shape));
        return;
      }
      unsigned kDim = (role == MmaOperand::A) != transposed ? 1 : 0;
      demandShared(constraints, operand.get(), kDim, bits, layout);
    };
    demand(getAMutable(), MmaOperand::A, bitsA, {problem.m, problem.k},
           getTransposeA(), false);
    demand(getBMutable(), MmaOperand::B,
           typeOf(getB()).getElementTypeBitWidth(), {problem.k, problem.n},
           getTransposeB(), false);
    demand(getCMutable(), MmaOperand::C, bitsC, {problem.m, problem.n}, false,
           true);
  } else {
    WarpGrid grid{problem.warps, 1};
    FragmentLayout blocked =
        fmaAccumulator(problem, constraints.numThreads(), grid);
    if (!getPlanAttr()) {
      plan.warps = grid;
      decision.why = "each thread holds a block of rows and columns";
    }
    constraints.prefer(getCMutable(), blocked, "accumulator of a gemm by fma");
  }
  decision.value =
      MmaPlanAttr::get(getContext(), plan.instruction, plan.shape.m,
                       plan.shape.n, plan.shape.k, plan.warps.m, plan.warps.n);
  constraints.decide(std::move(decision));
}
