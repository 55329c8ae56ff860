//===- BarrierAccesses.h - what barriers have to order ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The accesses of a kernel's operations to shared and global memory, each once,
// and which two of them a barrier has to part. BarrierPlacement.cpp decides
// where.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_BARRIERACCESSES_H
#define TILE_LIB_CONVERSION_TILETONVVM_BARRIERACCESSES_H

#include "Prepare/AccessParts.h"
#include "Prepare/SharedArena.h"
#include "tile/Target/TargetInfo.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::tile::nvvm {

struct MemoryAccess {
  /// Null for scratch memory, which has a range only.
  Value buffer;
  /// The innermost loop or `warp_specialize` around it; null at block level.
  Operation *scope = nullptr;
  /// The ring a view belongs to, the operation that made the view, and which of
  /// the slot's buffers it shows. `view` is null for a use of the ring that
  /// came before the one the view shows now.
  Operation *ring = nullptr, *view = nullptr;
  unsigned slotBuffer = 0;
  /// Of a tile that cp.async fills outside of rings, which part of it.
  AccessPart part;
  /// Of an earlier iteration, whose part of the tile is not known any more.
  bool isEarlier = false;
  /// Bytes of the arena.
  std::pair<int64_t, int64_t> range = {0, 0};
  bool isShared = false, isWrite = false, isAtomic = false;
  bool isCpAsync = false;    // complete at a wait of its own only
  bool isAsyncProxy = false; // by tensor and bulk copies
  /// By loops that copy asynchronously for their own thread, in whatever order
  /// they like among themselves.
  bool isOwnCopy = false;
  /// The gemm that reads its operands until a token of it is awaited.
  Operation *issue = nullptr;
  /// The division among groups of warps, each in its own part; null for none.
  DenseI64ArrayAttr groups;
  /// In global memory: which thread touches which element of a region, where
  /// regions of equal owners are the same or disjoint; null where unknown.
  Attribute owner;
  /// Several threads hold (and read) what one of them writes.
  bool isReplicated = false;
  /// The block of the cluster in whose shared memory it writes; none for its
  /// own, and where that is not known.
  std::optional<int64_t> peer;

  bool operator==(const MemoryAccess &other) const;
  /// Whether the view was acquired, to be filled.
  bool isProduction() const {
    auto ringOp = dyn_cast_or_null<TileRingOpInterface>(view);
    return ringOp && ringOp.fillsSlots();
  }
};

/// A loop of block level: its iterations come around, its body is no tile's.
bool isBlockLoop(Operation *op);

/// Accesses by number. Sets of them are bit vectors of `size()` bits.
class AccessTable {
public:
  AccessTable(KernelOp kernel, const SharedArena &arena,
              const TargetInfo &target);

  size_t size() const { return accesses.size(); }
  const MemoryAccess &operator[](unsigned id) const { return accesses[id]; }
  ArrayRef<unsigned> of(Operation *op) const;
  /// Whether `op` copies by cp.async, outside of rings.
  bool copies(Operation *op) const {
    return llvm::any_of(of(op),
                        [&](unsigned id) { return accesses[id].isCpAsync; });
  }
  /// The first operation that makes an access.
  Operation *firstOf(unsigned id) const { return firstOperations[id]; }
  /// Those made inside a loop or a `warp_specialize`.
  const llvm::BitVector &inside(Operation *op) const;
  /// The same access to what is an earlier use of its ring now, or to any part
  /// of its tile.
  unsigned aged(unsigned id) const { return agedIds[id]; }
  /// The same access in the next iteration of `loop`, with which it moves.
  unsigned afterIteration(unsigned id, Operation *loop) const {
    return earlierIds.at({id, loop});
  }
  /// The same access, seen from the first iteration of a loop behind it; itself
  /// where that tells nothing.
  unsigned beforeLoop(unsigned id, Operation *loop) const {
    auto it = enteredIds.find({id, loop});
    return it == enteredIds.end() ? id : it->second;
  }
  /// The access that is seen so; itself where nothing is.
  unsigned afterLoop(unsigned id, Operation *loop) const {
    auto it = entries.find({id, loop});
    return it == entries.end() ? id : it->second.first;
  }
  /// What is seen so, from the next iteration.
  unsigned fromNextIteration(unsigned id, Operation *loop) const {
    auto it = entries.find({id, loop});
    return it == entries.end() ? id : it->second.second;
  }
  /// Those to parts of tiles that each iteration of `loop` has its own of.
  const llvm::BitVector &movingWith(Operation *loop) const;
  /// Those through views that `op`, an acquire or a wait, makes.
  const llvm::BitVector &throughViewsOf(Operation *op) const;
  /// Copies by cp.async, which barriers alone do not wait for.
  const llvm::BitVector &cpAsyncs() const { return cpAsyncIds; }
  /// Of these, those that stay under way at a barrier that is for something
  /// else: copies that loops make for their own thread, and copies to one of
  /// several parts of a tile, by which a program copies ahead.
  const llvm::BitVector &copiesAhead() const { return aheadIds; }
  /// Whether a barrier has to stand between.
  bool conflict(unsigned before, unsigned now) const;
  /// Whether bytes that threads write are read or written by the async proxy
  /// next, maybe, or bytes that they read are written: they have to fence.
  bool needsFence(unsigned id) const;
  /// Whether the async proxy touches bytes of an access anywhere in the kernel.
  bool isAsyncTouched(const MemoryAccess &access) const;
  /// Whether threads (or cp.async) touch slots of a ring in bytes that the
  /// async proxy fills for somebody else, too: who drains the ring has to
  /// fence.
  bool needsFenceAfter(RingDrainOp drain) const;

private:
  /// Whether the async proxy writes bytes of an access, but for its own ring.
  bool isFilledByProxy(const MemoryAccess &access) const;
  void collect(Operation *op);
  void findCopiedTiles();
  bool haveCommonElements(unsigned before, unsigned now) const;
  void collectScratch(Operation *op, SmallVectorImpl<MemoryAccess> &found);
  unsigned intern(Operation *op, const MemoryAccess &access);
  MemoryAccess describe(Operation *op, Value buffer, bool isWrite,
                        bool isAtomic) const;
  void describeMove(TileMoveOpInterface move, MemoryAccess &access) const;
  void findOwners(Operation *op, MutableArrayRef<MemoryAccess> found) const;
  void findEntries();
  void findEarlier();
  void noteScopes();

  KernelOp kernel;
  const SharedArena &arena;
  const TargetInfo &target;
  IndexOrder order;
  /// Answers of `haveCommonElements`, of which no kernel needs more than
  /// kMaxQuestions.
  mutable llvm::DenseMap<std::pair<unsigned, unsigned>, bool> common;
  std::vector<MemoryAccess> accesses;
  SmallVector<Operation *> firstOperations; // by access
  SmallVector<unsigned> agedIds;
  llvm::DenseMap<std::pair<unsigned, Operation *>, unsigned> earlierIds,
      enteredIds;
  /// What an access of before the loop is after it, and in its next iteration.
  llvm::DenseMap<std::pair<unsigned, Operation *>,
                 std::pair<unsigned, unsigned>>
      entries;
  llvm::DenseMap<Value, SmallVector<unsigned>> byBuffer;
  llvm::DenseMap<Operation *, SmallVector<unsigned, 2>> byOperation;
  llvm::DenseMap<Operation *, llvm::BitVector> byScope, byView, byMoving;
  /// Tiles in shared memory that cp.async fills, without rings.
  llvm::SmallPtrSet<Value, 4> copiedTiles;
  llvm::BitVector cpAsyncIds, aheadIds, none;
  /// Bytes that the async proxy reads or writes somewhere.
  llvm::SmallSetVector<std::pair<int64_t, int64_t>, 4> asyncRanges;
  /// Those that it writes, and the ring (or null) for which it does.
  llvm::SmallSetVector<std::pair<Operation *, std::pair<int64_t, int64_t>>, 4>
      asyncFills;
};

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_BARRIERACCESSES_H
