//===- WarpgroupPlan.cpp - what instructions of warpgroups ask for --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What planning a gemm by wgmma (WgmmaPlan.cpp) and by tcgen05
// (Tcgen05Plan.cpp) have in common: tiles and grids of whole warpgroups, and
// operands that matrix descriptors read from shared memory.
//
//===----------------------------------------------------------------------===//
#include "GemmPlan.h"
#include "tile/Layout/Plural.h"
#include "tile/Layout/WgmmaOperand.h"

using namespace mlir;
using namespace mlir::tile;

std::string tile::checkTile(const GemmProblem &problem,
                            const WarpgroupShape &shape) {
  if (problem.warps % kWarpsPerGroup != 0)
    return shape.name.str() + " needs whole warpgroups of 4 warps, got " +
           plural(problem.warps, "warp");
  // Where the extents end with a tensor's, what a wider tile reaches beyond is
  // zeros: nothing else has to change in the program.
  if (problem.k % shape.k != 0 || problem.k == 0)
    return shape.name.str() + " needs a K tile that is a multiple of " +
           std::to_string(shape.k) + ", got " + std::to_string(problem.k) +
           ": tiles and steps of " +
           std::to_string(
               llvm::alignTo(std::max<int64_t>(problem.k, 1), shape.k)) +
           " compute the same over a whole tensor, beyond which zeros are read";
  return "";
}

std::string tile::checkGrid(const GemmProblem &problem,
                            const WarpgroupShape &shape, WarpGrid warps) {
  WarpGrid groups{warps.m / kWarpsPerGroup, warps.n};
  StringRef nameM = shape.swapped ? "N" : "M";
  StringRef nameN = shape.swapped ? "M" : "N";
  auto text = [&](StringRef name, const std::string &what, int64_t groups,
                  int64_t got) {
    return shape.name.str() + " needs an " + name.str() + " tile " + what +
           " for each of " + plural(groups, "warpgroup") + ", got " +
           std::to_string(got);
  };
  if (warps.m % kWarpsPerGroup != 0)
    return shape.name.str() + " needs a multiple of 4 warps along m, got " +
           std::to_string(warps.m);
  if (problem.m % (shape.m * groups.m) != 0 || problem.m == 0)
    return text(nameM, "that is a multiple of " + std::to_string(shape.m),
                groups.m, problem.m);
  if (shape.n == 0 || problem.n % (shape.n * groups.n) != 0)
    return text(nameN, "of " + shape.textN.str(), groups.n, problem.n);
  return "";
}

SmallVector<WarpGrid> tile::warpgroupGrids(const GemmProblem &problem,
                                           int64_t rows) {
  int64_t groups = problem.warps / kWarpsPerGroup;
  switch (problem.policy) {
  case WarpPolicy::FullRow: {
    int64_t m = mostAlong(problem.m, rows, groups);
    return {{m * kWarpsPerGroup, groups / m}};
  }
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

std::string tile::demandDescriptors(LayoutAlternative &alternative,
                                    Value buffer, StringRef name,
                                    const WarpgroupShape &shape, int64_t groups,
                                    int64_t piece, unsigned mnDim,
                                    int64_t steps, int64_t stepBits) {
  auto type = cast<MemRefType>(buffer.getType());
  WgmmaSplit split{mnDim,
                   1 - mnDim,
                   groups,
                   type.getDimSize(mnDim) / (groups * piece),
                   piece,
                   steps,
                   shape.bytesAlongMn,
                   stepBits};
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
    demand.oneOf = wgmmaLayouts(
        type.getShape(), getStorageBits(type.getElementType()), split, why);
  }
  if (demand.oneOf.empty())
    return "operand " + name.str() + " of " + shape.name.str() + ": " + why;
  alternative.shareds.push_back(std::move(demand));
  return "";
}
