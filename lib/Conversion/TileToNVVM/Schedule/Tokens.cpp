//===- Tokens.cpp - waiting for asynchronous operations -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hardware counts: groups of wgmma and of bulk stores end in order, and a
// wait names how many of the latest may still run. `tile.await` names tokens;
// how many groups were certainly issued after each is read off the program
// here; gemms by tcgen05 are waited for all together. Tokens themselves have no
// run-time value.
//
//===----------------------------------------------------------------------===//
#include "Tokens.h"
#include "Gemm/Wgmma.h"
#include "Tcgen05/TensorMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/Iterations.h"
#include "tile/Dialect/Tile/IR/Tokens.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

AsyncKind tile::nvvm::asyncKind(Operation *op) {
  if (!getToken(op))
    return AsyncKind::None;
  if (const MmaTraits *gemm = gemmTraits(op))
    switch (gemm->completion) {
    case MmaCompletion::Issue:
      return AsyncKind::None;
    case MmaCompletion::WarpgroupGroups:
      return AsyncKind::Wgmma;
    case MmaCompletion::Mbarrier:
      return AsyncKind::Tcgen05;
    }
  const CopyTraits *move = moveTraits(op);
  return move && move->byAsyncProxy ? AsyncKind::BulkStore : AsyncKind::None;
}

using Issues = SmallVector<Operation *, 4>;

static int64_t count(const Issues &issues, AsyncKind kind) {
  return llvm::count_if(issues,
                        [&](Operation *op) { return asyncKind(op) == kind; });
}

namespace {
/// Issues of one kind that every run through a piece of program passes.
class IssueCounter {
public:
  explicit IssueCounter(AsyncKind kind) : kind(kind) {}

  /// Between two operations of a block, both exclusive; null means the
  /// block's start or end.
  void between(Block *block, Operation *after, Operation *before,
               Issues &issues) {
    Operation *op = after ? after->getNextNode() : &block->front();
    for (; op && op != before; op = op->getNextNode())
      of(op, issues);
  }

  /// From the start of the block of `ancestor`'s region down to `op`.
  void downTo(Operation *ancestor, Operation *op, Issues &issues) {
    while (op != ancestor) {
      between(op->getBlock(), nullptr, op, issues);
      op = op->getParentOp();
    }
  }

private:
  void of(Operation *op, Issues &issues) {
    if (asyncKind(op) == kind)
      issues.push_back(op);
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch || branch.getElseRegion().empty())
      return; // a loop or a lone branch may be passed over
    Issues then, otherwise;
    between(branch.thenBlock(), nullptr, nullptr, then);
    between(branch.elseBlock(), nullptr, nullptr, otherwise);
    issues.append(then.size() <= otherwise.size() ? then : otherwise);
  }

  AsyncKind kind;
};

/// Follows a token back to what issued it.
class TokenTrace {
public:
  /// An issue, and what was certainly issued between it and the wait.
  struct Found {
    Operation *issue;
    Issues later;
  };
  SmallVector<Found> found;

  /// `at` is the operation before which `token` is waited for.
  void trace(Value token, Operation *at, const Issues &later) {
    if (!isCloser(token, at, later))
      return;
    if (auto argument = dyn_cast<BlockArgument>(token)) {
      auto loop =
          dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
      OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
      OpOperand *yielded =
          loop ? loop.getTiedLoopYieldedValue(argument) : nullptr;
      if (!init || !yielded)
        return unknown(argument.getOwner()->getParentOp());
      Issues sinceStart = fromStart(loop, at, later);
      trace(init->get(), loop, sinceStart);
      trace(yielded->get(), argument.getOwner()->getTerminator(), sinceStart);
      return;
    }
    Operation *op = token.getDefiningOp();
    unsigned position = cast<OpResult>(token).getResultNumber();
    Issues since = sinceOp(op, at, later);
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
      OpOperand *init = loop.getTiedLoopInit(cast<OpResult>(token));
      if (!init)
        return unknown(op);
      trace(init->get(), op, since);
      if (auto yielded = loop.getYieldedValues(); position < yielded.size())
        trace(yielded[position], yieldOf(loop), since);
      return;
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (Block *block : {branch.thenBlock(), branch.elseBlock()})
        trace(block->getTerminator()->getOperand(position),
              block->getTerminator(), since);
      return;
    }
    if (auto select = dyn_cast<arith::SelectOp>(op)) {
      trace(select.getTrueValue(), op, since);
      trace(select.getFalseValue(), op, since);
      return;
    }
    if (asyncKind(op) != AsyncKind::None)
      found.push_back({op, since});
  }

  /// An operation that tokens go through and that is not understood.
  Operation *obstacle = nullptr;

private:
  void unknown(Operation *op) { obstacle = op; }

  /// Whether no path has led here with as few issues of each kind behind the
  /// token: a loop in a loop is reached on several, and the one with the fewest
  /// says how many groups may still run.
  bool isCloser(Value token, Operation *at, const Issues &later) {
    constexpr AsyncKind kKinds[] = {AsyncKind::Wgmma, AsyncKind::BulkStore};
    auto [it, isNew] = fewest.try_emplace({token, at});
    bool closer = isNew;
    for (auto [least, kind] : llvm::zip(it->second, kKinds)) {
      int64_t now = count(later, kind);
      closer |= now < least;
      least = isNew ? now : std::min(least, now);
    }
    return closer;
  }

  static Operation *yieldOf(LoopLikeOpInterface loop) {
    return loop.getLoopRegions().back()->front().getTerminator();
  }

  /// Adds to `later` what runs from the start of the loop's body to `at`.
  static Issues fromStart(Operation *loop, Operation *at, const Issues &later) {
    Issues result = later;
    for (AsyncKind kind : {AsyncKind::Wgmma, AsyncKind::BulkStore})
      IssueCounter(kind).downTo(loop, at, result);
    return result;
  }

  /// Adds what runs after `op` up to `at`, which may be deeper.
  static Issues sinceOp(Operation *op, Operation *at, const Issues &later) {
    Issues result = later;
    Operation *level = op->getBlock()->findAncestorOpInBlock(*at);
    if (!level)
      return result;
    for (AsyncKind kind : {AsyncKind::Wgmma, AsyncKind::BulkStore}) {
      IssueCounter counter(kind);
      counter.between(op->getBlock(), op, level, result);
      counter.downTo(level, at, result);
    }
    return result;
  }

  llvm::SmallDenseMap<std::pair<Value, Operation *>, std::array<int64_t, 2>>
      fewest;
};
} // namespace

/// Registers of awaited gemms that nothing in flight uses, when `pending` gemms
/// still are: from here on they may be read and written.
static LogicalResult
collectFragments(KernelLowering &lowering, ArrayRef<TokenTrace::Found> found,
                 int64_t pending, SmallVectorImpl<PendingFragment> &fragments) {
  llvm::SmallSetVector<Value, 4> buffers;
  for (const TokenTrace::Found &entry : found) {
    auto gemm = dyn_cast<GemmOp>(entry.issue);
    if (!gemm)
      continue;
    for (Value buffer : {gemm.getC(), gemm.getA(), gemm.getB()})
      if (isFragment(buffer))
        buffers.insert(buffer);
  }
  // Issues behind an awaited one may be awaited as well: in flight stays what
  // is behind the last of them.
  for (const TokenTrace::Found &entry : found) {
    if (count(entry.later, AsyncKind::Wgmma) != pending)
      continue;
    for (Operation *later : entry.later)
      if (auto gemm = dyn_cast<GemmOp>(later))
        for (Value buffer : {gemm.getC(), gemm.getA(), gemm.getB()})
          buffers.remove(buffer);
  }
  for (Value buffer : buffers) {
    FailureOr<FragmentBuffer> fragment =
        lowering.fragment(buffer, found.front().issue);
    if (failed(fragment))
      return failure();
    fragments.push_back({*fragment, elementTypeOf(buffer)});
  }
  return success();
}

static LogicalResult lowerAwait(KernelLowering &lowering, AwaitOp await) {
  Operation *op = await;
  TokenTrace trace;
  for (Value token : await.getTokens())
    trace.trace(token, op, {});
  if (trace.obstacle) {
    InFlightDiagnostic diag =
        op->emitOpError() << "expected tokens whose operations can be traced";
    diag.attachNote(trace.obstacle->getLoc()) << "not through this operation";
    return diag;
  }
  int64_t gemms = INT64_MAX, stores = INT64_MAX;
  int64_t groups = await.getGroups().value_or(1);
  bool inTensorMemory = false;
  for (const TokenTrace::Found &entry : trace.found) {
    AsyncKind kind = asyncKind(entry.issue);
    if (kind == AsyncKind::Tcgen05) {
      inTensorMemory = true;
      continue;
    }
    auto copy = dyn_cast<TileMoveOpInterface>(entry.issue);
    if (groups > 1 && (!copy || copy.getNumGroups() != groups)) {
      InFlightDiagnostic diag = op->emitOpError()
                                << "expected tokens of copies by " << groups
                                << " groups";
      diag.attachNote(entry.issue->getLoc()) << "not by this operation";
      return diag;
    }
    int64_t &pending = kind == AsyncKind::Wgmma ? gemms : stores;
    pending = std::min(pending, count(entry.later, kind));
  }
  if (gemms != INT64_MAX) {
    SmallVector<PendingFragment, 1> fragments;
    if (failed(collectFragments(lowering, trace.found, gemms, fragments)))
      return failure();
    emitWgmmaWait(lowering, gemms, fragments);
  }
  if (inTensorMemory)
    emitTcgen05Wait(lowering);
  if (stores == INT64_MAX)
    return success();
  // Groups are the issuing thread's: it waits, the others have none and wait
  // for it at the barrier, where anything follows. A branch around the wait
  // would be divergent code between a gemm and what reads its result: ptxas
  // serializes then (C7514).
  auto &b = lowering.builder;
  NVVM::CpAsyncBulkWaitGroupOp::create(b, b.getI32IntegerAttr(stores),
                                       await.getReadAttr());
  if (!lowering.lastWaits.contains(await))
    lowering.barrier(groups);
  return success();
}

static LogicalResult lowerDone(KernelLowering &, Operation *) {
  return success();
}

bool tile::nvvm::awaitsCopies(AwaitOp await) {
  TokenTrace trace;
  for (Value token : await.getTokens())
    trace.trace(token, await, {});
  return llvm::any_of(trace.found, [](const TokenTrace::Found &entry) {
    return asyncKind(entry.issue) == AsyncKind::BulkStore;
  });
}

llvm::SmallPtrSet<Operation *, 4> tile::nvvm::issuesEndedBy(AwaitOp await) {
  TokenTrace trace;
  for (Value token : await.getTokens())
    trace.trace(token, await, {});
  llvm::SmallPtrSet<Operation *, 4> ended;
  for (const TokenTrace::Found &entry : trace.found)
    ended.insert(entry.issue);
  // In a loop an operation may have issued again since its awaited issue.
  for (const TokenTrace::Found &entry : trace.found)
    if (llvm::is_contained(entry.later, entry.issue))
      ended.erase(entry.issue);
  return ended;
}

static bool touches(Operation &op, Value buffer) {
  return op
      .walk([&](Operation *inner) {
        for (Value used : inner->getOperands())
          if (getViewedTile(used) == buffer)
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the first iteration of a loop starts `buffer` from zero, before
/// anything reads it.
static bool startsFromZero(scf::ForOp loop, Value buffer) {
  for (auto gemm : loop.getBody()->getOps<GemmOp>()) {
    if (gemm.getC() != buffer)
      continue;
    auto before =
        llvm::make_range(loop.getBody()->begin(), Block::iterator(gemm));
    return gemm.getAccumulate() && isFalseInFirst(gemm.getAccumulate(), loop) &&
           llvm::none_of(before,
                         [&](Operation &op) { return touches(op, buffer); });
  }
  return false;
}

/// Says that what the registers of a fragment hold is not needed: a loop around
/// would carry it else.
static void forget(KernelLowering &lowering, const PendingFragment &fragment) {
  auto &b = lowering.builder;
  Type storage = lowering.storageType(fragment.elementType);
  for (int64_t reg = 0, e = fragment.buffer.layout.numRegisters(); reg < e;
       ++reg)
    LLVM::StoreOp::create(
        b, LLVM::UndefOp::create(b, storage),
        lowering.registerAddress(fragment.buffer, fragment.elementType, reg));
}

LogicalResult tile::nvvm::keepAsyncLoops(KernelLowering &lowering) {
  auto annotation = notUnrolled(lowering.function.getContext());
  SmallVector<scf::ForOp> loops;
  lowering.function.walk([&](scf::ForOp loop) {
    for (Value argument : loop.getRegionIterArgs())
      if (isa<TokenType>(argument.getType()) &&
          !llvm::is_contained(loops, loop))
        loops.push_back(loop);
  });
  for (scf::ForOp loop : loops) {
    llvm::SmallSetVector<Value, 2> accumulators;
    for (auto gemm : loop.getBody()->getOps<GemmOp>())
      if (asyncKind(gemm) == AsyncKind::Wgmma)
        accumulators.insert(gemm.getC());
    if (accumulators.empty())
      continue;
    loop->setAttr("loop_annotation", annotation);
    SmallVector<PendingFragment, 1> fragments;
    for (Value buffer : accumulators) {
      FailureOr<FragmentBuffer> fragment = lowering.fragment(buffer, loop);
      if (failed(fragment))
        return failure();
      fragments.push_back({*fragment, elementTypeOf(buffer)});
    }
    lowering.builder.setLoc(loop.getLoc());
    lowering.builder.setInsertionPoint(loop);
    for (auto [buffer, fragment] : llvm::zip(accumulators, fragments))
      if (startsFromZero(loop, buffer))
        forget(lowering, fragment);
    tieRegisters(lowering, "", fragments);
  }
  return success();
}

void tile::nvvm::eraseTokens(LLVM::LLVMFuncOp function) {
  Type i32 = IntegerType::get(function.getContext(), 32);
  OpBuilder builder(function.getContext());
  function.walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          if (isa<TokenType>(argument.getType()))
            argument.setType(i32);
    for (Value result : op->getResults()) {
      if (!isa<TokenType>(result.getType()))
        continue;
      if (!isa<TileDialect>(op->getDialect())) {
        result.setType(i32);
        continue;
      }
      builder.setInsertionPoint(op);
      result.replaceAllUsesWith(
          arith::ConstantIntOp::create(builder, op->getLoc(), i32, 0));
    }
  });
}

void tile::nvvm::registerTokenLowerings(Registry &registry) {
  registry.add<AwaitOp>(lowerAwait);
  registry.add<TokenDoneOp>(lowerDone);
}
