//===- TmaRules.cpp - when tensor and bulk copies can move a tile ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of the copies that the asynchronous proxy makes. What they need of
// the two buffers' shapes is TmaGeometry's; here is what they need of addresses
// and strides, and of what surrounds the copy: a load's target becomes a slot
// of a ring (--tile-pipeline), whose mbarrier says when it has landed, unless
// the program states a barrier of its own for that.
//
//===----------------------------------------------------------------------===//
#include "TmaRules.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Analysis/Occupancy.h"
#include "tile/Analysis/TmaGeometry.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/Meeting.h"

using namespace mlir;
using namespace mlir::tile;

/// Each piece that the asynchronous proxy moves starts at a multiple of this
/// many bytes.
static constexpr int64_t kProxyBytes = 16;

/// The largest power of two, at most that of kProxyBytes, that divides the bits
/// of any multiple of `divisor` elements.
static int64_t multipleOfBits(int64_t divisor, unsigned elementBits) {
  int64_t cap = kProxyBytes * 8;
  int64_t power = divisor == 0 ? cap : std::min(cap, divisor & -divisor);
  return std::min(cap, power * elementBits);
}

/// The answer to a question about the whole kernel, asked once for each `key`.
template <typename Key, typename Answer>
static const Answer &ask(llvm::DenseMap<Key, Answer> &answers, Key key,
                         llvm::function_ref<Answer()> question) {
  auto found = answers.find(key);
  if (found == answers.end())
    found = answers.try_emplace(key, question()).first;
  return found->second;
}

/// Why a tile cannot be a slot of a ring, however much of it a copy fills.
static Reason whyNotSlot(const CopySide &shared) {
  if (isToBeFilled(shared.buffer)) {
    auto type = cast<RingType>(ringOf(shared.buffer).getType());
    if (type.getProducer() != RingProducer::Tma)
      return "the ring's producer is not `tma`";
    return {};
  }
  if (!allocationOf(shared.buffer))
    return shared.name + " is not made by `tile.alloc`";
  for (Operation *user : shared.buffer.getUsers()) {
    if (getTileViewSource(user))
      return {shared.name + " has a view, of another shape or of a slice, and "
                            "may be written through it",
              "a tile without views is copied to by TMA"};
    auto copy = dyn_cast<TileMoveOpInterface>(user);
    if (copy && copy.getTarget() == shared.buffer && copy.isSharedLoad())
      continue;
    SmallVector<TileAccess> accesses;
    if (auto tileOp = dyn_cast<TileOpInterface>(user))
      tileOp.getAccesses(accesses);
    if (llvm::any_of(accesses,
                     [&](const TileAccess &access) {
                       return access.buffer == shared.buffer && access.isWrite;
                     }) ||
        hasEffect<MemoryEffects::Write>(user, shared.buffer))
      return {"'" + user->getName().getStringRef().str() + "' also writes " +
                  shared.name + ", which could not be a slot of a ring then",
              "a tile that only loads fill can be"};
  }
  return {};
}

/// Why a copy cannot complete at the barrier that the program states: the
/// thread that issues it adds its bytes to the barrier's phase, so the phase
/// has to wait for an arrival of this thread behind the copy.
static Reason whyNotComplete(TileMoveOpInterface copy) {
  APInt index, other;
  bool isConstant =
      matchPattern(copy.getCompletionIndex(), m_ConstantInt(&index));
  for (Operation *op = copy->getNextNode(); op; op = op->getNextNode()) {
    auto use = dyn_cast<TileMbarrierUseOpInterface>(op);
    if (!use || !use.arrives() || use.getMbarrierBlock() ||
        use.getMbarriers() != copy.getCompletion())
      continue;
    Value number = use.getMbarrierIndexMutable().get();
    if (number == copy.getCompletionIndex() ||
        (isConstant && matchPattern(number, m_ConstantInt(&other)) &&
         index == other))
      return {};
  }
  return {"no `tile.mbarrier.arrive` at the barrier of `completes` follows it "
          "in its block",
          "with one there a tensor copy can"};
}

/// Whether a copy is one of several that fill a slot together, in a loop of
/// several stages.
static bool runsAheadInParts(TileMoveOpInterface copy) {
  return stagesOf(copy->getParentOp()).value_or(1) > 1 &&
         llvm::is_contained(partsOf(copy.getTarget(), *copy->getBlock()), copy);
}

/// Why the shared side of a load cannot be a slot of a ring, which is where the
/// proxy says that its copies have landed, and no barrier of the program can be
/// either.
static Reason whyNotSlot(const CopyFacts &facts) {
  const CopySide &shared = facts.target;
  auto type = cast<MemRefType>(shared.buffer.getType());
  bool isWhole = ArrayRef<int64_t>(shared.extents) == type.getShape();
  for (const IndexFacts &offset : shared.offsets)
    isWhole &= offset.asConstant() == 0;
  if (!isWhole && !isToBeFilled(shared.buffer) && !runsAheadInParts(facts.op))
    return {"it fills a part of " + shared.name +
                " only, and slots of rings are filled as a whole",
            "a tile of the part's shape can be one, and so can a tile that "
            "copies of one iteration of a pipelined loop fill together"};
  if (TileMoveOpInterface copy = facts.op; copy.getCompletion())
    return whyNotComplete(copy);
  return ask<Value, Reason>(facts.answers->whyNotSlot, shared.buffer,
                            [&] { return whyNotSlot(shared); });
}

/// Whether a kernel takes what others have stored, or hands over what it has,
/// by a flag: that orders no tensor copies.
static bool meetsByFlags(const CopyFacts &facts, MemoryOrder order) {
  return ask<unsigned, bool>(facts.answers->meetsByFlags, unsigned(order), [&] {
    KernelOp kernel = kernelOf(facts.op);
    return kernel && kernel
                         .walk([&](ParallelOp loop) {
                           return holdsAccessOf(loop, order)
                                      ? WalkResult::interrupt()
                                      : WalkResult::advance();
                         })
                         .wasInterrupted();
  });
}

/// Whether blocks meet, and one may read what another has stored: the barriers
/// of the grid and of a cluster order no tensor copies.
static bool meetAround(const CopyFacts &facts, BlockArgument global,
                       bool isLoad) {
  return ask<std::pair<Value, unsigned>, bool>(
      facts.answers->meetAround, {global, isLoad}, [&] {
        KernelOp kernel = kernelOf(facts.op);
        if (!kernel)
          return false;
        bool inGrid = tile::meetsInGrid(kernel);
        if (!inGrid && !tile::meetsInCluster(kernel))
          return false;
        return isLoad ? mayWrite(kernel, global)
                      : inGrid || mayRead(kernel, global);
      });
}

/// What tensor and bulk copies have in common.
static Reason whyNotByProxy(const CopyFacts &facts) {
  bool isLoad = facts.source.space == MemorySpace::Global;
  const CopySide &global = isLoad ? facts.source : facts.target;
  if (facts.converts)
    return "elements are converted";
  if (facts.padsNonZero && facts.source.mayOverhang)
    return {"the region may overhang, and the pad is not zero", kZeroPad};
  BlockArgument argument = getKernelArgumentOf(global.buffer);
  if (!argument)
    return global.name + " is not an argument of the kernel";
  if (meetAround(facts, argument, isLoad))
    return {"the blocks meet, at a `tile.grid_barrier` or in their cluster, "
            "which orders no tensor copies, and " +
            global.name + " is written"};
  const CopySide &tile = isLoad ? facts.target : facts.source;
  if (isWrittenByPeers(tile.buffer))
    return "other blocks of the cluster write the tile by `tile.cluster_copy`, "
           "and nothing orders that and tensor copies";
  if (meetsByFlags(facts, isLoad ? MemoryOrder::Acquire : MemoryOrder::Release))
    return {std::string("the kernel says by `tile.atomic_") +
            (isLoad ? "load acquire` when it may read what others store"
                    : "store release` when others may read what it stores") +
            ", which orders no tensor copies"};
  if (isLoad) {
    if (Reason reason = whyNotSlot(facts); !reason.empty())
      return reason;
  } else if (isToBeRead(tile.buffer)) {
    // Who fills the slot again waits for those that the ring names.
    auto ring = cast<RingType>(ringOf(tile.buffer).getType());
    if (ring.isFilledByRole() && !ring.hasConsumer(RingConsumer::TmaStore))
      return "`tma_store` is not among the ring's consumers";
  }
  if (global.alignment < kProxyBytes)
    return {global.name + " is aligned to " + plural(global.alignment, "byte") +
                " only, not to 16",
            "`tile.alignment = 16` promises it"};
  return {};
}

/// The limits of tensor maps (CUDA driver API, cuTensorMapEncodeTiled) and of
/// the coordinates of cp.async.bulk.tensor.
static Reason whyNotTensorMap(const CopyFacts &facts, const CopySide &global) {
  // Boxes may begin behind the tensor, and have coordinates of 32 bits, too.
  constexpr int64_t kMaxExtent = (int64_t(1) << 31) - (int64_t(1) << 20);
  constexpr int64_t kMaxStride = int64_t(1) << 40;
  auto type = cast<MemRefType>(global.buffer.getType());
  SmallVector<IndexFacts> strides = getStrideFacts(global.buffer, facts.op);
  // Elements are next to each other along the last such dimension only: with
  // one column, rows have a stride of 1, too.
  int64_t innermost = type.getRank() - 1;
  while (innermost > 0 && strides[innermost].asConstant() != 1)
    --innermost;
  for (unsigned dim = 0, rank = type.getRank(); dim < rank; ++dim) {
    std::string where =
        "dimension " + std::to_string(dim) + " of " + global.name;
    const IndexFacts &offset = global.offsets[dim];
    if ((!type.isDynamicDim(dim) && type.getDimSize(dim) > kMaxExtent) ||
        (offset.min && *offset.min < -kMaxExtent) ||
        (offset.max && *offset.max >= kMaxExtent))
      return {"coordinates of " + where + " may not fit 32 bits",
              "`tile.assume` with `min` and `max` can promise it"};
    // Only zero is ever multiplied by the stride of a dimension of extent 1.
    if (type.getDimSize(dim) == 1 ||
        (dim == innermost && strides[dim].asConstant() == 1))
      continue;
    if (auto stride = strides[dim].asConstant())
      if (*stride <= 0 || *stride >= kMaxStride * 8 / global.elementBits)
        return "the stride of " + where + " is not between 1 and 2^40 bytes";
    int64_t bits = multipleOfBits(strides[dim].divisor, global.elementBits);
    if (bits < kProxyBytes * 8)
      return {"the stride of " + where + " is known to be a multiple of " +
                  sizeText(bits) + " only, not of 16",
              kPromiseMore};
  }
  return {};
}

static Reason whyNotBulk(const CopyFacts &facts, const TargetInfo &target,
                         const SharedLayout &shared) {
  if (!target.hasBulkCopy())
    return target.arch.str() + " has no bulk copies";
  if (!target.hasAsynchronousMma() &&
      !TileMoveOpInterface(facts.op).getPrefer())
    return {"cp.async is what has been measured on " + target.arch.str(),
            "`prefer` asks for a bulk copy"};
  if (Reason reason = whyNotByProxy(facts); !reason.empty())
    return reason;
  bool isLoad = facts.source.space == MemorySpace::Global;
  const CopySide &global = isLoad ? facts.source : facts.target;
  if (global.mayOverhang)
    return {"the region may overhang " + global.name,
            "static shapes of whole tiles show that it does not"};
  if (Reason reason = whyNotOneRun(facts.op, shared); !reason.empty())
    return reason;
  SmallVector<IndexFacts> strides = getStrideFacts(global.buffer, facts.op);
  for (auto [dim, offset] : llvm::enumerate(global.offsets)) {
    int64_t bits =
        multipleOfBits((offset * strides[dim]).divisor, global.elementBits);
    if (bits < kProxyBytes * 8)
      return {"the region starts at multiples of " + sizeText(bits) +
                  " only along dimension " + std::to_string(dim) + " of " +
                  global.name,
              kPromiseMore};
  }
  return {};
}

/// What tensor copies of every mode have in common.
static Reason whyNotTensor(const CopyFacts &facts, const TargetInfo &target) {
  TileMoveOpInterface copy = facts.op;
  if (copy.getDisableTma())
    return {"`disable_tma` is set", "without it TMA is considered"};
  if (!target.hasTma())
    return target.arch.str() + " has no tensor memory accelerator";
  if (Reason reason = whyNotByProxy(facts); !reason.empty())
    return reason;
  // Beside mma.sync it has not been measured, so it is taken on request only.
  if (!target.hasAsynchronousMma() && !copy.getPrefer())
    return {"threads multiply on " + target.arch.str() +
                ", where cp.async is what has been measured",
            kAskForTma};
  bool isLoad = facts.source.space == MemorySpace::Global;
  return whyNotTensorMap(facts, isLoad ? facts.source : facts.target);
}

/// Measured on an H200, where the PTX ISA says nothing: a tensor copy that
/// starts inside 16 bytes of a row is an illegal instruction. The boxes of a
/// region are whole multiples apart, so the region's start decides.
static Reason whyNotStart(const CopySide &global, unsigned innermost) {
  int64_t bits =
      multipleOfBits(global.offsets[innermost].divisor, global.elementBits);
  if (bits >= kProxyBytes * 8)
    return {};
  return {"the region is known to start at multiples of " + sizeText(bits) +
              " only along dimension " + std::to_string(innermost) + " of " +
              global.name + ", not of 16",
          kPromiseMore};
}

static Reason whyNotTma(const CopyFacts &facts, const TargetInfo &target,
                        const SharedLayout &shared) {
  TileMoveOpInterface copy = facts.op;
  if (Reason reason = whyNotTensor(facts, target); !reason.empty())
    return reason;
  bool isLoad = facts.source.space == MemorySpace::Global;
  const CopySide &global = isLoad ? facts.source : facts.target;
  if (global.elementBits < 8) {
    if (global.mayOverhang && facts.mayBePartial(2))
      return "rows may end inside a byte";
    SmallVector<IndexFacts> strides = getStrideFacts(global.buffer, facts.op);
    for (auto [stride, offset] : llvm::zip_equal(strides, global.offsets))
      if (stride.asConstant() == 1 && !offset.isMultipleOf(2))
        return "the region may begin inside a byte";
    if (!isLoad && mayBeginInFront(copy))
      return {"the store may begin in front of " + global.name +
                  ", where no tensor copy may, and threads store no half bytes",
              kPromiseLeast};
  }
  // Measured on an H200: what is cut off inside 16 bytes is written after all.
  if (!isLoad && global.mayOverhang &&
      facts.mayBePartial(kProxyBytes * 8 / global.elementBits))
    return {"the store may be cut off inside 16 bytes of " + global.name,
            kPromiseMore};
  OrRefusal<TmaGeometry> geometry = tmaGeometry(copy, shared);
  if (!geometry)
    return geometry.reason();
  if (Reason reason = whyNotStart(global, geometry->order.front());
      !reason.empty())
    return reason;
  if (geometry->boxes.size() > 1 && !copy.getPrefer() &&
      whyNotBulk(facts, target, shared).empty())
    return "one bulk copy does what would take " +
           std::to_string(geometry->boxes.size()) + " boxes";
  return {};
}

static Reason whyNotIm2col(const CopyFacts &facts, const TargetInfo &target,
                           const SharedLayout &shared) {
  if (facts.source.elementBits < 8)
    return "elements narrower than a byte";
  if (Reason reason = whyNotTensor(facts, target); !reason.empty())
    return reason;
  if (Reason reason = whyNotIm2colMap(cast<Im2colOp>(*facts.op));
      !reason.empty())
    return reason;
  OrRefusal<TmaGeometry> geometry = tmaGeometry(facts.op, shared);
  if (!geometry)
    return geometry.reason();
  return whyNotStart(facts.source, facts.source.offsets.size() - 1);
}

/// gather4 and scatter4 move four rows at a time, to or from 128-byte units of
/// shared memory (PTX ISA, "Tensor tiled::scatter4 and tiled::gather4 modes").
static Reason whyNotGather4(const CopyFacts &facts, const TargetInfo &target,
                            const SharedLayout &shared) {
  constexpr int64_t kRows = 4, kUnitBytes = 128;
  bool isLoad = facts.source.space == MemorySpace::Global;
  if (facts.source.elementBits < 8)
    return "elements narrower than a byte";
  if (!target.hasTmaGather4())
    return target.arch.str() + " has no tensor copies of four rows";
  if (Reason reason = whyNotTensor(facts, target); !reason.empty())
    return reason;
  for (Value operand : facts.op->getOperands())
    if (isa<MemRefType>(operand.getType()) && isFragment(operand))
      return {"the indices are in registers, and one thread moves the rows",
              "a `tile.copy` of them to shared memory lets it"};
  const CopySide &global = isLoad ? facts.source : facts.target;
  if (!isLoad && facts.mayBePartial(kProxyBytes * 8 / global.elementBits))
    return {"the store may be cut off inside 16 bytes of " + global.name,
            kPromiseMore};
  OrRefusal<TmaGeometry> geometry = tmaGeometry(facts.op, shared);
  if (!geometry)
    return geometry.reason();
  if (Reason reason = whyNotStart(global, global.offsets.size() - 1);
      !reason.empty())
    return reason;
  int64_t rows = facts.tileShape.front();
  if (rows % kRows != 0)
    return "the tile has " + plural(rows, "row") + ", not a multiple of 4";
  int64_t rowBytes = geometry->box.front() * global.elementBits / 8;
  if (rowBytes * kRows % kUnitBytes != 0)
    return "four rows are " + std::to_string(rowBytes * kRows) +
           " bytes in shared memory, not a multiple of 128";
  return {};
}

/// What cp.reduce.async.bulk.tensor combines (PTX ISA, "cp.reduce.async.bulk":
/// table of operations and types of a global destination).
static bool hasReduction(AtomicKind kind, Type element) {
  bool isWord = element.isInteger(32) || element.isInteger(64);
  if (kind == AtomicKind::Add)
    return isWord ||
           isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element);
  return isWord;
}

static Reason whyNotReduce(const CopyFacts &facts, const TargetInfo &target,
                           const SharedLayout &shared) {
  AtomicKind kind = *TileMoveOpInterface(facts.op).getCombining();
  Type element =
      cast<MemRefType>(facts.target.buffer.getType()).getElementType();
  if (!hasReduction(kind, element)) {
    std::string name;
    llvm::raw_string_ostream(name) << element;
    return {"cp.reduce.async.bulk has no '" + stringifyAtomicKind(kind).str() +
                "' of " + name,
            "it has sums, and all kinds of 32-bit and 64-bit integers"};
  }
  return whyNotTma(facts, target, shared);
}

//===----------------------------------------------------------------------===//
// Rows of the table
//===----------------------------------------------------------------------===//

static SharedLayout layoutOf(const CopyFacts &facts) {
  return sharedLayoutOf(
      facts.source.space == MemorySpace::Shared ? facts.source : facts.target);
}

Reason tile::whyNotTma(const CopyFacts &facts, const TargetInfo &target,
                       int64_t) {
  return ::whyNotTma(facts, target, layoutOf(facts));
}

Reason tile::whyNotBulk(const CopyFacts &facts, const TargetInfo &target,
                        int64_t) {
  return ::whyNotBulk(facts, target, layoutOf(facts));
}

Reason tile::whyNotIm2col(const CopyFacts &facts, const TargetInfo &target,
                          int64_t) {
  return ::whyNotIm2col(facts, target, layoutOf(facts));
}

Reason tile::whyNotGather4(const CopyFacts &facts, const TargetInfo &target,
                           int64_t) {
  return ::whyNotGather4(facts, target, layoutOf(facts));
}

Reason tile::whyNotReduce(const CopyFacts &facts, const TargetInfo &target,
                          int64_t) {
  return ::whyNotReduce(facts, target, layoutOf(facts));
}

bool tile::isMovedByProxy(const CopyFacts &facts, const TargetInfo &target,
                          const SharedLayout &shared) {
  TileMoveOpInterface move = facts.op;
  if (move.getCombining())
    return ::whyNotReduce(facts, target, shared).empty();
  if (move.getAddressing() == MoveAddressing::Im2col)
    return ::whyNotIm2col(facts, target, shared).empty();
  if (move.getAddressing() == MoveAddressing::Indexed)
    return ::whyNotGather4(facts, target, shared).empty();
  return ::whyNotTma(facts, target, shared).empty() ||
         ::whyNotBulk(facts, target, shared).empty();
}
