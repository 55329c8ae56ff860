//===- Parallel.cpp - lowering of parallel loops --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each thread runs the iterations its loop layout gives it, unrolled over
// registers. Iterations are taken in groups of consecutive ones along the
// innermost dimension, operation by operation, so that neighbouring accesses to
// memory become one vector access (iterations are unordered, so this is legal).
//
//===----------------------------------------------------------------------===//
#include "Comparisons.h"
#include "PackedMemory.h"
#include "Places.h"
#include "RegisterLoops.h"
#include "RegisterMap.h"
#include "ScalarMemory.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "tile/Analysis/Divisibility.h"
#include "tile/Analysis/GuardedLoop.h"
#include "tile/Dialect/Tile/IR/LayoutConstraints.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

namespace {
class ParallelLowering {
public:
  ParallelLowering(KernelLowering &lowering, ParallelOp op,
                   const Registry &registry)
      : lowering(lowering), op(op), registry(registry),
        layout(lowering.loopLayout(*op.getLayout())) {}

  LogicalResult run();

private:
  LogicalResult emitGroups();
  FailureOr<Value> emitVote(LoopGuard &guard);
  bool writesMemoryOnly();
  bool hasManyPlaces();
  /// One group of iterations: registers [reg, reg + width) of the loop.
  LogicalResult emitGroup(int64_t reg, int64_t width);
  LogicalResult emitOp(Operation &inner, int64_t reg,
                       MutableArrayRef<IRMapping> maps);
  bool emitPairs(Operation &inner, MutableArrayRef<IRMapping> maps);
  bool emitComparison(arith::CmpIOp comparison, int64_t reg,
                      MutableArrayRef<IRMapping> maps);
  /// An operation with regions, or of the tile dialect, of one iteration.
  LogicalResult emitNested(Operation &inner, int64_t reg, IRMapping &map);
  LogicalResult emitFragmentAccess(Operation &inner, Value buffer,
                                   ValueRange indices, int64_t reg,
                                   MutableArrayRef<IRMapping> maps);
  /// `width` when one access may move so many elements for this operand, given
  /// what is known of strides and alignment; else 1.
  int64_t accessWidth(Value buffer, ValueRange indices, int64_t width);
  /// The largest such width, `width` or a half, a quarter, ... of it.
  int64_t widestAccess(Value buffer, ValueRange indices, int64_t width);
  LogicalResult emitVectorLoad(memref::LoadOp load, int64_t width,
                               MutableArrayRef<IRMapping> maps);
  LogicalResult emitVectorStore(memref::StoreOp store, int64_t width,
                                MutableArrayRef<IRMapping> maps);
  LogicalResult checkFragment(Operation &inner, Value buffer,
                              ValueRange indices);
  void mapIndices(int64_t reg, IRMapping &map);
  LoopIndex indexOf(Value index) {
    return analyzeLoopIndex(index, op.getBodyRegion().getArguments());
  }
  int64_t groupWidth();

  KernelLowering &lowering;
  ParallelOp op;
  const Registry &registry;
  FragmentLayout layout;
  SmallVector<Value> threadPart;
  std::optional<LoopComparisons> comparisons;
  DenseMap<Value, std::shared_ptr<RegisterMap>> registerMaps;
  Value firstReplica;
};
} // namespace

/// The most that one access moves.
static constexpr int64_t kMaxAccessBits = 128;

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
    writesLocal |= isa<memref::StoreOp>(inner) && isLocal(buffer);
    if (!buffer || isLocal(buffer))
      return;
    int64_t bits =
        getStorageBits(cast<MemRefType>(buffer.getType()).getElementType());
    if (isFragment(buffer)) {
      // Two at a time is what conversions of these are fast for.
      Type element = cast<MemRefType>(buffer.getType()).getElementType();
      if (!convertsInPairs(element, Float16Type::get(element.getContext())))
        return;
      bits = kMaxAccessBits / 2;
    }
    elementBits = std::min(elementBits, bits);
  });
  // A thread's iterations use one local buffer, each what it wrote there
  // itself: one after the other.
  if (writesLocal)
    return 1;
  int64_t width = 1;
  while (width * 2 * elementBits <= kMaxAccessBits && run % (width * 2) == 0 &&
         layout.numRegisters() % (width * 2) == 0)
    width *= 2;
  return width;
}

void ParallelLowering::mapIndices(int64_t reg, IRMapping &map) {
  SmallVector<ThreadCoordinate> coordinates =
      lowering.coordinates(threadPart, layout, reg);
  for (auto [iv, coordinate] :
       llvm::zip(op.getBodyRegion().getArguments(), coordinates))
    map.map(iv, lowering.toIndex(lowering.materialize(coordinate)));
}

/// Runs `body` on one replica only, when iterations are replicated.
static LogicalResult once(KernelLowering &lowering, Value firstReplica,
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
                                 hasManyPlaces() && standsBesideLoop(op));
  // A loop that writes memory other than fragments runs each iteration once.
  threadPart = lowering.threadCoordinates(layout);
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
  OpBuilder::InsertionGuard restored(lowering.builder);
  // Outside of roles ptxas took up to 38 registers more for them, in code that
  // hardly runs, and fewer blocks had room (docs/Rationale/Hopper.md).
  if (lowering.agent.barrier != 0)
    comparisons.emplace(lowering, op, threadPart);
  if (std::optional<LoopGuard> guard = findGuard(op, layout)) {
    FailureOr<Value> any = emitVote(*guard);
    if (failed(any))
      return failure();
    auto branch = scf::IfOp::create(lowering.builder, *any, /*withElse=*/false);
    lowering.builder.setInsertionPointToStart(branch.thenBlock());
  }
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

static SmallVector<Value> mapped(ValueRange values, IRMapping &map) {
  SmallVector<Value> result;
  for (Value value : values)
    result.push_back(map.lookupOrDefault(value));
  return result;
}

LogicalResult ParallelLowering::checkFragment(Operation &inner, Value buffer,
                                              ValueRange indices) {
  FailureOr<FragmentBuffer> fragment = lowering.fragment(buffer, &inner);
  if (failed(fragment))
    return failure();
  if (registerMaps.count(buffer))
    return success();
  registerMaps[buffer] = std::make_shared<RegisterMap>(fragment->layout);
  return success();
}

LogicalResult
ParallelLowering::emitFragmentAccess(Operation &inner, Value buffer,
                                     ValueRange indices, int64_t reg,
                                     MutableArrayRef<IRMapping> maps) {
  if (failed(checkFragment(inner, buffer, indices)))
    return failure();
  FragmentBuffer fragment = *lowering.fragment(buffer, &inner);
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  // Each index is a linear form of the loop's indices; its contributions by
  // lane and warp must be the fragment's own.
  SmallVector<LoopIndex> indexForms;
  for (Value index : indices) {
    LoopIndex form = indexOf(index);
    if (form.isIrregular || form.hasUniform())
      return inner.emitOpError()
             << "expected indices of a fragment to be constants or sums of the "
                "loop's indices";
    indexForms.push_back(std::move(form));
  }
  for (Axis axis : {Axis::Lane, Axis::Warp}) {
    if (layout.size(axis) != fragment.layout.size(axis))
      return inner.emitOpError() << "expected one thread count";
    for (int64_t i = 0, e = layout.size(axis); i < e; ++i) {
      SmallVector<int64_t> own = layout.axisCoordinates(axis, i);
      SmallVector<int64_t> theirs = fragment.layout.axisCoordinates(axis, i);
      for (auto [d, form] : llvm::enumerate(indexForms))
        if (form.evaluate(own) - form.constant != theirs[d])
          return inner.emitOpError()
                 << "expected each thread to hold the fragment's elements that "
                    "its iterations use: run --tile-infer-layouts";
    }
  }
  RegisterMap &map = *registerMaps[buffer];
  for (auto [i, mapping] : llvm::enumerate(maps)) {
    SmallVector<int64_t> own = layout.axisCoordinates(Axis::Register, reg + i);
    SmallVector<int64_t> at;
    for (LoopIndex &form : indexForms)
      at.push_back(form.evaluate(own));
    int64_t target = map(at);
    if (target < 0)
      return inner.emitOpError()
             << "expected the fragment to hold the element that register "
             << reg + i << " of the loop uses";
    if (auto load = dyn_cast<memref::LoadOp>(inner)) {
      mapping.map(load.getResult(),
                  lowering.loadRegister(fragment, element, target));
    } else {
      auto store = cast<memref::StoreOp>(inner);
      lowering.storeRegister(fragment, element, target,
                             mapping.lookupOrDefault(store.getValueToStore()));
    }
  }
  return success();
}

int64_t ParallelLowering::accessWidth(Value buffer, ValueRange indices,
                                      int64_t width) {
  if (width == 1)
    return 1;
  unsigned innermostIv = layout.rank() - 1;
  // Only the last index may move along the vector, by one.
  int64_t divisor = width;
  for (auto [d, index] : llvm::enumerate(indices)) {
    LoopIndex form = indexOf(index);
    bool last = d + 1 == indices.size();
    if (form.isIrregular || form.coefficients[innermostIv] != (last ? 1 : 0))
      return 1;
    if (!last)
      continue;
    // The first element must lie at a multiple of the width.
    for (auto [iv, coefficient] : llvm::enumerate(form.coefficients))
      if (iv != innermostIv && coefficient % divisor)
        return 1;
    if (form.constant % divisor)
      return 1;
    for (Value uniform : form.uniforms)
      if (!uniform || knownDivisor(uniform) % divisor)
        return 1;
  }
  int64_t bits =
      width *
      getStorageBits(cast<MemRefType>(buffer.getType()).getElementType());
  if (bits > kMaxAccessBits || bits % 8)
    return 1;
  if (isGlobal(buffer)) {
    auto it = lowering.globals.find(buffer);
    if (it == lowering.globals.end() || it->second.alignment % (bits / 8))
      return 1;
    const GlobalBuffer &global = it->second;
    unsigned rank = global.staticStrides.size();
    if (global.staticStrides[rank - 1] != 1)
      return 1;
    for (unsigned d = 0; d + 1 < rank; ++d) {
      if (global.strideDivisors[d] % width)
        return 1;
    }
    return width;
  }
  if (isShared(buffer)) {
    auto it = lowering.shareds.find(buffer);
    if (it == lowering.shareds.end())
      return 1;
    const SharedLayout &shared = it->second.layout;
    return shared.alignedElements(shared.rank() - 1) % width == 0 ? width : 1;
  }
  return 1;
}

int64_t ParallelLowering::widestAccess(Value buffer, ValueRange indices,
                                       int64_t width) {
  while (width > 1 && accessWidth(buffer, indices, width) != width)
    width /= 2;
  return width;
}

LogicalResult
ParallelLowering::emitVectorLoad(memref::LoadOp load, int64_t width,
                                 MutableArrayRef<IRMapping> maps) {
  auto &b = lowering.builder;
  Type element = load.getMemRefType().getElementType();
  Type storage = lowering.storageType(element);
  FailureOr<Value> address = elementAddress(lowering, load, load.getMemRef(),
                                            mapped(load.getIndices(), maps[0]));
  if (failed(address))
    return failure();
  if (isPacked(element)) {
    SmallVector<Value> values = unpackWords(
        lowering, loadPackedWords(lowering, *address, width), width, element);
    for (auto [map, value] : llvm::zip(maps, values))
      map.map(load.getResult(), value);
    return success();
  }
  unsigned bytes = std::max<unsigned>(1, storage.getIntOrFloatBitWidth() / 8);
  Value whole = LLVM::LoadOp::create(b, VectorType::get({width}, storage),
                                     *address, bytes * width);
  for (int64_t i = 0; i < width; ++i)
    maps[i].map(load.getResult(),
                lowering.fromStorage(
                    LLVM::ExtractElementOp::create(b, whole, lowering.i32(i)),
                    element));
  return success();
}

LogicalResult
ParallelLowering::emitVectorStore(memref::StoreOp store, int64_t width,
                                  MutableArrayRef<IRMapping> maps) {
  auto &b = lowering.builder;
  Type element = store.getMemRefType().getElementType();
  Type storage = lowering.storageType(element);
  return once(lowering, firstReplica, [&]() -> LogicalResult {
    FailureOr<Value> address =
        elementAddress(lowering, store, store.getMemRef(),
                       mapped(store.getIndices(), maps[0]));
    if (failed(address))
      return failure();
    if (isPacked(element)) {
      SmallVector<Value> values;
      for (IRMapping &map : maps)
        values.push_back(map.lookupOrDefault(store.getValueToStore()));
      storePackedWords(lowering, *address, packWords(lowering, values));
      return success();
    }
    unsigned bytes = std::max<unsigned>(1, storage.getIntOrFloatBitWidth() / 8);
    Value whole = LLVM::PoisonOp::create(b, VectorType::get({width}, storage));
    for (int64_t i = 0; i < width; ++i)
      whole = LLVM::InsertElementOp::create(
          b, whole,
          lowering.toStorage(maps[i].lookupOrDefault(store.getValueToStore())),
          lowering.i32(i));
    LLVM::StoreOp::create(b, whole, *address, bytes * width);
    return success();
  });
}

/// A conversion that is fast for two neighbouring iterations at a time.
bool ParallelLowering::emitPairs(Operation &inner,
                                 MutableArrayRef<IRMapping> maps) {
  if (maps.size() < 2 || inner.getNumOperands() != 1 ||
      inner.getNumResults() != 1 || !isa<CastOpInterface>(inner) ||
      isa<arith::BitcastOp>(inner))
    return false;
  Type to = inner.getResult(0).getType();
  if (!convertsInPairs(inner.getOperand(0).getType(), to))
    return false;
  SmallVector<Value> values;
  for (IRMapping &map : maps)
    values.push_back(map.lookupOrDefault(inner.getOperand(0)));
  SmallVector<Value> results = inPairs(lowering, values, [&](Value value) {
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
        comparison, layout.axisCoordinates(Axis::Register, reg + i));
    if (!result)
      return false;
    map.map(comparison.getResult(), result);
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
    for (IRMapping &map : maps) {
      FailureOr<Value> value = loadScalar(lowering, &inner, load.getMemRef(),
                                          mapped(load.getIndices(), map));
      if (failed(value))
        return failure();
      map.map(load.getResult(), *value);
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
             << "expected the old value to be unused where iterations are "
                "replicated over threads";
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
  if (emitPairs(inner, maps))
    return success();
  if (auto comparison = dyn_cast<arith::CmpIOp>(inner))
    if (comparisons && emitComparison(comparison, reg, maps))
      return success();
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
