//===- CopyRules.cpp - which instruction makes a copy ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of copy selection for NVIDIA GPUs. The order is by what a copy
// costs its threads: nothing (TMA, bulk), an issue without registers
// (cp.async), registers but few instructions (realign), a load for a whole
// matrix (ldmatrix, stmatrix), loads and stores by width. Sources: PTX ISA 9.0,
// "cp.async", "ldmatrix", "stmatrix".
//
//===----------------------------------------------------------------------===//
#include "tile/Analysis/CopyRules.h"
#include "TmaRules.h"
#include "tile/Analysis/MatrixAccess.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"

using namespace mlir;
using namespace mlir::tile;

template <MemorySpace From, MemorySpace To>
static bool moves(const CopyFacts &facts) {
  return facts.source.space == From && facts.target.space == To;
}
static constexpr auto kGlobalToShared =
    moves<MemorySpace::Global, MemorySpace::Shared>;
static constexpr auto kGlobalToFragment =
    moves<MemorySpace::Global, MemorySpace::Fragment>;
static constexpr auto kSharedToFragment =
    moves<MemorySpace::Shared, MemorySpace::Fragment>;
static constexpr auto kFragmentToShared =
    moves<MemorySpace::Fragment, MemorySpace::Shared>;
static constexpr auto kSharedToGlobal =
    moves<MemorySpace::Shared, MemorySpace::Global>;
static bool movesGlobalAndShared(const CopyFacts &facts) {
  return kGlobalToShared(facts) || kSharedToGlobal(facts);
}
static constexpr auto kWithinGlobal =
    moves<MemorySpace::Global, MemorySpace::Global>;
static bool movesOntoGlobal(const CopyFacts &facts) {
  return kSharedToGlobal(facts) ||
         moves<MemorySpace::Fragment, MemorySpace::Global>(facts);
}
/// Registers alone are renamed or exchanged, not loaded.
static bool touchesMemory(const CopyFacts &facts) {
  auto inMemory = [](const CopySide &side) {
    return side.space == MemorySpace::Global ||
           side.space == MemorySpace::Shared;
  };
  return inMemory(facts.source) || inMemory(facts.target);
}
static bool writesGlobal(const CopyFacts &facts) {
  return facts.target.space == MemorySpace::Global;
}
static bool any(const CopyFacts &) { return true; }
/// Two elements to a byte: the narrowest vector is one byte.
static bool touchesPackedMemory(const CopyFacts &facts) {
  return touchesMemory(facts) && facts.countedSide().elementBits < 8;
}

/// Elements of the counted side in `bytes`, or 0 when they are not whole.
static int64_t elementsIn(const CopyFacts &facts, int64_t bytes) {
  int64_t bits = facts.countedSide().elementBits;
  return bytes * 8 % bits ? 0 : bytes * 8 / bits;
}

static Reason whyNotWidth(const CopyFacts &facts, int64_t bytes) {
  int64_t elements = elementsIn(facts, bytes);
  if (elements == 0)
    return std::to_string(bytes) + " bytes are no whole number of elements";
  return facts.whyNotWide(elements);
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

/// cp.async moves bytes as they are from global to shared memory; it can write
/// zeros for what its `src-size` leaves out, but nothing else.
static Reason whyNotCpAsync(const CopyFacts &facts, const TargetInfo &target,
                            int64_t bytes) {
  if (!target.hasCpAsync())
    return target.arch.str() + " has no cp.async";
  if (facts.converts)
    return "elements are converted";
  if (isToBeFilled(facts.target.buffer)) {
    // Its signals wait for no copies in flight.
    RingProducer producer =
        cast<RingType>(ringOf(facts.target.buffer).getType()).getProducer();
    if (producer == RingProducer::Threads ||
        producer == RingProducer::ThreadsMbarrier)
      return "the ring's producer is `" +
             stringifyRingProducer(producer).str() + "`";
  }
  if (facts.padsNonZero && facts.source.mayOverhang)
    return {"the region may overhang, and the pad is not zero", kZeroPad};
  if (facts.source.elementBits < 8 && facts.mayBePartial(2))
    return "rows may end inside a byte";
  return whyNotWidth(facts, bytes);
}

/// cp.async.bulk.prefetch.L2 of one row at a time: whole pieces of 16 bytes, of
/// which those are left out that the row does not have.
static Reason whyNotPrefetch(const CopyFacts &facts, const TargetInfo &target,
                             int64_t) {
  constexpr int64_t kPieceBytes = 16;
  const CopySide &global = facts.source;
  if (!target.hasBulkCopy())
    return target.arch.str() + " has no bulk copies";
  SmallVector<IndexFacts> strides = getStrideFacts(global.buffer, facts.op);
  if (strides.empty() || strides.back().asConstant() != 1)
    return "rows of " + global.name + " are not known to be contiguous";
  if (global.alignment < kPieceBytes)
    return {global.name + " is aligned to " + plural(global.alignment, "byte") +
                " only, not to 16",
            "`tile.alignment = 16` promises it"};
  int64_t piece = kPieceBytes * 8 / global.elementBits;
  if (global.extents.back() % piece)
    return "a row of the region is no multiple of 16 bytes";
  for (size_t dim = 0; dim < strides.size(); ++dim) {
    const IndexFacts &offset = global.offsets[dim];
    std::string where =
        "dimension " + std::to_string(dim) + " of " + global.name;
    if (!offset.min || *offset.min < 0)
      return {"the region may begin before the first element along " + where,
              kPromiseLeast};
    IndexFacts step = global.extents[dim] == 1   ? offset * strides[dim]
                      : dim + 1 < strides.size() ? strides[dim]
                                                 : offset;
    if (!step.isMultipleOf(piece))
      return {"rows may begin inside 16 bytes along " + where, kPromiseMore};
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Matrix loads and stores
//===----------------------------------------------------------------------===//

/// `bytes` is what a thread gets: 4 for each matrix. The matrices are those of
/// shared memory, with its elements.
static Reason whyNotMatrix(const CopyFacts &facts, const CopySide &fragment,
                           const CopySide &shared, int64_t bytes) {
  FragmentLayoutAttr stated =
      facts.layout ? facts.layout : getFragmentLayout(fragment.buffer);
  if (!stated)
    return "the fragment's layout is not known yet";
  if (facts.tileShape.size() != 2 || facts.vectorDim != 1u)
    return "the tile is not a matrix with contiguous rows";
  auto access = matrixAccess(stated.getLayout(), *facts.vectorDim,
                             shared.elementBits, bytes / 4);
  if (!access)
    return access.reason();
  // Each row is 16 bytes, aligned, in one piece.
  for (const WidthLimit &limit : facts.limits)
    if (limit.fromMemory && limit.elements * shared.elementBits < 16 * 8)
      return limit.reason;
  return {};
}

static Reason whyNotLdmatrix(const CopyFacts &facts, const TargetInfo &target,
                             int64_t bytes) {
  if (!target.hasLdmatrix())
    return target.arch.str() + " has no ldmatrix";
  if (facts.converts)
    return "elements are converted";
  return whyNotMatrix(facts, facts.target, facts.source, bytes);
}

static Reason whyNotStmatrix(const CopyFacts &facts, const TargetInfo &target,
                             int64_t bytes) {
  if (!target.hasStmatrix())
    return target.arch.str() + " has no stmatrix";
  // Registers are converted on their way into words.
  if (facts.converts && facts.target.elementBits < 8)
    return "elements are converted to less than a byte";
  return whyNotMatrix(facts, facts.source, facts.target, bytes);
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

static Reason whyNotVector(const CopyFacts &facts, const TargetInfo &,
                           int64_t bytes) {
  if (elementsIn(facts, bytes) == 1)
    return "one element at a time";
  return whyNotWidth(facts, bytes);
}

/// `red` of a thread on several elements (PTX ISA, "red": vectors of 32 bits
/// from sm_90 on, two f16 from sm_60 on). Each element is atomic by itself, as
/// `tile.atomic` has it.
static Reason whyNotVectorAtomic(const CopyFacts &facts,
                                 const TargetInfo &target, int64_t bytes) {
  TileMoveOpInterface move = facts.op;
  Type element = elementTypeOf(facts.target.buffer);
  if (move.getCombining() != AtomicKind::Add ||
      !(element.isF32() || element.isF16() || element.isBF16()))
    return "only sums of f32, f16 and bf16 are made several at a time";
  if (elementsIn(facts, bytes) == 1)
    return "one element at a time";
  bool isPairOfHalves = bytes == 4 && element.isF16();
  if (!isPairOfHalves && !target.hasVectorAtomics())
    return target.arch.str() + " has no atomic operations on vectors";
  return whyNotWidth(facts, bytes);
}

/// Whether the region of the target is all of it.
static bool fillsTarget(const CopyFacts &facts) {
  auto type = cast<MemRefType>(facts.target.buffer.getType());
  return llvm::equal(facts.target.extents, type.getShape());
}

/// Words and parts of words can be shifted into place.
static bool canRealign(const CopySide &global) {
  return global.elementBits == 8 || global.elementBits == 16 ||
         global.elementBits == 32;
}

/// Whether lanes that lie next to each other in a row move runs of `elements`.
static Reason whyNotNextToEachOther(const CopyFacts &facts, int64_t elements) {
  // Two lanes next to each other move as many elements one by one.
  constexpr int64_t kFewestLanes = 4;
  if (!facts.layout || !facts.vectorDim)
    return "the loop layout is not known yet";
  int64_t lanes =
      facts.layout.getLayout().lanesInRow(*facts.vectorDim, elements);
  if (lanes < kFewestLanes)
    return "the loop layout has " + plural(lanes, "lane") +
           " next to each other in a row, fewer than " +
           std::to_string(kFewestLanes);
  return {};
}

/// Aligned loads of 16 bytes on both sides of where a run begins, shifted into
/// place: for elements that no asynchronous copy takes one at a time.
static Reason whyNotRealign(const CopyFacts &facts, const TargetInfo &,
                            int64_t bytes) {
  // Elements are converted in registers, on their way into a fragment.
  if (facts.converts && facts.target.space != MemorySpace::Fragment)
    return "elements are converted";
  if (!canRealign(facts.source))
    return "elements of one, two or four bytes only";
  if (facts.target.space == MemorySpace::Fragment && !fillsTarget(facts))
    return "the fragment has elements beside the region";
  if (whyNotWidth(facts, bytes).empty())
    return "rows are aligned to 16 bytes";
  const IndexFacts &column = facts.source.offsets.back();
  if (!column.min || *column.min < 0)
    return {"the region may begin before a row", kPromiseLeast};
  int64_t elements = elementsIn(facts, bytes);
  if (Reason reason = facts.whyNotWideRealigned(elements); !reason.empty())
    return reason;
  // Words that all lanes read are loaded once, one by one.
  return facts.source.elementBits == 32 ? whyNotNextToEachOther(facts, elements)
                                        : Reason();
}

/// Aligned stores of 16 bytes, of what lanes that lie next to each other have.
static Reason whyNotRealignedStore(const CopyFacts &facts, const TargetInfo &,
                                   int64_t bytes) {
  if (!canRealign(facts.target))
    return "elements of one, two or four bytes only";
  if (facts.source.elementBits < 8)
    return "elements of half a byte are converted in pairs";
  if (whyNotWidth(facts, bytes).empty())
    return "rows are aligned to 16 bytes";
  const IndexFacts &column = facts.target.offsets.back();
  if (!column.min || *column.min < 0)
    return {"the region may begin before a row", kPromiseLeast};
  int64_t elements = elementsIn(facts, bytes);
  if (Reason reason = facts.whyNotWideRealigned(elements); !reason.empty())
    return reason;
  return whyNotNextToEachOther(facts, elements);
}

static Reason always(const CopyFacts &, const TargetInfo &, int64_t) {
  return {};
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static const CopyRule kRules[] = {
    {CopyInstruction::Tma, 0, "global to shared memory and back",
     movesGlobalAndShared, whyNotTma, MoveKind::Copy, MoveAddressing::Box},
    {CopyInstruction::Tma, 0, "global to shared memory", kGlobalToShared,
     whyNotIm2col, MoveKind::Copy, MoveAddressing::Im2col},
    {CopyInstruction::Tma, 0, "global to shared memory and back",
     movesGlobalAndShared, whyNotGather4, MoveKind::Copy,
     MoveAddressing::Indexed},
    {CopyInstruction::Bulk, 0, "global to shared memory and back",
     movesGlobalAndShared, whyNotBulk, MoveKind::Copy, MoveAddressing::Box},
    {CopyInstruction::CpAsync, 16, "global to shared memory", kGlobalToShared,
     whyNotCpAsync},
    {CopyInstruction::CpAsync, 8, "global to shared memory", kGlobalToShared,
     whyNotCpAsync},
    {CopyInstruction::CpAsync, 4, "global to shared memory", kGlobalToShared,
     whyNotCpAsync},
    {CopyInstruction::Realign, 16, "global to shared memory", kGlobalToShared,
     whyNotRealign, MoveKind::Copy, MoveAddressing::Box},
    {CopyInstruction::Ldmatrix, 16, "shared memory to fragments",
     kSharedToFragment, whyNotLdmatrix},
    {CopyInstruction::Ldmatrix, 8, "shared memory to fragments",
     kSharedToFragment, whyNotLdmatrix},
    {CopyInstruction::Ldmatrix, 4, "shared memory to fragments",
     kSharedToFragment, whyNotLdmatrix},
    {CopyInstruction::Stmatrix, 16, "fragments to shared memory",
     kFragmentToShared, whyNotStmatrix},
    {CopyInstruction::Stmatrix, 8, "fragments to shared memory",
     kFragmentToShared, whyNotStmatrix},
    {CopyInstruction::Stmatrix, 4, "fragments to shared memory",
     kFragmentToShared, whyNotStmatrix},
    {CopyInstruction::Vector, 16, "or to memory", touchesMemory, whyNotVector},
    {CopyInstruction::Vector, 8, "or to memory", touchesMemory, whyNotVector},
    {CopyInstruction::Vector, 4, "or to memory", touchesMemory, whyNotVector},
    {CopyInstruction::Realign, 16, "global memory to fragments",
     kGlobalToFragment, whyNotRealign, MoveKind::Copy, MoveAddressing::Box},
    {CopyInstruction::Realign, 16, "registers or shared to global memory",
     movesOntoGlobal, whyNotRealignedStore, MoveKind::Copy,
     MoveAddressing::Box},
    {CopyInstruction::Vector, 2, "or to memory", touchesMemory, whyNotVector},
    {CopyInstruction::Vector, 1, "or to memory", touchesPackedMemory,
     whyNotVector},
    {CopyInstruction::Scalar, 0, "anything to anything", any, always},

    {CopyInstruction::Tma, 0, "shared to global memory", kSharedToGlobal,
     whyNotReduce, MoveKind::Combine},
    {CopyInstruction::Vector, 16, "anything to global memory", writesGlobal,
     whyNotVectorAtomic, MoveKind::Combine},
    {CopyInstruction::Vector, 8, "anything to global memory", writesGlobal,
     whyNotVectorAtomic, MoveKind::Combine},
    {CopyInstruction::Vector, 4, "anything to global memory", writesGlobal,
     whyNotVectorAtomic, MoveKind::Combine},
    {CopyInstruction::Scalar, 0, "anything to memory", any, always,
     MoveKind::Combine},

    {CopyInstruction::Bulk, 0, "global memory to itself", kWithinGlobal,
     whyNotPrefetch, MoveKind::Prefetch},
    {CopyInstruction::Scalar, 0, "anything to itself", any, always,
     MoveKind::Prefetch},
};

ArrayRef<CopyRule> tile::getCopyRules() { return kRules; }

using IsWanted = llvm::function_ref<bool(const CopyRule &)>;

/// Walks the rows of the table that are wanted (all of them, where `isWanted`
/// is null).
static bool decideAmong(const CopyFacts &facts, const TargetInfo &target,
                        IsWanted isWanted, CopyDecision &decision) {
  TileMoveOpInterface move = facts.op;
  MoveKind kind = move.getCombining() ? MoveKind::Combine
                  : isPrefetch(move)  ? MoveKind::Prefetch
                                      : MoveKind::Copy;
  for (const CopyRule &rule : kRules) {
    if (rule.kind != kind || (isWanted && !isWanted(rule)) ||
        (rule.addressing && *rule.addressing != move.getAddressing()))
      continue;
    if (!rule.concerns(facts)) {
      if (isWanted)
        decision.rejected.push_back(
            {&rule,
             {std::string(kind == MoveKind::Combine ? "combines" : "copies") +
              " from " + rule.between.str() + " only"}});
      continue;
    }
    Reason reason = rule.whyNot(facts, target, rule.bytes);
    if (reason.empty()) {
      decision.instruction = rule.instruction;
      decision.bytes =
          rule.bytes
              ? rule.bytes
              : std::max<int64_t>(1, facts.countedSide().elementBits / 8);
      return true;
    }
    decision.rejected.push_back({&rule, std::move(reason)});
  }
  return false;
}

bool tile::decideCopy(const CopyFacts &facts, const TargetInfo &target,
                      std::optional<CopyInstruction> prefer,
                      CopyDecision &decision, int64_t bytes) {
  auto isPreferred = [&](const CopyRule &rule) {
    return rule.instruction == *prefer &&
           (!bytes || !rule.bytes || rule.bytes == bytes);
  };
  return decideAmong(facts, target, prefer ? IsWanted(isPreferred) : IsWanted(),
                     decision);
}

CopyPlanAttr tile::planByThreads(TileMoveOpInterface move,
                                 const TargetInfo &target) {
  CopyDecision decision;
  decideAmong(
      CopyFacts::get(move), target,
      [](const CopyRule &rule) {
        return !traitsOf(rule.instruction).byAsyncProxy;
      },
      decision);
  return CopyPlanAttr::get(move.getContext(), decision.instruction,
                           decision.bytes);
}

Reason tile::whyNotTensorCopy(TileMoveOpInterface move,
                              const TargetInfo &target) {
  CopyDecision decision;
  return decideCopy(CopyFacts::get(move), target, CopyInstruction::Tma,
                    decision)
             ? Reason()
             : decision.rejected.front().reason;
}

CopyPlanAttr tile::matrixLoadPlan(MLIRContext *context,
                                  const FragmentLayout &layout, unsigned bits) {
  for (const CopyRule &rule : kRules)
    if (rule.instruction == CopyInstruction::Ldmatrix &&
        matrixAccess(layout, /*vectorDim=*/1, bits, rule.bytes / 4))
      return CopyPlanAttr::get(context, rule.instruction, rule.bytes);
  return {};
}
