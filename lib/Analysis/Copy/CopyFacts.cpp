//===- CopyFacts.cpp - what decides how a copy is made --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Analysis/CopyFacts.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Analysis/Divisibility.h"
#include "tile/Analysis/TmaGeometry.h"
#include "tile/Dialect/Tile/IR/Addresses.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tile;

/// Nothing moves more than this many bytes per thread and instruction.
static constexpr int64_t kMaxBytes = 16;
/// The narrowest elements: two to a byte.
static constexpr int64_t kMaxElements = 2 * kMaxBytes;
/// What shared memory is aligned to, whatever its layout (SharedLayout.h).
static constexpr int64_t kSharedAlignment = 16;

/// Largest power of two that divides `value`, at most `cap` (a power of two).
static int64_t powerOfTwo(int64_t value, int64_t cap) {
  return value == 0 ? cap : std::min<int64_t>(cap, value & -value);
}

int64_t tile::alignedRun(const FragmentLayout &layout, unsigned dim) {
  FragmentLayout canonical = layout.canonicalized();
  const Modes &registers = canonical.modes(Axis::Register);
  if (registers.empty() || registers.front().dim != static_cast<int>(dim) ||
      registers.front().stride != 1)
    return 1;
  int64_t run = powerOfTwo(registers.front().extent, 64);
  for (unsigned axis = 0; axis < kNumAxes; ++axis)
    for (auto [i, mode] : llvm::enumerate(canonical.modes(Axis(axis))))
      if (mode.dim == static_cast<int>(dim) && (axis != 0 || i != 0))
        run = std::min(run, powerOfTwo(mode.stride, run));
  return run;
}

//===----------------------------------------------------------------------===//
// Sides
//===----------------------------------------------------------------------===//

static int64_t baseAlignment(const CopySide &side);

/// What holds of a side wherever its elements lie.
static CopySide startSide(Value buffer, SmallVector<int64_t> extents) {
  CopySide side;
  side.buffer = buffer;
  side.space = getMemorySpace(buffer);
  side.elementBits =
      getStorageBits(cast<MemRefType>(buffer.getType()).getElementType());
  side.extents = std::move(extents);
  side.name = describeBuffer(buffer);
  side.alignment = baseAlignment(side);
  return side;
}

static CopySide makeSide(Operation *op, Value buffer, OperandRange offsets,
                         SmallVector<int64_t> extents) {
  CopySide side = startSide(buffer, std::move(extents));
  for (auto [dim, extent] : llvm::enumerate(side.extents)) {
    side.offsets.push_back(offsets.empty() ? IndexFacts::constant(0)
                                           : getIndexFacts(offsets[dim], op));
    if (extent != 1)
      side.dimOfTile.push_back(dim);
    if (side.space != MemorySpace::Global)
      continue;
    IndexFacts size = getDimFacts(buffer, dim, op);
    const IndexFacts &offset = side.offsets.back();
    bool inside = offset.min && *offset.min >= 0 && offset.max && size.min &&
                  *offset.max <= *size.min - extent;
    side.mayOverhang |= !inside;
  }
  return side;
}

/// The global side of a move whose rows lie at places of their own. Nothing is
/// known of them, but that they start at whole elements.
static CopySide makeRowSide(TileMoveOpInterface op, Value buffer,
                            SmallVector<int64_t> extents) {
  CopySide side = startSide(buffer, std::move(extents));
  side.offsets.resize(side.extents.size());
  side.offsets.back() = getIndexFacts(op.getRowStart(), op);
  auto rank = static_cast<unsigned>(side.extents.size());
  side.dimOfTile = {rank - 2, rank - 1};
  side.mayOverhang = true;
  return side;
}

/// The matrix of such a move: its extents of one count, too.
static CopySide makeMatrixSide(Operation *op, Value buffer,
                               OperandRange offsets,
                               SmallVector<int64_t> extents) {
  CopySide side = makeSide(op, buffer, offsets, std::move(extents));
  side.dimOfTile = {0, 1};
  return side;
}

/// The buffer's first byte is at a multiple of this.
static int64_t baseAlignment(const CopySide &side) {
  if (side.space != MemorySpace::Global)
    return kSharedAlignment;
  return knownAlignment(side.buffer);
}

SharedLayout tile::sharedLayoutOf(const CopySide &side) {
  if (SharedLayoutAttr stated = getSharedLayout(side.buffer))
    return stated.getLayout();
  auto type = cast<MemRefType>(side.buffer.getType());
  return SharedLayout::rowMajor(type.getShape(), side.elementBits);
}

/// Dimension of the tile along which the side is contiguous in memory.
static std::optional<unsigned> contiguousTileDim(const CopySide &side,
                                                 Operation *user) {
  if (side.space == MemorySpace::Global) {
    SmallVector<IndexFacts> strides = getStrideFacts(side.buffer, user);
    for (unsigned t = side.dimOfTile.size(); t-- > 0;)
      if (strides[side.dimOfTile[t]].asConstant() == 1)
        return t;
    return std::nullopt;
  }
  SharedLayout layout = sharedLayoutOf(side);
  for (unsigned t = side.dimOfTile.size(); t-- > 0;)
    if (layout.contiguousElements(side.dimOfTile[t]) > 1)
      return t;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

namespace {
/// Collects what bounds the width of one side, in elements along one dimension.
class LimitFinder {
public:
  LimitFinder(CopyFacts &facts, const CopySide &side, unsigned tileDim)
      : facts(facts), side(side), dim(side.dimOfTile[tileDim]),
        cap(std::max<int64_t>(1, kMaxBytes * 8 / side.elementBits)) {}

  void run() {
    if (side.space == MemorySpace::Global)
      global();
    else if (side.space == MemorySpace::Shared)
      shared();
    else if (side.space != MemorySpace::Fragment)
      limit(1, {side.name + " is moved an element at a time"});
  }

private:
  /// States a limit when it is one.
  void limit(int64_t elements, const Reason &reason, bool ofRows = false) {
    if (elements < cap)
      facts.limits.push_back({std::max<int64_t>(elements, 1), reason,
                              /*fromMemory=*/true, ofRows});
  }
  std::string bytes(int64_t elements) const {
    return sizeText(elements * side.elementBits);
  }
  std::string dimension(unsigned d) const {
    return "dimension " + std::to_string(d) + " of " + side.name;
  }
  void global();
  void shared();

  CopyFacts &facts;
  const CopySide &side;
  unsigned dim;
  int64_t cap;
};
} // namespace

void LimitFinder::global() {
  SmallVector<IndexFacts> strides = getStrideFacts(side.buffer, facts.op);
  if (strides[dim].asConstant() != 1) {
    limit(1, {"consecutive elements of " + dimension(dim) +
              " are not known to be adjacent in memory"});
    return;
  }
  if (dim + 1 != side.extents.size()) {
    limit(1, {"runs are moved along the last dimension only, and " +
              dimension(dim) + " is not"});
    return;
  }
  int64_t base = side.alignment;
  limit(powerOfTwo(base, kMaxBytes) * 8 / side.elementBits,
        {side.name + " is aligned to " + plural(base, "byte") + " only",
         "`tile.alignment = 16` promises more"},
        /*ofRows=*/true);
  for (auto [d, extent] : llvm::enumerate(side.extents)) {
    const IndexFacts &offset = side.offsets[d];
    if (d == dim) {
      limit(powerOfTwo(offset.divisor, cap),
            {"the offset in " + dimension(d) +
                 " is known to be a multiple of " +
                 plural(offset.divisor, "element") + " only",
             kPromiseMore},
            /*ofRows=*/true);
      continue;
    }
    // Along a dimension of one element only offset * stride moves the address.
    bool moves = extent != 1;
    int64_t divisor =
        moves ? strides[d].divisor : (offset * strides[d]).divisor;
    int64_t width = powerOfTwo(divisor, cap);
    limit(width,
          {"the stride of " + dimension(d) + " is known to be a multiple of " +
               bytes(width) + " only",
           kPromiseMore},
          /*ofRows=*/true);
  }
}

void LimitFinder::shared() {
  SharedLayout layout = sharedLayoutOf(side);
  limit(powerOfTwo(layout.contiguousElements(dim), cap),
        {"the layout of " + side.name + " keeps " +
             plural(layout.contiguousElements(dim), "element") +
             " together along " + dimension(dim),
         kOtherLayout});
  limit(powerOfTwo(side.offsets[dim].divisor, cap),
        {"the offset in " + dimension(dim) + " is known to be a multiple of " +
             plural(side.offsets[dim].divisor, "element") + " only",
         kPromiseMore});
  // Every run starts at a multiple of its length only if the strides of the
  // other digits are multiples of it too (padding may break that).
  int64_t run = powerOfTwo(layout.contiguousElements(dim), cap);
  for (const Mode &mode : layout.modes())
    if (mode.stride != 1)
      run = std::min(run, powerOfTwo(mode.stride, run));
  limit(run, {"rows of the layout of " + side.name + " start at multiples of " +
                  bytes(run) + " only",
              kOtherLayout});
}

//===----------------------------------------------------------------------===//
// CopyFacts
//===----------------------------------------------------------------------===//

const CopySide &CopyFacts::countedSide() const {
  for (MemorySpace space : {MemorySpace::Global, MemorySpace::Shared})
    for (const CopySide *side : {&source, &target})
      if (side->space == space)
        return *side;
  return source;
}

int64_t CopyFacts::maxElements() const {
  int64_t width =
      std::max<int64_t>(1, kMaxBytes * 8 / countedSide().elementBits);
  for (const WidthLimit &limit : limits)
    width = std::min(width, limit.elements);
  return width;
}

/// The reason of the tightest limit below `elements` among those to heed.
static Reason tightest(ArrayRef<WidthLimit> limits, int64_t elements,
                       llvm::function_ref<bool(const WidthLimit &)> heed) {
  const WidthLimit *result = nullptr;
  for (const WidthLimit &limit : limits)
    if (limit.elements < elements && heed(limit) &&
        (!result || limit.elements < result->elements))
      result = &limit;
  return result ? result->reason : Reason();
}

Reason CopyFacts::whyNotWide(int64_t elements) const {
  return tightest(limits, elements, [](const WidthLimit &) { return true; });
}

Reason CopyFacts::whyNotWideRealigned(int64_t elements) const {
  return tightest(limits, elements,
                  [](const WidthLimit &limit) { return !limit.ofGlobalRows; });
}

bool CopyFacts::mayBePartial(int64_t elements) const {
  if (!vectorDim || elements == 1)
    return false;
  for (const CopySide *side : {&source, &target}) {
    if (side->space != MemorySpace::Global || !side->mayOverhang)
      continue;
    IndexFacts size =
        getDimFacts(side->buffer, side->dimOfTile[*vectorDim], op);
    if (!size.isMultipleOf(elements))
      return true;
  }
  return false;
}

/// True when overhanging elements become zero: no pad, or a zero.
static bool padsZero(Value pad) {
  return !pad || matchPattern(pad, m_Zero()) ||
         matchPattern(pad, m_PosZeroFloat());
}

CopyFacts CopyFacts::get(TileMoveOpInterface op,
                         std::shared_ptr<CopyAnswers> answers) {
  CopyFacts facts;
  facts.op = op;
  facts.answers = std::move(answers);
  bool isBox = op.getAddressing() == MoveAddressing::Box;
  auto side = [&](Value buffer, OperandRange offsets,
                  SmallVector<int64_t> extents) {
    if (isBox)
      return makeSide(op, buffer, offsets, std::move(extents));
    return isGlobal(buffer)
               ? makeRowSide(op, buffer, std::move(extents))
               : makeMatrixSide(op, buffer, offsets, std::move(extents));
  };
  facts.source =
      side(op.getSource(), op.getSourceOffsets(), op.getSourceExtents());
  facts.target =
      side(op.getTarget(), op.getTargetOffsets(), op.getTargetExtents());
  facts.tileShape = op.getTileShape();
  facts.converts =
      cast<MemRefType>(op.getSource().getType()).getElementType() !=
      cast<MemRefType>(op.getTarget().getType()).getElementType();
  facts.padsNonZero = !padsZero(op.getPad());
  facts.layout = op.getLayoutAttr();

  const CopySide &counted = facts.countedSide();
  if (counted.space == MemorySpace::Global ||
      counted.space == MemorySpace::Shared)
    facts.vectorDim = contiguousTileDim(counted, op);
  if (!facts.vectorDim) {
    facts.limits.push_back(
        {1, facts.tileShape.empty()
                ? Reason("a single element")
                : Reason(counted.name + " is not known to be contiguous along "
                                        "a dimension of the tile")});
    return facts;
  }
  unsigned dim = *facts.vectorDim;
  if (dim + 1 != facts.tileShape.size())
    facts.limits.push_back(
        {1,
         {"runs are moved along the tile's last dimension only, and " +
          counted.name + " is contiguous along dimension " +
          std::to_string(dim)}});
  int64_t extent = facts.tileShape[dim];
  facts.limits.push_back({powerOfTwo(extent, kMaxElements),
                          {"the tile has " + plural(extent, "element") +
                               " along dimension " + std::to_string(dim),
                           "a wider one has longer rows"}});
  if (auto width = op.getCoalescedWidth())
    facts.limits.push_back(
        {powerOfTwo(std::max<int64_t>(*width, 1), kMaxElements),
         {"`coalesced_width` asks for " + plural(*width, "element")}});
  for (const CopySide *side : {&facts.source, &facts.target})
    LimitFinder(facts, *side, dim).run();
  // The last: of equal limits the first is told, and the layout only follows
  // what the memory allows.
  if (facts.layout) {
    int64_t run = alignedRun(facts.layout.getLayout(), dim);
    facts.limits.push_back(
        {run,
         {"the loop layout gives a thread " +
              (run == 1 ? "single elements"
                        : "runs of " + std::to_string(run) + " elements") +
              " along dimension " + std::to_string(dim),
          run == 1 ? "`layout` or `coalesced_width` state others" : ""}});
  }
  return facts;
}
