//===- FindStreams.cpp - arguments that a kernel reads through ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after copies have their instructions. A kernel whose blocks each load a
// part of an argument and store a part of a result moves both through the L2
// cache, which needs neither again. Which lines leave it first decides in what
// order DRAM reads and writes: docs/Rationale/CopySelection.md has the figures.
//
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "tile/Target/DeviceInfo.h"

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

/// What an index may be made of so that blocks with other numbers have other
/// indices: sums and multiples. A quotient or an index from memory may be the
/// same for several blocks.
static bool keepsApart(Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ConstantOp,
             arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtUIOp,
             arith::ExtSIOp, arith::TruncIOp, memref::DimOp>(op) ||
         op->getNumRegions();
}

namespace {
/// Whether blocks read the same elements of a buffer.
enum class Parts { Own, Same, Unknown };
} // namespace

/// Own: all indices of the grid that have more than one value are in `indices`
/// of the buffer; Same: none is.
static Parts partsAt(KernelOp kernel, ValueRange indices) {
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.omitBlockArguments = false;
  options.inclusive = true;
  options.filter = [&](Operation *op) { return op != kernel; };
  llvm::SmallDenseSet<Value> used;
  for (Value index : indices) {
    used.insert(index);
    if (failed(getBackwardSlice(index, &slice, options)))
      return Parts::Unknown;
  }
  for (Operation *op : slice) {
    if (!keepsApart(op))
      return Parts::Unknown;
    used.insert_range(op->getOperands());
  }
  bool hasAll = true, hasNone = true;
  for (auto [d, extent] : llvm::enumerate(kernel.getGrid().getResults())) {
    if (extent == getAffineConstantExpr(1, kernel.getContext()))
      continue;
    bool isUsed = used.contains(kernel.getBlockId(d));
    hasAll &= isUsed;
    hasNone &= !isUsed;
  }
  return hasAll ? Parts::Own : hasNone ? Parts::Same : Parts::Unknown;
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
    else if (isa<CopyOp>(user) ||
             (isa<memref::LoadOp>(user) && user->getParentOfType<ParallelOp>()))
      uses.loads.push_back(user);
    else if (isa<memref::StoreOp>(user))
      uses.isWritten = true;
    else if (!isa<memref::DimOp, AssumeOp>(user))
      uses.hasOthers = true;
  }
  return uses;
}

/// Of an access of a stream: each tells the cache something.
static constexpr int64_t kLeastBytes = 4;

/// Why a load cannot ask the cache to keep something; empty where it can.
static StringRef whyNotKept(Operation *load) {
  auto copy = dyn_cast<CopyOp>(load);
  if (!copy)
    return "";
  CopyPlanAttr plan = copy.getPlanAttr();
  if (!plan || !traitsOf(plan.getInstruction()).isPlain ||
      plan.getBytes() < kLeastBytes)
    return "not all of it is loaded by plain loads of four bytes or more";
  if (copy.getEvictionPolicy())
    return "the program says how long the cache keeps it";
  return "";
}

static Parts partsOf(KernelOp kernel, Operation *load) {
  auto copy = dyn_cast<CopyOp>(load);
  return partsAt(kernel, copy ? ValueRange(copy.getSourceOffsets())
                              : cast<memref::LoadOp>(load).getIndices());
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
    auto stated = module->getAttrOfType<TargetAttr>(kTargetAttrName);
    const DeviceInfo &device = DeviceInfo::of(*target, stated.getDevice());
    if (device.keptReads > 0)
      for (KernelOp kernel : module.getOps<KernelOp>())
        if (mayReadThrough(kernel))
          find(kernel, device);
  }

private:
  void find(KernelOp kernel, const DeviceInfo &device) {
    int64_t writtenRank = 0;
    SmallVector<std::pair<int64_t, Uses>> read;
    for (int64_t i = 0, e = kernel.getNumKernelArguments(); i < e; ++i) {
      BlockArgument argument = kernel.getKernelArgument(i);
      auto type = dyn_cast<MemRefType>(argument.getType());
      if (!type)
        continue;
      Uses uses = usesOf(argument);
      if (uses.isWritten)
        writtenRank = std::max(writtenRank, type.getRank());
      else if (!uses.loads.empty())
        read.emplace_back(i, uses);
    }
    SmallVector<int64_t> found, shared;
    for (auto &[position, uses] : read) {
      auto all = [&, &loads = uses.loads](Parts parts) {
        return llvm::all_of(loads, [&](Operation *load) {
          return partsOf(kernel, load) == parts;
        });
      };
      StringRef why = uses.hasOthers ? "it is not only copied" : "";
      if (why.empty() && kernel.mayAlias(position))
        why = "it may overlap another argument";
      for (Operation *load : uses.loads)
        if (why.empty())
          why = whyNotKept(load);
      bool isShared = all(Parts::Same);
      if (why.empty() && isShared) {
        shared.push_back(position);
        continue;
      }
      auto type =
          cast<MemRefType>(kernel.getKernelArgument(position).getType());
      if (why.empty() && !all(Parts::Own))
        why = "several blocks may read the same part";
      if (why.empty() && type.getRank() > writtenRank)
        why = "no result has as many dimensions, so little is written";
      if (why.empty())
        found.push_back(position);
      else if (!isShared && type.getRank() > 1)
        missedAt(
            remarks, uses.loads.front(),
            "the L2 cache is not asked to keep what is loaded of argument " +
                Twine(position),
            why, "`eviction_policy` on the copy asks for it");
    }
    if (found.empty())
      return;
    streams += found.size();
    Builder builder(kernel);
    kernel->setAttr(kStreamsAttrName, builder.getDenseI64ArrayAttr(found));
    if (!shared.empty())
      kernel->setAttr(kSharedReadsAttrName,
                      builder.getDenseI64ArrayAttr(shared));
    kernel->setAttr(kStreamLimitsAttrName,
                    builder.getDenseI64ArrayAttr({int64_t(device.keptReads),
                                                  int64_t(device.l2Capacity)}));
    Remark remark = remarkAt(remarks, kernel);
    remark << (found.size() == 1 ? "argument " : "arguments ");
    llvm::interleaveComma(found, remark);
    remark << (found.size() == 1 ? " is a stream" : " are streams")
           << ": the L2 cache is asked to keep what is loaded of "
           << (found.size() == 1 ? "it" : "them")
           << " before what is written, from "
           << int64_t(device.keptReads / 1e6) << " MB on";
  }
};
} // namespace
