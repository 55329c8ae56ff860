//===- FormCopies.cpp - parallel loops that only copy or add --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs before layouts. A loop that loads an element of global memory and stores
// it to shared memory, or the other way round, says what `tile.copy` says, but
// nothing behind this pass may move it: a copy runs ahead of its iteration, and
// goes by TMA or cp.async. Such loops become copies of regions, and where a
// buffer names the rows, gathers (FormGathers.cpp). Likewise a loop
// that combines a tile or a fragment with global memory, element by element and
// atomically, says what `tile.atomic` says, which TMA can do.
//
//===----------------------------------------------------------------------===//
#include "FormGathers.h"
#include "Phases.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "tile/Dialect/Tile/IR/LayoutConstraints.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_FORMCOPIESPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
/// What a loop does to one buffer, as a region: where it starts, and how far it
/// reaches along each dimension.
struct RegionOfLoop {
  Value buffer;
  OperandRange indices;
  SmallVector<int64_t> extents;
};

/// What an atomic update says of `tile.atomic`.
struct Combining {
  AtomicKind kind;
  bool isUnsigned = false;
};

/// A loop with one load, and one operation that writes what it loaded.
struct MoveLoop {
  memref::LoadOp load;
  Operation *write = nullptr;
  Value written, target;
  std::optional<OperandRange> indices;
  memref::AtomicRMWOp update; // null where the element is stored
};
} // namespace

/// `tile.atomic` has no maximum of floating point with the rules of arith's.
static std::optional<Combining> combiningOf(memref::AtomicRMWOp update) {
  switch (update.getKind()) {
  case arith::AtomicRMWKind::addf:
  case arith::AtomicRMWKind::addi:
    return Combining{AtomicKind::Add};
  case arith::AtomicRMWKind::maxs:
    return Combining{AtomicKind::Max};
  case arith::AtomicRMWKind::mins:
    return Combining{AtomicKind::Min};
  case arith::AtomicRMWKind::maxu:
    return Combining{AtomicKind::Max, /*isUnsigned=*/true};
  case arith::AtomicRMWKind::minu:
    return Combining{AtomicKind::Min, /*isUnsigned=*/true};
  default:
    return std::nullopt;
  }
}

/// Why `tile.atomic` does not say what an update of single elements says; empty
/// where it does.
static Reason whyNoAtomic(memref::AtomicRMWOp update) {
  std::optional<Combining> combining = combiningOf(update);
  if (!combining)
    return {"`tile.atomic` has no '" +
                arith::stringifyAtomicRMWKind(update.getKind()).str() + "'",
            "it has `add`, and `max` and `min` of integers"};
  if (!update.use_empty())
    return {"the value from before the update is used, which `tile.atomic` "
            "does not give",
            "an update whose result nothing uses can be part of one"};
  if (AtomicOp::combines(combining->kind, update.getType()))
    return {};
  std::string why;
  llvm::raw_string_ostream(why)
      << "`tile.atomic " << stringifyAtomicKind(combining->kind)
      << "` has no elements of type " << update.getType();
  return {why, "a buffer of 32-bit elements has them"};
}

/// Takes `op` as what the loop writes, if it is a store or an update.
static bool takeWrite(Operation &op, MoveLoop &loop) {
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    loop.written = store.getValueToStore();
    loop.target = store.getMemRef();
    loop.indices = store.getIndices();
  } else if (auto update = dyn_cast<memref::AtomicRMWOp>(op)) {
    loop.update = update;
    loop.written = update.getValue();
    loop.target = update.getMemref();
    loop.indices = update.getIndices();
  } else {
    return false;
  }
  loop.write = &op;
  return true;
}

/// The two accesses of a loop that does nothing else.
static std::optional<MoveLoop> moveOf(ParallelOp loop) {
  MoveLoop found;
  for (Operation &op : loop.getBodyRegion().front().without_terminator()) {
    if (auto load = dyn_cast<memref::LoadOp>(op); load && !found.load)
      found.load = load;
    else if (op.getNumRegions() || (!isMemoryEffectFree(&op) &&
                                    (found.write || !takeWrite(op, found))))
      return std::nullopt;
  }
  if (!found.load || !found.write || found.written != found.load.getResult())
    return std::nullopt;
  Value from = found.load.getMemRef();
  bool intoGlobal = isShared(from) && isGlobal(found.target);
  bool passes = found.update
                    ? intoGlobal || (isFragment(from) && isGlobal(found.target))
                    : intoGlobal || (isGlobal(from) && isShared(found.target));
  return passes ? std::optional(found) : std::nullopt;
}

/// The region that a loop reaches, where its indices run along dimensions of
/// the buffer, one each, in the loop's order; nothing otherwise.
static std::optional<RegionOfLoop> regionOf(ParallelOp loop, Value buffer,
                                            OperandRange indices) {
  ValueRange ivs = loop.getBodyRegion().getArguments();
  ArrayRef<int64_t> extents = loop.getExtents();
  RegionOfLoop region{buffer, indices, {}};
  unsigned next = 0; // the loop index that has to come now
  auto skipSingles = [&] {
    while (next < extents.size() && extents[next] == 1)
      ++next;
  };
  for (Value index : indices) {
    LoopIndex form = analyzeLoopIndex(index, ivs);
    if (form.isIrregular)
      return std::nullopt;
    skipSingles();
    std::optional<unsigned> along;
    for (auto [d, coefficient] : llvm::enumerate(form.coefficients)) {
      if (coefficient == 0 || extents[d] == 1)
        continue;
      if (coefficient != 1 || along || d != next)
        return std::nullopt;
      along = d;
    }
    region.extents.push_back(along ? extents[*along] : 1);
    next += along.has_value();
  }
  skipSingles();
  return next == extents.size() ? std::optional(region) : std::nullopt;
}

namespace {
/// The operands of a copy for one side: none where the region is the buffer.
struct SideOfCopy {
  SmallVector<Value> offsets;
  SmallVector<int64_t> extents;
};
} // namespace

/// Whether the extents of `region` are those of `other`, aligned at the last
/// dimension: a copy then says them once.
static bool isAlignedWith(const RegionOfLoop &region,
                          const RegionOfLoop &other) {
  auto own = ArrayRef(region.extents), others = ArrayRef(other.extents);
  size_t common = std::min(own.size(), others.size());
  auto areOnes = [](ArrayRef<int64_t> extents) {
    return llvm::all_of(extents, [](int64_t extent) { return extent == 1; });
  };
  return own.take_back(common) == others.take_back(common) &&
         areOnes(own.drop_back(common)) && areOnes(others.drop_back(common));
}

static SideOfCopy sideOf(const RegionOfLoop &region, const RegionOfLoop &other,
                         IRMapping &atStart) {
  SideOfCopy side{{}, region.extents};
  bool isWhole = cast<MemRefType>(region.buffer.getType()).getShape() ==
                     ArrayRef<int64_t>(region.extents) &&
                 isAlignedWith(region, other);
  for (Value index : region.indices) {
    side.offsets.push_back(atStart.lookupOrDefault(index));
    isWhole &= isConstantIntValue(side.offsets.back(), 0);
  }
  return isWhole ? SideOfCopy() : side;
}

namespace {
struct FormCopiesPass : tile::impl::FormCopiesPassBase<FormCopiesPass> {
  using FormCopiesPassBase::FormCopiesPassBase;

  void runOnOperation() override {
    if (failed(requireBefore(*this, getOperation(), {Need::Numbers})))
      return signalPassFailure();
    SmallVector<ParallelOp> loops;
    getOperation().walk([&](ParallelOp loop) { loops.push_back(loop); });
    for (ParallelOp loop : loops)
      form(loop);
  }

private:
  void form(ParallelOp loop) {
    std::optional<MoveLoop> accesses = moveOf(loop);
    if (!accesses)
      if (GatherOp gather = formGather(loop)) {
        remarkAt(remarks, gather) << "the loop is a gather of rows";
        ++formedGathers;
        loop.erase();
        return;
      }
    // A stated layout says which thread moves what.
    if (!accesses || loop.getLayout() ||
        llvm::is_contained(loop.getExtents(), 0))
      return;
    memref::AtomicRMWOp update = accesses->update;
    auto stays = [&](const Reason &reason) {
      missedAt(remarks, loop, "stays a loop", reason.why, reason.advice);
    };
    if (Reason why = update ? whyNoAtomic(update) : Reason(); !why.empty())
      return stays(why);
    if (update && loop.getCoalescedWidth())
      return stays(
          {"it states how many elements a thread takes at a time, which "
           "`tile.atomic` cannot say",
           "without `coalesced_width` it is one"});
    auto source =
        regionOf(loop, accesses->load.getMemRef(), accesses->load.getIndices());
    auto target = regionOf(loop, accesses->target, *accesses->indices);
    if (!source || !target)
      return stays({std::string("indices of ") +
                        (update ? "an atomic" : "a copy") +
                        " run along dimensions of both buffers, one each, in "
                        "one order",
                    "accesses like `A[%m + %i, %n + %j]` and `S[%i, %j]` do"});
    OpBuilder builder(loop);
    IRMapping atStart;
    Value zero = arith::ConstantIndexOp::create(builder, loop.getLoc(), 0);
    for (Value iv : loop.getBodyRegion().getArguments())
      atStart.map(iv, zero);
    for (Operation &op : loop.getBodyRegion().front().without_terminator())
      if (isMemoryEffectFree(&op)) {
        Operation *clone = builder.clone(op, atStart);
        SmallVector<OpFoldResult> folded;
        if (clone->getNumResults() == 1 && succeeded(clone->fold(folded)) &&
            folded.size() == 1)
          if (auto value = dyn_cast<Value>(folded.front())) {
            atStart.map(op.getResult(0), value);
            clone->erase();
          }
      }
    SideOfCopy from = sideOf(*source, *target, atStart),
               to = sideOf(*target, *source, atStart);
    if (update) {
      Combining combining = *combiningOf(update);
      auto atomic = AtomicOp::create(
          builder, loop.getLoc(), combining.kind, source->buffer, from.offsets,
          target->buffer, to.offsets, from.extents, to.extents);
      atomic.setIsUnsigned(combining.isUnsigned);
      remarkAt(remarks, atomic) << "the loop is an atomic of a region";
      ++formedAtomics;
    } else {
      auto copy =
          CopyOp::create(builder, loop.getLoc(), source->buffer, from.offsets,
                         target->buffer, to.offsets, from.extents, to.extents);
      MoveRequest asked;
      asked.coalescedWidth = loop.getCoalescedWidthAttr();
      copy.setAsked(asked);
      remarkAt(remarks, copy) << "the loop is a copy of a region";
      ++formedCopies;
    }
    loop.erase();
  }
};
} // namespace
