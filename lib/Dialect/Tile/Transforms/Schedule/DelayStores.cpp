//===- DelayStores.cpp - one tile is stored while the next multiplies -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after gemms and stores are scheduled. A block that works off several
// tiles ends each with its results in registers, on their way through a tile of
// shared memory: tensor cores stand still meanwhile. Where registers can hold
// results beside the next accumulators, they stay there, and the first
// iterations of the next tile's loop, whose products are in flight then, stage
// and store one piece each. The last tile is stored where it ends; so is every
// tile, where the loop is too short.
//
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "TileLoops.h"
#include "UseCounter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "tile/Analysis/RegisterPressure.h"
#include "tile/Dialect/Tile/IR/Iterations.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/IR/ScheduleFacts.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "tile/Target/TargetInfo.h"
#include "tile/Target/ThreadBudget.h"

namespace mlir::tile {
#define GEN_PASS_DEF_DELAYSTORESPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Results on their way out, as halves: LLVM would carry each in a register of
/// its own from one tile to the next, but two of them as one word.
static void markPacked(AllocOp alloc) {
  if (isPlainResult(alloc))
    alloc->setAttr(kPackedAttrName, UnitAttr::get(alloc.getContext()));
}

namespace {
struct DelayStoresPass : tile::impl::DelayStoresPassBase<DelayStoresPass> {
  using DelayStoresPassBase::DelayStoresPassBase;

  void runOnOperation() override {
    if (failed(requireBefore(*this, getOperation(),
                             {Need::Numbers, Need::Rings, Need::Roles,
                              Need::GemmTokens, Need::StoreTokens})))
      return signalPassFailure();
    getOperation().walk([&](WarpSpecializeOp roles) {
      for (auto [role, registers] :
           llvm::zip(roles.getRoles(), roles.getRegisters())) {
        SmallVector<scf::ForOp> loops(role.getOps<scf::ForOp>());
        for (scf::ForOp loop : loops)
          visit(loop, registers);
      }
    });
    getOperation().walk([](AllocOp alloc) { markPacked(alloc); });
  }

private:
  void visit(scf::ForOp loop, int64_t registers);
};
} // namespace

/// Moves the operations that compute `value` before `loop`; returns false if
/// they depend on the loop.
static bool hoist(Value value, scf::ForOp loop) {
  Operation *op = value.getDefiningOp();
  if (!op || !loop->isAncestor(value.getParentRegion()->getParentOp()))
    return !loop->isAncestor(value.getParentRegion()->getParentOp());
  if (op->getNumRegions() || !isPure(op) ||
      !llvm::all_of(op->getOperands(),
                    [&](Value operand) { return hoist(operand, loop); }))
    return false;
  op->moveBefore(loop);
  return true;
}

namespace {
/// Values of tile t that are needed while tile t + 1 runs. Pure functions of
/// the tile's number are computed again inside the branch that stores, so that
/// no code stands between the gemms of two tiles; all other values become
/// iter_args.
class Recomputed {
public:
  explicit Recomputed(scf::ForOp loop) : loop(loop) {}

  /// False where `value` is neither an index nor computed from some.
  bool need(Value value) {
    Operation *owner = value.getParentRegion()->getParentOp();
    if (!loop->isAncestor(owner) || value == loop.getInductionVar() ||
        !seen.insert(value).second)
      return true;
    if (Operation *op = value.getDefiningOp();
        op && op->getNumRegions() == 0 && isPure(op)) {
      if (!llvm::all_of(op->getOperands(),
                        [&](Value operand) { return need(operand); }))
        return false;
      if (!llvm::is_contained(ops, op))
        ops.push_back(op);
      return true;
    }
    carried.push_back(value);
    return value.getType().isIndex() &&
           value.getParentBlock() == loop.getBody();
  }

  SmallVector<Operation *> ops; // in order
  SmallVector<Value> carried;

private:
  scf::ForOp loop;
  llvm::SmallDenseSet<Value> seen;
};
} // namespace

/// Appends a piece that waits for `token`; returns the token of its store.
static Value storePiece(OpBuilder &builder, StagedStore &piece,
                        IRMapping &mapping, Value token) {
  mapping.map(piece.await.getTokens().front(), token);
  for (Operation *op : piece.ops())
    builder.clone(*op, mapping);
  return mapping.lookup(piece.store->getResult(0));
}

namespace {
/// Moves pieces of a tile into the next tile's loop of gemms, one into each
/// of its iterations from the second on; what no such loop follows stays at the
/// tile's end.
class Weaver {
public:
  Weaver(TileLoop &found, MutableArrayRef<StagedStore> delayed,
         Recomputed &scalars)
      : found(found), delayed(delayed), scalars(scalars), tiles(found.tiles),
        gemms(found.gemms), builder(found.tiles), rewriter(builder),
        loc(delayed.front().store.getLoc()) {}

  void run() {
    isLong = hasIteration(builder, loc, gemms, delayed.size());
    carryScalars();
    weaveIntoGemms();
    storeLast();
  }

private:
  void carryScalars();
  void weaveIntoGemms();
  Value storeInBranches(Value isOpen, const IRMapping &earlier);
  void storeLast();

  TileLoop &found;
  MutableArrayRef<StagedStore> delayed;
  Recomputed &scalars;
  scf::ForOp tiles, gemms;
  OpBuilder builder;
  IRRewriter rewriter;
  Location loc;
  Value isLong;           // i1: the gemms' loop has an iteration for each
  Value pending;          // token of the store before
  ValueRange now, before; // what is carried, of this tile and of the last
};
} // namespace

/// What the results are in until then, and what says where they go.
void Weaver::carryScalars() {
  for (StagedStore &piece : delayed)
    piece.fragment()->moveBefore(tiles);
  SmallVector<Value> inits(scalars.carried.size());
  for (Value &init : inits)
    init = arith::ConstantIndexOp::create(builder, loc, 0);
  rewriter.setInsertionPoint(tiles);
  size_t carriedBefore = tiles.getNumRegionIterArgs();
  unsigned position = found.pending.getArgNumber();
  tiles = cast<scf::ForOp>(*tiles.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
        return scalars.carried;
      }));
  pending = tiles.getBody()->getArgument(position);
  now = tiles.getYieldedValues().drop_front(carriedBefore);
  before = ValueRange(tiles.getRegionIterArgs()).drop_front(carriedBefore);
}

/// Into the loop of the next tile's gemms.
void Weaver::weaveIntoGemms() {
  rewriter.setInsertionPoint(gemms);
  gemms = cast<scf::ForOp>(*gemms.replaceWithAdditionalYields(
      rewriter, pending, /*replaceInitOperandUsesInLoop=*/false,
      [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
        return SmallVector<Value>{arguments.front()};
      }));
  builder.setInsertionPoint(found.guard ? found.guard.getOperation()
                                        : gemms.getOperation());
  Value another = isPast(builder, tiles, 1);
  Value isOpen = arith::AndIOp::create(builder, loc, another, isLong);
  IRMapping earlier;
  earlier.map(now, before);
  earlier.map(tiles.getInductionVar(),
              arith::SubIOp::create(builder, loc, tiles.getInductionVar(),
                                    tiles.getStep())
                  .getResult());
  Value token = storeInBranches(isOpen, earlier);
  Operation *yield = gemms.getBody()->getTerminator();
  yield->setOperand(yield->getNumOperands() - 1, token);
  Value reached = gemms.getResults().back();
  Operation *products = gemms;
  if (found.guard) {
    scf::IfOp guard = addResult(found.guard, reached, pending);
    reached = guard.getResults().back();
    products = guard;
  }
  pending.replaceUsesWithIf(reached, [&](OpOperand &use) {
    return !products->isAncestor(use.getOwner());
  });
}

/// A branch for each piece, at the end of the gemms' body; returns the token
/// that is pending after them.
Value Weaver::storeInBranches(Value isOpen, const IRMapping &earlier) {
  Value token = gemms.getRegionIterArgs().back();
  builder.setInsertionPoint(gemms.getBody()->getTerminator());
  for (auto [number, piece] : llvm::enumerate(delayed)) {
    Value isNow = isInIteration(builder, gemms, number + 1);
    Value both = arith::AndIOp::create(builder, loc, isNow, isOpen);
    auto branch = scf::IfOp::create(builder, loc, token.getType(), both,
                                    /*withElseRegion=*/true);
    OpBuilder then = branch.getThenBodyBuilder();
    IRMapping mapping = earlier;
    for (Operation *op : scalars.ops)
      then.clone(*op, mapping);
    scf::YieldOp::create(then, loc, storePiece(then, piece, mapping, token));
    OpBuilder otherwise = branch.getElseBodyBuilder();
    scf::YieldOp::create(otherwise, loc, token);
    token = branch.getResult(0);
  }
  return token;
}

/// Where the tile ends, if there is no such loop to come.
void Weaver::storeLast() {
  builder.setInsertionPoint(tiles.getBody()->getTerminator());
  Value token = delayed.front().await.getTokens().front();
  Value isFollowed =
      hasIterationAfter(builder, loc, tiles, tiles.getInductionVar(), 1);
  Value yes =
      arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 1);
  Value isLast = arith::XOrIOp::create(builder, loc, isFollowed, yes);
  Value isShort = arith::XOrIOp::create(builder, loc, isLong, yes);
  Value stores = arith::OrIOp::create(builder, loc, isLast, isShort);
  auto branch = scf::IfOp::create(builder, loc, token.getType(), stores,
                                  /*withElseRegion=*/true);
  OpBuilder otherwise = branch.getElseBodyBuilder();
  scf::YieldOp::create(otherwise, loc, token);
  Value last = delayed.back().store->getResult(0);
  last.replaceAllUsesWith(branch.getResult(0));
  OpBuilder then = branch.getThenBodyBuilder();
  scf::YieldOp::create(then, loc, last);
  for (StagedStore &piece : delayed)
    for (Operation *op : piece.ops())
      op->moveBefore(branch.thenYield());
  // So do the scalars that nothing else needs.
  for (Operation *op : llvm::reverse(scalars.ops))
    if (llvm::all_of(op->getUsers(), [&](Operation *user) {
          return branch->isProperAncestor(user);
        }))
      op->moveBefore(branch.thenBlock(), branch.thenBlock()->begin());
}

/// Of a thread, where roles do not divide them otherwise.
static int64_t launchedRegisters(KernelOp kernel) {
  const TargetInfo *target = findTarget(kernel);
  return target ? ThreadBudget(*target).share(kernel.getThreads()) : 0;
}

void DelayStoresPass::visit(scf::ForOp loop, int64_t registers) {
  std::optional<TileLoop> found = findTileLoop(loop);
  if (!found)
    return;
  if (!registers)
    registers = launchedRegisters(kernelOf(loop));
  auto explain = [&](const Twine &reason, StringRef advice) {
    missedAt(remarks, found->pieces.front().store,
             "store is not delayed into the next tile", reason, advice);
  };
  size_t pieces = countDelayable(
      *found, registersForResults(registers, registersOfGemms(*found)));
  if (!pieces && !canWait(*found, found->pieces.back()))
    return explain("its elements do not fill 32-bit registers, or the fragment "
                   "has other uses",
                   "a result of 32 bits, or of 16 that stmatrix stores, can "
                   "wait in a fragment that only the store reads");
  if (!pieces)
    return explain("the role's " +
                       plural(registers, "register has", "registers have") +
                       " no room for a piece beside the accumulators",
                   "more `threads(...)` or smaller tiles leave some");
  auto delayed = MutableArrayRef(found->pieces).take_back(pieces);
  Recomputed scalars(loop);
  for (StagedStore &piece : delayed)
    for (Operation *op : {piece.stage, piece.store})
      for (Value operand : op->getOperands())
        if (!isa<MemRefType>(operand.getType()) && !scalars.need(operand))
          return explain("where it is stored is no index of a round",
                         "compute it from the tile's indices");
  scf::ForOp gemms = found->gemms;
  if (!hoist(gemms.getLowerBound(), loop) ||
      !hoist(gemms.getUpperBound(), loop) || !hoist(gemms.getStep(), loop))
    return explain("how long a loop runs depends on the tile",
                   "bounds that do not let it wait");
  Weaver(*found, delayed, scalars).run();
  delayedStores += pieces;
  remarkAt(remarks, delayed.front().store)
      << pieces << " of " << plural(found->pieces.size(), "piece")
      << (pieces == 1 ? " is" : " are")
      << " stored while the next tile's products run";
}
