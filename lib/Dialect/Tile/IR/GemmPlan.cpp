//===- GemmPlan.cpp - instruction and warps of a gemm ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which instruction multiplies, and how the warps share the result. What that
// demands of layouts is in GemmConstraints.cpp.
//
//===----------------------------------------------------------------------===//
#include "GemmPlan.h"
#include "tile/Layout/CheckedMath.h"
#include "tile/Layout/Distribute.h"
#include "tile/Target/ThreadBudget.h"
#include <tuple>

using namespace mlir;
using namespace mlir::tile;

std::optional<MmaType> tile::getMmaOperandType(Type type, bool isUnsigned) {
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

std::optional<MmaType> tile::getMmaAccumulatorType(Type type) {
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

static MemRefType typeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}

std::optional<MmaTypes> tile::getMmaTypes(GemmOp gemm) {
  auto a = getMmaOperandType(typeOf(gemm.getA()).getElementType(),
                             gemm.getUnsignedA());
  auto b = getMmaOperandType(typeOf(gemm.getB()).getElementType(),
                             gemm.getUnsignedB());
  auto c = getMmaAccumulatorType(typeOf(gemm.getC()).getElementType());
  if (!a || !b || !c)
    return std::nullopt;
  return MmaTypes{*a, *b, *c};
}

GemmProblem tile::getGemmProblem(GemmOp gemm, int64_t numWarps) {
  return {gemm.getM(),
          gemm.getN(),
          gemm.getK(),
          numWarps,
          gemm.getPolicy(),
          typeOf(gemm.getA()).getElementTypeBitWidth(),
          typeOf(gemm.getB()).getElementTypeBitWidth(),
          typeOf(gemm.getC()).getElementTypeBitWidth(),
          isShared(gemm.getA()),
          isShared(gemm.getB()),
          gemm.isSparse()};
}

std::string tile::shapeText(MmaShape shape) {
  return "m" + std::to_string(shape.m) + "n" + std::to_string(shape.n) + "k" +
         std::to_string(shape.k);
}

//===----------------------------------------------------------------------===//
// Instruction
//===----------------------------------------------------------------------===//

bool tile::findInstruction(GemmOp gemm, const TargetInfo &target,
                           StringRef name,
                           llvm::function_ref<bool(const MmaTypes &)> find,
                           std::string &why) {
  Type a = typeOf(gemm.getA()).getElementType();
  Type b = typeOf(gemm.getB()).getElementType();
  Type c = typeOf(gemm.getC()).getElementType();
  llvm::raw_string_ostream os(why);
  if (a.isF32() && gemm.getPrecision() == Precision::Ieee) {
    os << name << " multiplies f32 in tf32, and the gemm asks for precision "
       << "ieee";
    return false;
  }
  std::optional<MmaTypes> types = getMmaTypes(gemm);
  if (types && find(*types))
    return true;
  os << name << " has no " << a << " x " << b << " into " << c << " on "
     << target.arch;
  return false;
}

static StringRef mmaName(GemmOp gemm) {
  return gemm.isSparse() ? "mma_sp" : "mma_sync";
}

/// Instructions for the element types, or the reason why there are none.
static SmallVector<const MmaInstructionInfo *>
instructionsFor(GemmOp gemm, const TargetInfo &target, std::string &why) {
  SmallVector<const MmaInstructionInfo *> found;
  findInstruction(
      gemm, target, mmaName(gemm),
      [&](const MmaTypes &types) {
        found =
            gemm.isSparse()
                ? target.sparseMmaInstructions(types.a, types.b,
                                               types.accumulator)
                : target.mmaInstructions(types.a, types.b, types.accumulator);
        return !found.empty();
      },
      why);
  return found;
}

std::optional<MmaShape>
tile::chooseInstruction(GemmOp gemm, const TargetInfo &target,
                        const GemmProblem &problem,
                        SmallVectorImpl<std::string> &refused) {
  std::string why;
  SmallVector<const MmaInstructionInfo *> candidates =
      instructionsFor(gemm, target, why);
  if (candidates.empty())
    refused.push_back(why);
  for (const MmaInstructionInfo *info : candidates) {
    std::string name = mmaName(gemm).str() + " " + shapeText(info->shape);
    if (problem.k % info->shape.k != 0) {
      refused.push_back(name + " needs a K tile that is a multiple of " +
                        std::to_string(info->shape.k) + ", got " +
                        std::to_string(problem.k));
      continue;
    }
    auto fragment = mmaFragment(problem, info->shape, MmaOperand::C);
    if (!fragment) {
      refused.push_back(name + ": " + fragment.reason());
      continue;
    }
    if (std::string wrong = checkSparse(gemm, problem, info->shape);
        !wrong.empty()) {
      refused.push_back(name + ": " + wrong);
      continue;
    }
    return info->shape;
  }
  return std::nullopt;
}

std::string tile::checkStatedMmaSync(GemmOp gemm, const TargetInfo &target,
                                     const GemmProblem &problem,
                                     MmaShape shape) {
  std::string why;
  SmallVector<const MmaInstructionInfo *> candidates =
      instructionsFor(gemm, target, why);
  if (candidates.empty())
    return "expected a plan that is possible: " + why;
  if (llvm::none_of(candidates, [&](const MmaInstructionInfo *info) {
        return info->shape == shape;
      }))
    return "expected an " + mmaName(gemm).str() + " shape that " +
           target.arch.str() + " has for these element types, got " +
           shapeText(shape);
  if (problem.k % shape.k != 0)
    return "expected a K tile that is a multiple of the plan's k = " +
           std::to_string(shape.k) + ", got " + std::to_string(problem.k);
  return checkSparse(gemm, problem, shape);
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

/// Instructions of a warp along m and n.
static WarpGrid repeats(const GemmProblem &problem, MmaShape shape,
                        WarpGrid grid) {
  return {ceilDiv(problem.m, grid.m * shape.m),
          ceilDiv(problem.n, grid.n * shape.n)};
}

/// Registers of a thread beyond what it has, where fragments hold the operands
/// and the accumulator.
static double missingRegisters(const GemmProblem &problem, MmaShape shape,
                               WarpGrid grid, const TargetInfo &target) {
  constexpr double kBitsOfWarp = 32 * kWarpSize;
  WarpGrid count = repeats(problem, shape, grid);
  double rows = double(count.m * shape.m), columns = double(count.n * shape.n);
  double bits = rows * columns * problem.bitsC;
  if (!problem.sharedA)
    bits += rows * double(problem.k) * problem.bitsA;
  if (!problem.sharedB)
    bits += columns * double(problem.k) * problem.bitsB;
  int64_t fragments = ThreadBudget(target).launched(problem.warps * kWarpSize) -
                      kRegistersBesideFragments;
  return std::max(0.0, bits / kBitsOfWarp - double(fragments));
}

double tile::gridCost(const GemmProblem &problem, MmaShape shape, WarpGrid grid,
                      const TargetInfo &target) {
  // A quarter of a multiprocessor does 256 multiply-adds of 16 bits a cycle; a
  // wavefront of shared memory brings 128 bytes.
  constexpr double kMultipliers = 256, kQuarters = 4, kWavefrontBits = 128 * 8;
  WarpGrid count = repeats(problem, shape, grid);
  double perInstruction =
      double(shape.m * shape.n * shape.k) * problem.bitsA / 16 / kMultipliers;
  double tensor = double(count.m * count.n) * (problem.k / shape.k) *
                  perInstruction * double(ceilDiv(problem.warps, kQuarters));
  double operandBits =
      (problem.sharedA ? double(count.m * shape.m) * problem.bitsA : 0) +
      (problem.sharedB ? double(count.n * shape.n) * problem.bitsB : 0);
  double reads =
      operandBits * double(problem.k) * double(problem.warps) / kWavefrontBits;
  // Each warp that needs an operand of a fragment makes all of it: at least an
  // instruction for each lane's element, a warp's in each quarter at a time.
  double fragmentRows = (problem.sharedA ? 0 : double(count.m * shape.m)) +
                        (problem.sharedB ? 0 : double(count.n * shape.n));
  double making = fragmentRows * double(problem.k) / kWarpSize *
                  double(ceilDiv(problem.warps, kQuarters));
  // A register that is spilled is stored and loaded, a wavefront of a warp
  // each, and its reader waits for about as long again.
  constexpr double kSpill = 4;
  double spills = missingRegisters(problem, shape, grid, target) *
                  double(problem.warps) * kSpill;
  return tensor + reads + making + spills;
}

int64_t tile::mostAlong(int64_t extent, int64_t piece, int64_t workers) {
  int64_t most = workers;
  while (most > 1 && (workers % most != 0 || most * piece > extent))
    --most;
  return most;
}

SmallVector<WarpGrid> tile::chooseGrids(const GemmProblem &problem,
                                        MmaShape shape,
                                        const TargetInfo &target) {
  switch (problem.policy) {
  case WarpPolicy::FullRow: {
    int64_t m = mostAlong(problem.m, shape.m, problem.warps);
    return {{m, problem.warps / m}};
  }
  case WarpPolicy::FullCol: {
    int64_t n = mostAlong(problem.n, shape.n, problem.warps);
    return {{problem.warps / n, n}};
  }
  case WarpPolicy::Square:
    break;
  }
  // More warps along m first: with equal cost fewer warps share a row, which
  // makes row reductions of the result cheaper.
  SmallVector<WarpGrid> grids;
  for (int64_t m = problem.warps; m >= 1; --m)
    if (problem.warps % m == 0)
      grids.push_back({m, problem.warps / m});
  llvm::sort(grids, [&](WarpGrid a, WarpGrid b) {
    double costA = gridCost(problem, shape, a, target);
    double costB = gridCost(problem, shape, b, target);
    return costA != costB ? costA < costB : a.m > b.m;
  });
  return grids;
}

std::string tile::gridReason(const GemmProblem &problem, MmaShape shape,
                             WarpGrid grid) {
  WarpGrid count = repeats(problem, shape, grid);
  return std::to_string(grid.m) + "x" + std::to_string(grid.n) + " warps (" +
         stringifyWarpPolicy(problem.policy).str() + "), each with " +
         std::to_string(count.m) + "x" + std::to_string(count.n) +
         " instructions per step of k";
}

FragmentLayout tile::fmaAccumulator(const GemmProblem &problem, int64_t threads,
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
