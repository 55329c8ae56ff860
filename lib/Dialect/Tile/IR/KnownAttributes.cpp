//===- KnownAttributes.cpp - misspelled names of attributes ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR keeps whatever attributes an operation is given. Among the names without
// a dialect's prefix, operations in kernels have those of their own only: a
// misspelled `persistent`, or `stages` at an `scf.for`, would otherwise change
// nothing, and the user would not learn of it. Attributes with the name of
// another dialect are that dialect's.
//
//===----------------------------------------------------------------------===//
#include "KnownAttributes.h"
#include "tile/Dialect/Tile/IR/TileOps.h"

using namespace mlir;
using namespace mlir::tile;

std::string tile::didYouMean(StringRef name, ArrayRef<StringRef> known) {
  // The number of wrong letters that leaves two thirds of the name.
  unsigned best = static_cast<unsigned>(name.size()) / 3 + 1;
  StringRef nearest;
  for (StringRef candidate : known) {
    unsigned distance = name.edit_distance(candidate, true, best);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  if (nearest.empty())
    return {};
  return (", did you mean '" + nearest + "'?").str();
}

LogicalResult tile::verifyKnownAttributes(Operation *op) {
  for (NamedAttribute attribute : op->getDiscardableAttrs()) {
    StringRef name = attribute.getName();
    if (name.contains('.'))
      continue; // its dialect verifies it
    SmallVector<StringRef> known;
    for (StringAttr inherent : op->getName().getAttributeNames())
      known.push_back(inherent);
    llvm::append_range(known, getMoveAttributeNames(op));
    return op->emitOpError()
           << "unknown attribute '" << name << "'" << didYouMean(name, known);
  }
  return success();
}
