//===- ParallelRuns.cpp - loops of a thread that are written out ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop inside an iteration of `tile.parallel` that loads memory waits for
// each load in turn, and its neighbouring elements move one by one. Where it
// has few iterations it is written out: operation by operation for all of them
// where none touches what another writes, so that neighbours become one access;
// else one iteration after the other, whose loads the assembler starts early.
//
//===----------------------------------------------------------------------===//
#include "Parallel.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tile/Analysis/Divisibility.h"
#include "tile/Dialect/Tile/IR/Aliasing.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// Iterations and operations that are written out at most.
static constexpr int64_t kMostIterations = 16, kMostOperations = 4096;

//===----------------------------------------------------------------------===//
// How values change along a loop
//===----------------------------------------------------------------------===//

bool nvvm::isSameInRun(Value value, scf::ForOp loop) {
  if (!loop.getBodyRegion().isAncestor(value.getParentRegion()))
    return true;
  Operation *definition = value.getDefiningOp();
  return definition && definition->getNumRegions() == 0 &&
         llvm::all_of(definition->getOperands(), [&](Value operand) {
           return isSameInRun(operand, loop);
         });
}

bool nvvm::countsAlongRun(Value value, scf::ForOp loop, int64_t width) {
  if (value == loop.getInductionVar()) {
    std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound());
    return first && *first % width == 0 &&
           isConstantIntValue(loop.getStep(), 1);
  }
  Operation *definition = value.getDefiningOp();
  if (!definition || isSameInRun(value, loop))
    return false;
  auto counts = [&](unsigned operand) {
    return countsAlongRun(definition->getOperand(operand), loop, width);
  };
  // What is added is the same, and lets a run begin where it began.
  auto keepsRuns = [&](unsigned operand) {
    Value added = definition->getOperand(operand);
    return isSameInRun(added, loop) && knownDivisor(added) % width == 0;
  };
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(definition))
    return counts(0);
  if (isa<arith::AddIOp>(definition))
    return (counts(0) && keepsRuns(1)) || (counts(1) && keepsRuns(0));
  if (isa<arith::SubIOp, arith::RemUIOp>(definition))
    return counts(0) && keepsRuns(1);
  return false;
}

/// Whether the value is the same along each `width` iterations: it does not
/// change, or is what a counter is divided by a multiple of `width`.
static bool isSameInPiece(Value value, scf::ForOp loop, int64_t width) {
  if (isSameInRun(value, loop))
    return true;
  Operation *definition = value.getDefiningOp();
  if (!definition || definition->getNumRegions() != 0 ||
      !isMemoryEffectFree(definition))
    return false;
  if (auto divided = dyn_cast<arith::DivUIOp>(definition))
    if (isSameInRun(divided.getRhs(), loop) &&
        knownDivisor(divided.getRhs()) % width == 0 &&
        countsAlongRun(divided.getLhs(), loop, width))
      return true;
  return llvm::all_of(definition->getOperands(), [&](Value operand) {
    return isSameInPiece(operand, loop, width);
  });
}

bool nvvm::isRun(ValueRange indices, scf::ForOp loop, int64_t width) {
  return !indices.empty() && countsAlongRun(indices.back(), loop, width) &&
         llvm::all_of(indices.drop_back(), [&](Value index) {
           return isSameInPiece(index, loop, width);
         });
}

//===----------------------------------------------------------------------===//
// What may be written out
//===----------------------------------------------------------------------===//

namespace {
struct Access {
  Value buffer;
  SmallVector<Value> indices;
  bool isWrite;
};
} // namespace

static std::optional<Access> accessOf(Operation &op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return Access{load.getMemRef(), llvm::to_vector(load.getIndices()), false};
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return Access{store.getMemRef(), llvm::to_vector(store.getIndices()), true};
  return std::nullopt;
}

bool nvvm::mayRunTogether(scf::ForOp loop) {
  SmallVector<Access> accesses;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (std::optional<Access> access = accessOf(op))
      accesses.push_back(*access);
    else if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op))
      return false;
  }
  for (size_t i = 0; i < accesses.size(); ++i)
    for (size_t k = i + 1; k < accesses.size(); ++k) {
      const Access &a = accesses[i], &b = accesses[k];
      if ((!a.isWrite && !b.isWrite) || !mayAlias(a.buffer, b.buffer))
        continue;
      // The same element, and another one in each iteration.
      if (a.buffer != b.buffer || a.indices != b.indices ||
          !llvm::is_contained(a.indices, loop.getInductionVar()))
        return false;
    }
  return true;
}

static std::optional<int64_t> constantCount(scf::ForOp loop) {
  std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound()),
                         end = getConstantIntValue(loop.getUpperBound()),
                         step = getConstantIntValue(loop.getStep());
  if (!first || !end || !step || *step <= 0 || *end <= *first)
    return std::nullopt;
  return llvm::divideCeil(*end - *first, *step);
}

/// Operations of a body when the loops in it are written out, too.
static int64_t operationsOf(Block &block) {
  int64_t total = 0;
  for (Operation &op : block.without_terminator()) {
    int64_t times = 1;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      times = std::min(constantCount(loop).value_or(1), kMostIterations);
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        total += std::min(times * operationsOf(inner), kMostOperations);
    ++total;
  }
  return total;
}

/// Whether the loop loads shared or global memory that it does not write.
static bool loadsUnwritten(scf::ForOp loop) {
  SmallVector<Access> accesses;
  loop.walk([&](Operation *op) {
    if (std::optional<Access> access = accessOf(*op))
      accesses.push_back(*access);
  });
  return llvm::any_of(accesses, [&](const Access &load) {
    return !load.isWrite && (isShared(load.buffer) || isGlobal(load.buffer)) &&
           llvm::none_of(accesses, [&](const Access &store) {
             return store.isWrite && mayAlias(load.buffer, store.buffer);
           });
  });
}

/// Whether its counter says which of a thread's own elements are meant, which
/// registers cannot hold while that is not known, or it moves neighbouring
/// elements of shared or global memory.
static bool gainsByNumbers(scf::ForOp loop) {
  return llvm::any_of(*loop.getBody(), [&](Operation &op) {
    std::optional<Access> access = accessOf(op);
    if (!access)
      return false;
    if (isLocal(access->buffer))
      return !llvm::all_of(access->indices, [&](Value index) {
        return isSameInRun(index, loop);
      });
    return (isShared(access->buffer) || isGlobal(access->buffer)) &&
           isRun(access->indices, loop, 2);
  });
}

std::optional<int64_t> ParallelLowering::writtenOutCount(scf::ForOp loop) {
  std::optional<int64_t> count = constantCount(loop);
  if (!count || *count > kMostIterations || !loop.getInitArgs().empty())
    return std::nullopt;
  int64_t operations = *count * operationsOf(*loop.getBody());
  if (operations * layout.numRegisters() > kMostOperations)
    return std::nullopt;
  if (!loadsUnwritten(loop) && !(mayRunTogether(loop) && gainsByNumbers(loop)))
    return std::nullopt;
  return count;
}

LogicalResult
ParallelLowering::emitWrittenOut(scf::ForOp loop, int64_t count, int64_t reg,
                                 MutableArrayRef<IRMapping> maps) {
  int64_t first = *getConstantIntValue(loop.getLowerBound()),
          step = *getConstantIntValue(loop.getStep());
  auto enter = [&](IRMapping &map, int64_t i) {
    map.map(loop.getInductionVar(),
            arith::ConstantOp::create(
                lowering.builder, loop.getLoc(),
                lowering.builder.getIntegerAttr(
                    loop.getInductionVar().getType(), first + i * step)));
  };
  if (maps.size() == 1 && !threadLoop && mayRunTogether(loop)) {
    SmallVector<IRMapping> iterations(count, maps.front());
    for (auto [i, map] : llvm::enumerate(iterations))
      enter(map, int64_t(i));
    llvm::SaveAndRestore together(threadLoop, loop);
    for (Operation &inner : loop.getBody()->without_terminator())
      if (failed(emitOp(inner, reg, iterations)))
        return failure();
    return success();
  }
  for (int64_t i = 0; i < count; ++i) {
    for (IRMapping &map : maps)
      enter(map, i);
    for (Operation &inner : loop.getBody()->without_terminator())
      if (failed(emitOp(inner, reg, maps)))
        return failure();
  }
  return success();
}
