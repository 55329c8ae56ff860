//===- ParallelGroups.cpp - iterations that are emitted together ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's iterations of a parallel loop are emitted by groups along the
// innermost dimension, operation by operation, so that neighbours become one
// access. Here: how many make a group, what is the same for all of it, and the
// branches and loops that a group runs through once.
//
//===----------------------------------------------------------------------===//
#include "PackedMemory.h"
#include "Parallel.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Analysis/Divisibility.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// Registers of one group: the layout's run along the innermost dimension, at
/// most 16 bytes of the narrowest element the body moves, and the elements of
/// two bytes where packed ones stay in fragments.
int64_t ParallelLowering::groupWidth() {
  int64_t run = layout.vectorWidth(layout.rank() - 1);
  int64_t elementBits = kMaxAccessBits;
  bool writesLocal = false;
  op.getBodyRegion().walk([&](Operation *inner) {
    Value buffer;
    if (auto load = dyn_cast<memref::LoadOp>(inner))
      buffer = load.getMemRef();
    else if (auto store = dyn_cast<memref::StoreOp>(inner))
      buffer = store.getMemRef();
    else if (auto rmw = dyn_cast<memref::AtomicRMWOp>(inner);
             rmw && isSumInMemory(rmw))
      buffer = rmw.getMemref();
    writesLocal |= isa<memref::StoreOp>(inner) && isLocal(buffer);
    if (!buffer || isLocal(buffer))
      return;
    int64_t bits =
        getStorageBits(cast<MemRefType>(buffer.getType()).getElementType());
    if (isFragment(buffer)) {
      // Two at a time is what conversions of these are fast for.
      Type element = cast<MemRefType>(buffer.getType()).getElementType();
      if (convertedTogether(element, Float16Type::get(element.getContext())) ==
          1)
        return;
      bits = kMaxAccessBits / 2;
    }
    elementBits = std::min(elementBits, bits);
  });
  // A thread's iterations use one local buffer, each what it wrote there
  // itself: one after the other.
  if (writesLocal || hasCarriedElements())
    return 1;
  int64_t width = 1;
  while (width * 2 * elementBits <= kMaxAccessBits && run % (width * 2) == 0 &&
         layout.numRegisters() % (width * 2) == 0)
    width *= 2;
  // Narrower, where that many take the same way through a branch.
  op.getBodyRegion().walk([&](scf::IfOp branch) {
    int64_t together = width;
    while (together > 1 && !decidesForRun(branch.getCondition(), together))
      together /= 2;
    if (together > 1)
      width = together;
  });
  return width;
}

bool ParallelLowering::hasCarriedElements() {
  unsigned innermost = layout.rank() - 1;
  DenseMap<Value, bool> mayRepeat; // by buffer: one element for a whole group
  DenseSet<Value> loaded, stored;
  auto note = [&](Value buffer, ValueRange indices) {
    bool moves = llvm::any_of(indices, [&](Value index) {
      LoopIndex form = indexOf(index);
      return form.coefficients[innermost] != 0 && !form.isIrregular;
    });
    mayRepeat[buffer] |= !moves;
  };
  op.getBodyRegion().walk([&](Operation *inner) {
    if (auto load = dyn_cast<memref::LoadOp>(inner)) {
      loaded.insert(load.getMemRef());
      note(load.getMemRef(), load.getIndices());
    } else if (auto store = dyn_cast<memref::StoreOp>(inner)) {
      stored.insert(store.getMemRef());
      note(store.getMemRef(), store.getIndices());
    }
  });
  return llvm::any_of(stored, [&](Value buffer) {
    return loaded.contains(buffer) && mayRepeat.lookup(buffer);
  });
}

bool ParallelLowering::isOneForGroup(ValueRange values) {
  if (threadLoop)
    return llvm::all_of(
        values, [&](Value value) { return isSameInRun(value, threadLoop); });
  return llvm::none_of(values, [&](Value value) {
    return indexOf(value).dependsOn(layout.rank() - 1);
  });
}

bool ParallelLowering::decidesForRun(Value condition, int64_t width) {
  if (isOneForGroup(condition))
    return true;
  Operation *definition = condition.getDefiningOp();
  if (threadLoop || !definition)
    return false;
  if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(definition))
    return llvm::all_of(definition->getOperands(), [&](Value operand) {
      return decidesForRun(operand, width);
    });
  auto comparison = dyn_cast<arith::CmpIOp>(definition);
  if (!comparison)
    return false;
  Value lesser = comparison.getLhs(), greater = comparison.getRhs();
  switch (comparison.getPredicate()) {
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::sge: // not less
    break;
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::sle:
    std::swap(lesser, greater);
    break;
  default:
    return false;
  }
  // lesser - greater is a multiple of the width where a run begins and counts
  // up by one: it has one sign along the run.
  unsigned innermost = layout.rank() - 1;
  LoopIndex left = indexOf(lesser), right = indexOf(greater);
  if (left.isIrregular || right.isIrregular ||
      left.coefficients[innermost] - right.coefficients[innermost] != 1 ||
      (left.constant - right.constant) % width)
    return false;
  for (auto [d, pair] :
       llvm::enumerate(llvm::zip_equal(left.coefficients, right.coefficients)))
    if (d != innermost && (std::get<0>(pair) - std::get<1>(pair)) % width)
      return false;
  auto isMultiple = [&](Value uniform) {
    return uniform && knownDivisor(uniform) % width == 0;
  };
  return llvm::all_of(left.uniforms, isMultiple) &&
         llvm::all_of(right.uniforms, isMultiple);
}

bool ParallelLowering::runsTogether(Operation &inner, int64_t width) {
  if (auto branch = dyn_cast<scf::IfOp>(inner))
    return decidesForRun(branch.getCondition(), width);
  if (auto loop = dyn_cast<scf::ForOp>(inner))
    return isOneForGroup(
        {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
  return false;
}

LogicalResult ParallelLowering::emitTogether(Operation &inner, int64_t reg,
                                             MutableArrayRef<IRMapping> maps) {
  auto &b = lowering.builder;
  // Calls `of` for each value of `range` and each iteration of the group, since
  // each iteration has results, carried and yielded values of its own. The
  // first `shared` values are the same for all: `of` is called once for each.
  auto spread = [&](auto &&range, unsigned shared, auto &&of) {
    for (auto [i, value] : llvm::enumerate(range))
      for (IRMapping &map : maps.take_front(i < shared ? 1 : maps.size()))
        of(value, map);
  };
  OperationState state(inner.getLoc(), inner.getName());
  state.addAttributes(inner.getAttrs());
  unsigned common = isa<scf::ForOp>(inner) ? 3 : 1; // bounds or the condition
  spread(inner.getOperands(), common, [&](Value operand, IRMapping &map) {
    state.addOperands(map.lookupOrDefault(operand));
  });
  spread(inner.getResults(), 0,
         [&](Value result, IRMapping &) { state.addTypes(result.getType()); });
  for (unsigned i = 0, e = inner.getNumRegions(); i < e; ++i)
    state.addRegion();
  Operation *shell = b.create(state);
  OpBuilder::InsertionGuard guard(b);
  for (auto [from, to] : llvm::zip(inner.getRegions(), shell->getRegions()))
    for (Block &block : from) {
      Block *copy = b.createBlock(&to, to.end());
      unsigned counters = isa<scf::ForOp>(inner) ? 1 : 0;
      spread(block.getArguments().take_front(counters), counters,
             [&](BlockArgument argument, IRMapping &) {
               Value counter =
                   copy->addArgument(argument.getType(), argument.getLoc());
               for (IRMapping &map : maps)
                 map.map(argument, counter);
             });
      spread(block.getArguments().drop_front(counters), 0,
             [&](BlockArgument argument, IRMapping &map) {
               map.map(argument, copy->addArgument(argument.getType(),
                                                   argument.getLoc()));
             });
      b.setInsertionPointToEnd(copy);
      for (Operation &nested : block.without_terminator())
        if (failed(emitOp(nested, reg, maps)))
          return failure();
      b.setInsertionPointToEnd(copy);
      SmallVector<Value> yielded;
      spread(block.getTerminator()->getOperands(), 0,
             [&](Value value, IRMapping &map) {
               yielded.push_back(map.lookupOrDefault(value));
             });
      scf::YieldOp::create(b, block.getTerminator()->getLoc(), yielded);
    }
  unsigned next = 0;
  spread(inner.getResults(), 0, [&](Value result, IRMapping &map) {
    map.map(result, shell->getResult(next++));
  });
  return success();
}
