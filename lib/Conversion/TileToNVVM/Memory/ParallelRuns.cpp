//===- ParallelRuns.cpp - loops of a thread that are written out ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop inside an iteration of `tile.parallel` that loads memory waits for
// each load in turn, and its neighbouring elements move one by one. Where it
// has few iterations it is written out: operation by operation for all of them
// where none touches what another writes, so that neighbours become one access;
// else one iteration after the other, whose loads the assembler starts early.
// A loop that the program lets copy asynchronously is one cp.async.
//
//===----------------------------------------------------------------------===//
#include "PackedMemory.h"
#include "Parallel.h"
#include "Places.h"
#include "ScalarMemory.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tile/Analysis/Divisibility.h"
#include "tile/Dialect/Tile/IR/Aliasing.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/ScheduleFacts.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// Iterations and operations that are written out at most.
static constexpr int64_t kMostIterations = 16, kMostOperations = 4096;

//===----------------------------------------------------------------------===//
// How values change along a loop
//===----------------------------------------------------------------------===//

namespace {
/// Answers about the values of a loop's body. Expressions nest as deep as the
/// user wrote them and share operands: each value is looked at once, and none
/// where they are too many.
class RunAnalysis {
public:
  RunAnalysis(scf::ForOp loop, int64_t width) : loop(loop), width(width) {}

  bool isSame(Value value) {
    return ask(same, value, [&](Operation *definition) {
      return definition->getNumRegions() == 0 &&
             llvm::all_of(definition->getOperands(),
                          [&](Value operand) { return isSame(operand); });
    });
  }
  /// Counts up by one along each `width` iterations, from a multiple of it.
  bool counts(Value value) {
    if (value == loop.getInductionVar()) {
      std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound());
      return first && *first % width == 0 &&
             isConstantIntValue(loop.getStep(), 1);
    }
    if (isSame(value))
      return false;
    return ask(counting, value, [&](Operation *definition) {
      auto operand = [&](unsigned i) { return definition->getOperand(i); };
      // What is added is the same, and lets a run begin where it began.
      auto keepsRuns = [&](Value added) {
        return isSame(added) && knownDivisor(added) % width == 0;
      };
      if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(definition))
        return counts(operand(0));
      if (isa<arith::AddIOp>(definition))
        return (counts(operand(0)) && keepsRuns(operand(1))) ||
               (counts(operand(1)) && keepsRuns(operand(0)));
      if (isa<arith::SubIOp, arith::RemUIOp>(definition))
        return counts(operand(0)) && keepsRuns(operand(1));
      return false;
    });
  }
  /// Is the same along each `width` iterations: it does not change, or is what
  /// a counter is divided by a multiple of `width`.
  bool isSameInPiece(Value value) {
    return isSame(value) || ask(sameInPiece, value, [&](Operation *definition) {
             if (definition->getNumRegions() != 0 ||
                 !isMemoryEffectFree(definition))
               return false;
             if (auto divided = dyn_cast<arith::DivUIOp>(definition))
               if (isSame(divided.getRhs()) &&
                   knownDivisor(divided.getRhs()) % width == 0 &&
                   counts(divided.getLhs()))
                 return true;
             return llvm::all_of(definition->getOperands(), [&](Value operand) {
               return isSameInPiece(operand);
             });
           });
  }

private:
  static constexpr unsigned kMostValues = 256;
  using Answers = llvm::SmallDenseMap<Value, bool>;

  /// The answer for a value of the body by what `of` says of its definition;
  /// values from outside are the same throughout.
  bool ask(Answers &answers, Value value,
           llvm::function_ref<bool(Operation *)> of) {
    if (!loop.getBodyRegion().isAncestor(value.getParentRegion()))
      return true;
    Operation *definition = value.getDefiningOp();
    if (!definition || answers.size() >= kMostValues || depth >= kMostValues)
      return false;
    auto found = answers.find(value);
    if (found != answers.end())
      return found->second;
    ++depth;
    bool answer = of(definition);
    --depth;
    answers[value] = answer;
    return answer;
  }

  scf::ForOp loop;
  int64_t width;
  Answers same, counting, sameInPiece;
  unsigned depth = 0;
};
} // namespace

bool nvvm::isSameInRun(Value value, scf::ForOp loop) {
  return RunAnalysis(loop, /*width=*/1).isSame(value);
}

bool nvvm::isRun(ValueRange indices, scf::ForOp loop, int64_t width) {
  RunAnalysis analysis(loop, width);
  return !indices.empty() && analysis.counts(indices.back()) &&
         llvm::all_of(indices.drop_back(), [&](Value index) {
           return analysis.isSameInPiece(index);
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
    // Elements that are copied as one piece are one.
    if (auto loop = dyn_cast<scf::ForOp>(op);
        loop && !loop->hasAttr(kAsyncCopyAttrName))
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

bool ParallelLowering::isPieceOfCpAsync(scf::ForOp loop, int64_t count) {
  memref::LoadOp load;
  memref::StoreOp store;
  for (Operation &op : loop.getBody()->without_terminator())
    if (auto found = dyn_cast<memref::LoadOp>(op); found && !load)
      load = found;
    else if (auto last = dyn_cast<memref::StoreOp>(op); last && !store)
      store = last;
    else if (!isMemoryEffectFree(&op))
      return false;
  if (!load || !store || store.getValueToStore() != load.getResult() ||
      !load.getResult().hasOneUse() || !isGlobal(load.getMemRef()) ||
      !isShared(store.getMemRef()))
    return false;
  int64_t bits = count * getStorageBits(load.getType());
  return !isPacked(load.getType()) &&
         (bits == 32 || bits == 64 || bits == 128) &&
         accessWidth(load.getMemRef(), load.getIndices(), count) == count &&
         accessWidth(store.getMemRef(), store.getIndices(), count) == count;
}

LogicalResult ParallelLowering::emitCpAsync(scf::ForOp loop, int64_t reg,
                                            MutableArrayRef<IRMapping> maps) {
  FailureOr<Value> from, to;
  int64_t bytes = 0;
  for (Operation &inner : loop.getBody()->without_terminator()) {
    if (auto load = dyn_cast<memref::LoadOp>(inner)) {
      from = elementAddress(lowering, load, load.getMemRef(),
                            mapped(load.getIndices(), maps[0]));
      bytes = maps.size() * getStorageBits(load.getType()) / 8;
    } else if (auto store = dyn_cast<memref::StoreOp>(inner)) {
      to = elementAddress(lowering, store, store.getMemRef(),
                          mapped(store.getIndices(), maps[0]));
    } else if (failed(emitOp(inner, reg, maps))) {
      return failure();
    }
  }
  if (failed(from) || failed(to))
    return failure();
  // Past the first-level cache there are 16 bytes only.
  auto cache = bytes == 16 ? NVVM::LoadCacheModifierKind::CG
                           : NVVM::LoadCacheModifierKind::CA;
  return once(lowering, firstReplica, [&] {
    NVVM::CpAsyncOp::create(lowering.builder, *to, *from,
                            static_cast<uint32_t>(bytes), cache, Value());
    return success();
  });
}

/// Behind the operations at a loop's begin that only compute and load global
/// memory that the loop does not write, where asynchronous copies follow, which
/// loads of later iterations would wait for otherwise; its begin elsewhere.
static Block::iterator endOfEarlyLoads(scf::ForOp loop) {
  Block *body = loop.getBody();
  bool copies = false;
  SmallVector<Value> written;
  loop.walk([&](Operation *op) {
    copies |= op != loop && op->hasAttr(kAsyncCopyAttrName);
    if (std::optional<Access> access = accessOf(*op); access && access->isWrite)
      written.push_back(access->buffer);
  });
  if (!copies)
    return body->begin();
  Block::iterator at = body->begin();
  for (; &*at != body->getTerminator(); ++at) {
    auto load = dyn_cast<memref::LoadOp>(*at);
    bool isEarly = load && isGlobal(load.getMemRef()) &&
                   llvm::none_of(written, [&](Value buffer) {
                     return mayAlias(buffer, load.getMemRef());
                   });
    if (!isEarly && (at->getNumRegions() != 0 || !isMemoryEffectFree(&*at)))
      break;
  }
  return at;
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
    if (loop->hasAttr(kAsyncCopyAttrName) && isPieceOfCpAsync(loop, count))
      return emitCpAsync(loop, reg, iterations);
    for (Operation &inner : loop.getBody()->without_terminator())
      if (failed(emitOp(inner, reg, iterations)))
        return failure();
    return success();
  }
  SmallVector<SmallVector<IRMapping>> iterations(
      count, llvm::to_vector(ArrayRef<IRMapping>(maps.data(), maps.size())));
  for (auto [i, own] : llvm::enumerate(iterations))
    for (IRMapping &map : own)
      enter(map, int64_t(i));
  auto emitRange = [&](Block::iterator from, Block::iterator to) {
    for (SmallVector<IRMapping> &own : iterations)
      for (Operation &inner : llvm::make_range(from, to))
        if (failed(emitOp(inner, reg, own)))
          return failure();
    return success();
  };
  Block *body = loop.getBody();
  Block::iterator end = body->getTerminator()->getIterator();
  Block::iterator behindLoads = endOfEarlyLoads(loop);
  if (failed(emitRange(body->begin(), behindLoads)))
    return failure();
  return emitRange(behindLoads, end);
}
