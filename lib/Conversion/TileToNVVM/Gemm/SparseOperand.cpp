//===- SparseOperand.cpp - metadata of a sparse A -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The metadata is a fragment in the layout of its instruction; neighbouring
// elements of a thread are the bytes of the words that instructions take.
//
//===----------------------------------------------------------------------===//
#include "SparseOperand.h"
#include "RegisterMap.h"
#include "Words.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/MmaTypes.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

LogicalResult tile::nvvm::bindMetadata(KernelLowering &lowering, GemmOp gemm,
                                       MmaShape shape, WarpGrid warps,
                                       int64_t repeatsM,
                                       SparseOperand &operand) {
  Value buffer = gemm.getMetadata();
  auto expected = metadataLayout(gemm, shape, warps);
  auto metadata =
      SparseMetadata::get(storageBitsOf(gemm.getA()), storageBitsOf(buffer));
  if (!metadata || !expected)
    return gemm.emitOpError()
           << (metadata ? expected.reason() : metadata.reason());
  if (!isFragment(buffer))
    return gemm.emitOpError()
           << "expected `metadata` in a fragment, got " << buffer.getType()
           << ": run --tile-infer-layouts";
  FailureOr<FragmentBuffer> held = lowering.fragment(buffer, gemm);
  if (failed(held))
    return failure();
  if (!sameThreads(*expected, held->layout, {0, 1}))
    return gemm.emitOpError() << "expected `metadata` in the layout of its "
                                 "instruction: run --tile-infer-layouts";
  RegisterMap expectedMap(*expected), map(held->layout);
  Words words(lowering, *held, elementTypeOf(buffer));
  int64_t steps = gemm.getK() / shape.k;
  for (int64_t i = 0; i < repeatsM; ++i)
    for (int64_t k = 0; k < steps; ++k) {
      std::array<int64_t, 2> at = metadata->wordOf(k);
      at[0] += i * shape.m;
      if (gemm.getTransposeMetadata())
        std::swap(at[0], at[1]);
      // The word's elements, in the order of the instruction's registers.
      int64_t first = expectedMap({at[0], at[1]});
      int64_t firstReg = -1;
      for (int64_t e = 0; e < words.perWord(); ++e) {
        SmallVector<int64_t> place =
            expected->axisCoordinates(Axis::Register, first + e);
        int64_t reg = map(place);
        if (reg < 0 || (e > 0 && reg != firstReg + e))
          return gemm.emitOpError()
                 << "expected `metadata` in the order of its "
                    "instruction: run --tile-infer-layouts";
        if (e == 0)
          firstReg = reg;
      }
      operand.words.push_back(words.load(firstReg));
    }
  operand.layout.emplace(*metadata);
  return success();
}
