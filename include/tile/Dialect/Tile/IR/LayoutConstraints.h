//===- LayoutConstraints.h - demands of layouts -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vocabulary in which an operation states its demands
// (TileOpInterface::getLayoutConstraints). Layout inference solves the demands
// of all operations of a kernel together and knows no operation by name: a new
// operation joins by speaking this vocabulary.
//
//   loop      "I run over this tile; element e of it reads A[f(e)], writes
//              B[g(e)]": whoever owns a fragment's element executes it.
//   exact     "this operand must be a fragment in exactly this layout."
//   prefer    "any layout will do; this one is good."
//   slice     "this fragment is that one with a dimension reduced away."
//   shared    "I read this shared buffer in this pattern": bank conflicts; or
//             "in one of these layouts only".
//   fragment  "this operand must be in registers": shared ones are staged.
//   offer     "one of these sets of demands": an attribute records the choice.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_IR_LAYOUTCONSTRAINTS_H
#define TILE_DIALECT_TILE_IR_LAYOUTCONSTRAINTS_H

#include "tile/Dialect/Tile/IR/TileDialect.h"
#include "tile/Target/TargetInfo.h"
#include "llvm/ADT/SmallBitVector.h"
#include <optional>
#include <vector>

namespace mlir::tile {

/// One index of an access inside a tile loop, as a linear form over the loop's
/// induction variables: sum(coefficients[d] * iv[d]) + constant (+ a value that
/// is the same for the whole block: a sum of multiples of `uniforms`).
struct LoopIndex {
  SmallVector<int64_t> coefficients;
  int64_t constant = 0;
  SmallVector<Value> uniforms; // null for one that nothing is known of
  /// The index is not linear in the induction variables (a table look-up, a
  /// remainder): a part of it, which is in none of the fields above, changes
  /// with those of `irregularIn`.
  bool isIrregular = false;
  llvm::SmallBitVector irregularIn;

  bool hasUniform() const { return !uniforms.empty(); }
  bool isInvariant() const;
  /// Whether the index may change with iv[d].
  bool dependsOn(unsigned d) const {
    return coefficients[d] != 0 || (isIrregular && irregularIn.test(d));
  }
  /// At the given induction variables, uniforms left out.
  int64_t evaluate(ArrayRef<int64_t> ivs) const;
};

/// Decomposes `index` over the induction variables of a loop.
LoopIndex analyzeLoopIndex(Value index, ValueRange ivs);

/// One access of a tile loop.
struct LoopAccess {
  /// The operand through which the buffer is reached (of the operation itself
  /// or of a load or store in its body): where a conversion plugs in.
  OpOperand *operand = nullptr;
  bool isRead = false, isWrite = false, isAtomic = false;
  SmallVector<LoopIndex> indices; // one per dimension of the buffer
  Value buffer() const { return operand->get(); }
  /// Whether it is made in some iterations only, or several times in one: in
  /// the body of a tile loop it stands inside of another operation.
  bool isConditional() const;
};

/// An operation that runs over a tile. Inference sets its attribute `layout`.
struct LoopDemand {
  SmallVector<int64_t> shape;
  SmallVector<LoopAccess> accesses;
  FragmentLayoutAttr stated; // by the user; null when free
  std::optional<int64_t> coalescedWidth;
  /// It copies global memory to a fragment, or to shared memory as it is: loads
  /// can be shifted into place, wherever rows start.
  bool realigns = false;
};

/// How a loop relates to a fragment it accesses.
struct OwnedAccess {
  /// For each dimension of the fragment the loop dimension that indexes it, or
  /// -1 (extent one).
  SmallVector<int> loopDims;
  /// Where the loop's first iteration is, along each dimension.
  SmallVector<int64_t> offsets;
  /// The loop covers the fragment's whole extents.
  bool isWhole = true;
  /// The loop's first iteration is elsewhere than at the fragment's first
  /// element, or the loop stays at one index of a dimension. Whether threads
  /// hold the elements of their iterations then depends on the fragment's
  /// layout: digits that are dealt out to threads must not change by the
  /// offset.
  bool isShifted = false;
  bool isWrite = false;
  /// Every loop dimension of extent other than one indexes the fragment: the
  /// fragment's layout determines the loop's.
  bool determinesLoop = true;
};
/// Whether a layout has digits of a dimension; with `ofThreads`, whether
/// threads have different parts of it.
bool hasDigits(const FragmentLayout &layout, int dim, bool ofThreads = false);

/// The relation, or nullopt when element ownership cannot express the access
/// (offsets that only the run knows, remainders, atomics): it goes through
/// shared memory then.
std::optional<OwnedAccess> getOwnedAccess(const LoopDemand &loop,
                                          const LoopAccess &access);

struct ExactDemand {
  OpOperand *operand;
  FragmentLayout layout;
  bool reads = false, writes = false;
  /// A wish, not a demand.
  bool isPreference = false;
  std::string why;
  Value buffer() const { return operand->get(); }
};

/// target = source with `dim` reduced away (kept with extent one if `keepDim`).
struct SliceDemand {
  OpOperand *source, *target;
  unsigned dim;
  bool keepDim, readsTarget;
};

/// How a shared buffer is read: by an instruction that takes certain layouts
/// only, or in a pattern.
struct SharedDemand {
  Value buffer;
  /// ldmatrix: 8 rows along rowDim of 16 bytes along columnDim.
  bool isLdmatrix = false;
  unsigned rowDim = 0, columnDim = 1;
  /// Otherwise: lanes read the elements of a fragment of the buffer's shape.
  FragmentLayout elements;
  /// The buffer must have one of these layouts, the preferred first; empty when
  /// any serves. The pattern above then does not count.
  SmallVector<SharedLayout> oneOf = {};
};

/// An operand that has to be in registers.
struct FragmentDemand {
  OpOperand *operand;
  bool reads, writes;
};

/// A choice recorded in an attribute of the operation.
struct LayoutDecision {
  std::string attribute;
  Attribute value;
  std::string why;
  /// Faster choices that were not possible, each with the reason.
  SmallVector<std::string> refused;
};

/// One way to execute an operation: what it demands, and its cost in cycles
/// without the conversions that follow from it.
struct LayoutAlternative {
  SmallVector<ExactDemand, 1> exacts;
  SmallVector<SharedDemand, 1> shareds;
  LayoutDecision decision;
  double cost = 0;
};

/// The demands of one operation.
class LayoutConstraints {
public:
  LayoutConstraints(const TargetInfo &target, int64_t numThreads)
      : targetInfo(target), threads(numThreads) {}

  const TargetInfo &target() const { return targetInfo; }
  int64_t numThreads() const { return threads; }
  int64_t numWarps() const { return threads / kWarpSize; }

  void loop(LoopDemand demand) { loopDemand = std::move(demand); }
  void slice(OpOperand &source, OpOperand &target, unsigned dim, bool keepDim,
             bool readsTarget) {
    slices.push_back({&source, &target, dim, keepDim, readsTarget});
  }
  void needsFragment(OpOperand &operand, bool reads, bool writes) {
    fragments.push_back({&operand, reads, writes});
  }
  /// The cheapest first.
  void offer(LayoutAlternative alternative) {
    alternatives.push_back(std::move(alternative));
  }
  /// The operation cannot be laid out: what it states contradicts the target.
  void refuse(std::string reason) { refusal = std::move(reason); }

  std::optional<LoopDemand> loopDemand;
  SmallVector<SliceDemand, 1> slices;
  SmallVector<FragmentDemand, 2> fragments;
  std::vector<LayoutAlternative> alternatives;
  std::string refusal;

  /// The alternative in force, null when the operation offers none.
  const LayoutAlternative *selected() const {
    return alternatives.empty() ? nullptr : &alternatives[selection];
  }
  unsigned selection = 0;

private:
  const TargetInfo &targetInfo;
  int64_t threads;
};

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_IR_LAYOUTCONSTRAINTS_H
