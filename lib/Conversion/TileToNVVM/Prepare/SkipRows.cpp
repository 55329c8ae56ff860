//===- SkipRows.cpp - warps skip what matters for others' rows ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tile.assume_rows` says for which rows of its tiles the rest of an iteration
// matters. Where these begin later with each iteration, a warpgroup leaves the
// loop once it has none of them any more, for one in which it does what all
// warps do: wait for slots of rings and release them. Elsewhere each part
// between two operations on rings goes under the condition that the warpgroup
// has such a row. Nothing of a part is seen by other warpgroups: it writes
// fragments whose rows are divided among them.
//
//===----------------------------------------------------------------------===//
#include "Scratch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "tile/Analysis/Reason.h"
#include "tile/Conversion/Passes.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/Placement.h"
#include "tile/Dialect/Tile/IR/TileBarrierOps.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_SKIPROWSPASS
#include "tile/Conversion/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

static constexpr int64_t kWarpsOfGroup = 4;

namespace {
/// Operations in a row that a group of warps may skip together.
struct Part {
  SmallVector<Operation *> ops;
};

/// One promise: the parts behind it, and why they cannot be skipped.
class Skipping {
public:
  explicit Skipping(AssumeRowsOp promise);

  /// Empty where the parts can be skipped.
  Reason whyNot();
  /// Ends the loop for a group that has no rows any more, and goes on with one
  /// of what all warps do. False, and nothing done, where the rows do not
  /// follow from the loop's index.
  bool divideLoop();
  /// Puts each part under its condition; how many there are.
  unsigned skip();

private:
  /// What all warps do, inside of a branch, too: copies for the next
  /// iterations.
  bool endsPart(Operation *op) const {
    return op
        ->walk([](Operation *inner) {
          return isa<TileRingOpInterface, BarrierOp, FenceOp, CommitCopiesOp>(
                     inner)
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }
  Reason whyNotSkip(Operation *op, const Part &part);
  Reason whyNotWritten(Value buffer);
  bool dividesRows(const FragmentLayout &layout, int64_t among) const;

  AssumeRowsOp promise;
  int64_t rows, groups, warps;
  SmallVector<Part> parts;
};
} // namespace

static bool isScalarWork(Operation *op) {
  return op->getNumRegions() == 0 && isPure(op);
}

Skipping::Skipping(AssumeRowsOp promise)
    : promise(promise), rows(promise.getRows()) {
  warps = getAgentThreads(promise) / 32;
  groups = warps / kWarpsOfGroup;
  Part open;
  auto close = [&] {
    // What a part ends with, and only computes numbers, is left where it is.
    while (!open.ops.empty() && isScalarWork(open.ops.back()))
      open.ops.pop_back();
    if (!open.ops.empty())
      parts.push_back(std::move(open));
    open = Part();
  };
  for (Operation *op = promise->getNextNode();
       op && !op->hasTrait<OpTrait::IsTerminator>(); op = op->getNextNode()) {
    if (endsPart(op))
      close();
    else if (!open.ops.empty() || !isScalarWork(op))
      open.ops.push_back(op);
  }
  close();
}

/// Whether as many groups of consecutive warps hold equally many rows each, in
/// order, and none of another group's.
bool Skipping::dividesRows(const FragmentLayout &layout, int64_t among) const {
  if (layout.rank() == 0 || layout.shape().front() != rows ||
      layout.size(Axis::Warp) != warps || rows % among != 0)
    return false;
  int64_t own = rows / among, reach = 0;
  for (Axis axis : {Axis::Register, Axis::Lane}) {
    int64_t most = 0;
    for (int64_t i = 0, e = layout.size(axis); i < e; ++i)
      most = std::max(most, layout.axisCoordinates(axis, i).front());
    reach += most;
  }
  for (int64_t warp = 0; warp < warps; ++warp) {
    int64_t first = layout.axisCoordinates(Axis::Warp, warp).front();
    if (first / own != warp * among / warps || first % own + reach >= own)
      return false;
  }
  return true;
}

Reason Skipping::whyNotWritten(Value buffer) {
  if (!isFragment(buffer))
    return "it writes memory that other warps read";
  FragmentLayoutAttr layout = getFragmentLayout(buffer);
  if (!layout || !dividesRows(layout.getLayout(), groups))
    return "it writes a fragment whose rows are not divided among the "
           "warpgroups in order";
  return {};
}

Reason Skipping::whyNotSkip(Operation *op, const Part &part) {
  // What depends on the number of the iteration may start what later ones go
  // on with.
  for (Value operand : op->getOperands())
    if (operand.getDefiningOp<IterationOp>())
      return "it asks for the number of the iteration";
  if (isScalarWork(op))
    return {};
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (branch.getNumResults() != 0)
      return "it has a branch with results";
    for (Region &region : branch->getRegions())
      for (Block &block : region)
        for (Operation &inner : block.without_terminator())
          if (Reason reason = whyNotSkip(&inner, part); !reason.empty())
            return reason;
    return {};
  }
  if (auto await = dyn_cast<AwaitOp>(op)) {
    for (Value token : await->getOperands())
      if (!llvm::is_contained(part.ops, token.getDefiningOp()))
        return "it awaits what was issued before";
    return {};
  }
  const MmaTraits *gemm = gemmTraits(op);
  if (gemm && !(gemm->isAsynchronous() && gemm->readsByDescriptor &&
                !gemm->usesTensorMemory))
    return "it multiplies by another instruction than wgmma";
  auto copy = dyn_cast<CopyOp>(op);
  bool isRenaming =
      copy && isFragment(copy.getSource()) && isFragment(copy.getTarget());
  auto convert = dyn_cast<ConvertLayoutOp>(op);
  isRenaming |= convert && nvvm::convertsWithinWarps(convert);
  if (!gemm && !isRenaming && !isa<ParallelOp, ReduceOp, FillOp>(op))
    return {"'" + op->getName().getStringRef().str() +
            "' may need other warps"};
  if (auto product = dyn_cast<GemmOp>(op); product && product.getAccumulate())
    return "a product clears its sums by the iteration's number";
  SmallVector<TileAccess> accesses;
  cast<TileOpInterface>(op).getAccesses(accesses);
  for (const TileAccess &access : accesses) {
    if (access.isWrite)
      if (Reason reason = whyNotWritten(access.buffer); !reason.empty())
        return reason;
    // Warps that share rows exchange what they have found.
    FragmentLayoutAttr layout = getFragmentLayout(access.buffer);
    if ((isRenaming || isa<ReduceOp>(op)) &&
        !(layout && dividesRows(layout.getLayout(), warps)))
      return isRenaming ? "a copy may need other warps"
                        : "a reduction needs other warps";
  }
  return {};
}

Reason Skipping::whyNot() {
  if (groups < 2 || warps % kWarpsOfGroup != 0)
    return "there is one warpgroup, which has all rows";
  if (rows % groups != 0)
    return "the warpgroups do not have equally many rows";
  if (parts.empty())
    return "nothing stands behind the promise";
  for (const Part &part : parts) {
    for (Operation *op : part.ops) {
      if (Reason reason = whyNotSkip(op, part); !reason.empty())
        return reason;
      for (Operation *user : op->getUsers())
        if (!isScalarWork(op) && llvm::none_of(part.ops, [&](Operation *other) {
              return other->isAncestor(user);
            }))
          return "what it issues is awaited behind it";
    }
  }
  return {};
}

/// Computes `value` at the start of its block, as far as numbers alone are
/// needed for it.
static void advance(Value value, Block *block) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != block || !isScalarWork(op))
    return;
  Operation *last = nullptr;
  for (Value operand : op->getOperands()) {
    advance(operand, block);
    Operation *definition = operand.getDefiningOp();
    if (definition && definition->getBlock() == block &&
        (!last || last->isBeforeInBlock(definition)))
      last = definition;
  }
  if (last)
    op->moveAfter(last);
  else
    op->moveBefore(block, block->begin());
}

unsigned Skipping::skip() {
  // Asked before the iteration waits for its slots, so that the answer is there
  // when they are.
  OpBuilder b(promise);
  Value any =
      AnyRowOp::create(b, promise.getLoc(), b.getI1Type(), promise.getFirst(),
                       promise.getEnd(), rows, groups);
  advance(any, promise->getBlock());
  for (const Part &part : parts) {
    // Numbers are computed in front of the part, by all warps.
    llvm::SmallPtrSet<Operation *, 16> inside;
    for (Operation *op : part.ops) {
      bool isMoved = !isScalarWork(op) ||
                     llvm::any_of(op->getOperands(), [&](Value operand) {
                       return inside.contains(operand.getDefiningOp());
                     });
      if (isMoved)
        inside.insert(op);
      else
        op->moveBefore(part.ops.front());
    }
    OpBuilder builder(part.ops.front());
    auto branch = scf::IfOp::create(builder, promise.getLoc(), any,
                                    /*withElse=*/false);
    for (Operation *op : part.ops)
      if (inside.contains(op))
        op->moveBefore(branch.thenYield());
  }
  return parts.size();
}

namespace {
/// scale * (the loop's index) + what is computed without it.
struct LinearIndex {
  int64_t scale = 0;
  Value rest; // null: 0
};
} // namespace

static bool isOutside(scf::ForOp loop, Value value) {
  return loop.isDefinedOutsideOfLoop(value);
}

/// `value` as such a sum; what has to be computed for it stands in front of the
/// loop then.
static std::optional<LinearIndex> linear(OpBuilder &b, scf::ForOp loop,
                                         Value value) {
  if (isOutside(loop, value))
    return LinearIndex{0, value};
  if (value == loop.getInductionVar())
    return LinearIndex{1, Value()};
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<LinearIndex> lhs = linear(b, loop, op->getOperand(0)),
                             rhs = linear(b, loop, op->getOperand(1));
  if (!lhs || !rhs)
    return std::nullopt;
  Location loc = op->getLoc();
  auto zero = [&] { return arith::ConstantIndexOp::create(b, loc, 0); };
  if (isa<arith::MulIOp>(op)) {
    if (rhs->scale != 0)
      std::swap(lhs, rhs);
    std::optional<int64_t> factor =
        rhs->rest ? getConstantIntValue(rhs->rest) : 0;
    if (rhs->scale != 0 || !factor)
      return std::nullopt;
    Value rest =
        lhs->rest ? Value(arith::MulIOp::create(b, loc, lhs->rest, rhs->rest))
                  : Value();
    return LinearIndex{lhs->scale * *factor, rest};
  }
  bool isSum = isa<arith::AddIOp>(op);
  Value rest = lhs->rest;
  if (rhs->rest && isSum)
    rest = rest ? arith::AddIOp::create(b, loc, rest, rhs->rest) : rhs->rest;
  else if (rhs->rest)
    rest = arith::SubIOp::create(b, loc, rest ? rest : zero(), rhs->rest);
  return LinearIndex{lhs->scale + (isSum ? rhs->scale : -rhs->scale), rest};
}

bool Skipping::divideLoop() {
  auto loop = dyn_cast<scf::ForOp>(promise->getParentOp());
  if (!loop || loop.getNumResults() != 0 ||
      getConstantIntValue(loop.getStep()) != 1)
    return false;
  // What stands in front of the promise is not skipped.
  for (Operation &op : *loop.getBody()) {
    if (&op == promise.getOperation())
      break;
    if (!isScalarWork(&op) && !endsPart(&op))
      return false;
  }
  OpBuilder b(loop);
  std::optional<LinearIndex> first = linear(b, loop, promise.getFirst()),
                             end = linear(b, loop, promise.getEnd());
  if (!first || !end || first->scale < 0 || end->scale != 0)
    return false;
  Location loc = promise.getLoc();
  auto valueOf = [&](const LinearIndex &index) {
    return index.rest ? index.rest
                      : Value(arith::ConstantIndexOp::create(b, loc, 0));
  };
  Value last = RowIterationsOp::create(
      b, loc, b.getIndexType(), valueOf(*first), first->scale, valueOf(*end),
      rows, groups, loop.getLowerBound(), loop.getUpperBound());
  b.setInsertionPointAfter(loop);
  IRMapping mapping;
  auto tail = cast<scf::ForOp>(b.clone(*loop, mapping));
  loop.getUpperBoundMutable().assign(last);
  tail.getLowerBoundMutable().assign(last);
  SmallVector<Operation *> skipped{mapping.lookup(promise.getOperation())};
  for (const Part &part : parts)
    for (Operation *op : part.ops)
      if (!isScalarWork(op))
        skipped.push_back(mapping.lookup(op));
  for (Operation *op : llvm::reverse(skipped))
    op->erase();
  return true;
}

namespace {
struct SkipRowsPass : tile::impl::SkipRowsPassBase<SkipRowsPass> {
  using SkipRowsPassBase::SkipRowsPassBase;

  void runOnOperation() override {
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      if (!kernel->hasAttr(kHasBarriersAttrName)) {
        kernel.emitOpError()
            << "expected its barriers: run --tile-insert-barriers";
        return signalPassFailure();
      }
      SmallVector<AssumeRowsOp> promises;
      kernel.walk([&](AssumeRowsOp promise) { promises.push_back(promise); });
      for (AssumeRowsOp promise : promises) {
        skip(promise);
        promise.erase();
      }
    }
  }

private:
  void skip(AssumeRowsOp promise) {
    Skipping skipping(promise);
    Reason why = skipping.whyNot();
    if (!why.empty()) {
      missedAt(remarks, promise, "no warps skip what is left of the iteration",
               why.why,
               why.adviceOr("tiles whose rows several warpgroups divide among "
                            "themselves, and products by wgmma, let them"));
      return;
    }
    if (skipping.divideLoop()) {
      ++dividedLoops;
      remarkAt(remarks, promise)
          << "a warpgroup leaves the loop once it has none of the rows any "
             "more, and only releases what the others go on with";
      return;
    }
    skippedParts += skipping.skip();
    remarkAt(remarks, promise)
        << "a warpgroup skips what is left of the iteration where it has none "
           "of the rows";
  }
};
} // namespace
