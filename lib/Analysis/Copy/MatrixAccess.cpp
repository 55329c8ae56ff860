//===- MatrixAccess.cpp - fragments that ldmatrix can fill ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: PTX ISA 9.0, "ldmatrix" and "stmatrix".
//
//===----------------------------------------------------------------------===//
#include "tile/Analysis/MatrixAccess.h"
#include <numeric>

using namespace mlir::tile;

OrRefusal<MatrixAccess> mlir::tile::matrixAccess(const FragmentLayout &stated,
                                                 unsigned column,
                                                 unsigned elementBits,
                                                 int64_t count) {
  if (elementBits > 32 || elementBits < 8)
    return Refusal{"elements of " + std::to_string(elementBits) + " bits"};
  if (stated.rank() != 2 || column > 1 || stated.overshoots())
    return Refusal{"the fragment's layout does not cover a matrix exactly"};
  FragmentLayout layout = stated.canonicalized();
  MatrixAccess access;
  access.unit = 32 / elementBits;
  const int along = column, across = 1 - column;
  const Modes &lanes = layout.modes(Axis::Lane);
  const Modes &registers = layout.modes(Axis::Register);
  auto matches = [&](int inRow, int overRows) {
    bool unit =
        access.unit == 1 ||
        (!registers.empty() && registers[0] == Mode{access.unit, inRow, 1});
    return unit && lanes.size() == 2 &&
           lanes[0] == Mode{4, inRow, access.unit} &&
           lanes[1] == Mode{8, overRows, 1};
  };
  bool plain = matches(along, across);
  access.transposed = !plain && elementBits == 16 && matches(across, along);
  if (!plain && !access.transposed)
    return Refusal{"the fragment's layout is not made of 8 x 8 matrices with "
                   "rows of 16 bytes"};

  // Everything but the matrix itself steps by whole matrices.
  const int64_t rowElements = 16 * 8 / elementBits;
  auto isWhole = [&](const Mode &mode) {
    return mode.isReplication() ||
           mode.stride % (mode.dim == along ? rowElements : 8) == 0;
  };
  Modes rest(registers.begin() + (access.unit > 1), registers.end());
  const Modes *others[] = {&rest, &layout.modes(Axis::Warp),
                           &layout.modes(Axis::Block)};
  for (const Modes *modes : others)
    for (const Mode &mode : *modes)
      if (!isWhole(mode))
        return Refusal{
            "matrices of the fragment do not start at multiples of 8 "
            "rows of 16 bytes"};

  // Lanes 8i to 8i+7 name the rows of the i-th matrix: its digits move from the
  // registers to the lanes.
  Modes rowLanes = {Mode{8, across, 1}};
  int64_t wanted = count;
  size_t next = 0;
  while (wanted > 1) {
    if (next == rest.size())
      return Refusal{"each thread has fewer than " + std::to_string(count) +
                     " registers"};
    Mode &mode = rest[next];
    int64_t taken = std::gcd(mode.extent, wanted);
    if (taken != wanted && taken != mode.extent)
      return Refusal{"the registers of a thread do not split into groups of " +
                     std::to_string(count)};
    rowLanes.push_back(Mode{taken, mode.dim, mode.stride});
    wanted /= taken;
    if (taken == mode.extent)
      ++next;
    else
      mode = Mode{mode.extent / taken, mode.dim, mode.stride * taken};
  }
  rest.erase(rest.begin(), rest.begin() + next);
  if (count < 4) // the other lanes' addresses are ignored, but must be valid
    rowLanes.push_back(Mode{4 / count, Mode::kReplicated, 0});
  access.rows =
      FragmentLayout(layout.shape(), rest, rowLanes, layout.modes(Axis::Warp),
                     layout.modes(Axis::Block));
  return access;
}
