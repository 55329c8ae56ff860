//===- TileLoops.cpp - loops over tiles whose results can wait ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop over tiles is known by what stands in it: gemms that are in flight
// across iterations, and behind them stores whose tokens follow each other to
// the next round.
//
//===----------------------------------------------------------------------===//
#include "TileLoops.h"
#include "tile/Analysis/RegisterPressure.h"
#include "tile/Dialect/Tile/IR/Iterations.h"

using namespace mlir;
using namespace mlir::tile;

/// Pieces of one staging tile, in order, whose tokens follow each other
/// from `pending` to what the loop yields; empty where they do not.
static SmallVector<StagedStore> findPieces(scf::ForOp tiles,
                                           BlockArgument pending) {
  SmallVector<StagedStore> found;
  Value token = pending;
  Value last = tiles.getTiedLoopYieldedValue(pending)->get();
  while (token != last) {
    if (!token.hasOneUse())
      return {};
    Operation *user = *token.user_begin();
    auto await = dyn_cast<AwaitOp>(user);
    std::optional<StagedStore> next;
    if (await && user->getBlock() == tiles.getBody())
      next = stagedStoreAt(await);
    if (!next)
      return {};
    token = next->store->getResult(0);
    found.push_back(*next);
  }
  return found;
}

/// The first loop in the body of `loop`, or in a branch for it, that leaves
/// gemms in flight from one iteration to the next; null for none.
static scf::ForOp findGemms(scf::ForOp loop) {
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto inner = dyn_cast<scf::ForOp>(op);
        inner && leavesGemmsInFlight(inner))
      return inner;
    if (auto guard = dyn_cast<scf::IfOp>(op))
      for (scf::ForOp inner : guard.thenBlock()->getOps<scf::ForOp>())
        if (leavesGemmsInFlight(inner) && guardOf(inner))
          return inner;
  }
  return {};
}

std::optional<TileLoop> tile::findTileLoop(scf::ForOp loop) {
  TileLoop found;
  found.tiles = loop;
  found.gemms = findGemms(loop);
  if (!found.gemms)
    return std::nullopt;
  found.guard = guardOf(found.gemms);
  for (BlockArgument argument : loop.getRegionIterArgs()) {
    if (!isa<TokenType>(argument.getType()))
      continue;
    found.pieces = findPieces(loop, argument);
    found.pending = argument;
    if (!found.pieces.empty() &&
        found.products()->isBeforeInBlock(found.pieces.front().await))
      return found;
  }
  return std::nullopt;
}

bool tile::canWait(TileLoop &loop, StagedStore &piece) {
  if (!piece.waitsInWholeRegisters())
    return false;
  for (Operation *user : piece.fragment()->getUsers())
    if (user != piece.stage && (user->getBlock() != loop.tiles.getBody() ||
                                !loop.products()->isBeforeInBlock(user) ||
                                !user->isBeforeInBlock(piece.stage)))
      return false;
  for (Operation *user : piece.stage.getTarget().getUsers())
    if (llvm::none_of(loop.pieces, [&](StagedStore &other) {
          return user == other.stage || user == other.store;
        }))
      return false;
  return true;
}

int64_t tile::registersOfGemms(TileLoop &loop) {
  Operation *products = loop.products();
  auto isAlive = [&](AllocOp fragment) {
    bool before = false, after = false;
    for (Operation *user : fragment->getUsers()) {
      if (loop.gemms->isAncestor(user))
        return true;
      Operation *level = loop.tiles.getBody()->findAncestorOpInBlock(*user);
      before |= !level || level->isBeforeInBlock(products);
      after |= !level || products->isBeforeInBlock(level);
    }
    return before && after;
  };
  int64_t registers = 0;
  loop.tiles->getParentRegion()->walk([&](AllocOp alloc) {
    if (isFragment(alloc.getResult()) && isAlive(alloc))
      registers += registersOfFragment(alloc);
  });
  return registers;
}

size_t tile::countDelayable(TileLoop &loop, int64_t room) {
  size_t count = 0;
  for (StagedStore &piece : llvm::reverse(loop.pieces)) {
    int64_t needed =
        canWait(loop, piece) ? registersOfFragment(piece.fragment()) : 0;
    if (!needed || needed > room)
      break;
    room -= needed;
    ++count;
  }
  return count;
}
