//===- FormRoles.cpp - parts of a kernel for some warps become roles ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stretch of a block that consists of `tile.on_warps`, of control flow around
// it and of scalars is taken apart: each range of warps gets a copy, in which
// only its own parts are left. What works on tiles outside of `tile.on_warps`
// ends a stretch: all warps meet there. Stages of a loop around it are slots
// (MultiBuffer.cpp).
// Where a part writes what all warps read by a load beside the parts, the roles
// end there and all warps meet: the load sees what the part wrote.
//
//===----------------------------------------------------------------------===//
#include "MultiBuffer.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "tile/Dialect/Tile/IR/Aliasing.h"
#include "tile/Dialect/Tile/IR/Surroundings.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Dialect/Tile/IR/Tunables.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "tile/Target/TargetInfo.h"

namespace mlir::tile {
#define GEN_PASS_DEF_FORMROLESPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Consecutive warps that run the same parts.
struct WarpRange {
  int64_t first, count, registers = 0;
  /// None where no `tile.on_warps` is for them.
  bool isUsed = true;
};

class RoleFormer {
public:
  RoleFormer(KernelOp kernel, bool remarks)
      : kernel(kernel), remarks(remarks) {}
  LogicalResult run();

private:
  LogicalResult findRanges();
  void dropBudgets();
  void drop(WarpRange &range, StringRef why, StringRef advice);
  LogicalResult checkFragments();
  void form(Block &block);
  void formStretch(ArrayRef<Operation *> stretch);
  void copyFor(const WarpRange &range, ArrayRef<Operation *> stretch,
               Region &role);

  KernelOp kernel;
  bool remarks;
  SmallVector<WarpRange> ranges;
};
} // namespace

static bool holdsParts(Operation *op) {
  return op->walk([](OnWarpsOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Whether each role may have a copy of `op`: it is a part, or computes scalars
/// from arguments and memory, or is control flow around such.
static bool canBeCopied(Operation *op) {
  if (asPartOfWarps(op))
    return true;
  if (isa<TileDialect>(op->getDialect()))
    return isPure(op) || isPromise(op);
  if (op->getNumRegions() == 0)
    return isPure(op) || op->hasTrait<OpTrait::IsTerminator>() ||
           hasSingleEffect<MemoryEffects::Read>(op);
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      if (!canBeCopied(&inner))
        return false;
  return true;
}

/// Whether parts for some warps in `among` write what `op` reads outside of its
/// own: every warp would read it by itself then, at some time.
static bool partsWriteWhatIsRead(ArrayRef<Operation *> among, Operation *op) {
  SmallVector<OnWarpsOp> parts;
  for (Operation *other : among)
    other->walk([&](OnWarpsOp part) { parts.push_back(part); });
  if (parts.empty())
    return false;
  return op
      ->walk<WalkOrder::PreOrder>([&](Operation *inner) {
        if (asPartOfWarps(inner))
          return WalkResult::skip();
        auto load = dyn_cast<memref::LoadOp>(inner);
        bool isWritten =
            load && llvm::any_of(parts, [&](OnWarpsOp part) {
              return mayWrite(part, getBaseBuffer(load.getMemRef()));
            });
        return isWritten ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// All warps of the kernel, in order, those without parts included.
LogicalResult RoleFormer::findRanges() {
  SmallVector<WarpRange> used;
  kernel.getBodyRegion().walk([&](OnWarpsOp part) {
    int64_t first = part.getFirst(), registers = part.getRegisters();
    for (WarpRange &range : used)
      if (range.first == first) {
        range.registers = std::max(range.registers, registers);
        return;
      }
    used.push_back({first, static_cast<int64_t>(part.getCount()), registers});
  });
  llvm::sort(used, [](const WarpRange &a, const WarpRange &b) {
    return a.first < b.first;
  });
  int64_t next = 0;
  // Roles of four warps or more start at a multiple of four.
  auto fill = [&](int64_t end) {
    while (next < end) {
      int64_t stop = next % 4 ? std::min(end, next / 4 * 4 + 4) : end;
      ranges.push_back({next, stop - next, 0, /*isUsed=*/false});
      next = stop;
    }
  };
  for (const WarpRange &range : used) {
    fill(range.first);
    ranges.push_back(range);
    next = range.first + range.count;
  }
  fill(kernel.getNumWarps());
  // Register budgets are a warpgroup's.
  for (size_t i = 1; i < ranges.size(); ++i)
    if (ranges[i].first % 4) {
      size_t begin = i;
      while (ranges[begin].first % 4)
        --begin;
      int64_t most = 0;
      for (size_t j = begin; j <= i; ++j)
        most = std::max(most, ranges[j].registers);
      for (size_t j = begin; j <= i; ++j)
        ranges[j].registers = most;
    }
  // setmaxnreg is executed by whole warpgroups.
  if (int64_t left = kernel.getNumWarps() % 4)
    for (WarpRange &range : ranges)
      if (range.first >= kernel.getNumWarps() - left)
        drop(range, "they are no whole warpgroup, of four",
             "`threads(...)` of a multiple of 128 makes it one");
  dropBudgets();
  // PTX ISA, "bar": 16 barriers, of which one is the block's; some are left to
  // groups of warps.
  constexpr size_t kMaxRanges = 12;
  if (ranges.size() <= kMaxRanges)
    return success();
  return kernel.emitOpError()
         << "expected at most " << kMaxRanges
         << " ranges of warps, those in no `tile.on_warps` included, got "
         << ranges.size();
}

/// Budgets are a wish: a target that redistributes no registers has none.
void RoleFormer::dropBudgets() {
  auto attribute =
      kernel->getParentOfType<ModuleOp>()->getAttrOfType<TargetAttr>(
          kTargetAttrName);
  const TargetInfo *target =
      attribute ? TargetInfo::get(attribute.getArch()) : nullptr;
  if (!target || target->hasSetMaxRegisters())
    return;
  for (WarpRange &range : ranges)
    drop(range, (Twine(target->arch) + " cannot redistribute registers").str(),
         "`--arch=sm_90a` can");
}

void RoleFormer::drop(WarpRange &range, StringRef why, StringRef advice) {
  if (range.registers)
    missedAt(remarks, kernel,
             "no budget of " + plural(range.registers, "register") +
                 " for warp " + Twine(range.first) + " and those behind it",
             why, advice);
  range.registers = 0;
}

/// A fragment is spread over the threads that use it: they are one range's, or
/// the block's.
LogicalResult RoleFormer::checkFragments() {
  WalkResult walk = kernel.getBodyRegion().walk([&](AllocOp alloc) {
    if (!isFragment(alloc.getResult()))
      return WalkResult::advance();
    Operation *first = nullptr;
    SmallVector<Value> views{alloc.getResult()};
    for (size_t i = 0; i < views.size(); ++i)
      for (Operation *user : views[i].getUsers()) {
        if (isa<ViewLikeOpInterface>(user)) {
          llvm::append_range(views, user->getResults());
          continue;
        }
        auto firstOf = [](Operation *op) {
          OnWarpsOp part = partOfWarpsAround(op);
          return part ? static_cast<int64_t>(part.getFirst()) : -1;
        };
        if (!first)
          first = user;
        if (firstOf(first) == firstOf(user))
          continue;
        InFlightDiagnostic diag =
            user->emitOpError()
            << "expected a fragment to be used by the same warps everywhere; "
               "pass its elements through a tile in shared memory";
        diag.attachNote(first->getLoc()) << "other warps use it here";
        diag.attachNote(alloc.getLoc()) << "the fragment";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

/// Leaves in `block` the parts of `range` only, without their frames.
static void keepParts(Block &block, const WarpRange &range) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (OnWarpsOp part = asPartOfWarps(&op)) {
      if (int64_t(part.getFirst()) == range.first && range.isUsed)
        block.getOperations().splice(part->getIterator(),
                                     part.getBody().front().getOperations());
      part.erase();
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        keepParts(inner, range);
  }
}

/// Erases what computes nothing that is used, users first.
static void eraseUnused(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        eraseUnused(inner);
    if (isOpTriviallyDead(&op))
      op.erase();
  }
}

void RoleFormer::copyFor(const WarpRange &range, ArrayRef<Operation *> stretch,
                         Region &role) {
  Block &body = role.emplaceBlock();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  IRMapping mapping;
  if (range.isUsed)
    for (Operation *op : stretch)
      builder.clone(*op, mapping);
  keepParts(body, range);
  RoleEndOp::create(builder, kernel.getLoc());
  eraseUnused(body);
}

/// Roles behind what is left of the stretch for everybody: the scalars that
/// what follows may use.
void RoleFormer::formStretch(ArrayRef<Operation *> stretch) {
  SmallVector<Attribute> names;
  SmallVector<int64_t> warps, registers;
  OpBuilder builder(kernel.getContext());
  for (const WarpRange &range : ranges) {
    int64_t last = range.first + range.count - 1;
    std::string name = range.count == 1
                           ? "warp " + std::to_string(range.first)
                           : "warps " + std::to_string(range.first) + " to " +
                                 std::to_string(last);
    names.push_back(builder.getStringAttr(name));
    warps.push_back(range.count);
    registers.push_back(range.registers);
  }
  builder.setInsertionPointAfter(stretch.back());
  Operation *first = *llvm::find_if(stretch, holdsParts);
  auto roles = WarpSpecializeOp::create(
      builder, first->getLoc(), builder.getArrayAttr(names),
      builder.getDenseI64ArrayAttr(warps),
      builder.getDenseI64ArrayAttr(registers), ranges.size());
  for (auto [range, role] : llvm::zip(ranges, roles.getRoles()))
    copyFor(range, stretch, role);
  for (Operation *op : llvm::reverse(stretch)) {
    if (asPartOfWarps(op)) {
      op->erase();
      continue;
    }
    op->walk([](OnWarpsOp part) { part.erase(); });
    for (Region &region : op->getRegions())
      for (Block &inner : region)
        eraseUnused(inner);
    if (isOpTriviallyDead(op))
      op->erase();
  }
  Remark remark = remarkAt(remarks, roles);
  remark << "roles as stated:";
  for (auto [i, range] : llvm::enumerate(ranges))
    if (range.isUsed)
      remark << (i ? ", " : " ") << cast<StringAttr>(names[i]).getValue();
}

void RoleFormer::form(Block &block) {
  SmallVector<Operation *> stretch;
  auto finish = [&] {
    // Scalars behind the last part belong to nobody in particular.
    while (!stretch.empty() && !holdsParts(stretch.back()))
      stretch.pop_back();
    if (!stretch.empty())
      formStretch(stretch);
    stretch.clear();
  };
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      break;
    bool hasParts = holdsParts(&op);
    // Tiles and barriers are there before all that uses them.
    if (isa<TileStorageOpInterface>(op) && op.getNumOperands() == 0) {
      if (!stretch.empty())
        op.moveBefore(stretch.front());
      continue;
    }
    // All warps meet between what parts write and what each warp reads.
    if (partsWriteWhatIsRead(stretch, &op) ||
        llvm::any_of(stretch, [&](Operation *before) {
          return partsWriteWhatIsRead(&op, before);
        }))
      finish();
    if (canBeCopied(&op) && !partsWriteWhatIsRead(&op, &op)) {
      // Scalars in front of all parts stay where they are.
      if (hasParts || !stretch.empty())
        stretch.push_back(&op);
      continue;
    }
    finish();
    if (hasParts)
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          form(inner);
  }
  finish();
}

/// The loop that a pipelined one means: the program says which warps copy
/// ahead, and waits by hand. Its stages are slots of what it waits for.
static void unpipeline(PipelinedOp loop, bool remarks) {
  int64_t slots = 1;
  Reason reason =
      loop.getStages() > 1
          ? multiBuffer(loop, slots)
          : Reason("the program says in `tile.on_warps` which warps copy "
                   "ahead, and waits by hand",
                   "without `tile.on_warps` the compiler decides both, and "
                   "`stages` of 2 or more give each tile several slots");
  if (reason.empty())
    remarkAt(remarks, loop)
        << slots
        << " slots of each tile and of each barrier: iterations take "
           "them by turns, and wait as the program says";
  else
    missedAt(remarks, loop, "not pipelined", reason.why, reason.advice);
  OpBuilder builder(loop);
  auto plain = scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(),
                                  loop.getUpperBound(), loop.getStep());
  Block &body = loop.getBodyRegion().front();
  body.getArgument(0).replaceAllUsesWith(plain.getInductionVar());
  body.getTerminator()->erase();
  plain.getBody()->getOperations().splice(plain.getBody()->begin(),
                                          body.getOperations());
  loop.erase();
}

LogicalResult RoleFormer::run() {
  if (!holdsParts(kernel))
    return success();
  if (failed(checkFragments()))
    return failure();
  SmallVector<PipelinedOp> loops;
  kernel.getBodyRegion().walk([&](PipelinedOp loop) {
    if (holdsParts(loop))
      loops.push_back(loop);
  });
  for (PipelinedOp loop : loops)
    unpipeline(loop, remarks);
  if (failed(findRanges()))
    return failure();
  form(kernel.getBodyRegion().front());
  return success();
}

namespace {
struct FormRolesPass : tile::impl::FormRolesPassBase<FormRolesPass> {
  using FormRolesPassBase::FormRolesPassBase;

  void runOnOperation() override {
    if (failed(requireChosen(getOperation())))
      return signalPassFailure();
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      if (failed(RoleFormer(kernel, remarks).run()))
        return signalPassFailure();
  }
};
} // namespace
