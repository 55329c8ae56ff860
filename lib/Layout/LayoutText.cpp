//===- LayoutText.cpp - layouts as text -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structured spelling of layouts (shared with the dialect's attributes) and
// a description in words. Drawings and CuTe's spelling are elsewhere.
//
//===----------------------------------------------------------------------===//
#include "tile/Layout/Plural.h"
#include "tile/Layout/SharedLayout.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::tile;
using llvm::ArrayRef;
using llvm::raw_ostream;

static void printShape(ArrayRef<int64_t> shape, raw_ostream &os) {
  os << "shape [";
  llvm::interleaveComma(shape, os);
  os << "]";
}

static void printModes(const Modes &modes, raw_ostream &os) {
  os << "[";
  llvm::interleaveComma(modes, os, [&](const Mode &mode) {
    os << "(" << mode.extent << ", ";
    if (mode.isReplication())
      os << "*";
    else
      os << mode.dim << ":" << mode.stride;
    os << ")";
  });
  os << "]";
}

static void printExtents(ArrayRef<int64_t> shape, raw_ostream &os) {
  if (shape.empty())
    os << "scalar";
  llvm::interleave(shape, os, "x");
}

/// "8 consecutive along dimension 1, then 4 along dimension 0 in steps of 8".
static void describeModes(const Modes &modes, raw_ostream &os) {
  bool first = true;
  for (const Mode &mode : modes) {
    if (mode.extent == 1)
      continue;
    os << (first ? "" : ", then ");
    first = false;
    if (mode.isReplication())
      os << mode.extent << " with the same elements";
    else if (mode.stride == 1)
      os << mode.extent << " consecutive along dimension " << mode.dim;
    else
      os << mode.extent << " along dimension " << mode.dim << " in steps of "
         << mode.stride;
  }
}

void FragmentLayout::print(raw_ostream &os) const {
  printShape(logicalShape, os);
  os << " reg ";
  printModes(modes(Axis::Register), os);
  os << " lane ";
  printModes(modes(Axis::Lane), os);
  os << " warp ";
  printModes(modes(Axis::Warp), os);
  if (!modes(Axis::Block).empty()) {
    os << " block ";
    printModes(modes(Axis::Block), os);
  }
}

void FragmentLayout::describe(raw_ostream &os) const {
  FragmentLayout plain = canonicalized();
  os << "a ";
  printExtents(logicalShape, os);
  os << " tile over " << plural(numThreads(), "thread")
     << ": each thread holds " << plural(numRegisters(), "element");
  const char *const names[kNumAxes] = {"registers", "lanes", "warps", "blocks"};
  for (unsigned axis = 0; axis < kNumAxes; ++axis) {
    if (plain.modes(Axis(axis)).empty())
      continue;
    os << "; " << names[axis] << ": ";
    describeModes(plain.modes(Axis(axis)), os);
  }
  if (int64_t copies = replication(); copies > 1)
    os << "; each element is held by " << copies << " threads";
  if (overshoots())
    os << "; some indices lie outside the tile and need a predicate";
}

void SharedLayout::print(raw_ostream &os) const {
  printShape(logicalShape, os);
  os << " bits " << bitsPerElement << " modes ";
  printModes(digits, os);
  if (xorSwizzle.bits != 0)
    os << " swizzle(" << xorSwizzle.bits << ", " << xorSwizzle.base << ", "
       << xorSwizzle.shift << ")";
}

void SharedLayout::describe(raw_ostream &os) const {
  os << "a ";
  printExtents(logicalShape, os);
  os << " buffer of " << bitsPerElement << "-bit elements in "
     << plural(sizeInBytes(), "byte") << ": ";
  bool first = true;
  for (const Mode &mode : digits) {
    if (mode.extent == 1)
      continue;
    os << (first ? "" : ", then ");
    first = false;
    os << mode.extent << " along dimension " << mode.dim;
    if (mode.stride == 1)
      os << " next to each other";
    else
      os << " every " << plural(mode.stride, "element");
  }
  if (first)
    os << "a single element";
  if (xorSwizzle.bits != 0)
    os << "; address bits " << xorSwizzle.base << " to "
       << xorSwizzle.base + xorSwizzle.bits - 1 << " are XORed with bits "
       << xorSwizzle.base + xorSwizzle.shift << " to "
       << xorSwizzle.base + xorSwizzle.shift + xorSwizzle.bits - 1;
}
