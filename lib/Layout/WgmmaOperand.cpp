//===- WgmmaOperand.cpp - operands of a whole gemm in shared memory -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptors of all pieces that the instructions of one gemm read, checked
// piece by piece. Which operands go to shared memory is the gemm's business.
//
//===----------------------------------------------------------------------===//
#include "tile/Layout/WgmmaOperand.h"

using namespace mlir::tile;
using llvm::ArrayRef;
using llvm::SmallVector;

static bool sameFields(const WgmmaDescriptor &a, const WgmmaDescriptor &b) {
  return a.major == b.major && a.swizzle == b.swizzle &&
         a.leadingBytes == b.leadingBytes && a.strideBytes == b.strideBytes;
}

OrRefusal<WgmmaOperand> mlir::tile::wgmmaOperand(const SharedLayout &shared,
                                                 const WgmmaSplit &split) {
  int64_t k = split.stepBits / int64_t(shared.elementBits());
  WgmmaOperand result;
  for (int64_t group = 0; group < split.groups; ++group)
    for (int64_t repeat = 0; repeat < split.repeats; ++repeat)
      for (int64_t step = 0; step < split.steps; ++step) {
        Region region;
        region.offsets.assign(shared.rank(), 0);
        region.sizes.assign(shared.rank(), 1);
        region.offsets[split.mnDim] =
            (group * split.repeats + repeat) * split.extent;
        region.sizes[split.mnDim] = split.extent;
        region.offsets[split.kDim] = step * k;
        region.sizes[split.kDim] = k;
        OrRefusal<WgmmaDescriptor> piece =
            wgmmaDescriptor(shared, split.mnDim, split.kDim, region,
                            split.bytesAlongMn, split.stepBits);
        if (!piece)
          return Refusal{piece.reason()};
        if (group == 0 && repeat == 0 && step == 0)
          result.descriptor = *piece;
        if (!sameFields(*piece, result.descriptor))
          return Refusal{"the descriptor of the piece at (" +
                         std::to_string(region.offsets[split.mnDim]) + ", " +
                         std::to_string(region.offsets[split.kDim]) +
                         ") differs from the first one's in more than its "
                         "start"};
        int64_t offset = piece->startBytes - result.descriptor.startBytes;
        if (group == 0) {
          result.offsets.push_back(offset);
          continue;
        }
        if (group == 1 && repeat == 0 && step == 0)
          result.bytesPerGroup = offset;
        if (offset != group * result.bytesPerGroup +
                          result.offsets[repeat * split.steps + step])
          return Refusal{"warpgroups read at uneven distances"};
      }
  return result;
}

OrRefusal<SharedLayout> mlir::tile::panelLayout(ArrayRef<int64_t> shape,
                                                unsigned elementBits,
                                                TmaSwizzle mode) {
  if (shape.size() != 2 || elementBits == 0 || 128 % elementBits != 0)
    return Refusal{"expected rank 2 and elements that divide 16 bytes"};
  int64_t panel = swizzleSpan(mode) * 8 / int64_t(elementBits);
  if (shape[0] < 1 || shape[1] < 1 || shape[1] % panel != 0)
    return Refusal{"expected rows of a multiple of " + std::to_string(panel) +
                   " elements, got " + std::to_string(shape[1])};
  Modes modes = {{panel, 1, 1}, {shape[0], 0, panel}};
  if (shape[1] > panel)
    modes.push_back({shape[1] / panel, 1, shape[0] * panel});
  Swizzle swizzle;
  swizzle.bits = unsigned(mode);
  return SharedLayout(shape, elementBits, modes, swizzle);
}

SmallVector<SharedLayout> mlir::tile::wgmmaLayouts(ArrayRef<int64_t> shape,
                                                   unsigned elementBits,
                                                   const WgmmaSplit &split,
                                                   std::string &why) {
  SmallVector<SharedLayout> layouts;
  std::string first;
  for (TmaSwizzle mode :
       {TmaSwizzle::B128, TmaSwizzle::B64, TmaSwizzle::B32, TmaSwizzle::None}) {
    OrRefusal<SharedLayout> layout = panelLayout(shape, elementBits, mode);
    if (!layout) {
      if (mode == TmaSwizzle::None && first.empty())
        first = layout.reason();
      continue;
    }
    OrRefusal<WgmmaOperand> operand = wgmmaOperand(*layout, split);
    OrRefusal<TmaTiling> tiling = tmaTiling(
        *layout,
        {SmallVector<int64_t>(shape.size(), 0), SmallVector<int64_t>(shape)},
        /*innerDim=*/1);
    if (operand && tiling)
      layouts.push_back(*layout);
    else if (first.empty())
      first = operand ? tiling.reason() : operand.reason();
  }
  why = first;
  return layouts;
}
