//===- StoreInFront.cpp - stores that begin at a negative index -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor copies to global memory may not begin in front of the tensor. Where
// the program's indices may, each group of warps that makes a part of the store
// asks, and stores its part by threads, one element at a time. That is a loop,
// so that it costs the kernels that never take it few instructions and no
// registers.
//
//===----------------------------------------------------------------------===//
#include "Memory/ScalarMemory.h"
#include "Schedule/Mbarriers.h"
#include "TmaBoxes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Conversion/Combination.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// Coordinates (i32) of element `number` of a box, the last dimension fastest.
static SmallVector<Value> coordinatesOf(KernelLowering &lowering, Value number,
                                        ArrayRef<int64_t> extents) {
  auto &b = lowering.builder;
  SmallVector<Value> result(extents.size());
  for (size_t dim = extents.size(); dim-- > 0;) {
    Value extent = lowering.i32(extents[dim]);
    result[dim] = b.createOrFold<arith::RemUIOp>(number, extent);
    number = b.createOrFold<arith::DivUIOp>(number, extent);
  }
  return result;
}

/// Where an element of the region lies in the shared buffer, by its coordinates
/// in the global one: both have the tile's dimensions in order, and others of
/// extent 1.
static SmallVector<Value> sharedIndices(KernelLowering &lowering,
                                        TileMoveOpInterface copy,
                                        ArrayRef<Value> coordinates,
                                        ArrayRef<int64_t> globalExtents) {
  SmallVector<Value> result;
  OperandRange offsets = copy.getSourceOffsets();
  size_t from = 0;
  for (auto [dim, extent] : llvm::enumerate(copy.getSourceExtents())) {
    Value at = lowering.i32(0);
    if (extent != 1) {
      while (globalExtents[from] == 1)
        ++from;
      at = coordinates[from++];
    }
    if (!offsets.empty())
      at = lowering.add(at, lowering.toI32(offsets[dim]));
    result.push_back(lowering.toIndex(at));
  }
  return result;
}

/// Stores one element, or combines it into the buffer.
static LogicalResult moveElement(KernelLowering &lowering,
                                 const CopyParts &parts, ValueRange from,
                                 ValueRange to) {
  TileMoveOpInterface copy = parts.copy;
  FailureOr<Value> value = loadScalar(lowering, copy, copy.getSource(), from);
  if (failed(value))
    return failure();
  auto atomic = dyn_cast<AtomicOp>(*copy);
  if (!atomic)
    return storeScalar(lowering, copy, parts.argument, to, *value);
  Type element = cast<MemRefType>(copy.getSource().getType()).getElementType();
  return atomicScalar(lowering, copy, parts.argument, to,
                      atomicKindOf(atomic, element), *value);
}

/// What a ring has brought is for the thread that issues the copy: others of
/// the agent neither wait for the slot nor are waited for.
static bool isByOneThread(KernelLowering &lowering, TileMoveOpInterface copy) {
  return lowering.agent.isSingleThread || ringOf(copy.getSource());
}

static LogicalResult storePart(KernelLowering &lowering, const CopyParts &parts,
                               const TmaGeometry &geometry) {
  auto &b = lowering.builder;
  TileMoveOpInterface copy = parts.copy;
  int64_t groups = copy.getNumGroups();
  bool isOne = isByOneThread(lowering, copy);
  int64_t threads = isOne ? 1 : lowering.numThreads() / groups;
  // Nothing of what is seldom done waits in registers.
  llvm::SaveAndRestore transient(lowering.recomputesPlaces, true);
  Value thread = isOne ? lowering.i32(0) : lowering.threadForPlaces();
  SmallVector<int64_t> extents = parts.globalExtents;
  SmallVector<Value> starts(extents.size());
  if (geometry.parts > 1) {
    unsigned dim = geometry.order[geometry.partDim];
    Value group = lowering.groupId(groups);
    if (!isOne)
      thread = b.createOrFold<arith::SubIOp>(thread,
                                             lowering.mulConst(group, threads));
    extents[dim] = geometry.partStep;
    starts[dim] = lowering.mulConst(group, geometry.partStep);
  }
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  auto loop =
      scf::ForOp::create(b, thread, lowering.i32(count), lowering.i32(threads));
  LogicalResult result = success();
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> coordinates =
        coordinatesOf(lowering, loop.getInductionVar(), extents);
    SmallVector<Value> target;
    Value isInside;
    for (auto [dim, start] : llvm::enumerate(starts)) {
      coordinates[dim] = lowering.add(coordinates[dim], start);
      // The index fits 32 bits, as a tensor copy needs it: a register less
      // across the program's loops.
      Value at = b.createOrFold<arith::ExtSIOp>(
          b.getI64Type(),
          lowering.add(toCoordinate(lowering, parts.globalOffsets[dim], copy),
                       coordinates[dim]));
      // Without a sign, a negative index is a large one.
      Value exists = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult,
                                                   at, parts.global.sizes[dim]);
      isInside =
          isInside ? b.createOrFold<arith::AndIOp>(isInside, exists) : exists;
      target.push_back(lowering.toIndex(at));
    }
    SmallVector<Value> source =
        sharedIndices(lowering, copy, coordinates, parts.globalExtents);
    auto branch = scf::IfOp::create(b, isInside, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    result = moveElement(lowering, parts, source, target);
  }
  // What tensor copies do to the buffer afterwards comes afterwards.
  lowering.inlineAsm(TypeRange(), "fence.proxy.async.global;", "~{memory}",
                     ValueRange());
  return result;
}

LogicalResult tile::nvvm::storeByElements(KernelLowering &lowering,
                                          const CopyParts &parts,
                                          const TmaGeometry &geometry) {
  TileMoveOpInterface copy = parts.copy;
  LogicalResult result = success();
  onOneThread(lowering,
              isByOneThread(lowering, copy)
                  ? lowering.elected(copy.getNumGroups())
                  : Value(),
              [&] { result = storePart(lowering, parts, geometry); });
  return result;
}
