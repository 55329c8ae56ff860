//===- SparsePlan.cpp - metadata of gemms with a sparse A -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What instructions with a sparse A demand beside the operands that they have
// in common with the others (WgmmaPlan.cpp, GemmConstraints.cpp): metadata in
// registers, in words that threads of a warp hold (Layout/MmaLayouts.h).
//
//===----------------------------------------------------------------------===//
#include "GemmPlan.h"
#include "tile/Dialect/Tile/IR/Buffers.h"

using namespace mlir;
using namespace mlir::tile;

SparseGroup SparseGroup::of(Type element) {
  return getStorageBits(element) == 32 ? SparseGroup{1, 2} : SparseGroup{2, 4};
}

SparseGroup SparseGroup::of(GemmOp gemm) {
  auto metadata = cast<MemRefType>(gemm.getMetadata().getType());
  int64_t k = gemm.getK();
  if (!metadata.hasStaticShape() || metadata.getNumElements() == 0 || k <= 0)
    return of(elementTypeOf(gemm.getA()));
  int64_t perElement = metadata.getElementTypeBitWidth() / 4;
  int64_t groups = metadata.getNumElements() * perElement / gemm.getM();
  int64_t columns = k / groups;
  return {columns / 2, columns};
}

OrRefusal<FragmentLayout> tile::mmaFragment(const GemmProblem &problem,
                                            MmaShape shape,
                                            MmaOperand operand) {
  unsigned bits[] = {problem.bitsA, problem.bitsB, problem.bitsC};
  return problem.isSparse
             ? mmaSpFragment(shape, operand, bits[unsigned(operand)])
             : mmaSyncFragment(shape, operand, bits[unsigned(operand)]);
}

std::string tile::checkSparse(GemmOp gemm, const GemmProblem &problem,
                              MmaShape shape) {
  if (!problem.isSparse)
    return "";
  auto metadata =
      SparseMetadata::get(problem.bitsA, storageBitsOf(gemm.getMetadata()));
  if (!metadata)
    return metadata.reason();
  // No thread may give places that it has not loaded.
  if (problem.m % shape.m != 0 || problem.m == 0)
    return "a sparse A needs an M tile that is a multiple of " +
           std::to_string(shape.m) + ", got " + std::to_string(problem.m);
  return "";
}

OrRefusal<FragmentLayout> tile::metadataLayout(GemmOp gemm, MmaShape shape,
                                               WarpGrid warps) {
  auto metadata = SparseMetadata::get(storageBitsOf(gemm.getA()),
                                      storageBitsOf(gemm.getMetadata()));
  if (!metadata)
    return Refusal{metadata.reason()};
  int64_t steps = gemm.getK() / shape.k;
  auto tiled =
      tileMmaFragment(metadata->fragment(shape.m, steps), MmaOperand::A,
                      {gemm.getM(), steps * metadata->elementsOfStep()}, warps);
  if (!tiled)
    return tiled;
  return gemm.getTransposeMetadata() ? tiled->permuted({1, 0}) : *tiled;
}

std::string tile::demandMetadata(LayoutAlternative &alternative, GemmOp gemm,
                                 const GemmPlan &plan) {
  auto layout = metadataLayout(gemm, plan.shape, plan.warps);
  if (!layout)
    return layout.reason();
  OpOperand &operand = gemm.getMetadataMutable()[0];
  if (isFragment(operand.get()))
    alternative.exacts.push_back(
        {&operand, *layout, /*reads=*/true, /*writes=*/false,
         /*isPreference=*/false,
         "metadata of " + stringifyMmaInstruction(plan.instruction).str() +
             " " + shapeText(plan.shape)});
  return "";
}
