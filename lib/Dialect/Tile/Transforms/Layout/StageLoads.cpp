//===- StageLoads.cpp - fragments arrive through shared memory ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after layouts are inferred, before stores are staged and copies
// selected. What an epilogue reads into a fragment (a residual, a bias of every
// element) it would read in short pieces of many rows, and wait for. Through a
// tile in shared memory it arrives as whole rows by TMA, which a role that
// copies issues while the loop before still multiplies. Only where such a loop
// is: in shared memory that the kernel's own tiles leave, else piece by piece
// through a tile that the loop fills.
//
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "Staging.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "tile/Analysis/CopyRules.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_STAGELOADSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// The pipelined loop with a gemm that runs last before `op`, in its block:
/// what hides the trip. Null where there is none.
static PipelinedOp loopBefore(Operation *op) {
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode())
    if (auto loop = dyn_cast<PipelinedOp>(before))
      if (!loop.getBody().front().getOps<GemmOp>().empty())
        return loop;
  return {};
}

/// What the smallest tile takes that the kernel's stores could go through:
/// without it a store would be paid for with a load.
static int64_t bytesForStores(KernelOp kernel) {
  int64_t bytes = 0;
  kernel.getBodyRegion().walk([&](CopyOp copy) {
    if (!isFragment(copy.getSource()) || !isGlobal(copy.getTarget()))
      return;
    SmallVector<int64_t> shape = copy.getTileShape();
    if (shape.size() == 2)
      bytes += shape[0] * kPieceRowBytes;
  });
  return bytes;
}

namespace {
struct StageLoadsPass : tile::impl::StageLoadsPassBase<StageLoadsPass> {
  using StageLoadsPassBase::StageLoadsPassBase;

  void runOnOperation() override {
    if (failed(requireBefore(*this, getOperation(),
                             {Need::Numbers, Need::Layouts})))
      return signalPassFailure();
    if (getOperation().getOps<KernelOp>().empty())
      return;
    target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    // Where no role copies, the trip would be waited for.
    if (!target->hasTma() || !target->hasWgmma())
      return;
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      SmallVector<CopyOp> loads;
      kernel.getBodyRegion().walk([&](CopyOp copy) {
        if (isGlobal(copy.getSource()) && isFragment(copy.getTarget()))
          loads.push_back(copy);
      });
      // Without gemms there is no epilogue: nobody asks how it loads.
      bool hasGemm = kernel.walk([](GemmOp) { return WalkResult::interrupt(); })
                         .wasInterrupted();
      for (CopyOp copy : loads) {
        Reason why = stage(kernel, copy);
        if (hasGemm && !why.empty())
          missedAt(remarks, copy, "loaded directly", why.why,
                   why.adviceOr("what TMA loads can go through shared memory"));
      }
    }
  }

private:
  /// Why the copy stays as it is; empty where it has been replaced.
  Reason stage(KernelOp kernel, CopyOp copy);
  bool stageThroughLoop(CopyOp copy, FragmentLayoutAttr layout);

  const TargetInfo *target = nullptr;
};
} // namespace

/// Where no shared memory is left, columns of the tile pass one after the other
/// through a tile that the loop fills: the loop's ring goes on to be used
/// behind it (--tile-pipeline), so they are on their way before the loop has
/// ended.
bool StageLoadsPass::stageThroughLoop(CopyOp copy, FragmentLayoutAttr layout) {
  PipelinedOp loop = loopBefore(copy);
  auto type = cast<MemRefType>(copy.getTarget().getType());
  Type element = elementTypeOf(copy.getSource());
  auto byTma = [&](CopyOp candidate) {
    return whyNotTensorCopy(candidate, *target).empty();
  };
  if (loop.getStages() < 2 || type.getElementType() != element)
    return false;
  AllocOp widest;
  for (auto fill : loop.getBody().front().getOps<CopyOp>()) {
    AllocOp tile = allocationOf(fill.getTarget());
    if (!tile || !isShared(tile.getResult()) || !byTma(fill))
      continue;
    auto tileType = cast<MemRefType>(tile.getResult().getType());
    if (tileType.getRank() != 2 || tileType.getElementType() != element ||
        tileType.getDimSize(0) != type.getDimSize(0) ||
        type.getDimSize(1) % tileType.getDimSize(1) ||
        !restrictDim(layout.getLayout(), 1, tileType.getDimSize(1)) ||
        !llvm::all_of(tile->getUsers(), [&](Operation *user) {
          return loop->isProperAncestor(user);
        }))
      continue;
    if (!widest ||
        cast<MemRefType>(widest.getResult().getType()).getDimSize(1) <
            tileType.getDimSize(1))
      widest = tile;
  }
  if (!widest)
    return false;

  OpBuilder builder(copy);
  Location loc = copy.getLoc();
  auto tileType = cast<MemRefType>(widest.getResult().getType());
  int64_t columns = tileType.getDimSize(1);
  auto pieceLayout = FragmentLayoutAttr::get(
      &getContext(), *restrictDim(layout.getLayout(), 1, columns));
  auto pieceType =
      MemRefType::get(tileType.getShape(), element, MemRefLayoutAttrInterface(),
                      FragmentSpaceAttr::get(&getContext()));
  SmallVector<int64_t> extents = copy.getSourceExtents();
  unsigned along = columnDim(extents);
  extents[along] = columns;
  SmallVector<Value> offsets(copy.getSourceOffsets());
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  if (offsets.empty())
    offsets.assign(extents.size(), zero);
  for (int64_t column = 0; column < type.getDimSize(1); column += columns) {
    SmallVector<Value> from = offsets;
    Value distance = arith::ConstantIndexOp::create(builder, loc, column);
    if (column)
      from[along] = arith::AddIOp::create(builder, loc, from[along], distance);
    auto load = CopyOp::create(builder, loc, copy.getSource(), from, widest,
                               ValueRange(), extents);
    load.setEvictionPolicyAttr(copy.getEvictionPolicyAttr());
    if (!column && !byTma(load)) {
      load.erase();
      return false;
    }
    auto piece =
        AllocOp::create(builder, loc, pieceType, Attribute(pieceLayout));
    auto read =
        CopyOp::create(builder, loc, widest, ValueRange(), piece, ValueRange());
    read.setLayoutAttr(layoutOfCopy(pieceLayout));
    auto place =
        CopyOp::create(builder, loc, piece, ValueRange(), copy.getTarget(),
                       ValueRange{zero, distance}, {}, tileType.getShape());
    place.setLayoutAttr(layoutOfCopy(pieceLayout));
  }
  remarkAt(remarks, copy) << "loaded through the " << type.getDimSize(0)
                          << " x " << columns << " tile of the loop before, in "
                          << plural(type.getDimSize(1) / columns, "part");
  copy.erase();
  ++stagedLoads;
  return true;
}

Reason StageLoadsPass::stage(KernelOp kernel, CopyOp copy) {
  auto layout = getFragmentLayout(copy.getTarget());
  auto type = cast<MemRefType>(copy.getTarget().getType());
  Type element = elementTypeOf(copy.getSource());
  int64_t bits = getStorageBits(element);
  if (copy.getDisableTma() || copy.getPrefer() || copy.getPad())
    return {"the program states how to copy",
            "without `prefer`, `disable_tma` and a pad the compiler decides"};
  if (!layout || type.getRank() != 2 || !copy.getTargetOffsets().empty() ||
      copy.getTargetSizes())
    return {"the target is not a whole fragment of rank two",
            "a load of a matrix into a fragment of its shape can go through "
            "shared memory"};
  if (!kernel.getSpecialize().value_or(true))
    return {"no role copies while others multiply",
            "without `specialize = false` one can"};
  if (!loopBefore(copy))
    return {"no loop with a gemm runs before it to hide the way through "
            "shared memory",
            "a load behind such a `tile.pipelined` can go there"};
  if (bits < 8 || type.getNumElements() * bits / 8 < kSmallBytes)
    return {"the tile is small",
            "a tile of " + std::to_string(kSmallBytes) +
                " bytes or more can go through shared memory"};
  if (alignedRun(layout.getLayout(), 1) * bits >= kWideBits)
    return {"threads hold whole pieces of 16 bytes of its rows",
            "with another `layout(...)` of the fragment it can go through "
            "shared memory"};
  int64_t bytes = llvm::alignTo(type.getNumElements() * bits / 8, 1024);
  int64_t left = target->sharedPerBlock - tileBytes(kernel) - kSlackBytes -
                 bytesForStores(kernel);
  if (bytes > left && stageThroughLoop(copy, layout))
    return {};
  if (bytes > left)
    return {"it takes " + std::to_string(bytes) +
                " bytes of shared memory, of which " +
                std::to_string(std::max<int64_t>(0, left)) + " are left",
            "smaller tiles or fewer `stages(...)` leave more"};

  OpBuilder builder(&kernel.getBodyRegion().front(),
                    kernel.getBodyRegion().front().begin());
  Location loc = copy.getLoc();
  MLIRContext *context = &getContext();
  auto stagingType = MemRefType::get(
      type.getShape(), element, MemRefLayoutAttrInterface(),
      gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup));
  auto staging =
      AllocOp::create(builder, loc, stagingType,
                      Attribute(SharedLayoutAttr::get(
                          context, SharedLayout::swizzled(type.getShape(), bits,
                                                          /*panels=*/true))));
  builder.setInsertionPoint(copy);
  auto load =
      CopyOp::create(builder, loc, copy.getSource(), copy.getSourceOffsets(),
                     staging, ValueRange(), copy.getSourceExtents());
  load.setEvictionPolicyAttr(copy.getEvictionPolicyAttr());
  // The rules of copies say whether TMA can bring it there.
  Reason why = whyNotTensorCopy(load, *target);
  if (!why.empty()) {
    load.erase();
    staging.erase();
    return why;
  }
  auto read = CopyOp::create(builder, loc, staging, ValueRange(),
                             copy.getTarget(), ValueRange());
  read.setLayoutAttr(copy.getLayoutAttr());
  remarkAt(remarks, copy) << "loaded through " << bytes
                          << " bytes of shared memory";
  copy.erase();
  ++stagedLoads;
  return {};
}
