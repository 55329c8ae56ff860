//===- FindStreams.cpp - arguments that a kernel reads through ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after copies have their instructions. A kernel whose blocks each load a
// part of an argument and store a part of a result moves both through the L2
// cache, which needs neither again. Which lines leave it first decides in what
// order DRAM reads and writes: docs/Rationale/CopySelection.md has the figures.
// A kernel that writes little, a product with few rows or a reduction, should
// not evict what others have written for what it reads once.
//
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tile/Analysis/BlockParts.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/IR/Surroundings.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_FINDSTREAMSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Whether the blocks of a kernel are what the figures are of: one after the
/// other in the order of launch, each with loads of its own. Others, products
/// of matrices first of all, read what they load again.
static bool mayReadThrough(KernelOp kernel) {
  return !kernel.getPersistent() && !kernel.getCluster() &&
         !kernel
              .walk([](Operation *op) {
                return isa<PipelinedOp, RingCreateOp, WarpSpecializeOp,
                           OnWarpsOp>(op)
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}

namespace {
/// What a kernel does with one of its arguments.
struct Uses {
  SmallVector<Operation *> loads; // copies, and loads of elements in loops
  bool isWritten = false;
  bool hasOthers = false;
};
} // namespace

static Uses usesOf(Value argument) {
  Uses uses;
  for (OpOperand &use : argument.getUses()) {
    Operation *user = use.getOwner();
    auto move = dyn_cast<TileMoveOpInterface>(user);
    if (move && move.getTarget() == argument)
      uses.isWritten = true;
    else if ((move && move.isPlain()) ||
             (isa<memref::LoadOp>(user) && elementLoopAround(user)))
      uses.loads.push_back(user);
    else if (isa<memref::StoreOp>(user))
      uses.isWritten = true;
    else if (!isa<memref::DimOp>(user) && !isPromise(user))
      uses.hasOthers = true;
  }
  return uses;
}

/// Of an access that is given a policy: each tells the cache something.
static constexpr int64_t kLeastBytes = 4;

static bool isWidePlain(CopyPlanAttr plan) {
  return plan && traitsOf(plan.getInstruction()).isPlain &&
         plan.getBytes() >= kLeastBytes;
}

/// Why a load is given no policy of the L2 cache; empty where it can be.
static StringRef whyNoPolicy(Operation *load) {
  auto copy = dyn_cast<TileMoveOpInterface>(load);
  if (!copy)
    return "";
  CopyPlanAttr plan = copy.getPlanAttr();
  if (!isWidePlain(plan) &&
      !(plan && traitsOf(plan.getInstruction()).byAsyncProxy))
    return "not all of it is loaded by TMA, or by plain loads of four bytes or "
           "more";
  if (copy.getEvictionPolicy())
    return "the program says how long the cache keeps it";
  return "";
}

/// Why a load cannot ask the cache to keep something; empty where it can.
static StringRef whyNotKept(Operation *load) {
  auto copy = dyn_cast<TileMoveOpInterface>(load);
  if (copy && !isWidePlain(copy.getPlanAttr()))
    return "not all of it is loaded by plain loads of four bytes or more";
  return whyNoPolicy(load);
}

/// Whether `result` may have as many elements as `argument`, or a fourth of
/// them: sizes that are known only at the launch count as equal to others, and
/// a constant as less than one of them.
static bool isAsLarge(MemRefType result, MemRefType argument) {
  if (result.getRank() < argument.getRank())
    return false;
  constexpr int64_t kMuchSmaller = 4;
  int64_t of = 1, among = 1;
  for (auto [size, other] :
       llvm::zip(result.getShape().take_back(argument.getRank()),
                 argument.getShape())) {
    if (ShapedType::isDynamic(other) && !ShapedType::isDynamic(size))
      return false;
    if (ShapedType::isDynamic(other) || ShapedType::isDynamic(size))
      continue;
    of *= size;
    among *= other;
  }
  return of * kMuchSmaller >= among;
}

static ValueRange indicesOf(Operation *load) {
  auto copy = dyn_cast<TileMoveOpInterface>(load);
  return copy ? ValueRange(copy.getSourceOffsets())
              : cast<memref::LoadOp>(load).getIndices();
}

/// Dimensions of the grid of more than one block, as far as that is known.
static unsigned countDims(KernelOp kernel) {
  return llvm::count_if(kernel.getGrid().getResults(), [&](AffineExpr extent) {
    return extent != getAffineConstantExpr(1, kernel.getContext());
  });
}

namespace {
/// An argument that blocks read, and how they share it.
struct ReadArgument {
  int64_t position;
  MemRefType type;
  Uses uses;
  SmallVector<std::optional<BlockPart>> parts; // of its loads
  bool hasResult = false;                      // some result is about as large

  bool isOwn() const {
    return llvm::all_of(parts, [](const std::optional<BlockPart> &part) {
      return part && part->sharedDims.empty();
    });
  }
  bool isSame(unsigned dims) const {
    return dims > 0 &&
           llvm::all_of(parts, [&](const std::optional<BlockPart> &part) {
             return part && part->sharedDims.size() == dims;
           });
  }
};
} // namespace

/// Two loads of one argument read different parts: they stand in one block of
/// operations, at other indices. What one loop reads, another one may read
/// again.
static bool readApart(Operation *first, Operation *second) {
  return first->getBlock() == second->getBlock() &&
         !llvm::equal(indicesOf(first), indicesOf(second));
}

/// Whether blocks have parts of one tile each, and the last one combines them
/// (stream-K).
static bool sharesTiles(KernelOp kernel) {
  return kernel.walk([](LastArrivalOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// The dimensions of the grid along which blocks read the same of an argument
/// that is else read once. Where they run at the same time it still is;
/// nullopt: it may be read again in any launch.
static std::optional<SmallVector<int64_t>>
readersOfOnce(KernelOp kernel, const DeviceInfo &device,
              const ReadArgument &read, bool isProduct) {
  if (read.uses.hasOthers || kernel.mayAlias(read.position))
    return std::nullopt;
  llvm::SmallSetVector<int64_t, 4> dims;
  for (auto [load, part] : llvm::zip(read.uses.loads, read.parts)) {
    if (!whyNoPolicy(load).empty() || !part || !part->onceInBlock)
      return std::nullopt;
    // What a block loads outside of a loop is about as much as it stores.
    if (isProduct && !load->getParentOfType<LoopLikeOpInterface>())
      return std::nullopt;
    for (Operation *other : read.uses.loads)
      if (other != load && !readApart(load, other))
        return std::nullopt;
    dims.insert_range(part->sharedDims);
  }
  // Blocks that share tiles may be at different iterations at a time: what one
  // of them has read, another one reads later.
  if (!dims.empty() && sharesTiles(kernel))
    return std::nullopt;
  for (int64_t d : dims) {
    auto extent = dyn_cast<AffineConstantExpr>(kernel.getGrid().getResult(d));
    if (extent && extent.getValue() > device.multiprocessors)
      return std::nullopt;
  }
  return dims.takeVector();
}

/// Less is not worth a word: whatever it is, it stays in the cache.
static constexpr int64_t kFewBytes = 1 << 20;

static bool isSmall(MemRefType type) {
  return type.hasStaticShape() &&
         type.getNumElements() * getStorageBits(type.getElementType()) / 8 <
             kFewBytes;
}

/// Whether a kernel multiplies matrices: it reads more than it writes, though
/// its results have as many dimensions.
static bool multiplies(KernelOp kernel) {
  return kernel.walk([](GemmOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

namespace {
struct FindStreamsPass : tile::impl::FindStreamsPassBase<FindStreamsPass> {
  using FindStreamsPassBase::FindStreamsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(requireBefore(*this, module, {Need::Numbers, Need::Layouts})))
      return signalPassFailure();
    if (module.getOps<KernelOp>().empty())
      return;
    const TargetInfo *target = requireTarget(module);
    if (!target)
      return signalPassFailure();
    const DeviceInfo &device = deviceOf(module, *target);
    if (device.keptReads > 0 && device.leavingReads > 0)
      for (KernelOp kernel : module.getOps<KernelOp>())
        find(kernel, device);
  }

private:
  void find(KernelOp kernel, const DeviceInfo &device) {
    SmallVector<int64_t> results;
    SmallVector<MemRefType> written;
    SmallVector<ReadArgument> read;
    for (int64_t i = 0, e = kernel.getNumKernelArguments(); i < e; ++i) {
      BlockArgument argument = kernel.getKernelArgument(i);
      auto type = dyn_cast<MemRefType>(argument.getType());
      if (!type)
        continue;
      Uses uses = usesOf(argument);
      if (uses.isWritten) {
        results.push_back(i);
        written.push_back(type);
        continue;
      }
      if (uses.loads.empty())
        continue;
      ReadArgument found{i, type, uses, {}};
      for (Operation *load : uses.loads)
        found.parts.push_back(partOfBlock(kernel, load, indicesOf(load)));
      read.push_back(found);
    }
    if (results.empty())
      return;
    for (ReadArgument &argument : read)
      argument.hasResult = llvm::any_of(written, [&](MemRefType result) {
        return isAsLarge(result, argument.type);
      });
    bool isAny = findReadOnce(kernel, device, read);
    if (mayReadThrough(kernel))
      isAny |= findStreams(kernel, device, read);
    if (!isAny)
      return;
    Builder builder(kernel);
    kernel->setAttr(kResultsAttrName, builder.getDenseI64ArrayAttr(results));
    kernel->setAttr(kStreamLimitsAttrName,
                    builder.getDenseI64ArrayAttr({int64_t(device.keptReads),
                                                  int64_t(device.l2Capacity),
                                                  int64_t(device.leavingReads),
                                                  device.multiprocessors}));
  }

  /// True where an argument is one.
  bool findStreams(KernelOp kernel, const DeviceInfo &device,
                   ArrayRef<ReadArgument> arguments) {
    SmallVector<int64_t> found, shared;
    unsigned dims = countDims(kernel);
    for (const ReadArgument &read : arguments) {
      StringRef why = read.uses.hasOthers ? "it is not only copied" : "";
      if (why.empty() && kernel.mayAlias(read.position))
        why = "it may overlap another argument";
      for (Operation *load : read.uses.loads)
        if (why.empty())
          why = whyNotKept(load);
      bool isShared = read.isSame(dims);
      if (why.empty() && isShared) {
        shared.push_back(read.position);
        continue;
      }
      if (why.empty() && !read.isOwn())
        why = "several blocks may read the same part";
      if (why.empty() && !read.hasResult)
        why = "no result is as large, so little is written";
      if (why.empty())
        found.push_back(read.position);
      else if (!isShared && read.type.getRank() > 1)
        missedAt(
            remarks, read.uses.loads.front(),
            "the L2 cache is not asked to keep what is loaded of argument " +
                Twine(read.position),
            why, "`eviction_policy` on the copy asks for it");
    }
    if (found.empty())
      return false;
    streams += found.size();
    Builder builder(kernel);
    kernel->setAttr(kStreamsAttrName, builder.getDenseI64ArrayAttr(found));
    if (!shared.empty())
      kernel->setAttr(kSharedReadsAttrName,
                      builder.getDenseI64ArrayAttr(shared));
    Remark remark = remarkAt(remarks, kernel);
    remark << (found.size() == 1 ? "argument " : "arguments ");
    llvm::interleaveComma(found, remark);
    remark << (found.size() == 1 ? " is a stream" : " are streams")
           << ": the L2 cache is asked to keep what is loaded of "
           << (found.size() == 1 ? "it" : "them")
           << " before what is written, from "
           << int64_t(device.keptReads / 1e6) << " MB on";
    return true;
  }

  /// True where an argument is one, which is no longer among `arguments` then.
  bool findReadOnce(KernelOp kernel, const DeviceInfo &device,
                    SmallVectorImpl<ReadArgument> &arguments) {
    Builder builder(kernel);
    SmallVector<Attribute> found;
    bool isProduct = multiplies(kernel);
    unsigned gridDims = countDims(kernel);
    llvm::erase_if(arguments, [&](const ReadArgument &read) {
      // What all blocks read is a row beside what each of them reads.
      if (isSmall(read.type) ||
          (!isProduct && (read.hasResult || read.isSame(gridDims))))
        return false;
      std::optional<SmallVector<int64_t>> dims =
          readersOfOnce(kernel, device, read, isProduct);
      if (!dims)
        return false;
      Remark remark = remarkAt(remarks, kernel);
      remark << "argument " << read.position << " is read once";
      if (!dims->empty()) {
        remark << " where blocks that differ along dimension ";
        llvm::interleave(*dims, remark, " or ");
        remark << " of the grid run at the same time";
      }
      remark << ": what is loaded of it leaves the L2 cache first, up to "
             << int64_t(device.leavingReads / 1e6) << " MB";
      dims->insert(dims->begin(), read.position);
      found.push_back(builder.getDenseI64ArrayAttr(*dims));
      return true;
    });
    if (found.empty())
      return false;
    readOnce += found.size();
    kernel->setAttr(kReadOnceAttrName, builder.getArrayAttr(found));
    return true;
  }
};
} // namespace
