//===- CopyGroups.cpp - copies by cp.async that are counted ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "CopyGroups.h"
#include "tile/Dialect/Tile/IR/TileBarrierOps.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

std::optional<unsigned> tile::nvvm::copyGroupsOf(Block &block,
                                                 const AccessTable &table) {
  unsigned groups = 0;
  for (Operation &op : block) {
    if (table.copies(&op))
      ++groups;
    if (isa<TileOpInterface>(op) || op.getNumRegions() == 0)
      continue;
    unsigned most = 0;
    for (Region &region : op.getRegions())
      for (Block &inner : region) {
        std::optional<unsigned> own = copyGroupsOf(inner, table);
        if (!own || (*own && !isa<scf::IfOp>(op)))
          return std::nullopt;
        most = std::max(most, *own);
      }
    groups += most;
  }
  return groups;
}

std::optional<unsigned> tile::nvvm::copyGroupsOf(scf::IfOp branch,
                                                 const AccessTable &table) {
  std::optional<unsigned> then = copyGroupsOf(*branch.thenBlock(), table);
  std::optional<unsigned> other =
      branch.elseBlock() ? copyGroupsOf(*branch.elseBlock(), table) : 0;
  if (!then || !other)
    return std::nullopt;
  return std::max(*then, *other);
}

static void commit(OpBuilder &builder, Location loc, unsigned groups) {
  for (unsigned i = 0; i < groups; ++i)
    CommitCopiesOp::create(builder, loc);
}

void tile::nvvm::commitCopies(KernelOp kernel, const AccessTable &table) {
  SmallVector<Operation *> copying;
  SmallVector<std::pair<scf::IfOp, SmallVector<unsigned, 2>>> branches;
  kernel.getBodyRegion().walk([&](Operation *op) {
    if (table.copies(op))
      copying.push_back(op);
    auto branch = dyn_cast<scf::IfOp>(op);
    std::optional<unsigned> groups =
        branch ? copyGroupsOf(branch, table) : std::nullopt;
    if (!groups || *groups == 0)
      return;
    SmallVector<unsigned, 2> missing;
    for (Region &region : op->getRegions())
      missing.push_back(*groups - (region.empty()
                                       ? 0
                                       : *copyGroupsOf(region.front(), table)));
    branches.emplace_back(branch, std::move(missing));
  });
  OpBuilder builder(kernel.getContext());
  for (Operation *op : copying) {
    builder.setInsertionPointAfter(op);
    commit(builder, op->getLoc(), 1);
  }
  for (auto &[branch, missing] : branches)
    for (auto [region, groups] :
         llvm::zip_equal(branch->getRegions(), missing)) {
      if (groups == 0)
        continue;
      if (region.empty()) {
        builder.createBlock(&region);
        scf::YieldOp::create(builder, branch.getLoc());
      }
      builder.setInsertionPoint(region.front().getTerminator());
      commit(builder, branch.getLoc(), groups);
    }
}
