//===- Parallel.cpp - lowering of parallel loops --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Parallel.h"
#include "PackedMemory.h"
#include "Places.h"
#include "RegisterLoops.h"
#include "ScalarMemory.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "tile/Dialect/Tile/IR/ScheduleFacts.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

void ParallelLowering::mapIndices(int64_t reg, IRMapping &map) {
  SmallVector<ThreadCoordinate> coordinates =
      lowering.coordinates(threadPart, layout, reg);
  for (auto [iv, coordinate] :
       llvm::zip(op.getBodyRegion().getArguments(), coordinates))
    map.map(iv, lowering.toIndex(lowering.materialize(coordinate)));
}

LogicalResult nvvm::once(KernelLowering &lowering, Value firstReplica,
                         llvm::function_ref<LogicalResult()> body) {
  if (!firstReplica)
    return body();
  auto branch =
      scf::IfOp::create(lowering.builder, firstReplica, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(lowering.builder);
  lowering.builder.setInsertionPointToStart(branch.thenBlock());
  return body();
}

LogicalResult ParallelLowering::run() {
  if (llvm::is_contained(op.getExtents(), 0))
    return success();
  llvm::SaveAndRestore transient(lowering.recomputesPlaces,
                                 lowering.hasFewRegisters || makesCopies() ||
                                     (hasManyPlaces() && standsBesideLoop(op)));
  threadPart = lowering.threadCoordinates(layout);
  indices.emplace(lowering, op, layout);
  OpBuilder::InsertionGuard restored(lowering.builder);
  // Outside of roles ptxas took up to 38 registers more for them, in code that
  // hardly runs, and fewer blocks had room (docs/Rationale/Hopper.md).
  if (lowering.agent.barrier != 0)
    comparisons.emplace(lowering, op, threadPart);
  // All lanes vote, replicas included.
  if (std::optional<LoopGuard> guard = findGuard(op, layout)) {
    FailureOr<Value> any = emitVote(*guard);
    if (failed(any))
      return failure();
    auto branch = scf::IfOp::create(lowering.builder, *any, /*withElse=*/false);
    lowering.builder.setInsertionPointToStart(branch.thenBlock());
  }
  // A loop that writes memory other than fragments runs each iteration once.
  firstReplica = lowering.firstReplica(layout);
  if (!firstReplica || !writesMemoryOnly())
    return emitGroups();
  // What replicas read, the first of them may have written by then.
  return once(lowering, std::exchange(firstReplica, Value()),
              [&] { return emitGroups(); });
}

/// Whether all that the loop leaves behind is in shared or global memory.
bool ParallelLowering::writesMemoryOnly() {
  bool writes = false, isPrivate = false;
  op.getBodyRegion().walk([&](Operation *inner) {
    Value buffer;
    if (auto store = dyn_cast<memref::StoreOp>(inner))
      buffer = store.getMemRef();
    else if (auto rmw = dyn_cast<memref::AtomicRMWOp>(inner))
      buffer = rmw.getMemref();
    else if (auto access = dyn_cast<TileElementOpInterface>(inner);
             access && access.writesElement())
      buffer = access.getMemref();
    if (!buffer)
      return;
    writes = true;
    isPrivate |= isFragment(buffer) || isLocal(buffer);
  });
  return writes && !isPrivate;
}

/// Whether a thread stores to so many places that it has registers for little
/// else.
bool ParallelLowering::hasManyPlaces() {
  constexpr int64_t kManyPlaces = 128;
  int64_t places = 0, width = groupWidth();
  op.getBodyRegion().walk([&](memref::StoreOp store) {
    Value buffer = store.getMemRef();
    if (!isFragment(buffer) && !isLocal(buffer))
      places += layout.numRegisters() /
                widestAccess(buffer, store.getIndices(), width);
  });
  return places >= kManyPlaces;
}

/// Whether loops of a thread copy asynchronously: an address in shared memory
/// for each copy, in a role that has few registers (`setmaxnreg`).
bool ParallelLowering::makesCopies() {
  return op.getBodyRegion()
      .walk([](scf::ForOp loop) {
        return loop->hasAttr(kAsyncCopyAttrName) ? WalkResult::interrupt()
                                                 : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the guard holds for any iteration of a warp.
FailureOr<Value> ParallelLowering::emitVote(LoopGuard &guard) {
  auto &b = lowering.builder;
  Value any;
  for (int64_t reg : guard.registers) {
    IRMapping map;
    mapIndices(reg, map);
    for (Operation *inner : guard.slice)
      if (failed(emitOp(*inner, reg, MutableArrayRef<IRMapping>(map))))
        return failure();
    Value holds = map.lookupOrDefault(guard.branch.getCondition());
    any = any ? b.createOrFold<arith::OrIOp>(any, holds) : holds;
  }
  return NVVM::VoteSyncOp::create(b, b.getI1Type(), lowering.i32(-1), any,
                                  NVVM::VoteSyncKind::any)
      .getResult();
}

LogicalResult ParallelLowering::emitGroups() {
  int64_t width = groupWidth();
  for (int64_t reg = 0, e = layout.numRegisters(); reg < e; reg += width) {
    Value predicate = lowering.inBounds(layout, threadPart, reg + width - 1);
    if (!predicate) {
      if (failed(emitGroup(reg, width)))
        return failure();
      continue;
    }
    // The edge of a tile that does not divide: whole groups, else one by one.
    auto &b = lowering.builder;
    auto branch = scf::IfOp::create(b, predicate, /*withElse=*/width > 1);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    if (failed(emitGroup(reg, width)))
      return failure();
    for (int64_t r = reg; width > 1 && r < reg + width; ++r) {
      b.setInsertionPoint(branch.elseBlock()->getTerminator());
      if (Value inside = lowering.inBounds(layout, threadPart, r)) {
        auto single = scf::IfOp::create(b, inside, /*withElse=*/false);
        b.setInsertionPointToStart(single.thenBlock());
      }
      if (failed(emitGroup(r, 1)))
        return failure();
    }
  }
  return success();
}

LogicalResult ParallelLowering::emitGroup(int64_t reg, int64_t width) {
  SmallVector<IRMapping> maps(width);
  for (int64_t i = 0; i < width; ++i)
    mapIndices(reg + i, maps[i]);
  for (Operation &inner : op.getBodyRegion().front().without_terminator())
    if (failed(emitOp(inner, reg, maps)))
      return failure();
  return success();
}

SmallVector<Value> nvvm::mapped(ValueRange values, IRMapping &map) {
  SmallVector<Value> result;
  for (Value value : values)
    result.push_back(map.lookupOrDefault(value));
  return result;
}

/// A conversion that is fast for several neighbouring iterations at a time.
bool ParallelLowering::emitConverted(Operation &inner,
                                     MutableArrayRef<IRMapping> maps) {
  if (maps.size() < 2 || inner.getNumOperands() != 1 ||
      inner.getNumResults() != 1 || !isa<CastOpInterface>(inner) ||
      isa<arith::BitcastOp>(inner))
    return false;
  Type to = inner.getResult(0).getType();
  int64_t count = convertedTogether(inner.getOperand(0).getType(), to);
  if (count == 1)
    return false;
  SmallVector<Value> values;
  for (IRMapping &map : maps)
    values.push_back(map.lookupOrDefault(inner.getOperand(0)));
  SmallVector<Value> results =
      together(lowering, values, count, [&](Value value) {
        OperationState state(inner.getLoc(), inner.getName());
        state.addOperands(value);
        Type shaped = to;
        if (auto vector = dyn_cast<VectorType>(value.getType()))
          shaped = vector.clone(to);
        state.addTypes(shaped);
        state.addAttributes(inner.getAttrs());
        return lowering.builder.create(state)->getResult(0);
      });
  for (auto [map, result] : llvm::zip(maps, results))
    map.map(inner.getResult(0), result);
  return true;
}

bool ParallelLowering::emitComparison(arith::CmpIOp comparison, int64_t reg,
                                      MutableArrayRef<IRMapping> maps) {
  for (auto [i, map] : llvm::enumerate(maps)) {
    Value result = comparisons->emit(
        comparison,
        layout.axisCoordinates(Axis::Register, threadLoop ? reg : reg + i));
    if (!result)
      return false;
    map.map(comparison.getResult(), result);
  }
  return true;
}

bool ParallelLowering::emitIndex(affine::AffineApplyOp apply, int64_t reg,
                                 MutableArrayRef<IRMapping> maps) {
  for (auto [i, map] : llvm::enumerate(maps)) {
    Value index = indices->emit(
        apply,
        layout.axisCoordinates(Axis::Register, threadLoop ? reg : reg + i),
        map);
    if (!index)
      return false;
    map.map(apply.getResult(), index);
  }
  return true;
}

LogicalResult ParallelLowering::emitOp(Operation &inner, int64_t reg,
                                       MutableArrayRef<IRMapping> maps) {
  auto &b = lowering.builder;
  int64_t width = maps.size();
  if (auto load = dyn_cast<memref::LoadOp>(inner)) {
    if (isFragment(load.getMemRef()))
      return emitFragmentAccess(inner, load.getMemRef(), load.getIndices(), reg,
                                maps);
    int64_t chunk = widestAccess(load.getMemRef(), load.getIndices(), width);
    if (chunk > 1) {
      for (int64_t i = 0; i < width; i += chunk)
        if (failed(emitVectorLoad(load, chunk, maps.slice(i, chunk))))
          return failure();
      return success();
    }
    // One load serves a group that reads one place.
    bool isShared = isOneForGroup(load.getIndices());
    Value only;
    for (IRMapping &map : maps) {
      if (!only || !isShared) {
        FailureOr<Value> value = loadScalar(lowering, &inner, load.getMemRef(),
                                            mapped(load.getIndices(), map));
        if (failed(value))
          return failure();
        only = *value;
      }
      map.map(load.getResult(), only);
    }
    return success();
  }
  if (auto store = dyn_cast<memref::StoreOp>(inner)) {
    if (isFragment(store.getMemRef()))
      return emitFragmentAccess(inner, store.getMemRef(), store.getIndices(),
                                reg, maps);
    int64_t chunk = widestAccess(store.getMemRef(), store.getIndices(), width);
    if (chunk > 1) {
      for (int64_t i = 0; i < width; i += chunk)
        if (failed(emitVectorStore(store, chunk, maps.slice(i, chunk))))
          return failure();
      return success();
    }
    bool isPrivate = isLocal(store.getMemRef());
    for (IRMapping &map : maps) {
      LogicalResult result =
          once(lowering, isPrivate ? Value() : firstReplica, [&] {
            return storeScalar(lowering, &inner, store.getMemRef(),
                               mapped(store.getIndices(), map),
                               map.lookupOrDefault(store.getValueToStore()));
          });
      if (failed(result))
        return failure();
    }
    return success();
  }
  if (auto rmw = dyn_cast<memref::AtomicRMWOp>(inner)) {
    if (firstReplica && !rmw.getResult().use_empty())
      return inner.emitOpError()
             << "expected the old value to be unused where several threads "
                "execute an iteration and one of them alone updates; without "
                "a stated `layout` the fragments that the loop writes are "
                "reached through shared memory";
    if (int64_t chunk = sumWidth(rmw, width); chunk > 1) {
      for (int64_t i = 0; i < width; i += chunk)
        if (failed(once(lowering, firstReplica, [&] {
              return emitVectorSum(rmw, maps.slice(i, chunk));
            })))
          return failure();
      return success();
    }
    for (IRMapping &map : maps) {
      LogicalResult result =
          once(lowering, firstReplica, [&]() -> LogicalResult {
            FailureOr<Value> old =
                atomicScalar(lowering, &inner, rmw.getMemref(),
                             mapped(rmw.getIndices(), map), rmw.getKind(),
                             map.lookupOrDefault(rmw.getValue()));
            if (failed(old))
              return failure();
            if (!firstReplica)
              map.map(rmw.getResult(), *old);
            return success();
          });
      if (failed(result))
        return failure();
    }
    return success();
  }
  if (emitConverted(inner, maps))
    return success();
  if (auto comparison = dyn_cast<arith::CmpIOp>(inner))
    if (comparisons && emitComparison(comparison, reg, maps))
      return success();
  if (auto apply = dyn_cast<affine::AffineApplyOp>(inner))
    if (emitIndex(apply, reg, maps))
      return success();
  if (auto loop = dyn_cast<scf::ForOp>(inner))
    if (std::optional<int64_t> count = writtenOutCount(loop))
      return emitWrittenOut(loop, *count, reg, maps);
  if (width > 1 && runsTogether(inner, width))
    return emitTogether(inner, reg, maps);
  // Operations with regions, and operations of the tile dialect (print,
  // assert), are cloned and lowered where they stand; scalar code is cloned as
  // it is.
  for (auto entry : llvm::enumerate(maps)) {
    int64_t at = reg + static_cast<int64_t>(entry.index());
    IRMapping &map = entry.value();
    bool isTileOp = registry.functions.contains(inner.getName().getStringRef());
    if (inner.getNumRegions() == 0 && !isTileOp) {
      b.clone(inner, map);
      continue;
    }
    // Side effects inside happen once per iteration, whatever the replication.
    LogicalResult result = success();
    bool guard = inner.getNumResults() == 0 && firstReplica;
    bool touchesFragments = false;
    inner.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        touchesFragments |= isFragment(operand);
    });
    result = once(lowering, guard && !touchesFragments ? firstReplica : Value(),
                  [&]() -> LogicalResult {
                    // Fragment accesses under control flow are emitted by
                    // register: replace them before the clone is lowered.
                    return emitNested(inner, at, map);
                  });
    if (failed(result))
      return failure();
  }
  return success();
}

LogicalResult ParallelLowering::emitNested(Operation &inner, int64_t reg,
                                           IRMapping &map) {
  auto &b = lowering.builder;
  if (inner.getNumRegions() == 0) {
    Operation *clone = b.clone(inner, map);
    // Lowerings replace uses: a cast stands in for the uses still to come.
    UnrealizedConversionCastOp uses;
    if (clone->getNumResults())
      uses = UnrealizedConversionCastOp::create(b, clone->getResultTypes(),
                                                clone->getResults());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(clone);
    if (failed(registry.functions.lookup(inner.getName().getStringRef())(
            lowering, clone)))
      return failure();
    if (uses) {
      for (auto [from, to] : llvm::zip(inner.getResults(), uses.getOperands()))
        map.map(from, to);
      uses.erase();
    }
    clone->erase();
    return success();
  }
  Operation *shell = inner.cloneWithoutRegions(map);
  b.insert(shell);
  OpBuilder::InsertionGuard guard(b);
  for (auto [from, to] : llvm::zip(inner.getRegions(), shell->getRegions()))
    for (Block &block : from) {
      Block *copy = b.createBlock(&to, to.end());
      for (BlockArgument argument : block.getArguments())
        map.map(argument,
                copy->addArgument(argument.getType(), argument.getLoc()));
      b.setInsertionPointToEnd(copy);
      for (Operation &nested : block)
        if (failed(emitOp(nested, reg, MutableArrayRef<IRMapping>(&map, 1))))
          return failure();
    }
  return success();
}

static LogicalResult lowerParallel(KernelLowering &lowering,
                                   ParallelOp parallel) {
  Operation *op = parallel;
  if (!parallel.getLayout())
    return op->emitOpError() << "expected a loop layout: run "
                                "--tile-infer-layouts";
  lowering.insideParallel = true;
  LogicalResult result =
      ParallelLowering(lowering, parallel, *lowering.registry).run();
  lowering.insideParallel = false;
  return result;
}

void tile::nvvm::registerParallelLowerings(Registry &registry) {
  registry.add<ParallelOp>(inLoops<ParallelOp, lowerParallel>);
}
