//===- Move.cpp - lowering of copy, fill, atomic and convert_layout -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which instruction moves a tile is decided before, and asked here: by threads
// ThreadRuns.cpp moves it, by whole matrices MatrixCopy.cpp, by tensor copies
// TmaCopy.cpp, of tensor memory TensorMoves.cpp. Fills, atomics and other
// layouts of a fragment are loops of each thread over its part of the tile,
// here.
//
//===----------------------------------------------------------------------===//
#include "Move.h"
#include "LoadedRuns.h"
#include "MatrixCopy.h"
#include "Memory/Places.h"
#include "Memory/RegisterLoops.h"
#include "Memory/ScalarMemory.h"
#include "Prepare/Scratch.h"
#include "ShuffledRegisters.h"
#include "Streams.h"
#include "Tcgen05/TensorMemory.h"
#include "ThreadRuns.h"
#include "Tma/TmaCopy.h"
#include "tile/Conversion/Combination.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/ScheduleFacts.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

LogicalResult tile::nvvm::requireLayout(Operation *op, bool present) {
  if (present)
    return success();
  return op->emitOpError() << "expected a loop layout: run "
                              "--tile-infer-layouts";
}

//===----------------------------------------------------------------------===//
// Copy
//===----------------------------------------------------------------------===//

/// The most that one load or store moves.
static constexpr int64_t kMostAccessBits = 128;

/// Element of the side that a plan's bytes count (CopyFacts::countedSide).
static Type countedElement(const Endpoint &source, const Endpoint &target) {
  for (MemorySpace space : {MemorySpace::Global, MemorySpace::Shared})
    for (const Endpoint *side : {&source, &target})
      if (side->space == space)
        return side->elementType;
  return source.elementType;
}

LogicalResult tile::nvvm::moveByThreads(KernelLowering &lowering,
                                        TileMoveOpInterface move,
                                        Endpoint &source, Endpoint &target,
                                        const FragmentLayout &loop,
                                        bool isInside) {
  if (isGlobal(move.getSource()) || isGlobal(move.getTarget()))
    source.policy = target.policy = cachePolicy(lowering, move);
  if (Value policy = policyOfLoad(lowering, move)) {
    source.policy = policy;
    source.isConstant = true;
  }
  int64_t bytes = 0;
  if (CopyPlanAttr plan = move.getPlanAttr()) {
    bytes = plan.getBytes();
    if (plan.getInstruction() == CopyInstruction::CpAsync) {
      if (source.space != MemorySpace::Global ||
          target.space != MemorySpace::Shared ||
          source.elementType != target.elementType || move.getPad())
        return move->emitOpError()
               << "expected cp.async between global and shared memory of one "
                  "element type, padded with zero";
      return moveByCpAsync(lowering, move, source, target, loop, bytes,
                           isInside);
    }
  }
  if (CopyPlanAttr plan = move.getPlanAttr();
      plan && plan.getInstruction() == CopyInstruction::Realign) {
    if (target.space == MemorySpace::Global)
      return storeRealigned(lowering, move, source, target, loop, isInside);
    std::optional<LoadedRuns> loaded;
    if (isFragment(move.getTarget()))
      loaded.emplace(lowering, source.elementType, loop.numRegisters());
    LoadedRuns *runs = loaded ? &*loaded : nullptr;
    if (failed(moveRealigned(
            lowering, move, source, target, loop, isInside, runs, [&] {
              return moveInRuns(lowering, move, source, target, loop, isInside,
                                /*count=*/1, runs, /*isAtEdge=*/true);
            })))
      return failure();
    return loaded
               ? loaded->storeTo(target, elementsIn(bytes, source.elementType))
               : success();
  }
  Type counted = countedElement(source, target);
  bool isScalar = !move.getPlanAttr() || move.getPlanAttr().getInstruction() ==
                                             CopyInstruction::Scalar;
  int64_t count = isScalar ? 1 : runLength(loop, elementsIn(bytes, counted));
  // Elements that are wider on the other side are more than one access there,
  // and swizzles keep no more than one together.
  for (const Endpoint *side : {&source, &target})
    if (side->space == MemorySpace::Global ||
        side->space == MemorySpace::Shared)
      while (count > 1 &&
             count * getStorageBits(side->elementType) > kMostAccessBits)
        count /= 2;
  // Registers have no width; conversions may.
  if (source.space == MemorySpace::Fragment &&
      target.space == MemorySpace::Fragment) {
    int64_t converted =
        convertedTogether(source.elementType, target.elementType);
    if (converted == 1 && storesHalves(move, source, target))
      converted = 2;
    if (converted > 1)
      count = runLength(loop, converted);
  }
  return moveInRuns(lowering, move, source, target, loop, isInside, count);
}

/// Whether either side has more addresses than there are registers for.
static bool hasManyAddresses(CopyOp copy, const FragmentLayout &loop) {
  auto plan = copy.getPlan();
  bool isScalar = !plan || plan->getInstruction() == CopyInstruction::Scalar;
  return isScalar &&
         llvm::any_of(
             ValueRange{copy.getSource(), copy.getTarget()}, [&](Value buffer) {
               return isGlobal(buffer) &&
                      nvvm::hasManyAddresses(copy, buffer, loop.numRegisters());
             });
}

static LogicalResult lowerCopy(KernelLowering &lowering, CopyOp copy) {
  Operation *op = copy;
  // One thread makes them: nothing has to be divided.
  TileMoveOpInterface move = copy;
  if (move.isMovedByProxy())
    return lowerTmaCopy(lowering, move);
  if (isPrefetch(move))
    return success(); // threads have nothing to do
  if (isTensorMemory(copy.getSource()) || isTensorMemory(copy.getTarget()))
    return lowerTensorCopy(lowering, copy);
  if (failed(requireLayout(op, copy.getLayout().has_value())))
    return failure();
  FragmentLayout loop = lowering.loopLayout(*copy.getLayout());
  // Places of rows are a product each, and two registers across a loop.
  llvm::SaveAndRestore transient(lowering.recomputesPlaces,
                                 lowering.agent.isCopying ||
                                     lowering.hasFewRegisters ||
                                     hasManyAddresses(copy, loop));
  FailureOr<Endpoint> source =
      Endpoint::create(lowering, op, copy.getSource(), copy.getSourceOffsets(),
                       copy.getSourceExtents(), loop);
  FailureOr<Endpoint> target =
      Endpoint::create(lowering, op, copy.getTarget(), copy.getTargetOffsets(),
                       copy.getTargetExtents(), loop);
  if (failed(source) || failed(target))
    return failure();

  if (auto plan = copy.getPlan()) {
    if (plan->getInstruction() == CopyInstruction::Ldmatrix)
      return lowerLdmatrix(lowering, copy, *target, loop);
    if (plan->getInstruction() == CopyInstruction::Stmatrix)
      return lowerStmatrix(lowering, copy, *source, loop);
  }
  if (failed(moveByThreads(lowering, move, *source, *target, loop,
                           copy.getInside())))
    return failure();
  return isStream(lowering, move) ? leaveStream(lowering, copy, loop)
                                  : success();
}

//===----------------------------------------------------------------------===//
// Fill
//===----------------------------------------------------------------------===//

static LogicalResult lowerFill(KernelLowering &lowering, FillOp fill) {
  Operation *op = fill;
  if (isTensorMemory(fill.getTarget()))
    return lowerTensorFill(lowering, fill);
  if (isFragment(fill.getTarget()) && fill.getOffsets().empty() &&
      !fill.getSizes()) {
    FailureOr<FragmentBuffer> fragment =
        lowering.fragment(fill.getTarget(), op);
    if (failed(fragment))
      return failure();
    for (int64_t r : registersInside(lowering, *fragment))
      lowering.storeRegister(*fragment, fill.getValue().getType(), r,
                             fill.getValue());
    return success();
  }
  if (failed(requireLayout(op, fill.getLayout().has_value())))
    return failure();
  FragmentLayout loop = lowering.loopLayout(*fill.getLayout());
  FailureOr<Endpoint> target =
      Endpoint::create(lowering, op, fill.getTarget(), fill.getOffsets(),
                       fill.getExtents(), loop);
  if (failed(target))
    return failure();
  int64_t count = 1;
  if (target->space == MemorySpace::Shared && loop.rank()) {
    auto shared = lowering.shared(fill.getTarget(), op);
    // A region may start anywhere: only whole tiles are known to be aligned.
    if (succeeded(shared) && loop.shape() == shared->layout.shape() &&
        fill.getOffsets().empty())
      count =
          runLength(loop, widestVector(loop, shared->layout, loop.rank() - 1));
  }
  SmallVector<Value> threadPart = lowering.threadCoordinates(loop);
  bool isPrivate = target->space == MemorySpace::Fragment ||
                   target->space == MemorySpace::Local;
  Value first = isPrivate ? Value() : lowering.firstReplica(loop);
  for (int64_t reg = 0, e = loop.numRegisters(); reg < e; reg += count) {
    SmallVector<Value> values(count, fill.getValue());
    LogicalResult result =
        guarded(lowering,
                both(lowering, first, lowering.inBounds(loop, threadPart, reg)),
                [&] { return target->store(reg, values); });
    if (failed(result))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Atomic
//===----------------------------------------------------------------------===//

static LogicalResult lowerAtomic(KernelLowering &lowering, AtomicOp atomic) {
  Operation *op = atomic;
  TileMoveOpInterface move = atomic;
  if (move.isMovedByProxy())
    return lowerTmaCopy(lowering, move);
  if (failed(requireLayout(op, atomic.getLayout().has_value())))
    return failure();
  FragmentLayout loop = lowering.loopLayout(*atomic.getLayout());
  FailureOr<Endpoint> source = Endpoint::create(
      lowering, op, atomic.getSource(), atomic.getSourceOffsets(),
      atomic.getSourceExtents(), loop);
  FailureOr<Endpoint> target = Endpoint::create(
      lowering, op, atomic.getTarget(), atomic.getTargetOffsets(),
      atomic.getTargetExtents(), loop);
  if (failed(source) || failed(target))
    return failure();
  CopyPlanAttr plan = atomic.getPlanAttr();
  bool isVector = plan && plan.getInstruction() == CopyInstruction::Vector;
  int64_t count =
      isVector
          ? runLength(loop, elementsIn(plan.getBytes(), target->elementType))
          : 1;
  SmallVector<Value> threadPart = lowering.threadCoordinates(loop);
  Value first = lowering.firstReplica(loop);
  arith::AtomicRMWKind kind = atomicKindOf(atomic, source->elementType);
  auto emit = [&](bool inside) -> LogicalResult {
    target->assumeInside(inside);
    for (int64_t reg = 0, e = loop.numRegisters(); reg < e; reg += count) {
      Value predicate =
          both(lowering, first, lowering.inBounds(loop, threadPart, reg));
      auto combine = [&]() -> LogicalResult {
        auto values = source->load(reg, count, Value());
        if (failed(values))
          return failure();
        bool failed = false;
        LogicalResult updated =
            target->update(reg, count, [&](int64_t at, int64_t number) {
              ArrayRef<Value> own = ArrayRef(*values).slice(at - reg, number);
              if (number > 1)
                return addVector(lowering, target->address(at), own);
              // What lies outside of the source was read as zero, which is no
              // maximum of negative numbers.
              failed |= mlir::failed(
                  guarded(lowering, source->inside(at), [&]() -> LogicalResult {
                    return atomicAt(lowering, op, target->address(at), kind,
                                    own.front());
                  }));
            });
        return failure(failed || mlir::failed(updated));
      };
      if (mlir::failed(guarded(lowering, predicate, combine)))
        return failure();
    }
    return success();
  };
  // One by one, a branch around each costs less than all of them twice.
  return count == 1 ? emit(/*inside=*/false)
                    : twice(lowering, target->regionInside(), emit);
}

//===----------------------------------------------------------------------===//
// ConvertLayout
//===----------------------------------------------------------------------===//

/// Of an element with bytes of its own, as scratch holds them all.
static int64_t bytesOf(Type elementType) {
  return std::max<int64_t>(1, getStorageBits(elementType) / 8);
}

static LogicalResult lowerConvert(KernelLowering &lowering,
                                  ConvertLayoutOp convert) {
  Operation *op = convert;
  FailureOr<FragmentBuffer> from = lowering.fragment(convert.getSource(), op);
  FailureOr<FragmentBuffer> to = lowering.fragment(convert.getTarget(), op);
  if (failed(from) || failed(to))
    return failure();
  auto type = cast<MemRefType>(convert.getSource().getType());
  Type element = type.getElementType();
  auto conversion = classifyConversion(from->layout, to->layout);
  if (!conversion)
    return op->emitOpError() << conversion.reason();
  SmallVector<unsigned> dims;
  for (int64_t d = 0; d < type.getRank(); ++d)
    dims.push_back(d);
  if (convertsInRegisters(*conversion, from->layout, to->layout)) {
    RegisterMap map(from->layout);
    for (int64_t r = 0, e = to->layout.numRegisters(); r < e; ++r) {
      SmallVector<int64_t> constants =
          to->layout.axisCoordinates(Axis::Register, r);
      // Threads have registers for rows behind the last one, which nothing
      // reads.
      bool exists = llvm::all_of_zip(
          constants, type.getShape(),
          [](int64_t constant, int64_t extent) { return constant < extent; });
      if (!exists)
        continue;
      int64_t source = map(constants);
      if (source < 0)
        return op->emitOpError() << "expected every register of the target in "
                                    "the source";
      lowering.storeRegister(*to, element, r,
                             lowering.loadRegister(*from, element, source));
    }
    return success();
  }
  if (auto plan = shuffleOf(*conversion, from->layout, to->layout, element)) {
    convertByShuffles(lowering, *plan, *from, *to, element);
    return success();
  }
  SharedBuffer scratch = {lowering.scratch(0), conversionScratch(type)};
  for (bool isStore : {true, false}) {
    FragmentBuffer &fragment = isStore ? *from : *to;
    const FragmentLayout &loop = fragment.layout;
    KernelLowering::SharedAddresses addresses(lowering, scratch, loop, dims);
    SmallVector<Value> threadPart = lowering.threadCoordinates(loop);
    // Of those that hold the same elements one is enough.
    Value first = isStore ? lowering.firstReplica(loop) : Value();
    int64_t count = 1;
    if (loop.rank())
      count =
          runLength(loop, widestVector(loop, scratch.layout, loop.rank() - 1));
    Type storage = lowering.storageType(element);
    Type vector = VectorType::get({count}, storage);
    for (int64_t r = 0, e = loop.numRegisters(); r < e; r += count) {
      Value predicate = both(
          lowering, first, lowering.inBounds(loop, threadPart, r + count - 1));
      LogicalResult result = guarded(lowering, predicate, [&] {
        auto &b = lowering.builder;
        Value address = addresses(r);
        if (isStore) {
          Value whole = LLVM::PoisonOp::create(b, vector);
          for (int64_t i = 0; i < count; ++i)
            whole = LLVM::InsertElementOp::create(
                b, whole,
                lowering.toStorage(
                    lowering.loadRegister(fragment, element, r + i)),
                lowering.i32(i));
          LLVM::StoreOp::create(b, whole, address, count * bytesOf(element));
        } else {
          Value whole = LLVM::LoadOp::create(b, vector, address,
                                             count * bytesOf(element));
          for (int64_t i = 0; i < count; ++i)
            lowering.storeRegister(
                fragment, element, r + i,
                lowering.fromStorage(
                    LLVM::ExtractElementOp::create(b, whole, lowering.i32(i)),
                    element));
        }
        return success();
      });
      if (failed(result))
        return failure();
    }
    if (isStore)
      lowering.barrier();
  }
  return success();
}

void tile::nvvm::registerMoveLowerings(Registry &registry) {
  registry.add<CopyOp>(inLoops<CopyOp, lowerCopy>);
  registry.add<FillOp>(inLoops<FillOp, lowerFill>);
  registry.add<AtomicOp>(inLoops<AtomicOp, lowerAtomic>);
  registry.add<ConvertLayoutOp>(lowerConvert);
}
