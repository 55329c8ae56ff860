//===- ParallelAccess.cpp - loads, stores, sums of parallel loops ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Moves/Streams.h"
#include "PackedMemory.h"
#include "Parallel.h"
#include "Places.h"
#include "Reduce/Exchange.h"
#include "ScalarMemory.h"
#include "tile/Analysis/Divisibility.h"
#include "tile/Analysis/IterationValues.h"
#include "tile/Analysis/LayoutAnalysis.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

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
      return emitHeldAccess(inner, fragment, indices, reg, maps);
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
    int64_t iteration = threadLoop ? reg : reg + int64_t(i);
    SmallVector<int64_t> own =
        layout.axisCoordinates(Axis::Register, iteration);
    SmallVector<int64_t> at;
    for (LoopIndex &form : indexForms)
      at.push_back(form.evaluate(own));
    int64_t target = map(at);
    // A condition keeps the iterations from it that are beyond the fragment.
    if (target < 0 && inner.getParentOp() != op) {
      if (isa<memref::StoreOp>(inner))
        continue;
      target = 0; // whatever it holds
    }
    if (target < 0)
      return inner.emitOpError()
             << "expected the fragment to hold the element that register "
             << iteration << " of the loop uses";
    emitRegister(inner, fragment, target, mapping);
  }
  return success();
}

void ParallelLowering::emitRegister(Operation &inner, FragmentBuffer &fragment,
                                    int64_t target, IRMapping &mapping) {
  if (auto load = dyn_cast<memref::LoadOp>(inner)) {
    mapping.map(load.getResult(),
                lowering.loadRegister(
                    fragment, load.getMemRefType().getElementType(), target));
    return;
  }
  auto store = cast<memref::StoreOp>(inner);
  lowering.storeRegister(fragment, store.getMemRefType().getElementType(),
                         target,
                         mapping.lookupOrDefault(store.getValueToStore()));
}

/// Indices with quotients and remainders, where threads hold what their
/// iterations name all the same.
LogicalResult
ParallelLowering::emitHeldAccess(Operation &inner, FragmentBuffer &fragment,
                                 ValueRange indices, int64_t reg,
                                 MutableArrayRef<IRMapping> maps) {
  auto [found, isNew] = heldRegisters.try_emplace(&inner);
  if (isNew) {
    std::optional<IterationValues> values = IterationValues::compute(
        indices, op.getBodyRegion().getArguments(), op.getExtents());
    if (values)
      found->second = values->registersOf(layout, fragment.layout,
                                          isa<memref::StoreOp>(inner));
  }
  if (!found->second) {
    if (std::optional<int64_t> other =
            registerOfOtherLane(&inner, layout, fragment.layout)) {
      emitShuffle(cast<memref::LoadOp>(inner), fragment, *other, maps.front());
      return success();
    }
    return inner.emitOpError()
           << "expected indices of a fragment to be constants or sums of the "
              "loop's indices, or elements that the threads of the iterations "
              "hold";
  }
  for (auto [i, mapping] : llvm::enumerate(maps)) {
    int64_t target = (*found->second)[threadLoop ? reg : reg + int64_t(i)];
    emitRegister(inner, fragment, std::max<int64_t>(target, 0), mapping);
  }
  return success();
}

/// What a register of another lane holds: all lanes of the warp are here.
void ParallelLowering::emitShuffle(memref::LoadOp load,
                                   FragmentBuffer &fragment, int64_t target,
                                   IRMapping &mapping) {
  auto &b = lowering.builder;
  Value thread = mapping.lookupOrDefault(load.getIndices().front());
  Value lane = b.createOrFold<arith::AndIOp>(
      b.createOrFold<arith::IndexCastOp>(b.getI32Type(), thread),
      lowering.i32(kWarpSize - 1));
  Value held = lowering.loadRegister(
      fragment, load.getMemRefType().getElementType(), target);
  mapping.map(load.getResult(),
              shuffle(lowering, held, NVVM::ShflKind::idx, lane));
}

/// Whether the indices of a group's iterations name `width` elements one after
/// the other, from a multiple of `width`.
bool ParallelLowering::startsRun(ValueRange indices, int64_t width) {
  if (threadLoop)
    return isRun(indices, threadLoop, width);
  unsigned innermostIv = layout.rank() - 1;
  // Only the last index may move along the vector, by one.
  for (auto [d, index] : llvm::enumerate(indices)) {
    LoopIndex form = indexOf(index);
    bool last = d + 1 == indices.size();
    if (!last) {
      if (form.dependsOn(innermostIv))
        return false;
      continue;
    }
    if (form.isIrregular || form.coefficients[innermostIv] != 1)
      return false;
    // The first element must lie at a multiple of the width.
    for (auto [iv, coefficient] : llvm::enumerate(form.coefficients))
      if (iv != innermostIv && coefficient % width)
        return false;
    if (form.constant % width)
      return false;
    for (Value uniform : form.uniforms)
      if (!uniform || knownDivisor(uniform) % width)
        return false;
  }
  return true;
}

int64_t ParallelLowering::accessWidth(Value buffer, ValueRange indices,
                                      int64_t width) {
  if (width == 1)
    return 1;
  if (!startsRun(indices, width))
    return 1;
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
  width &= -width;
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
  Value whole = loadOfLoop(lowering, load.getMemRef(), *address,
                           VectorType::get({width}, storage), bytes * width);
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

//===----------------------------------------------------------------------===//
// Sums by atomics
//===----------------------------------------------------------------------===//

bool ParallelLowering::isSumInMemory(memref::AtomicRMWOp rmw) {
  Type element = rmw.getMemRefType().getElementType();
  return rmw.getKind() == arith::AtomicRMWKind::addf &&
         rmw.getResult().use_empty() && isGlobal(rmw.getMemref()) &&
         (element.isF32() || element.isF16() || element.isBF16());
}

int64_t ParallelLowering::sumWidth(memref::AtomicRMWOp rmw, int64_t width) {
  if (!isSumInMemory(rmw))
    return 1;
  int64_t chunk = widestAccess(rmw.getMemref(), rmw.getIndices(), width);
  bool isPairOfHalves =
      chunk == 2 && rmw.getMemRefType().getElementType().isF16();
  return isPairOfHalves || lowering.target.hasVectorAtomics() ? chunk : 1;
}

LogicalResult ParallelLowering::emitVectorSum(memref::AtomicRMWOp rmw,
                                              MutableArrayRef<IRMapping> maps) {
  FailureOr<Value> address = elementAddress(lowering, rmw, rmw.getMemref(),
                                            mapped(rmw.getIndices(), maps[0]));
  if (failed(address))
    return failure();
  SmallVector<Value> values;
  for (IRMapping &map : maps)
    values.push_back(map.lookupOrDefault(rmw.getValue()));
  addVector(lowering, *address, values);
  return success();
}
