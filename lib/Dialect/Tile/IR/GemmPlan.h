//===- GemmPlan.h - instruction and warps of a gemm -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the constraints of `tile.gemm`.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_DIALECT_TILE_IR_GEMMPLAN_H
#define TILE_LIB_DIALECT_TILE_IR_GEMMPLAN_H

#include "tile/Dialect/Tile/IR/LayoutConstraints.h"
#include "tile/Dialect/Tile/IR/MmaTypes.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Layout/Descriptors.h"
#include "tile/Target/TargetInfo.h"
#include <optional>

namespace mlir::tile {

/// What a gemm is planned for.
struct GemmProblem {
  int64_t m, n, k, warps;
  WarpPolicy policy;
  unsigned bitsA, bitsB, bitsC;
  bool sharedA, sharedB; // read from shared memory, else from registers
  bool isSparse;         // A has half of the columns that `k` counts
};
GemmProblem getGemmProblem(GemmOp gemm, int64_t numWarps);

struct GemmPlan {
  MmaInstruction instruction;
  MmaShape shape{1, 1, 1};
  WarpGrid warps{1, 1};
  /// The instructions multiply B^T A^T: shape and warps are of that product.
  bool swapped = false;
  MmaPlanAttr toAttr(MLIRContext *context) const {
    return MmaPlanAttr::get(context, instruction, shape.m, shape.n, shape.k,
                            warps.m, warps.n, /*pair=*/false, swapped);
  }
};

/// Asks `find` whether its table has an instruction for a gemm's element types;
/// when there is none, `why` says so of `name`.
bool findInstruction(GemmOp gemm, const TargetInfo &target, StringRef name,
                     llvm::function_ref<bool(const MmaTypes &)> find,
                     std::string &why);

/// The row of a table of TargetInfo for a gemm's element types, or null with
/// the reason in `why`. `swapped`: A is of the type of the gemm's B, and B of
/// that of its A.
template <typename InfoT>
const InfoT *instructionFor(GemmOp gemm, const TargetInfo &target,
                            StringRef name,
                            const InfoT *(TargetInfo::*table)(MmaType, MmaType,
                                                              MmaType) const,
                            std::string &why, bool swapped = false) {
  const InfoT *info = nullptr;
  auto find = [&](const MmaTypes &types) {
    info = (target.*table)(swapped ? types.b : types.a,
                           swapped ? types.a : types.b, types.accumulator);
    return info != nullptr;
  };
  findInstruction(gemm, target, name, find, why);
  return info;
}

/// The tensor-core instruction for a gemm, the one with the largest k first;
/// nullopt when none serves. `refused` gets the reason of each that does not.
std::optional<MmaShape>
chooseInstruction(GemmOp gemm, const TargetInfo &target,
                  const GemmProblem &problem,
                  SmallVectorImpl<std::string> &refused);

/// The most of `workers` along a dimension that each have a piece of it, such
/// that the others can stand beside them in equal numbers; 1 where not even
/// one has a whole piece.
int64_t mostAlong(int64_t extent, int64_t piece, int64_t workers);

/// Grids of warps that the policy allows, the cheapest first.
SmallVector<WarpGrid> chooseGrids(const GemmProblem &problem, MmaShape shape,
                                  const TargetInfo &target);
/// Cycles of one multiprocessor: tensor cores, operands read from shared
/// memory, and spills of fragments that a thread has no registers for.
double gridCost(const GemmProblem &problem, MmaShape shape, WarpGrid grid,
                const TargetInfo &target);
std::string gridReason(const GemmProblem &problem, MmaShape shape,
                       WarpGrid grid);

/// Accumulator layout of a gemm by FMA: each thread holds a block of rows and
/// columns, since a block of r x c costs r + c operand reads per step of k.
FragmentLayout fmaAccumulator(const GemmProblem &problem, int64_t threads,
                              WarpGrid &grid);

/// Why a plan by mma.sync of `shape` that the user stated is impossible; empty
/// when it is possible.
std::string checkStatedMmaSync(GemmOp gemm, const TargetInfo &target,
                               const GemmProblem &problem, MmaShape shape);

//===--- by whole warpgroups (WarpgroupPlan.cpp) ---===//

/// What an instruction of whole warpgroups asks of a tile.
struct WarpgroupShape {
  StringRef name;
  /// Of the whole tile along k, and of each warpgroup's part along m and n.
  int64_t k, m, n;
  /// How `n` reads in a sentence.
  StringRef textN;
  /// 8-bit elements may lie along m or n.
  bool bytesAlongMn;
  /// Its m is the gemm's N, and its n the gemm's M.
  bool swapped = false;
};
/// Why a problem is none for the instruction whatever the grid; empty when it
/// is one.
std::string checkTile(const GemmProblem &problem, const WarpgroupShape &shape);
/// Why a grid of warps is none for it.
std::string checkGrid(const GemmProblem &problem, const WarpgroupShape &shape,
                      WarpGrid warps);
/// Grids of warps in whole warpgroups, each with at least `rows` rows where
/// there are so many, that the policy allows; most warpgroups along m first.
SmallVector<WarpGrid> warpgroupGrids(const GemmProblem &problem, int64_t rows);
/// Demands that `buffer`, an operand in shared memory, be read by descriptors
/// in `groups` blocks of pieces of `piece` along dimension `mnDim`; the reason
/// where no layout allows it.
std::string demandDescriptors(LayoutAlternative &alternative, Value buffer,
                              StringRef name, const WarpgroupShape &shape,
                              int64_t groups, int64_t piece, unsigned mnDim,
                              int64_t steps,
                              int64_t stepBits = kDescriptorBits);

//===--- a sparse A (SparsePlan.cpp) ---===//

/// Registers of one mma.sync, or mma.sp, for an operand of the problem.
OrRefusal<FragmentLayout> mmaFragment(const GemmProblem &problem,
                                      MmaShape shape, MmaOperand operand);
/// Why threads cannot take a gemm's metadata for instructions of `shape`; empty
/// where they can, and of a gemm without.
std::string checkSparse(GemmOp gemm, const GemmProblem &problem,
                        MmaShape shape);
/// Demands the metadata of a gemm with a sparse A in the registers of the
/// instruction of `plan`; the reason where there is no such layout. In shared
/// memory it is copied to registers, first (`needsFragment`).
std::string demandMetadata(LayoutAlternative &alternative, GemmOp gemm,
                           const GemmPlan &plan);

//===--- with swapped operands (SwappedPlan.cpp) ---===//

inline constexpr llvm::StringLiteral kSwappedWgmma =
    "wgmma with swapped operands";

/// The product C^T = B^T A^T, of which m is the gemm's N and A the gemm's B.
GemmProblem swappedProblem(GemmProblem problem);
/// Why a gemm's operands are swapped only where its plan says so; empty where
/// they may be without being asked for.
std::string whyNotSwappedUnasked(GemmOp gemm, const GemmProblem &problem);

//===--- by warpgroups (WgmmaPlan.cpp) ---===//

/// Why a stated plan by wgmma is impossible, layouts aside.
std::string checkStatedWgmma(GemmOp gemm, const TargetInfo &target,
                             const GemmProblem &problem);
/// Ways to multiply by wgmma (by the stated plan, if there is one), the
/// cheapest first; when there is none, `refused` gets the reasons. Operands are
/// swapped where there is no other way, or where the stated plan says so.
std::vector<LayoutAlternative>
wgmmaAlternatives(GemmOp gemm, const TargetInfo &target,
                  const GemmProblem &problem,
                  SmallVectorImpl<std::string> &refused);

//===--- by one thread, into tensor memory (Tcgen05Plan.cpp) ---===//

/// Why a stated plan by tcgen05 is impossible, layouts aside.
std::string checkStatedTcgen05(GemmOp gemm, const TargetInfo &target,
                               const GemmProblem &problem);
/// Ways to multiply by tcgen05 (by the stated plan, if there is one), the
/// cheapest first; when there is none, `refused` gets the reasons.
std::vector<LayoutAlternative>
tcgen05Alternatives(GemmOp gemm, const TargetInfo &target,
                    const GemmProblem &problem,
                    SmallVectorImpl<std::string> &refused);

std::string shapeText(MmaShape shape);

} // namespace mlir::tile
#endif // TILE_LIB_DIALECT_TILE_IR_GEMMPLAN_H
