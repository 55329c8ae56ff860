//===- ThreadRuns.cpp - movements by threads, in runs of elements ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each thread moves its part of a tile from one Endpoint to another in runs of
// neighbouring elements: by loads and stores, or by cp.async. Where the region
// may overhang, all of it is tested once, and elements only at the edges.
//
//===----------------------------------------------------------------------===//
#include "ThreadRuns.h"
#include "LoadedRuns.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "tile/Dialect/Tile/IR/ScheduleFacts.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

LogicalResult tile::nvvm::guarded(KernelLowering &lowering, Value predicate,
                                  llvm::function_ref<LogicalResult()> body) {
  if (!predicate)
    return body();
  auto branch = scf::IfOp::create(lowering.builder, predicate,
                                  /*withElse=*/false);
  OpBuilder::InsertionGuard guard(lowering.builder);
  lowering.builder.setInsertionPointToStart(branch.thenBlock());
  return body();
}

Value tile::nvvm::both(KernelLowering &lowering, Value a, Value b) {
  if (!a)
    return b;
  if (!b)
    return a;
  return lowering.builder.createOrFold<arith::AndIOp>(a, b);
}

LogicalResult tile::nvvm::twice(KernelLowering &lowering, Value inside,
                                llvm::function_ref<LogicalResult(bool)> emit) {
  if (!inside)
    return emit(/*inside=*/false);
  if (matchPattern(inside, m_One()))
    return emit(/*inside=*/true);
  auto &b = lowering.builder;
  auto branch = scf::IfOp::create(b, inside, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  if (failed(emit(/*inside=*/true)))
    return failure();
  b.setInsertionPointToStart(branch.elseBlock());
  return emit(/*inside=*/false);
}

int64_t tile::nvvm::elementsIn(int64_t bytes, Type elementType) {
  return std::max<int64_t>(1, bytes * 8 / getStorageBits(elementType));
}

int64_t tile::nvvm::runLength(const FragmentLayout &loop, int64_t wanted) {
  if (loop.rank() == 0)
    return 1;
  int64_t run = loop.vectorWidth(loop.rank() - 1);
  while (wanted > 1 && (run % wanted || loop.numRegisters() % wanted))
    wanted /= 2;
  return std::max<int64_t>(1, wanted);
}

//===----------------------------------------------------------------------===//
// cp.async
//===----------------------------------------------------------------------===//

/// Whole bytes of a number (i32) of elements.
static Value elementsToBytes(KernelLowering &lowering, Value elements,
                             int64_t bits) {
  if (bits >= 8)
    return lowering.mulConst(elements, bits / 8);
  return lowering.builder.createOrFold<arith::ShRUIOp>(
      elements, lowering.i32(llvm::Log2_64(8 / bits)));
}

LogicalResult tile::nvvm::moveByCpAsync(KernelLowering &lowering,
                                        TileMoveOpInterface move,
                                        Endpoint &source, Endpoint &target,
                                        const FragmentLayout &loop,
                                        int64_t bytes, bool isInside) {
  auto &b = lowering.builder;
  int64_t bits = getStorageBits(source.elementType);
  int64_t count = runLength(loop, bytes * 8 / bits);
  if (count * bits != bytes * 8)
    return move->emitOpError()
           << "expected a loop layout with vectors of " << bytes
           << " bytes for cp.async, got " << count * bits / 8;
  SmallVector<Value> threadPart = lowering.threadCoordinates(loop);
  Value first = lowering.firstReplica(loop);
  // .cg (L2 only) exists for 16 bytes alone.
  bool global = bytes == 16;
  auto cache = global ? NVVM::LoadCacheModifierKind::CG
                      : NVVM::LoadCacheModifierKind::CA;
  // LLVM has no operation for a predicate that ignores the source, which is
  // cheaper than a source size.
  auto emitIgnoring = [&](Value destination, Value origin, Value ignores) {
    SmallVector<Value> operands{
        LLVM::PtrToIntOp::create(b, b.getI32Type(), destination), origin,
        ignores};
    std::string text = std::string("cp.async.") + (global ? "cg" : "ca") +
                       ".shared.global [$0], [$1], " + std::to_string(bytes) +
                       ", $2;";
    lowering.inlineAsm(TypeRange(), text, "r,l,b,~{memory}", operands);
  };
  bool wholeVectors = source.wholeVectors(count);
  auto emit = [&](bool inside) -> LogicalResult {
    for (int64_t reg = 0, e = loop.numRegisters(); reg < e; reg += count) {
      Value predicate =
          both(lowering, first, lowering.inBounds(loop, threadPart, reg));
      LogicalResult result = guarded(lowering, predicate, [&] {
        Value destination = target.address(reg);
        Value origin = source.address(reg);
        Value outside;
        if (!inside && wholeVectors)
          if (Value in = source.inside(reg))
            outside = b.createOrFold<arith::XOrIOp>(
                in, arith::ConstantIntOp::create(b, b.getI1Type(), 1));
        if (outside) {
          emitIgnoring(destination, origin, outside);
          return success();
        }
        Value validBytes;
        if (!inside && !wholeVectors)
          validBytes =
              elementsToBytes(lowering, source.validElements(reg, count), bits);
        NVVM::CpAsyncOp::create(b, destination, origin,
                                static_cast<uint32_t>(bytes), cache,
                                validBytes);
        return success();
      });
      if (failed(result))
        return failure();
    }
    return success();
  };
  if (isInside)
    return emit(/*inside=*/true);
  return twice(lowering, source.regionInside(), emit);
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

bool tile::nvvm::storesHalves(TileMoveOpInterface move, const Endpoint &source,
                              const Endpoint &target) {
  return source.space == MemorySpace::Fragment &&
         target.space == MemorySpace::Fragment && source.elementType.isF32() &&
         (target.elementType.isF16() || target.elementType.isBF16()) &&
         isPackedFragment(move.getTarget());
}

/// Whether the move fills a whole fragment: registers of nobody may be written
/// freely then.
static bool fillsFragment(TileMoveOpInterface move) {
  auto type = cast<MemRefType>(move.getTarget().getType());
  return isFragment(move.getTarget()) &&
         llvm::equal(move.getTargetExtents(), type.getShape());
}

/// Whether elements of global memory wait where they were loaded until all
/// loads of the move have been issued.
static bool waitsLoaded(TileMoveOpInterface move, const Endpoint &source) {
  return source.space == MemorySpace::Global && fillsFragment(move) &&
         !isPacked(source.elementType);
}

LogicalResult tile::nvvm::moveInRuns(KernelLowering &lowering,
                                     TileMoveOpInterface move, Endpoint &source,
                                     Endpoint &target,
                                     const FragmentLayout &loop, bool isInside,
                                     int64_t count, LoadedRuns *loaded,
                                     bool isAtEdge) {
  bool movesWords = count > 1 && isPacked(source.elementType) &&
                    source.elementType == target.elementType;
  bool makesWords = count == 2 && storesHalves(move, source, target);
  SmallVector<Value> threadPart = lowering.threadCoordinates(loop);
  // Replicas all keep their own copy of a fragment; memory is written once.
  Value first = target.space == MemorySpace::Fragment ||
                        target.space == MemorySpace::Local
                    ? Value()
                    : lowering.firstReplica(loop);
  // Beyond a region that is the whole fragment there are registers of nobody;
  // beyond a part, elements of the rest.
  bool isWhole = fillsFragment(move);
  bool sourceIsMemory = source.space != MemorySpace::Fragment;
  std::optional<LoadedRuns> own;
  if (!loaded && waitsLoaded(move, source)) {
    own.emplace(lowering, source.elementType, loop.numRegisters());
    loaded = &*own;
  }
  // Some lanes move register r ^ `turned` in place of r.
  int64_t turned = 0;
  Value turns;
  if (CopyPlanAttr plan = move.getPlanAttr();
      plan && plan.getExchange() && !movesWords && !makesWords && !loaded) {
    ArrayRef<int64_t> exchange = plan.getExchange();
    auto &b = lowering.builder;
    Value bit = b.createOrFold<arith::AndIOp>(lowering.laneId(),
                                              lowering.i32(exchange[0]));
    turns = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ne, bit,
                                          lowering.i32(0));
    if (target.exchange(turns, exchange[1]))
      turned = exchange[1];
  }
  auto valuesOf = [&](int64_t reg, Value pad) {
    auto values = source.load(reg, count, pad);
    if (failed(values) || !turned)
      return values;
    auto others = source.load(reg ^ turned, count, pad);
    if (failed(others))
      return others;
    for (auto [value, other] : llvm::zip(*values, *others))
      value = arith::SelectOp::create(lowering.builder, turns, other, value);
    return values;
  };
  auto emit = [&](bool inside) -> LogicalResult {
    source.assumeInside(inside);
    target.assumeInside(inside);
    for (int64_t reg = 0, e = loop.numRegisters(); reg < e; reg += count) {
      Value inTile = lowering.inBounds(loop, threadPart, reg);
      Value predicate = both(lowering, first, inTile);
      // Registers of nobody may be written freely: no branch is needed unless
      // memory would be touched.
      if (isWhole && !sourceIsMemory)
        predicate = Value();
      LogicalResult result =
          guarded(lowering, predicate, [&]() -> LogicalResult {
            Value pad;
            if (move.getPad())
              pad = lowering.convertElement(move.getPad(), source.elementType);
            if (movesWords) {
              auto words = source.loadWords(reg, count, pad);
              if (failed(words))
                return failure();
              return target.storeWords(reg, count, *words);
            }
            auto values = valuesOf(reg, pad);
            if (failed(values))
              return failure();
            if (loaded) {
              loaded->put(reg, *values);
              return success();
            }
            if (makesWords) {
              auto &b = lowering.builder;
              Value pair = vector::FromElementsOp::create(
                  b, VectorType::get(count, source.elementType), *values);
              Value word = LLVM::BitcastOp::create(
                  b, b.getI32Type(),
                  lowering.convertElement(pair, target.elementType));
              if (succeeded(target.storeWord(reg, count, word)))
                return success();
            }
            return target.store(
                reg, lowering.convertElements(*values, target.elementType));
          });
      if (failed(result))
        return failure();
    }
    return success();
  };
  auto emitAll = [&]() -> LogicalResult {
    if (isInside || isAtEdge)
      return emit(isInside);
    Value inside = source.regionInside();
    if (Value other = target.regionInside())
      inside = inside ? both(lowering, inside, other) : other;
    return twice(lowering, inside, emit);
  };
  if (failed(emitAll()))
    return failure();
  return own ? own->storeTo(target, count) : success();
}
