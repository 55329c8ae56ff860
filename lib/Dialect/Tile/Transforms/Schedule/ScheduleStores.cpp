//===- ScheduleStores.cpp - stores that nobody waits for ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after roles. A store (or reduction) by TMA out of shared memory returns
// a token, and its source is waited for where it is next overwritten, in the
// next round of the loop around it if that is where; the store itself at the
// end of its agent, or where that ends the kernel its source again. Where each
// warpgroup writes rows (or columns) of its own into the tile, it stores them
// itself: no warpgroup waits for another, and one multiplies while the other
// stores.
//
//===----------------------------------------------------------------------===//
#include "Asynchronous.h"
#include "Phases.h"
#include "UseCounter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Analysis/TmaGeometry.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/LayoutConstraints.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "tile/Layout/WarpgroupParts.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tile {
#define GEN_PASS_DEF_SCHEDULESTORESPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Those of boxes, which can return tokens.
static bool isTmaStore(TileMoveOpInterface move) {
  return move.isMovedByProxy() && !move.isAsync() &&
         move.getAddressing() == MoveAddressing::Box &&
         isShared(move.getSource()) && isGlobal(move.getTarget());
}

namespace {
/// A staging tile: operations of one block that write it and store it, in
/// order.
struct Staging {
  AllocOp alloc;
  SmallVector<TileMoveOpInterface> accesses; // writers and stores
  Block *block = nullptr;
};

/// Why the stores of a tile are waited for at once, and which operation shows
/// it.
struct StoreRefusal {
  Operation *op = nullptr;
  Reason reason;
};
} // namespace

static std::optional<Staging> collect(KernelOp kernel, AllocOp alloc,
                                      StoreRefusal &refusal);

namespace {
struct ScheduleStoresPass
    : tile::impl::ScheduleStoresPassBase<ScheduleStoresPass> {
  using ScheduleStoresPassBase::ScheduleStoresPassBase;

  void runOnOperation() override {
    if (failed(requireBefore(*this, getOperation(),
                             {Need::Numbers, Need::Rings, Need::Roles})))
      return signalPassFailure();
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      SmallVector<AllocOp> tiles;
      kernel.getBodyRegion().walk([&](AllocOp alloc) {
        if (isShared(alloc.getResult()))
          tiles.push_back(alloc);
      });
      for (AllocOp alloc : tiles) {
        StoreRefusal refusal;
        if (std::optional<Staging> staging = collect(kernel, alloc, refusal))
          schedule(*staging);
        else if (remarks && refusal.op)
          explain(alloc, refusal);
      }
    }
  }

private:
  void explain(AllocOp alloc, const StoreRefusal &refusal);
  static DenseI64ArrayAttr divide(Staging &staging);
  void schedule(Staging &staging);
};
} // namespace

/// Accesses of the whole kernel; false where one is not known. Operations of
/// rings and tokens order others and touch shared memory only.
static bool collectAll(KernelOp kernel, SmallVectorImpl<OpAccess> &accesses) {
  return !kernel.getBodyRegion()
              .walk<WalkOrder::PreOrder>([&](Operation *op) {
                if (isa<TileOrderOpInterface>(op))
                  return WalkResult::advance();
                bool isLeaf = op->getNumRegions() == 0;
                if (!isLeaf && !isa<TileOpInterface>(op))
                  return WalkResult::advance();
                if (collectAccesses(op, accesses))
                  return WalkResult::interrupt();
                return isLeaf ? WalkResult::advance() : WalkResult::skip();
              })
              .wasInterrupted();
}

/// An operation, where it is a copy out of a staging tile; else null.
static TileMoveOpInterface storeOf(Operation *op, AllocOp alloc) {
  auto move = dyn_cast<TileMoveOpInterface>(op);
  bool stores = move && move.isPlain() && move.getSource() == alloc.getResult();
  return stores ? move : TileMoveOpInterface();
}

/// Whether a value may differ from one round of a loop to the next.
static bool variesIn(Value value, Operation *loop) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *owner = argument.getOwner()->getParentOp();
    return owner == loop || loop->isProperAncestor(owner);
  }
  Operation *op = value.getDefiningOp();
  if (!loop->isProperAncestor(op))
    return false;
  return !isPure(op) || op->getNumRegions() ||
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return variesIn(operand, loop); });
}

/// Whether a loop goes through the blocks of the grid that a persistent block
/// works off. Blocks are not ordered: each stores elements of its own.
static bool isOverBlocks(LoopLikeOpInterface loop) {
  std::optional<OpFoldResult> first = loop.getSingleLowerBound();
  Value begin = first ? dyn_cast<Value>(*first) : Value();
  return begin && begin.getDefiningOp<BlockRangeOp>();
}

/// Whether the regions that a store writes in two rounds of a loop are known to
/// be apart: one of their offsets grows by their extent at least in each round,
/// and does not change in a round otherwise.
static bool areRoundsApart(TileMoveOpInterface store,
                           LoopLikeOpInterface loop) {
  std::optional<Value> iv = loop.getSingleInductionVar();
  std::optional<OpFoldResult> step = loop.getSingleStep();
  if (!iv || !step)
    return false;
  int64_t least = std::max<int64_t>(1, getConstantIntValue(*step).value_or(1));
  for (auto [offset, extent] :
       llvm::zip(store.getTargetOffsets(), store.getTargetExtents())) {
    LoopIndex index = analyzeLoopIndex(offset, *iv);
    if (index.isIrregular || llvm::any_of(index.uniforms, [&](Value uniform) {
          return variesIn(uniform, loop);
        }))
      continue;
    if (std::abs(index.coefficients.front()) * least >= extent)
      return true;
  }
  return false;
}

/// Whether some loop around may store the same elements in two of its rounds:
/// the store of one must then have ended, not only have read its tile, before
/// the next one's is issued.
static bool storesAgain(TileMoveOpInterface store) {
  for (Operation *around : getEnclosingOps(store)) {
    auto loop = dyn_cast<LoopLikeOpInterface>(around);
    if (loop && !isOverBlocks(loop) && !areRoundsApart(store, loop))
      return true;
  }
  return false;
}

/// Whether an operation moves a staging tile, or a part of it, away.
static bool isStoreOf(TileMoveOpInterface move, AllocOp alloc) {
  return move.getSource() == alloc.getResult();
}

/// A value as another one (null: zero) and a constant.
static std::pair<Value, int64_t> splitConstant(Value value) {
  int64_t sum = 0;
  APInt number;
  while (auto add = value.getDefiningOp<arith::AddIOp>()) {
    if (!matchPattern(add.getRhs(), m_ConstantInt(&number)))
      break;
    sum += number.getSExtValue();
    value = add.getLhs();
  }
  if (matchPattern(value, m_ConstantInt(&number)))
    return {Value(), sum + number.getSExtValue()};
  return {value, sum};
}

/// Whether two stores are known to write different elements.
static bool areApart(TileMoveOpInterface a, TileMoveOpInterface b) {
  if (!mayAlias(a.getTarget(), b.getTarget()))
    return true;
  if (a.getTarget() != b.getTarget())
    return false;
  SmallVector<int64_t> extentsA = a.getTargetExtents(),
                       extentsB = b.getTargetExtents();
  auto offsetOf = [](TileMoveOpInterface copy, size_t d) {
    return copy.getTargetOffsets().empty()
               ? std::pair<Value, int64_t>()
               : splitConstant(copy.getTargetOffsets()[d]);
  };
  for (size_t d = 0; d < extentsA.size(); ++d) {
    auto [baseA, atA] = offsetOf(a, d);
    auto [baseB, atB] = offsetOf(b, d);
    if (baseA == baseB &&
        (atA + extentsA[d] <= atB || atB + extentsB[d] <= atA))
      return true;
  }
  return false;
}

/// Whether stores of a tile may write the same elements, in one round or in the
/// next: stores by TMA are not ordered, so that the earlier has to have ended.
static bool mustEndInOrder(const Staging &staging) {
  SmallVector<TileMoveOpInterface> stores;
  for (TileMoveOpInterface move : staging.accesses)
    if (TileMoveOpInterface store = storeOf(move, staging.alloc))
      stores.push_back(store);
  for (auto [i, store] : llvm::enumerate(stores)) {
    if (storesAgain(store))
      return true;
    for (TileMoveOpInterface later : ArrayRef(stores).drop_front(i + 1))
      if (!areApart(store, later))
        return true;
  }
  return false;
}

static constexpr char kOwnTile[] =
    "a `tile.alloc` that only copies fill and store is waited for later";

/// Tiles whose every use is a write of the whole tile or a store of it, in one
/// block, to global memory that the kernel reads nowhere.
static std::optional<Staging> collect(KernelOp kernel, AllocOp alloc,
                                      StoreRefusal &refusal) {
  auto refuse = [&](Operation *op, StringRef why, StringRef advice) {
    refusal = {op, {why.str(), advice.str()}};
    return std::nullopt;
  };
  Staging staging;
  staging.alloc = alloc;
  bool stores = false;
  SmallVector<OpAccess> everything;
  for (Operation *user : alloc->getUsers()) {
    if (staging.block && user->getBlock() != staging.block)
      return refuse(user,
                    "the tile is used inside and outside of a loop or a "
                    "condition",
                    kOwnTile);
    staging.block = user->getBlock();
    auto copy = dyn_cast<TileMoveOpInterface>(user);
    if (!copy)
      return refuse(user, "an operation that is no copy uses the tile",
                    kOwnTile);
    if (copy.getSource() == alloc.getResult()) {
      if (!isTmaStore(copy))
        return refuse(user,
                      "the tile is read by something other than a store by TMA "
                      "without a token",
                      kOwnTile);
      if (Operation *obstacle = UseCounter::obstacle(copy))
        return refuse(obstacle,
                      "an operation around the store cannot carry a token",
                      "enclose it by `scf.for` and `scf.if` only");
      stores = true;
      if (everything.empty())
        if (!collectAll(kernel, everything))
          return refuse(user,
                        "the kernel has an operation whose accesses are not "
                        "known",
                        "a kernel without it can go on");
      // Nobody may read what is still on its way; and stores of other tiles
      // would not be ordered against it.
      for (const OpAccess &other : everything)
        if (other.op != user &&
            mayAlias(other.access.buffer, copy.getTarget()) &&
            (!other.access.isWrite || !storeOf(other.op, alloc)))
          return refuse(other.op,
                        "another operation reads or writes the same global "
                        "memory",
                        "use another buffer there, or no `tile.may_alias`");
    }
    staging.accesses.push_back(copy);
  }
  if (!stores)
    return std::nullopt;
  llvm::sort(staging.accesses,
             [](TileMoveOpInterface a, TileMoveOpInterface b) {
               return a->isBeforeInBlock(b);
             });
  if (isStoreOf(staging.accesses.front(), alloc))
    return refuse(staging.accesses.front(),
                  "the store reads what an earlier iteration has written",
                  "write the tile before the store, in its iteration");
  return staging;
}

Operation *tile::findUnscheduledStore(KernelOp kernel) {
  Operation *found = nullptr;
  kernel.getBodyRegion().walk([&](AllocOp alloc) {
    StoreRefusal refusal;
    if (isShared(alloc.getResult()))
      if (std::optional<Staging> staging = collect(kernel, alloc, refusal)) {
        found =
            *llvm::find_if(staging->accesses, [&](TileMoveOpInterface move) {
              return isStoreOf(move, alloc);
            });
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return found;
}

/// Says at each store of a tile by TMA that it is waited for at once.
void ScheduleStoresPass::explain(AllocOp alloc, const StoreRefusal &refusal) {
  for (Operation *user : alloc->getUsers()) {
    auto copy = dyn_cast<TileMoveOpInterface>(user);
    if (!copy || copy.getSource() != alloc.getResult() || !isTmaStore(copy))
      continue;
    missedAt(remarks, user, "store is waited for at once", refusal.reason.why,
             refusal.reason.advice)
            .attachNote(refusal.op)
        << "because of this";
  }
}

/// The division among warpgroups that all accesses of a staging tile agree on;
/// null when there is none.
DenseI64ArrayAttr ScheduleStoresPass::divide(Staging &staging) {
  auto type = cast<MemRefType>(staging.alloc.getType());
  SmallVector<int64_t> parts;
  for (TileMoveOpInterface move : staging.accesses) {
    if (move.getAddressing() != MoveAddressing::Box)
      return {}; // its rows go where indices say
    if (move.getSource() == staging.alloc.getResult()) {
      if (!traitsOf(*move.getPlan()).usesTensorMap ||
          move.getSourceExtents() != SmallVector<int64_t>(type.getShape()))
        return {};
      continue;
    }
    auto layout = move.getLayout();
    if (!layout ||
        move.getTargetExtents() != SmallVector<int64_t>(type.getShape()) ||
        layout->getLayout().shape() != type.getShape())
      return {};
    SmallVector<int64_t> own = warpgroupParts(layout->getLayout());
    if (own.empty() || (!parts.empty() && own != parts))
      return {};
    parts = own;
  }
  if (parts.empty())
    return {};
  // What the parts of the tile are, tensor copies must be able to move.
  auto groups = DenseI64ArrayAttr::get(staging.alloc.getContext(), parts);
  SharedLayoutAttr layout = getSharedLayout(staging.alloc.getResult());
  for (TileMoveOpInterface move : staging.accesses) {
    if (!isStoreOf(move, staging.alloc))
      continue;
    move.setGroupsAttr(groups);
    bool moves = layout && tmaGeometry(move, layout.getLayout());
    move.setGroupsAttr({});
    if (!moves)
      return {};
  }
  return groups;
}

void ScheduleStoresPass::schedule(Staging &staging) {
  DenseI64ArrayAttr groups = divide(staging);
  IntegerAttr count;
  if (groups) {
    for (TileMoveOpInterface move : staging.accesses)
      move.setGroupsAttr(groups);
    TileMoveOpInterface first = staging.accesses.front();
    count = OpBuilder(first).getI64IntegerAttr(first.getNumGroups());
  }
  Location loc = staging.accesses.front()->getLoc();
  OpBuilder builder(&getContext());
  // Carried by the loops around: the stores that the round before has left,
  // those behind the last write.
  bool inOrder = mustEndInOrder(staging);
  unsigned left = 0;
  for (TileMoveOpInterface move : llvm::reverse(staging.accesses)) {
    if (!isStoreOf(move, staging.alloc) || (inOrder && left))
      break;
    ++left;
  }
  UseCounter carried(TokenType::get(&getContext()));
  SmallVector<Value> pending;
  if (left)
    pending = carried.beginAll(staging.accesses.front(), left);
  for (TileMoveOpInterface move : staging.accesses) {
    bool isStore = isStoreOf(move, staging.alloc);
    builder.setInsertionPoint(move);
    if (!pending.empty() && inOrder) {
      AwaitOp::create(builder, loc, pending, UnitAttr(), IntegerAttr());
    } else if (!pending.empty() && !isStore) {
      AwaitOp::create(builder, loc, pending, builder.getUnitAttr(), count);
    }
    if (inOrder || !isStore)
      pending.clear();
    if (!isStore)
      continue;
    pending.push_back(makeAsynchronous(move)->getResult(0));
  }
  ++scheduledStores;
  if (!left)
    return;
  SmallVector<Value> last = carried.finishAll(pending);
  // Where the outermost loop ends.
  Block *agent = last.front().getParentBlock();
  builder.setInsertionPoint(agent->getTerminator());
  auto await = AwaitOp::create(builder, loc, last, /*read=*/UnitAttr(),
                               /*groups=*/IntegerAttr());
  // The end of a kernel shows what it has stored; its memory goes to another
  // block before that.
  await.setRead(isLastOfKernel(await));
}
