//===- SharedChoice.cpp - layouts of shared memory ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses among plain, swizzled and padded layouts the one with the fewest bank
// conflicts over all accesses of a buffer. All candidates keep 16 bytes of a
// row together, as cp.async and ldmatrix need.
//
//===----------------------------------------------------------------------===//
#include "Copy/TmaRules.h"
#include "LayoutSolver.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Layout/CheckedMath.h"
#include <functional>
#include <numeric>

using namespace mlir;
using namespace mlir::tile;

namespace {

constexpr int64_t kChunkBytes = 16;
/// Conflicts beyond this degree cost the readers of a tile more than a copy
/// that costs no thread anything saves.
constexpr int64_t kMaxDegreeByProxy = 2;

/// One access pattern: worst conflict degree in a layout, and how often.
struct AccessPattern {
  std::string name;
  double weight;
  std::function<int64_t(const SharedLayout &)> degree;
};

} // namespace

/// Copies between global memory and a buffer that the asynchronous proxy makes
/// if the buffer's layout lets it.
static std::vector<CopyFacts> copiesByProxy(Value buffer,
                                            const TargetInfo &target) {
  std::vector<CopyFacts> copies;
  if (!target.hasTma())
    return copies;
  auto answers = std::make_shared<CopyAnswers>();
  ArrayRef<int64_t> shape = cast<MemRefType>(buffer.getType()).getShape();
  unsigned bits = elementBitsOf(buffer);
  for (Operation *user : buffer.getUsers()) {
    auto copy = dyn_cast<TileMoveOpInterface>(user);
    if (!copy || !(isGlobal(copy.getSource()) || isGlobal(copy.getTarget())))
      continue;
    CopyFacts facts = CopyFacts::get(copy, answers);
    if (isMovedByProxy(facts, target, SharedLayout::rowMajor(shape, bits)) ||
        isMovedByProxy(facts, target,
                       SharedLayout::swizzled(shape, bits, /*panels=*/true)))
      copies.push_back(std::move(facts));
  }
  return copies;
}

/// Layouts to compare, the preferred first.
static std::vector<SharedLayout> candidates(ArrayRef<int64_t> shape,
                                            unsigned bits, bool isMatrixOperand,
                                            bool withPanels) {
  std::vector<SharedLayout> list;
  SharedLayout plain = SharedLayout::rowMajor(shape, bits);
  SharedLayout swizzled = SharedLayout::swizzled(shape, bits);
  if (isMatrixOperand)
    list = {swizzled, plain};
  else
    list = {plain, swizzled};
  if (withPanels)
    list.push_back(SharedLayout::swizzled(shape, bits, /*panels=*/true));
  int64_t rowBits = shape.empty() ? 0 : shape.back() * bits;
  if (shape.size() < 2 || rowBits % (kChunkBytes * 8) != 0)
    return list;
  int64_t rowBytes = rowBits / 8;
  if (isPowerOfTwo(rowBytes)) {
    // Larger chunks, and rows further apart: for lanes that read several
    // elements of a row, or every other row.
    int64_t rowBit = std::max<int64_t>(log2Floor(rowBytes), 7);
    for (unsigned base : {5u, 6u, 4u})
      for (unsigned width = std::min<int64_t>(7 - base, rowBit - base);
           width >= 1; --width)
        for (unsigned skip = 0; skip < 4; ++skip) {
          Swizzle swizzle{width, base, unsigned(rowBit + skip) - base};
          if (swizzle.shift >= swizzle.bits)
            list.push_back(SharedLayout(shape, bits, plain.modes(), swizzle));
        }
  }
  for (int64_t padBytes : {16, 32, 48, 64})
    list.push_back(
        SharedLayout::rowMajor(shape, bits, padBytes * 8 / int64_t(bits)));
  return list;
}

/// Worst degree of a loop's access. Registers that form a vector along the
/// buffer's contiguous dimension are one access.
static int64_t loopDegree(const SharedLayout &shared, const LoopAccess &access,
                          const FragmentLayout &loop, const MemoryWalk &walk) {
  // What is the same for all iterations (the counter of a loop inside of them)
  // moves all lanes alike. Of other parts nothing is known that a layout could
  // improve.
  if (llvm::any_of(access.indices, [](const LoopIndex &i) {
        return i.isIrregular && i.irregularIn.any();
      }))
    return 1;
  int64_t vector = 1;
  if (walk.contiguousDim)
    vector = std::gcd(loop.vectorWidth(*walk.contiguousDim),
                      kChunkBytes * 8 / int64_t(shared.elementBits()));
  constexpr int64_t kMaxAccesses = 64;
  int64_t registers = std::min(loop.numRegisters(), kMaxAccesses * vector);
  unsigned bytes = std::max<int64_t>(1, vector * shared.elementBits() / 8);
  int64_t worst = 1;
  for (int64_t warp = 0; warp < loop.size(Axis::Warp); ++warp)
    for (int64_t reg = 0; reg < registers; reg += vector) {
      SmallVector<int64_t, 32> addresses;
      for (int64_t lane = 0; lane < kWarpSize; ++lane) {
        SmallVector<int64_t> iv = loop.coordinates({reg, lane, warp, 0});
        SmallVector<int64_t> coords;
        bool inside = loop.inBounds(iv);
        for (auto [dim, index] : llvm::enumerate(access.indices)) {
          int64_t coord = index.evaluate(iv);
          inside &= coord >= 0 && coord < shared.shape()[dim];
          coords.push_back(coord);
        }
        addresses.push_back(inside ? shared.byteOffset(coords) : -1);
      }
      worst = std::max(worst, bankConflictDegree(addresses, bytes));
    }
  return worst;
}

static int64_t elementsDegree(const SharedLayout &shared,
                              const FragmentLayout &elements) {
  unsigned dim = shared.rank() - 1;
  return bankConflictDegree(elements, shared, dim,
                            widestVector(elements, shared, dim));
}

/// The pattern of an access of `through`, a view of the tile or the tile.
static std::function<int64_t(const SharedLayout &)>
seenThrough(Value through,
            std::function<int64_t(const SharedLayout &)> degree) {
  if (!getTileViewSource(through.getDefiningOp()))
    return degree;
  return [through, degree](const SharedLayout &layout) {
    return degree(*ViewedTiles::seenAs(layout, through));
  };
}

/// What operations do with a tile.
struct LayoutSolver::SharedUses {
  bool isMatrixOperand = false;
  /// The layout that an instruction demands.
  std::optional<SharedLayout> settled;
  std::vector<AccessPattern> patterns;
};

LayoutSolver::SharedUses LayoutSolver::usesOf(Value buffer) {
  SharedUses uses;
  for (OperationDemands &demands : operations) {
    const LayoutAlternative *selected = demands.constraints.selected();
    ArrayRef<SharedDemand> reads;
    if (selected)
      reads = selected->shareds;
    for (const SharedDemand &demand : reads) {
      if (getViewedTile(demand.buffer) != buffer)
        continue;
      if (!demand.oneOf.empty()) {
        // The instruction reads these without conflicts.
        auto found = settledShared.find(buffer);
        uses.settled =
            found == settledShared.end() ? demand.oneOf.front() : found->second;
        continue;
      }
      uses.isMatrixOperand = true;
      // Operands of gemms are read by every warp of a row or column.
      double weight = 4 * demands.frequency;
      if (demand.isLdmatrix)
        uses.patterns.push_back(
            {"ldmatrix", weight,
             seenThrough(demand.buffer, [&](const SharedLayout &l) {
               return ldmatrixConflictDegree(l, demand.rowDim,
                                             demand.columnDim);
             })});
      else
        uses.patterns.push_back(
            {"element reads of a gemm", weight,
             seenThrough(demand.buffer, [&](const SharedLayout &l) {
               return elementsDegree(l, demand.elements);
             })});
    }
    if (!demands.constraints.loopDemand)
      continue;
    for (const LoopAccess &access : demands.constraints.loopDemand->accesses) {
      if (getViewedTile(access.buffer()) != buffer)
        continue;
      const LoopDemand &loop = *demands.constraints.loopDemand;
      std::optional<MemoryWalk> walk = memoryWalk(loop, access);
      if (!walk)
        continue;
      const FragmentLayout &layout =
          result.loops.find(demands.op)->second.layout;
      uses.patterns.push_back(
          {describeOperation(demands.op), demands.frequency,
           seenThrough(access.buffer(),
                       [&access, &layout, walk = *walk](const SharedLayout &l) {
                         return loopDegree(l, access, layout, walk);
                       })});
    }
  }
  return uses;
}

SharedChoice LayoutSolver::chooseShared(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  unsigned bits = elementBitsOf(buffer);
  SharedUses uses = usesOf(buffer);
  SharedChoice best;
  double bestCost = 0;
  // Copies that cost no thread anything come first, then conflicts.
  std::vector<CopyFacts> copies = copiesByProxy(buffer, target);
  size_t bestCopies = 0;
  bool first = true;
  auto consider = [&](const SharedLayout &candidate, std::string how) {
    if (!viewed.fits(buffer, candidate))
      return false;
    SharedChoice choice{candidate, "", 1};
    double cost = 0;
    std::string worst;
    for (const AccessPattern &pattern : uses.patterns) {
      int64_t degree = pattern.degree(candidate);
      cost += pattern.weight * double(degree - 1);
      if (degree > choice.degree) {
        choice.degree = degree;
        worst = pattern.name;
      }
    }
    choice.why = std::move(how);
    if (uses.patterns.empty() && !uses.settled)
      choice.why = "nothing depends on it";
    else if (choice.degree == 1)
      choice.why += ", no bank conflicts";
    else
      choice.why += ", bank conflicts of degree " +
                    std::to_string(choice.degree) + " in " + worst;
    size_t byProxy = llvm::count_if(copies, [&](const CopyFacts &facts) {
      return choice.degree <= kMaxDegreeByProxy &&
             isMovedByProxy(facts, target, candidate);
    });
    if (first || byProxy > bestCopies ||
        (byProxy == bestCopies && cost < bestCost)) {
      best = std::move(choice);
      bestCost = cost;
      bestCopies = byProxy;
      first = false;
    }
    return cost == 0 && byProxy == copies.size();
  };

  if (SharedLayoutAttr stated = getSharedLayout(buffer)) {
    consider(stated.getLayout(), "stated by the user");
    return best;
  }
  if (uses.settled) {
    consider(*uses.settled,
             "in panels that matrix descriptors and TMA express");
    return best;
  }
  for (const SharedLayout &candidate :
       candidates(type.getShape(), bits, uses.isMatrixOperand,
                  !copies.empty() || viewed.hasColumns(buffer))) {
    bool padded = candidate.sizeInBytes() >
                  ceilDiv(type.getNumElements() * int64_t(bits), 8);
    std::string how = candidate.swizzle().bits ? "swizzled"
                      : padded                 ? "padded rows"
                                               : "row-major";
    // The list is in order of preference: the first without conflicts wins.
    if (consider(candidate, how))
      break;
  }
  return best;
}

void LayoutSolver::chooseShared() {
  for (auto &[buffer, choice] : result.shareds)
    if (!getTileViewSource(buffer.getDefiningOp()))
      choice = chooseShared(buffer);
  for (auto &[buffer, choice] : result.shareds)
    if (getTileViewSource(buffer.getDefiningOp()))
      choice = {*ViewedTiles::seenAs(
                    result.shareds.find(getViewedTile(buffer))->second.layout,
                    buffer),
                "that of what it is a view of"};
}
