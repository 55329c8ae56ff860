//===- Compose.h - algebra of mode lists ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A list of modes, fastest digit first, is a function from [0, size) to
// coordinates: write the index in mixed radix and add digit*stride along `dim`
// for each digit. It is one axis of a fragment, or, with dimension 0 only, an
// integer layout in the sense of CuTe. This file composes, inverts and
// complements such functions.
//
// Every operation is exact: the result equals the definition for every index,
// or there is a refusal that names the mode and the extent. Where a result
// exists in this form it is found, up to kEnumerationLimit indices.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LAYOUT_COMPOSE_H
#define TILE_LAYOUT_COMPOSE_H

#include "tile/Layout/FragmentLayout.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::tile {

/// Number of indices: the product of the extents.
int64_t sizeOfModes(const Modes &modes);
/// The coordinates of an index, `rank` of them.
llvm::SmallVector<int64_t> evaluateModes(const Modes &modes, int64_t index,
                                         unsigned rank);
/// The unique spelling without unit modes in which no neighbours can be merged.
Modes canonicalModes(const Modes &modes);
/// Extents positive, strides not negative, nothing overflows 64 bits.
OrRefusal<bool> verifyModes(const Modes &modes);

/// Above this many indices, only what can be decided from extents and strides
/// is decided; the rest is refused.
inline constexpr int64_t kEnumerationLimit = int64_t(1) << 20;

/// Writes into `coords` (zeroed, one entry per dimension) the value at an
/// index.
using ModesFunction = llvm::function_ref<void(
    int64_t index, llvm::MutableArrayRef<int64_t> coords)>;
/// The modes of a function on [0, size), checked on every index; a refusal
/// names the index where it departs from every mixed-radix form. With `partial`
/// the slowest digit may end early (a dimension that its digits overshoot).
OrRefusal<Modes> modesOfFunction(int64_t size, unsigned rank,
                                 ModesFunction function, bool partial = false);

/// The function i -> outer(inner(i)). `inner` has dimension 0 only, and all its
/// values lie in the domain of `outer`.
OrRefusal<Modes> compose(const Modes &outer, const Modes &inner);
/// The inverse of a bijection of [0, size) (dimension 0 only).
OrRefusal<Modes> inverse(const Modes &modes);
/// Modes that, appended to these, make a bijection onto [0, size) (dimension 0
/// only): what is missing, in increasing strides.
OrRefusal<Modes> complement(const Modes &modes, int64_t size);

/// Threads as lanes and warps.
struct ThreadModes {
  Modes lane, warp;
};
/// Splits modes of a thread index at 32 threads; refuses fewer, and a mode that
/// straddles the boundary with an extent that does not split there.
OrRefusal<ThreadModes> splitAtWarp(const Modes &threads);

/// A digit of a coordinate and where it goes: value*weight is added to the
/// index of `axis`. Digits of a dimension are ordered fastest first; the
/// slowest may end early where the layout overshoots.
struct CoordinateDigit {
  unsigned dim;
  int64_t extent;
  Axis axis;
  int64_t weight;
  bool operator==(const CoordinateDigit &o) const {
    return dim == o.dim && extent == o.extent && axis == o.axis &&
           weight == o.weight;
  }
};
/// The first owner of every coordinate, as digits: what lowering turns into
/// divisions and remainders. Replicated digits are 0.
OrRefusal<llvm::SmallVector<CoordinateDigit>>
inverse(const FragmentLayout &layout);

} // namespace mlir::tile
#endif // TILE_LAYOUT_COMPOSE_H
