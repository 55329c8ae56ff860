//===- SplitLoop.cpp - a loop whose iterations blocks share ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by --tile-split-reduction and --tile-stream-reduction: whether blocks
// can share the iterations of a kernel's pipelined loop, because all that
// outlives an iteration is a sum (or a maximum, or a minimum) in fragments, and
// which part of the iterations a block does. What combines the parts is the
// passes' own.
//
//===----------------------------------------------------------------------===//
#include "SplitLoop.h"
#include "Dependents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Tokens.h"

using namespace mlir;
using namespace mlir::tile;

/// How `op` accumulates into `buffer`, where `tile.cluster_reduce` can combine
/// what blocks have accumulated so; nothing elsewhere.
static std::optional<ReduceKind> accumulation(Operation *op, Value buffer) {
  auto tileOp = dyn_cast<TileOpInterface>(op);
  if (!tileOp || getToken(op))
    return std::nullopt;
  std::optional<ReduceKind> kind = tileOp.getAccumulation(buffer);
  bool combines = kind == ReduceKind::Sum || kind == ReduceKind::Max ||
                  kind == ReduceKind::Min;
  return combines ? kind : std::nullopt;
}

/// Whether each iteration gives `buffer` its whole contents before it reads
/// them: an operation of the loop's own body writes it first, or copies that
/// fill it together do.
static bool startsFresh(Block &body, Value buffer) {
  SmallVector<TileMoveOpInterface> parts;
  if (isShared(buffer))
    parts = partsOf(buffer, body);
  for (Operation &op : body) {
    if (overwrites(&op, buffer))
      return true;
    if (llvm::is_contained(parts, &op)) {
      if (parts.back() == &op)
        return true;
      continue;
    }
    SmallVector<OpAccess> accesses;
    if (collectAccesses(&op, accesses))
      return false;
    if (llvm::any_of(accesses, [&](const OpAccess &own) {
          return getBaseBuffer(own.access.buffer) == buffer;
        }))
      return false;
  }
  return true;
}

/// Blocks that share a loop all run what precedes it.
static LogicalResult verifyNothingWritten(PipelinedOp loop) {
  for (Operation &op : *loop->getBlock()) {
    if (&op == loop)
      break;
    SmallVector<OpAccess> accesses;
    (void)collectAccesses(&op, accesses);
    for (const OpAccess &own : accesses)
      if (own.access.isWrite && isGlobal(own.access.buffer))
        return own.op->emitOpError()
               << "[split-4] expected no writes to global memory in front of a "
                  "split loop";
  }
  return success();
}

FailureOr<Accumulators> tile::findAccumulators(PipelinedOp loop) {
  if (failed(verifyNothingWritten(loop)))
    return failure();
  Block &body = loop.getBodyRegion().front();
  SmallVector<OpAccess> inside;
  auto unknown = [](Operation *op) -> LogicalResult {
    return op->emitOpError() << "[split-3] expected effects that are known in "
                                "and around a split loop";
  };
  if (Operation *op = collectAccesses(body, inside)) {
    (void)unknown(op);
    return failure();
  }
  Accumulators result;
  llvm::SmallSetVector<Value, 8> written;
  for (const OpAccess &own : inside) {
    if (!own.access.isWrite)
      continue;
    if (isGlobal(own.access.buffer)) {
      own.op->emitOpError() << "[split-4] expected no writes to global memory "
                               "in a split loop";
      return failure();
    }
    written.insert(getBaseBuffer(own.access.buffer));
  }
  auto isUsedOutside = [&](Value buffer) {
    return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
      return !loop->isProperAncestor(user) &&
             !(user->getBlock() == loop->getBlock() &&
               user->isBeforeInBlock(loop));
    });
  };
  for (Value buffer : written) {
    std::optional<ReduceKind> kind;
    Operation *other = nullptr;
    for (const OpAccess &own : inside) {
      if (getBaseBuffer(own.access.buffer) != buffer)
        continue;
      std::optional<ReduceKind> own_kind = accumulation(own.op, buffer);
      if (!own_kind || (kind && kind != own_kind))
        other = own.op;
      kind = kind ? kind : own_kind;
    }
    if (kind && !other && isFragment(buffer)) {
      result[buffer] = *kind;
      continue;
    }
    if (!isUsedOutside(buffer) && startsFresh(body, buffer))
      continue;
    (other ? other : loop.getOperation())->emitOpError()
        << "[split-3] expected " << describeBuffer(buffer)
        << " to be accumulated into by gemms or `tile.reduce ... accumulate` "
           "of one kind alone, since it outlives an iteration of a split loop";
    return failure();
  }
  if (result.empty()) {
    loop.emitOpError() << "[split-3] expected a loop that accumulates into "
                          "fragments";
    return failure();
  }
  return result;
}

void tile::narrow(PipelinedOp loop, Value firstPart, Value endPart,
                  int64_t parts) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value lower = loop.getLowerBound(), step = loop.getStep();
  Value length =
      builder.createOrFold<arith::SubIOp>(loc, loop.getUpperBound(), lower);
  Value trips = arith::CeilDivSIOp::create(builder, loc, length, step);
  trips = arith::MaxSIOp::create(builder, loc, trips, constant(0));
  auto bound = [&](Value number) -> Value {
    Value share = arith::MulIOp::create(builder, loc, number, trips);
    Value first = arith::DivUIOp::create(builder, loc, share, constant(parts));
    Value offset = arith::MulIOp::create(builder, loc, first, step);
    return builder.createOrFold<arith::AddIOp>(loc, offset, lower);
  };
  Value first = bound(firstPart);
  Value end = bound(endPart);
  loop.getLowerBoundMutable().assign(first);
  loop.getUpperBoundMutable().assign(end);
}

/// Whether `buffer` is known to be zero where `loop` begins: what writes it
/// last fills all of it with zero, whatever conditions hold.
static bool isZeroBefore(PipelinedOp loop, Value buffer) {
  Operation *reached = loop;
  while (reached && !isa<KernelOp>(reached)) {
    for (Operation *before = reached->getPrevNode(); before;
         before = before->getPrevNode()) {
      if (!mayWrite(before, buffer))
        continue;
      auto tileOp = dyn_cast<TileOpInterface>(before);
      Value fill = tileOp ? tileOp.getFillValue() : Value();
      return fill && overwrites(before, buffer) &&
             (matchPattern(fill, m_AnyZeroFloat()) ||
              matchPattern(fill, m_Zero()));
    }
    reached = reached->getParentOp();
    // What a round leaves, the next one finds.
    if (isa_and_nonnull<LoopLikeOpInterface>(reached) &&
        mayWrite(reached, buffer))
      return false;
  }
  return false;
}

void tile::clearOthers(PipelinedOp loop, Value buffer, Value isLast) {
  if (isZeroBefore(loop, buffer))
    return;
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Type element = elementTypeOf(buffer);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
  auto others =
      scf::IfOp::create(builder, loc, isLast, /*withElseRegion=*/true);
  builder.setInsertionPointToStart(others.elseBlock());
  FillOp::create(builder, loc, buffer, ValueRange(), zero, DenseI64ArrayAttr(),
                 FragmentLayoutAttr());
}

void tile::guardRest(Operation *after, Value isLast) {
  Block *block = after->getBlock();
  SmallVector<Operation *> inside =
      collectDependents(std::next(after->getIterator()), block, isPreparation);
  if (inside.empty())
    return;
  OpBuilder builder(block->getTerminator());
  auto guard = scf::IfOp::create(builder, after->getLoc(), isLast,
                                 /*withElseRegion=*/false);
  for (Operation *op : inside)
    op->moveBefore(guard.thenBlock()->getTerminator());
}
