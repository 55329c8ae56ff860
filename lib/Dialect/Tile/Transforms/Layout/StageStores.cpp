//===- StageStores.cpp - fragments leave through shared memory ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after layouts are inferred, before copies are selected. A fragment's
// rows are spread over a warp; stored directly each warp writes short pieces of
// many rows, and atomics go an element at a time. Through a tile in shared
// memory they leave as whole rows by TMA, which no thread waits for. The tile
// takes what shared memory the kernel leaves, in as many pieces as that needs;
// where no piece fits, the bytes of slots that nobody needs any more.
//
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "Staging.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "tile/Analysis/CopyRules.h"
#include "tile/Analysis/RegisterPressure.h"
#include "tile/Analysis/WarpRoles.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "tile/Layout/WarpgroupParts.h"
#include "tile/Target/ThreadBudget.h"

namespace mlir::tile {
#define GEN_PASS_DEF_STAGESTORESPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
struct StageStoresPass : tile::impl::StageStoresPassBase<StageStoresPass> {
  using StageStoresPassBase::StageStoresPassBase;

  void runOnOperation() override {
    if (failed(requireBefore(*this, getOperation(),
                             {Need::Numbers, Need::Layouts})))
      return signalPassFailure();
    if (getOperation().getOps<KernelOp>().empty())
      return;
    target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    if (!target->hasTma())
      return;
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      SmallVector<TileMoveOpInterface> stores;
      kernel.getBodyRegion().walk([&](TileMoveOpInterface move) {
        if (isFragment(move.getSource()) && isGlobal(move.getTarget()) &&
            move.getAddressing() == MoveAddressing::Box)
          stores.push_back(move);
      });
      for (TileMoveOpInterface move : stores)
        stage(kernel, move);
    }
  }

private:
  /// The tile that a store of a whole fragment goes through, or why not.
  FailureOr<FragmentLayout> choosePiece(KernelOp kernel,
                                        TileMoveOpInterface copy, Reason &why);
  void stage(KernelOp kernel, TileMoveOpInterface copy);

  const TargetInfo *target = nullptr;
};
} // namespace

FailureOr<FragmentLayout> StageStoresPass::choosePiece(KernelOp kernel,
                                                       TileMoveOpInterface copy,
                                                       Reason &why) {
  FailureOr<StoredTile> tile = storedTile(copy, why);
  if (failed(tile))
    return failure();
  auto layout = getFragmentLayout(copy.getSource());
  if (!layout) {
    why = {"its fragment has no layout", "`--tile-infer-layouts` chooses one"};
    return failure();
  }
  // Lanes that each have a row of their own would store far apart.
  bool lanesShareRows =
      llvm::any_of(layout.getLayout().modes(Axis::Lane), [](const Mode &mode) {
        return mode.dim == 1 && mode.extent > 1;
      });
  if (!copy.getCombining() && lanesShareRows &&
      alignedRun(layout.getLayout(), 1) * tile->bits >= kWideBits) {
    why = {
        "threads hold whole pieces of 16 bytes of its rows",
        "with another `layout(...)` of the fragment it can go through shared "
        "memory"};
    return failure();
  }
  int64_t fitting = fittingTileBytes(kernel, *target);
  SharedRoom room{fitting + kSlackBytes};
  if (mayLeaveThroughSlots(*target))
    room.idle = idleBytes(copy, fitting);
  int64_t blocks = target->sharedPerSm / room.used;
  // What is stored is alive with what it was computed from. Accumulators in
  // tensor memory come to registers a piece at a time.
  if (!target->hasTcgen05()) {
    int64_t registers =
        registersOf(layout.getLayout(), elementTypeOf(copy.getSource())) +
        kRegistersBesideFragments;
    bool mayHaveRoles =
        whyNoRoles(*target, kernel.getThreads(), /*isAskedFor=*/false).empty();
    blocks =
        std::min(blocks, ThreadBudget(*target).blocks(
                             registers, kernel.getThreads(), mayHaveRoles));
  }
  auto layoutOf = [&](unsigned dim, int64_t extent) {
    return restrictDim(layout.getLayout(), dim, extent);
  };
  std::optional<StoredPiece> piece = storedPiece(
      *tile, room, blocks, *target, [&](unsigned dim, int64_t extent) {
        return layoutOf(dim, extent).has_value();
      });
  if (piece)
    return *layoutOf(piece->dim, piece->extent);
  why = {"no piece of it fits the shared memory that is left, " +
             plural(std::max<int64_t>(0, target->sharedPerBlock - room.used),
                    "byte"),
         "smaller tiles or fewer `stages(...)` leave more"};
  return failure();
}

/// What `move` does with its target, out of the tile `staging`.
static TileMoveOpInterface moveFrom(OpBuilder &builder, Value staging,
                                    TileMoveOpInterface move, ValueRange at,
                                    ArrayRef<int64_t> extents) {
  auto result = cast<TileMoveOpInterface>(builder.clone(*move));
  result.setRegions(staging, {}, {}, move.getTarget(), at, extents);
  result.dropPad(); // a tile overhangs nothing
  MoveRequest asked;
  if (move.getCombining())
    asked.prefer = move.getPreferAttr();
  asked.evictionPolicy = move.getEvictionPolicyAttr();
  result.setAsked(asked);
  result.setDecided(MoveDecision());
  return result;
}

/// The part of the fragment from `row` and `column` on, in a fragment of its
/// own.
static Value convertPiece(OpBuilder &builder, TileMoveOpInterface move,
                          MemRefType type, FragmentLayoutAttr layout,
                          int64_t row, int64_t column) {
  Location loc = move.getLoc();
  auto converted = AllocOp::create(builder, loc, type, Attribute(layout));
  SmallVector<Value> from;
  ArrayRef<int64_t> sizes;
  auto sourceType = cast<MemRefType>(move.getSource().getType());
  if (type.getShape() != sourceType.getShape()) {
    from = {arith::ConstantIndexOp::create(builder, loc, row),
            arith::ConstantIndexOp::create(builder, loc, column)};
    sizes = type.getShape();
  }
  auto convert = CopyOp::create(builder, loc, move.getSource(), from, converted,
                                ValueRange(), sizes);
  convert.setLayoutAttr(layoutOfCopy(layout));
  return converted;
}

void StageStoresPass::stage(KernelOp kernel, TileMoveOpInterface copy) {
  bool combines = copy.getCombining().has_value();
  auto staysDirect = [&](const Reason &why) {
    missedAt(remarks, copy, combines ? "added directly" : "stored directly",
             why.why,
             why.adviceOr("what TMA stores can go through shared memory"));
  };
  Reason why;
  FailureOr<FragmentLayout> part = choosePiece(kernel, copy, why);
  if (failed(part))
    return staysDirect(why);
  OpBuilder builder(copy);
  Location loc = copy.getLoc();
  MLIRContext *context = &getContext();
  auto sourceType = cast<MemRefType>(copy.getSource().getType());
  Type element = elementTypeOf(copy.getTarget());
  int64_t rows = part->shape()[0], columns = part->shape()[1];
  auto pieceLayout = FragmentLayoutAttr::get(context, *part);

  builder.setInsertionPointToStart(&kernel.getBodyRegion().front());
  auto stagingType = MemRefType::get(
      {rows, columns}, element, MemRefLayoutAttrInterface(),
      gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup));
  // Warpgroups that have columns of their own store these themselves.
  SmallVector<int64_t> parts = warpgroupParts(*part);
  auto stagingLayout = SharedLayoutAttr::get(
      context, SharedLayout::inBoxes({rows, columns}, getStorageBits(element),
                                     parts.empty() ? 1 : parts[1]));
  auto staging =
      AllocOp::create(builder, loc, stagingType, Attribute(stagingLayout));
  builder.setInsertionPoint(copy);
  int64_t rank = cast<MemRefType>(copy.getTarget().getType()).getRank();
  SmallVector<int64_t> targetExtents = copy.getTargetExtents();
  unsigned across = columnDim(targetExtents);
  unsigned down = rowDim(targetExtents);
  SmallVector<Value> offsets(copy.getTargetOffsets());
  if (offsets.empty())
    offsets.assign(rank, arith::ConstantIndexOp::create(builder, loc, 0));
  targetExtents[down] = rows;
  targetExtents[across] = columns;
  auto store = [&](int64_t row, int64_t column) {
    SmallVector<Value> at = offsets;
    for (auto [dim, distance] : {std::pair(down, row), {across, column}})
      if (distance)
        at[dim] = arith::AddIOp::create(
            builder, loc, at[dim],
            arith::ConstantIndexOp::create(builder, loc, distance));
    return moveFrom(builder, staging, copy, at, targetExtents);
  };
  // The rules of copies say whether TMA can take it from there.
  TileMoveOpInterface probe = store(0, 0);
  why = whyNotTensorCopy(probe, *target);
  probe->erase();
  if (!why.empty()) {
    staging.erase();
    // Of what leaves registers nobody can ask that.
    if (why.advice == kAskForTma)
      why.advice = "a copy to shared memory, and one from there with `prefer`, "
                   "take TMA";
    return staysDirect(why);
  }

  auto fragmentType =
      MemRefType::get({rows, columns}, element, MemRefLayoutAttrInterface(),
                      FragmentSpaceAttr::get(context));
  bool isWhole = fragmentType.getShape() == sourceType.getShape();
  for (int64_t row = 0; row < sourceType.getDimSize(0); row += rows)
    for (int64_t column = 0; column < sourceType.getDimSize(1);
         column += columns) {
      // A whole fragment of the target's type is what is written.
      Value piece = copy.getSource();
      if (!combines || !isWhole)
        piece =
            convertPiece(builder, copy, fragmentType, pieceLayout, row, column);
      auto write = CopyOp::create(builder, loc, piece, ValueRange(), staging,
                                  ValueRange());
      write.setLayoutAttr(layoutOfCopy(pieceLayout));
      store(row, column);
    }
  remarkAt(remarks, copy)
      << (combines ? "added" : "stored") << " through " << rows << " x "
      << columns << " elements of shared memory, in "
      << plural(sourceType.getNumElements() / (rows * columns), "part")
      << "; `disable_tma` on the operation has registers go there directly";
  copy->erase();
  ++stagedStores;
}
