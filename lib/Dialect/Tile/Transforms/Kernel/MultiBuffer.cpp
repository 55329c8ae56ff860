//===- MultiBuffer.cpp - stages of loops whose warps wait by hand ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `stages` of a loop whose warps wait for each other at barriers of the program
// (`tile.on_warps`): one tile and one barrier of the program become one for
// each stage. The program stays its own schedule; it is the same in each slot,
// S iterations apart.
//
//===----------------------------------------------------------------------===//
#include "MultiBuffer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/Surroundings.h"
#include "tile/Target/TargetInfo.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// The lowest bit of a number of iteration i: that of `factor * i + constant`.
struct LowBit {
  bool factor = false, constant = false;
};

class MultiBufferer {
public:
  explicit MultiBufferer(PipelinedOp loop) : loop(loop) {}
  Reason run();
  int64_t getStages() const { return stages; }

private:
  Reason collect();
  Reason visit(Operation *op, int64_t threads);
  Reason visitBarrierUse(TileMbarrierUseOpInterface use, int64_t threads);
  Reason visitAccesses(Operation *op);
  Reason checkUses();
  Reason fit();
  Reason checkRuns();
  std::optional<LowBit> lowBit(Value value);
  void rewrite();
  void rewriteTile(AllocOp alloc, Value slot);
  void rewriteBarriers(MbarrierCreateOp create, Value slot, Value use);

  PipelinedOp loop;
  int64_t stages = 1;
  llvm::SetVector<AllocOp> tiles;
  llvm::SetVector<MbarrierCreateOp> barriers;
  /// Arrivals of an iteration, by barrier.
  llvm::DenseMap<std::pair<Operation *, int64_t>, int64_t> arrivals;
};
} // namespace

static constexpr const char *kPlain =
    "a tile and a barrier for each stage, chosen by the loop's index, let the "
    "program run ahead";

/// Whether `op` is in the loop's block, or in the block of a `tile.on_warps`
/// there: each iteration runs it once.
static bool runsOnce(Operation *op, PipelinedOp loop) {
  Operation *parent = op->getParentOp();
  if (asPartOfWarps(parent))
    parent = parent->getParentOp();
  return parent == loop.getOperation();
}

/// The barriers of the program that `use` names; null where it uses none.
static MbarrierCreateOp barriersOf(TileMbarrierUseOpInterface use) {
  Value barriers = use.getMbarriers();
  return barriers ? barriers.getDefiningOp<MbarrierCreateOp>()
                  : MbarrierCreateOp();
}

/// Whether `op` arrives or waits at a barrier of the program.
static bool synchronizes(Operation *op) {
  auto use = dyn_cast<TileMbarrierUseOpInterface>(op);
  return use && (use.arrives() || use.getAwaitedParity());
}

static std::string nameOf(Operation *op) {
  return "'" + op->getName().getStringRef().str() + "'";
}

//===----------------------------------------------------------------------===//
// What the loop does
//===----------------------------------------------------------------------===//

std::optional<LowBit> MultiBufferer::lowBit(Value value) {
  if (value == loop.getInductionVariable())
    return LowBit{true, false};
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return LowBit{false, constant[0]};
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtUIOp,
          arith::ExtSIOp, arith::TruncIOp>(op))
    return lowBit(op->getOperand(0));
  if (op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<LowBit> a = lowBit(op->getOperand(0)),
                        b = lowBit(op->getOperand(1));
  if (!a || !b)
    return std::nullopt;
  if (isa<arith::AddIOp, arith::SubIOp, arith::XOrIOp>(op))
    return LowBit{a->factor != b->factor, a->constant != b->constant};
  // An even divisor, and a mask with the lowest bit, leave that bit as it is.
  bool keeps = isa<arith::RemUIOp, arith::RemSIOp>(op)
                   ? !b->factor && !b->constant
                   : isa<arith::AndIOp>(op) && !b->factor && b->constant;
  return keeps ? a : std::nullopt;
}

Reason MultiBufferer::visitBarrierUse(TileMbarrierUseOpInterface use,
                                      int64_t threads) {
  MbarrierCreateOp create = barriersOf(use);
  if (!create || create.getCluster())
    return "the barriers of a cluster are used";
  if (!runsOnce(use, loop))
    return nameOf(use) + " stands in control flow of its own";
  barriers.insert(create);
  APInt number;
  if (!matchPattern(use.getMbarrierIndexMutable().get(),
                    m_ConstantInt(&number)))
    return "the program chooses among several barriers itself";
  if (OpOperand *parity = use.getAwaitedParity()) {
    std::optional<LowBit> bit = lowBit(parity->get());
    if (!bit || !bit->factor)
      return "a wait has another parity than that of the iteration's number "
             "plus a constant";
    return {};
  }
  if (use.getMbarrierBlock())
    return "threads arrive at the barrier of another block";
  arrivals[{create, number.getSExtValue()}] += threads;
  return {};
}

Reason MultiBufferer::visitAccesses(Operation *op) {
  SmallVector<OpAccess> accesses;
  if (Operation *unknown = collectAccesses(op, accesses))
    return "nothing is known of what " + nameOf(unknown) + " touches";
  for (const OpAccess &own : accesses) {
    Value buffer = getBaseBuffer(own.access.buffer);
    if (isGlobal(buffer)) {
      if (own.access.isWrite)
        return nameOf(own.op) + " writes global memory, and the barriers may "
                                "order that";
      continue;
    }
    if (!isShared(buffer))
      continue;
    AllocOp alloc = allocationOf(buffer);
    if (!alloc)
      return nameOf(own.op) + " works in shared memory of another operation";
    if (tiles.contains(alloc))
      continue;
    if (own.op != op || !runsOnce(op, loop) ||
        !overwrites(op, alloc.getResult()))
      return {"a tile is not overwritten as a whole before anything else of an "
              "iteration uses it"};
    if (alloc.getLayoutAttr())
      return "the layout of a tile is stated";
    tiles.insert(alloc);
  }
  return {};
}

Reason MultiBufferer::visit(Operation *op, int64_t threads) {
  if (OnWarpsOp part = asPartOfWarps(op)) {
    for (Operation &inner : part.getBody().front())
      if (Reason reason = visit(&inner, 32 * int64_t(part.getCount()));
          !reason.empty())
        return reason;
    return {};
  }
  auto use = dyn_cast<TileMbarrierUseOpInterface>(op);
  if (synchronizes(op))
    return visitBarrierUse(use, threads);
  // Barriers inside of loops and branches.
  Reason reason;
  op->walk([&](Operation *inner) {
    if (reason.empty() && inner != op &&
        (synchronizes(inner) || asPartOfWarps(inner)))
      reason = nameOf(inner) + " stands in control flow of its own";
  });
  if (!reason.empty() || op->hasTrait<OpTrait::IsTerminator>() || isPure(op))
    return reason;
  if (MbarrierCreateOp create = use ? barriersOf(use) : MbarrierCreateOp())
    barriers.insert(create);
  return visitAccesses(op);
}

/// Slots are for what the loop alone uses, in the iteration's own order.
Reason MultiBufferer::checkUses() {
  for (AllocOp tile : tiles)
    for (Operation *user : tile->getUsers()) {
      if (!loop->isProperAncestor(user))
        return "a tile is used outside of the loop, too";
      // A slot is a part of a larger tile, of which views would be others.
      if (isa<ViewLikeOpInterface>(user))
        return "a tile has a view";
    }
  for (MbarrierCreateOp create : barriers) {
    constexpr int64_t kMostBarriers = 1024;
    if (create.getBarriers().getType().getCount() * stages > kMostBarriers)
      return "a barrier for each stage is more than 1,024 of them";
    for (Operation *user : create->getUsers()) {
      if (!loop->isProperAncestor(user))
        return "a barrier is used outside of the loop, too";
      auto use = dyn_cast<TileMbarrierUseOpInterface>(user);
      if (!use ||
          !getConstantIntValue(use.getMbarrierIndexMutable().get()).has_value())
        return nameOf(user) + " uses a barrier";
    }
    for (int64_t i = 0, count = create.getBarriers().getType().getCount();
         i < count; ++i)
      if (arrivals.lookup({create, i}) != create.getArrivalsOf(i))
        return "an iteration does not complete one phase of each barrier";
  }
  return {};
}

/// Fewer stages where the tiles of the kernel need more than a block has.
Reason MultiBufferer::fit() {
  KernelOp kernel = kernelOf(loop);
  auto attribute =
      kernel->getParentOfType<ModuleOp>()->getAttrOfType<TargetAttr>(
          kTargetAttrName);
  const TargetInfo *target =
      attribute ? TargetInfo::get(attribute.getArch()) : nullptr;
  if (!target)
    return {};
  auto bytesOf = [](Value tile) {
    auto type = cast<MemRefType>(tile.getType());
    return type.getNumElements() * getStorageBits(type.getElementType()) / 8;
  };
  int64_t fixed = 0, staged = 0, largest = 0;
  kernel.getBodyRegion().walk([&](AllocOp alloc) {
    int64_t bytes = bytesOf(alloc.getResult());
    if (isFragment(alloc.getResult()))
      largest = std::max(largest, bytes); // may be stored through as much
    else
      (tiles.contains(alloc) ? staged : fixed) += bytes;
  });
  // Barriers, and what is reserved.
  constexpr int64_t kRest = 2048;
  while (stages > 1 &&
         fixed + largest + stages * staged + kRest > target->sharedPerBlock)
    --stages;
  if (stages > 1)
    return {};
  return {"two slots of its tiles may not fit the " +
              std::to_string(target->sharedPerBlock) +
              " bytes of shared memory of a block",
          "smaller tiles do"};
}

Reason MultiBufferer::collect() {
  stages = loop.getStages();
  if (getConstantIntValue(loop.getLowerBound()) != 0 ||
      getConstantIntValue(loop.getStep()) != 1)
    return "the loop does not count from 0 by 1";
  for (Operation &op : loop.getBody().front())
    if (Reason reason = visit(&op, 32 * kernelOf(loop).getNumWarps());
        !reason.empty())
      return reason;
  if (tiles.empty())
    return "it fills no tile in shared memory";
  if (Reason reason = checkUses(); !reason.empty())
    return reason;
  if (Reason reason = fit(); !reason.empty())
    return reason;
  return checkRuns();
}

/// The phase of each barrier begins anew with each run of the loop: a loop that
/// runs again completes an even number of phases of each.
Reason MultiBufferer::checkRuns() {
  if (!loop->getParentOfType<LoopLikeOpInterface>())
    return {};
  std::optional<int64_t> trips = getConstantIntValue(loop.getUpperBound());
  if (trips && *trips % (2 * stages) == 0)
    return {};
  return {"the loop runs again in a loop around it, and " +
              std::to_string(stages) +
              " slots would not have an even number of uses each time",
          "a trip count that is a multiple of twice the stages, or one loop in "
          "place of the two"};
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

void MultiBufferer::rewriteTile(AllocOp alloc, Value slot) {
  auto type = cast<MemRefType>(alloc.getResult().getType());
  SmallVector<int64_t> shape{stages};
  llvm::append_range(shape, type.getShape());
  OpBuilder b(alloc);
  auto slots =
      AllocOp::create(b, alloc.getLoc(),
                      MemRefType::Builder(type).setShape(shape), Attribute());
  b.setInsertionPointAfterValue(slot);
  SmallVector<OpFoldResult> offsets(shape.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(shape.size(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(b.getContext(), shape);
  offsets.front() = slot;
  sizes.front() = b.getIndexAttr(1);
  Value own = memref::SubViewOp::create(
      b, alloc.getLoc(),
      memref::SubViewOp::inferRankReducedResultType(
          type.getShape(), cast<MemRefType>(slots.getResult().getType()),
          offsets, sizes, strides),
      slots.getResult(), offsets, sizes, strides);
  alloc.getResult().replaceAllUsesWith(own);
  alloc.erase();
}

void MultiBufferer::rewriteBarriers(MbarrierCreateOp create, Value slot,
                                    Value use) {
  OpBuilder b(create);
  int64_t count = create.getBarriers().getType().getCount();
  SmallVector<int64_t> all(create.getArrivals());
  if (all.size() > 1)
    for (int64_t i = 1; i < stages; ++i)
      llvm::append_range(all, create.getArrivals());
  auto slots = MbarrierCreateOp::create(
      b, create.getLoc(), MbarrierType::get(b.getContext(), count * stages),
      all, /*cluster=*/false);
  b.setInsertionPointAfterValue(use);
  Value counts = arith::ConstantIndexOp::create(b, create.getLoc(), count);
  Value first = b.createOrFold<arith::MulIOp>(create.getLoc(), slot, counts);
  for (Operation *user : llvm::make_early_inc_range(create->getUsers())) {
    b.setInsertionPoint(user);
    Location loc = user->getLoc();
    auto barrierUse = cast<TileMbarrierUseOpInterface>(user);
    OpOperand &index = barrierUse.getMbarrierIndexMutable();
    index.set(b.createOrFold<arith::AddIOp>(loc, first, index.get()));
    OpOperand *parity = barrierUse.getAwaitedParity();
    if (!parity)
      continue;
    Value two = arith::ConstantIndexOp::create(b, loc, 2);
    Value number = use;
    if (lowBit(parity->get())->constant)
      number = arith::AddIOp::create(b, loc, use,
                                     arith::ConstantIndexOp::create(b, loc, 1));
    parity->set(arith::RemUIOp::create(b, loc, number, two));
  }
  create.getBarriers().replaceAllUsesWith(slots.getBarriers());
  create.erase();
}

void MultiBufferer::rewrite() {
  OpBuilder b = OpBuilder::atBlockBegin(&loop.getBody().front());
  Location loc = loop.getLoc();
  Value index = loop.getInductionVariable();
  Value count = arith::ConstantIndexOp::create(b, loc, stages);
  Value slot = arith::RemUIOp::create(b, loc, index, count);
  Value use = arith::DivUIOp::create(b, loc, index, count);
  for (AllocOp tile : tiles)
    rewriteTile(tile, slot);
  for (MbarrierCreateOp create : barriers)
    rewriteBarriers(create, slot, use);
}

Reason MultiBufferer::run() {
  Reason reason = collect();
  if (!reason.empty()) {
    if (reason.advice.empty())
      reason.advice = kPlain;
    return reason;
  }
  rewrite();
  return {};
}

Reason tile::multiBuffer(PipelinedOp loop, int64_t &slots) {
  MultiBufferer bufferer(loop);
  Reason reason = bufferer.run();
  slots = reason.empty() ? bufferer.getStages() : 1;
  return reason;
}
