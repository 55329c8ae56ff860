//===- ClusterExchange.cpp - pieces of an exchanged fragment --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fragment that is larger than the shared memory left is exchanged in pieces.
// A larger piece takes fewer rounds, and may leave room for fewer blocks on a
// multiprocessor.
//
//===----------------------------------------------------------------------===//
#include "ClusterExchange.h"
#include "Prepare/SharedLives.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// Rounds that are worth one more block on the multiprocessor, and blocks there
/// that are worth rounds.
static constexpr int64_t kMaxPieces = 4, kMaxRunning = 4;
/// Shared memory that every block takes besides its own.
static constexpr int64_t kReservedBytes = 1024;

static Type carrierOf(Type element) {
  MLIRContext *context = element.getContext();
  if (element.getIntOrFloatBitWidth() >= 32)
    return element;
  return isa<FloatType>(element) ? Type(Float32Type::get(context))
                                 : Type(IntegerType::get(context, 32));
}

ClusterExchange::ClusterExchange(ClusterReduceOp op, int64_t registers,
                                 int64_t threads)
    : carrier(carrierOf(
          cast<MemRefType>(op.getTarget().getType()).getElementType())),
      blocks(op.getBlocks()),
      registers(op.getParts() ? registers / blocks : registers),
      threads(threads), inParts(op.getParts().has_value()) {}

ClusterExchange::Shape ClusterExchange::shapeOf(int64_t count) const {
  int64_t width = 1;
  while (width * 2 * bytesOfElement() <= 16 && count % (width * 2) == 0 &&
         (inParts || count >= width * 2 * blocks))
    width *= 2;
  int64_t groupBytes = width * bytesOfElement() * threads;
  if (inParts)
    return {width, count / width * (blocks - 1), count / width, groupBytes};
  int64_t perBlock = llvm::divideCeil(count / width, blocks);
  return {width, perBlock * blocks, perBlock, groupBytes};
}

int64_t ClusterExchange::largestPiece(int64_t available) const {
  for (int64_t count = registers; count > 1; count = (count + 1) / 2)
    if (shapeOf(count).bytes() <= available)
      return count;
  return 1;
}

int64_t ClusterExchange::choosePiece(KernelOp kernel, const TargetInfo &target,
                                     int64_t used) const {
  int64_t limit = kernel.getPersistent().value_or(kMaxRunning);
  int64_t running =
      std::min<int64_t>(limit, target.sharedPerSm / (used + kReservedBytes));
  for (; running > 1; --running) {
    int64_t piece =
        largestPiece(target.sharedPerSm / running - kReservedBytes - used);
    if (llvm::divideCeil(registers, piece) <= kMaxPieces)
      return piece;
  }
  return largestPiece(target.sharedPerBlock - used);
}

RingCreateOp tile::nvvm::findIdleRing(ClusterReduceOp op,
                                      const SharedArena &arena) {
  RingCreateOp result;
  int64_t most = 0;
  for (auto [owner, offset] : arena.offsets) {
    auto ring = dyn_cast<RingCreateOp>(owner);
    if (!ring || !isIdleFrom(ring, op))
      continue;
    if (int64_t bytes = ringBytes(ring); bytes > most) {
      result = ring;
      most = bytes;
    }
  }
  return result;
}
