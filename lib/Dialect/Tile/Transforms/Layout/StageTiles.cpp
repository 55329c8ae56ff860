//===- StageTiles.cpp - accesses that ownership cannot express ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "StageTiles.h"
#include "FragmentParts.h"
#include "Schedule/Asynchronous.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Analysis/LayoutAnalysis.h"
#include "tile/Dialect/Tile/IR/LayoutConstraints.h"
#include "tile/Dialect/Tile/IR/Surroundings.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::tile;

namespace {

/// What an operation does with a buffer that it reaches through another one.
struct Staging {
  SmallVector<OpOperand *> operands;
  bool reads = false, writes = false;
};

class TileStager {
public:
  TileStager(KernelOp kernel, const TargetInfo &target, bool remarks,
             ArrayRef<OpOperand *> unheld)
      : kernel(kernel), target(target), remarks(remarks),
        unheld(unheld.begin(), unheld.end()), builder(kernel.getContext()) {}

  LogicalResult run() {
    SmallVector<Operation *> tileOps;
    kernel.getBodyRegion().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa<TileOpInterface>(op))
        return WalkResult::advance();
      tileOps.push_back(op);
      return WalkResult::skip(); // scalar code of a tile loop
    });
    for (Operation *op : tileOps)
      if (failed(stageTileOp(op)))
        return failure();
    return success();
  }

private:
  LogicalResult stageTileOp(Operation *op) {
    LayoutConstraints constraints(target, kernel.getThreads());
    cast<TileOpInterface>(op).getLayoutConstraints(constraints);
    llvm::MapVector<Value, Staging> toShared, toFragment;
    for (FragmentDemand &demand : constraints.fragments)
      if (isShared(demand.operand->get()))
        add(toFragment[demand.operand->get()], *demand.operand, demand.reads,
            demand.writes);
    if (constraints.loopDemand) {
      collectUnowned(*constraints.loopDemand, toShared);
      if (failed(checkViews(op, *constraints.loopDemand, toShared)))
        return failure();
    }
    bool isOrdered =
        constraints.loopDemand &&
        (changesWhatItReads(*constraints.loopDemand) || takesAtomicValues(op));
    if (toShared.size() == 1 && toFragment.empty() && !isOrdered &&
        !fitsShared(toShared.front().first) && staysInRegisters(op, toShared))
      return success();
    StringRef why = "the threads that run the iterations do not hold all of "
                    "its elements; `memref<..., #tile.fragment>` with accesses "
                    "by loop indices alone needs no trip";
    if (isOrdered)
      why = "several threads would repeat each iteration, which changes memory "
            "that it reads; a loop of its own for one of the two needs no trip";
    for (auto &[buffer, staging] : toShared)
      stage(op, buffer, staging, sharedSpace(), why);
    for (auto &[buffer, staging] : toFragment)
      stage(op, buffer, staging, FragmentSpaceAttr::get(kernel.getContext()),
            "a shared operand is copied to a fragment, since threads combine "
            "values in registers; a copy to a fragment that the program makes "
            "is made once");
    return success();
  }

  /// A fragment that a loop accesses by two views, one of which goes to a copy:
  /// what the loop writes by one of them the other one would not see.
  static LogicalResult
  checkViews(Operation *op, const LoopDemand &loop,
             const llvm::MapVector<Value, Staging> &toShared) {
    for (const auto &[buffer, staging] : toShared)
      for (const LoopAccess &other : loop.accesses)
        if (other.buffer() != buffer && isFragment(other.buffer()) &&
            getViewedTile(other.buffer()) == getViewedTile(buffer) &&
            (staging.writes || other.isWrite)) {
          InFlightDiagnostic diag =
              op->emitOpError()
              << "expected one view of a fragment that the loop writes, got "
                 "two; use one of them for all accesses, or write in a loop "
                 "of its own";
          diag.attachNote(buffer.getLoc()) << "one view";
          diag.attachNote(other.buffer().getLoc()) << "the other one";
          return diag;
        }
    return success();
  }

  void collectUnowned(LoopDemand &loop,
                      llvm::MapVector<Value, Staging> &toShared) {
    for (LoopAccess &access : loop.accesses)
      if (isFragment(access.buffer()) &&
          (unheld.contains(access.operand) ||
           (!getOwnedAccess(loop, access) && !isHeldAsStated(loop, access) &&
            !mayBeHeld(access) &&
            !readsWithinWarp(access.operand->getOwner()))))
        add(toShared[access.buffer()], *access.operand, access.isRead,
            access.isWrite);
    // Where an element may be written by a thread that does not own it, or may
    // be read from the copy after the iteration has written it, all accesses go
    // to the copy.
    llvm::SmallDenseSet<Value, 2> written;
    for (LoopAccess &access : loop.accesses)
      if (access.isWrite)
        written.insert(access.buffer());
    for (LoopAccess &access : loop.accesses) {
      auto found = toShared.find(access.buffer());
      if (found != toShared.end() && written.contains(access.buffer()) &&
          !llvm::is_contained(found->second.operands, access.operand))
        add(found->second, *access.operand, access.isRead, access.isWrite);
    }
  }

  /// Whether a copy of `buffer` in shared memory has room beside all the
  /// kernel's tiles, those of staged operations included.
  bool fitsShared(Value buffer) {
    auto bytesOf = [](Value tile) {
      auto type = cast<MemRefType>(tile.getType());
      return llvm::divideCeil(
          type.getNumElements() * getStorageBits(type.getElementType()), 8);
    };
    uint64_t bytes = bytesOf(buffer);
    kernel.getBodyRegion().walk([&](AllocOp alloc) {
      if (isShared(alloc.getResult()))
        bytes += bytesOf(alloc.getResult());
    });
    return bytes <= static_cast<uint64_t>(target.sharedPerBlock);
  }

  bool staysInRegisters(Operation *op,
                        llvm::MapVector<Value, Staging> &toShared) {
    if (toShared.front().second.operands.size() != 1)
      return false;
    // It replaces the operation.
    Location loc = op->getLoc();
    if (!loopOverWholeFragment(op, toShared.front().first))
      return false;
    missedAt(remarks, loc, "moves single elements of a part of a fragment",
             "a copy of the fragment does not fit shared memory beside the "
             "kernel's tiles",
             "smaller tiles or fewer `stages(...)` leave room");
    return true;
  }

  static void add(Staging &staging, OpOperand &operand, bool reads,
                  bool writes) {
    staging.operands.push_back(&operand);
    staging.reads |= reads;
    staging.writes |= writes;
  }

  Attribute sharedSpace() {
    return gpu::AddressSpaceAttr::get(kernel.getContext(),
                                      gpu::AddressSpace::Workgroup);
  }

  void stage(Operation *op, Value buffer, Staging &staging, Attribute space,
             StringRef why) {
    // A write may leave elements as they were, so the copy starts out equal;
    // a register operand is overwritten as a whole.
    bool toShared = isa<gpu::AddressSpaceAttr>(space);
    Value twin;
    if (!staging.writes)
      twin = readOnlyTwin(op, buffer, space);
    if (!twin) {
      if (toShared && staging.writes && !isWrittenBefore(op, buffer))
        clear(op, buffer);
      twin = allocate(op->getLoc(), buffer, space);
      builder.setInsertionPoint(op);
      if (staging.reads || toShared)
        copy(op->getLoc(), buffer, twin);
    }
    // For an asynchronous operation, the place where it has ended.
    builder.setInsertionPointAfter(
        completionOf(op, staging.writes ? buffer : Value()));
    if (staging.writes)
      copy(op->getLoc(), twin, buffer);
    for (OpOperand *operand : staging.operands)
      operand->set(twin);
    remarkAt(remarks, op)
        << (toShared ? "accesses a fragment through shared memory: "
                     : "works on registers: ")
        << why;
  }

  /// Whether something before `op` may write the fragment.
  static bool isWrittenBefore(Operation *op, Value buffer) {
    Block *block = buffer.getParentBlock();
    Operation *place = block->findAncestorOpInBlock(*op);
    return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
      Operation *other = block->findAncestorOpInBlock(*user);
      return other->isBeforeInBlock(place) && mayWrite(other, buffer);
    });
  }

  /// Whether something may have written the fragment before these warps begin:
  /// a round before of a loop around them, or another operation that stands in
  /// the same part of the fragment's block.
  static bool isWrittenBeforeRegion(Region &region, Value buffer) {
    for (Operation *around = region.getParentOp();
         around &&
         !around->isProperAncestor(buffer.getParentBlock()->getParentOp()) &&
         around != buffer.getParentBlock()->getParentOp();
         around = around->getParentOp())
      if (isa<LoopLikeOpInterface>(around))
        return true;
    Block *block = buffer.getParentBlock();
    Operation *place = block->findAncestorOpInBlock(*region.getParentOp());
    return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
      return place->isAncestor(user) &&
             !region.isAncestor(user->getParentRegion()) &&
             mayWrite(user, buffer);
    });
  }

  /// Zeros in a fragment whose elements `op` is the first to write, some of
  /// them: all of them go to the copy and come back, and nobody may read memory
  /// that nothing has written. Where some warps alone have the fragment, they
  /// do so.
  void clear(Operation *op, Value buffer) {
    Location loc = op->getLoc();
    builder.setInsertionPointAfterValue(buffer);
    Region *ofWarps = nullptr;
    for (Operation *around : getEnclosingOps(op)) {
      if (!isa<TileAgentsOpInterface>(around) && !asPartOfWarps(around))
        continue;
      for (Region &region : around->getRegions())
        if (region.isAncestor(op->getParentRegion()) &&
            !region.isAncestor(buffer.getParentRegion())) {
          builder.setInsertionPointToStart(&region.front());
          ofWarps = &region;
        }
    }
    if (ofWarps && isWrittenBeforeRegion(*ofWarps, buffer))
      return;
    Type element = cast<MemRefType>(buffer.getType()).getElementType();
    Value zero = arith::ConstantOp::create(builder, loc, element,
                                           builder.getZeroAttr(element));
    FillOp::create(builder, loc, buffer, ValueRange(), zero,
                   DenseI64ArrayAttr(), FragmentLayoutAttr());
  }

  /// A copy in shared memory of a fragment that `op` only reads, made before
  /// the loops in which the fragment stays as it is; one that stands there
  /// already serves. Null where the copy is one of registers: those would be
  /// held through the loops.
  Value readOnlyTwin(Operation *op, Value buffer, Attribute space) {
    if (!isa<gpu::AddressSpaceAttr>(space))
      return {};
    Operation *place = hoistedReader(op, buffer);
    for (Operation *before = place->getPrevNode(); before;
         before = before->getPrevNode()) {
      auto made = dyn_cast<TileMoveOpInterface>(before);
      if (made && readOnly.contains(made) && made.getSource() == buffer)
        return made.getTarget();
      if (mayWrite(before, buffer))
        break;
    }
    Value twin = allocate(op->getLoc(), buffer, space);
    builder.setInsertionPoint(place);
    readOnly.insert(copy(op->getLoc(), buffer, twin));
    return twin;
  }

  Value allocate(Location loc, Value buffer, Attribute space) {
    auto type = cast<MemRefType>(buffer.getType());
    auto twinType = MemRefType::get(type.getShape(), type.getElementType(),
                                    MemRefLayoutAttrInterface(), space);
    builder.setInsertionPointAfterValue(buffer);
    return AllocOp::create(builder, loc, twinType, Attribute());
  }

  CopyOp copy(Location loc, Value source, Value target) {
    return CopyOp::create(builder, loc, source, ValueRange(), target,
                          ValueRange());
  }

  KernelOp kernel;
  const TargetInfo &target;
  bool remarks;
  llvm::SmallPtrSet<OpOperand *, 4> unheld;
  OpBuilder builder;
  /// Copies to shared memory whose targets nobody writes.
  DenseSet<Operation *> readOnly;
};

} // namespace

LogicalResult tile::stageTiles(KernelOp kernel, const TargetInfo &target,
                               bool remarks, ArrayRef<OpOperand *> unheld) {
  return TileStager(kernel, target, remarks, unheld).run();
}
