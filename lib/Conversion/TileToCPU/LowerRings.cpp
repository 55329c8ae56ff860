//===- LowerRings.cpp - rings as buffers with a copy per stage ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On the CPU a block runs in order, so the full/empty protocol of a ring has
// nothing to wait for; what remains is which copy a use refers to. A schedule
// that reads a slot before it is filled, or fills it before it was read,
// computes wrong numbers here too.
//
//===----------------------------------------------------------------------===//
#include "TileToCPU.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

/// Bytes of one copy of a buffer, rounded up to the alignment of buffers. An
/// element takes whole bytes.
static int64_t stageBytes(MemRefType type) {
  Type element = type.getElementType();
  int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  return llvm::alignTo(type.getNumElements() * llvm::divideCeil(bits, 8),
                       kCpuAlignment);
}

/// The views of use `use`: identity-layout memrefs into the copies.
template <typename OpT>
static void replaceViews(OpT op, ArrayRef<Value> copies, int64_t stages) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value slot = arith::RemUIOp::create(builder, loc, op.getUse(),
                                      indexConstant(builder, loc, stages));
  for (auto [view, copy] : llvm::zip(op.getViews(), copies)) {
    auto type = cast<MemRefType>(view.getType());
    Value offset = arith::MulIOp::create(
        builder, loc, slot, indexConstant(builder, loc, stageBytes(type)));
    Value replacement =
        memref::ViewOp::create(builder, loc, type, copy, offset, ValueRange());
    view.replaceAllUsesWith(replacement);
  }
  op.erase();
}

LogicalResult tile::lowerRings(func::FuncOp function) {
  SmallVector<RingCreateOp> rings;
  function.walk([&](RingCreateOp ring) { rings.push_back(ring); });
  for (RingCreateOp ring : rings) {
    RingType type = ring.getRing().getType();
    OpBuilder builder(ring);
    SmallVector<Value> copies;
    for (Type buffer : type.getBuffers()) {
      auto memref = cast<MemRefType>(buffer);
      copies.push_back(allocateScratch(
          builder, ring,
          MemRefType::get({type.getStages() * stageBytes(memref)},
                          builder.getI8Type())));
    }
    for (Operation *user : llvm::make_early_inc_range(ring->getUsers())) {
      if (auto acquire = dyn_cast<RingAcquireOp>(user))
        replaceViews(acquire, copies, type.getStages());
      else if (auto wait = dyn_cast<RingWaitOp>(user))
        replaceViews(wait, copies, type.getStages());
      else if (isa<RingCommitOp, RingReleaseOp, RingDrainOp>(user))
        user->erase();
      else
        return user->emitOpError() << "expected a ring operation as user of "
                                      "`tile.ring.create`";
    }
    ring.erase();
  }
  return success();
}
