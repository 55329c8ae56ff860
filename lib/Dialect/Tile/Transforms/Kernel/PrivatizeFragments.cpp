//===- PrivatizeFragments.cpp - fragments of one loop's iterations --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs before layouts. A program that says what each thread does keeps a
// thread's array as a row of a fragment, one row an iteration of a parallel
// loop. Where iterations index their row by more than constants, no layout of
// the fragment tells which thread holds what they reach, and the lowering would
// take the fragment through shared memory, in front of the loop and behind it.
// A row that only its own iteration uses needs no layout: it is the thread's.
//
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Surroundings.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_PRIVATIZEFRAGMENTSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// The indices of a load or store of single elements of `buffer`; none of
/// another use.
static std::optional<OperandRange> indicesOf(Operation *user, Value buffer) {
  if (auto load = dyn_cast<memref::LoadOp>(user))
    return load.getIndices();
  auto store = dyn_cast<memref::StoreOp>(user);
  if (store && store.getMemRef() == buffer && store.getValue() != buffer)
    return store.getIndices();
  return std::nullopt;
}

/// The parallel loop whose iterations are all that use the fragment, each its
/// own row, where indices within a row differ at run time. What the fragment
/// holds in front of the loop is undefined: both stand in one block, so that
/// each run of the loop has a fragment of its own.
static ParallelOp loopOfRows(AllocOp alloc) {
  auto type = dyn_cast<MemRefType>(alloc.getType());
  if (!type || !isFragment(alloc.getResult()) || type.getRank() < 2 ||
      !type.hasStaticShape() || !type.getLayout().isIdentity() ||
      alloc.getLayout() || alloc->use_empty())
    return {};
  ParallelOp loop;
  bool variesInRow = false;
  for (Operation *user : alloc->getUsers()) {
    ParallelOp around = elementLoopAround(user);
    std::optional<OperandRange> indices = indicesOf(user, alloc.getResult());
    if (!around || !indices || (loop && around != loop) ||
        around->getBlock() != alloc->getBlock())
      return {};
    loop = around;
    auto ivs = loop.getBodyRegion().getArguments();
    if (ivs.size() != 1 || indices->front() != ivs.front() ||
        loop.getExtents().front() != type.getDimSize(0))
      return {};
    for (Value index : indices->drop_front())
      variesInRow |= !matchPattern(index, m_Constant());
  }
  return variesInRow ? loop : ParallelOp();
}

static void makePrivate(AllocOp alloc) {
  auto type = cast<MemRefType>(alloc.getType());
  OpBuilder builder(alloc);
  auto row = MemRefType::get(type.getShape().drop_front(),
                             type.getElementType(), MemRefLayoutAttrInterface(),
                             LocalSpaceAttr::get(alloc.getContext()));
  auto local = AllocOp::create(builder, alloc.getLoc(), row, ValueRange());
  for (Operation *user : llvm::make_early_inc_range(alloc->getUsers())) {
    OpBuilder at(user);
    auto indices = indicesOf(user, alloc.getResult())->drop_front();
    if (auto store = dyn_cast<memref::StoreOp>(user)) {
      memref::StoreOp::create(at, store.getLoc(), store.getValue(),
                              local.getResult(), indices);
    } else {
      auto load = memref::LoadOp::create(at, user->getLoc(), local.getResult(),
                                         indices);
      user->replaceAllUsesWith(load);
    }
    user->erase();
  }
  alloc.erase();
}

namespace {
struct PrivatizeFragmentsPass
    : tile::impl::PrivatizeFragmentsPassBase<PrivatizeFragmentsPass> {
  using PrivatizeFragmentsPassBase::PrivatizeFragmentsPassBase;

  void runOnOperation() override {
    if (failed(requireBefore(*this, getOperation(), {Need::Numbers})))
      return signalPassFailure();
    SmallVector<AllocOp> allocs;
    getOperation().walk([&](AllocOp alloc) {
      if (loopOfRows(alloc))
        allocs.push_back(alloc);
    });
    for (AllocOp alloc : allocs) {
      remarkAt(remarks, alloc)
          << "each thread keeps the rows of its iterations in local memory: "
             "only those use them, by indices that are known at run time";
      makePrivate(alloc);
      ++privateFragments;
    }
  }
};
} // namespace
