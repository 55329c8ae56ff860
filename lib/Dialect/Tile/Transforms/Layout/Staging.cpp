//===- Staging.cpp - room for tiles that fragments pass through -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Staging.h"

using namespace mlir;
using namespace mlir::tile;

std::optional<FragmentLayout> tile::restrictDim(const FragmentLayout &layout,
                                                unsigned dim, int64_t extent) {
  if (layout.overshoots() || extent < 1 || layout.shape()[dim] % extent)
    return std::nullopt;
  for (Axis axis : {Axis::Lane, Axis::Warp, Axis::Block})
    for (const Mode &mode : layout.modes(axis))
      if (!mode.isReplication() && mode.dim == dim &&
          mode.stride * mode.extent > extent)
        return std::nullopt;
  Modes registers;
  for (Mode mode : layout.modes(Axis::Register)) {
    if (!mode.isReplication() && mode.dim == dim) {
      if (mode.stride >= extent)
        continue;
      if (mode.stride * mode.extent > extent) {
        if (extent % mode.stride)
          return std::nullopt;
        mode.extent = extent / mode.stride;
      }
    }
    registers.push_back(mode);
  }
  SmallVector<int64_t> shape(layout.shape());
  shape[dim] = extent;
  FragmentLayout result(shape, registers, layout.modes(Axis::Lane),
                        layout.modes(Axis::Warp), layout.modes(Axis::Block));
  // The rest of the registers are the same positions further along.
  if (!result.verify() ||
      result.numRegisters() * (layout.shape()[dim] / extent) !=
          layout.numRegisters())
    return std::nullopt;
  return result;
}

unsigned tile::columnDim(ArrayRef<int64_t> extents) {
  unsigned dim = extents.size() - 1;
  while (dim > 0 && extents[dim] == 1)
    --dim;
  return dim;
}

unsigned tile::rowDim(ArrayRef<int64_t> extents) {
  unsigned dim = columnDim(extents);
  return dim == 0 ? 0 : columnDim(extents.take_front(dim));
}

FragmentLayoutAttr tile::layoutOfCopy(FragmentLayoutAttr attribute) {
  FragmentLayout layout = attribute.getLayout();
  for (unsigned dim = layout.rank(); dim-- > 0;)
    if (layout.shape()[dim] == 1)
      layout = *layout.sliced(dim);
  return FragmentLayoutAttr::get(attribute.getContext(), layout);
}
