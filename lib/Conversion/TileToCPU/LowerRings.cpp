//===- LowerRings.cpp - rings as buffers with a copy per stage ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A use of a ring is the copy `use mod stages` of its buffers. The protocol is
// kept by whoever runs the program, which is told of every acquire, commit,
// wait and release: it lets an agent wait, and reports uses out of order,
// deadlocks and reads of what is still under way. On request slots are
// overwritten when they are released.
//
//===----------------------------------------------------------------------===//
#include "RuntimeCalls.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

/// Bytes of one copy of a buffer, rounded up to the alignment of buffers.
static int64_t stageBytes(MemRefType type) {
  return llvm::alignTo(bufferBytes(type), kCpuAlignment);
}

/// The bit of the agent an operation belongs to: 0 the block, then the roles.
static uint64_t agentBit(Operation *op) {
  for (Region *region = op->getParentRegion(); region;
       region = region->getParentRegion())
    if (isa<WarpSpecializeOp>(region->getParentOp()))
      return uint64_t(2) << region->getRegionNumber();
  return 1;
}

namespace {
class RingLowering {
public:
  RingLowering(RingCreateOp ring, int64_t number,
               std::optional<unsigned> poison)
      : ring(ring), type(ring.getRing().getType()), number(number),
        poison(poison) {}

  LogicalResult lower();

private:
  LogicalResult replace(Operation *user);
  template <typename OpT> void replaceViews(OpT op);
  void create();
  Value constant(OpBuilder &b, Operation *op, int64_t value) {
    return indexConstant(b, op->getLoc(), value);
  }

  RingCreateOp ring;
  RingType type;
  int64_t number;
  std::optional<unsigned> poison;
  SmallVector<Value> copies; ///< all stages of each buffer, as bytes
  uint64_t producers = 0, consumers = 0;
};
} // namespace

/// Identity-layout memrefs into the copies.
template <typename OpT> void RingLowering::replaceViews(OpT op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value slot = arith::RemUIOp::create(builder, loc, op.getUse(),
                                      constant(builder, op, type.getStages()));
  for (auto [view, copy] : llvm::zip(op.getViews(), copies)) {
    auto viewType = cast<MemRefType>(view.getType());
    Value offset = arith::MulIOp::create(
        builder, loc, slot, constant(builder, op, stageBytes(viewType)));
    Value replacement = memref::ViewOp::create(builder, loc, viewType, copy,
                                               offset, ValueRange());
    view.replaceAllUsesWith(replacement);
  }
}

LogicalResult RingLowering::replace(Operation *user) {
  OpBuilder builder(user);
  RuntimeCalls runtime(user);
  Value id = constant(builder, user, number);
  if (auto acquire = dyn_cast<RingAcquireOp>(user)) {
    runtime.call(builder, "ring_acquire", {id, acquire.getUse()});
    replaceViews(acquire);
    producers |= agentBit(user);
  } else if (auto wait = dyn_cast<RingWaitOp>(user)) {
    Value inFlight = constant(
        builder, user, static_cast<int64_t>(wait.getInFlight().value_or(0)));
    if (!wait.getAgain())
      runtime.call(builder, "ring_wait", {id, wait.getUse(), inFlight});
    replaceViews(wait);
    consumers |= agentBit(user);
  } else if (auto commit = dyn_cast<RingCommitOp>(user)) {
    runtime.call(builder, "ring_commit", {id, commit.getUse()});
    producers |= agentBit(user);
  } else if (auto release = dyn_cast<RingReleaseOp>(user)) {
    // The tensor core empties the slot, once it has read it.
    if (type.usesMbarriers() && type.hasConsumer(RingConsumer::Tcgen05))
      runtime.call(builder, "await_gemms", {});
    runtime.call(builder, "ring_release", {id, release.getUse()});
    consumers |= agentBit(user);
  } else if (isa<RingDrainOp>(user)) {
    runtime.call(builder, "ring_drain", {id});
  } else {
    return user->emitOpError() << "expected a ring operation as user of "
                                  "`tile.ring.create`";
  }
  user->erase();
  return success();
}

void RingLowering::create() {
  OpBuilder builder(ring);
  RuntimeCalls runtime(ring);
  std::string name;
  llvm::raw_string_ostream(name) << "the ring at " << ring.getLoc();
  // CpuRingSignal of the runtime.
  int64_t signal = type.usesMbarriers()                          ? 2
                   : type.getProducer() == RingProducer::CpAsync ? 1
                                                                 : 0;
  auto bits = [&](uint64_t mask) {
    return constant(builder, ring, static_cast<int64_t>(mask));
  };
  runtime.call(builder, "ring_create",
               {constant(builder, ring, number),
                constant(builder, ring, type.getStages()), bits(producers),
                bits(consumers), constant(builder, ring, signal),
                runtime.message(builder, name)});
  if (!poison)
    return;
  for (auto [copy, buffer] : llvm::zip(copies, type.getBuffers())) {
    auto memref = cast<MemRefType>(buffer);
    Value slots = memref::ExtractAlignedPointerAsIndexOp::create(
        builder, ring.getLoc(), copy);
    runtime.call(builder, "ring_buffer",
                 {constant(builder, ring, number), slots,
                  constant(builder, ring, stageBytes(memref)),
                  constant(builder, ring, poisonByte(memref, *poison))});
  }
}

LogicalResult RingLowering::lower() {
  OpBuilder builder(ring);
  for (Type buffer : type.getBuffers())
    copies.push_back(
        allocateScratch(builder, ring,
                        MemRefType::get({type.getStages() *
                                         stageBytes(cast<MemRefType>(buffer))},
                                        builder.getI8Type())));
  for (Operation *user : llvm::make_early_inc_range(ring->getUsers()))
    if (failed(replace(user)))
      return failure();
  create();
  ring.erase();
  return success();
}

LogicalResult tile::lowerRings(func::FuncOp function,
                               std::optional<unsigned> poison) {
  SmallVector<RingCreateOp> rings;
  function.walk([&](RingCreateOp ring) { rings.push_back(ring); });
  for (auto [number, ring] : llvm::enumerate(rings))
    if (failed(
            RingLowering(ring, static_cast<int64_t>(number), poison).lower()))
      return failure();
  return success();
}
