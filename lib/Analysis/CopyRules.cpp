//===- CopyRules.cpp - which instruction makes a copy ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of copy selection for NVIDIA GPUs. The order is by what a copy
// costs its threads: nothing (TMA, bulk), an issue without registers
// (cp.async), a load for a whole matrix (ldmatrix, stmatrix), loads and stores
// by width. Sources: PTX ISA 9.0, "cp.async", "ldmatrix", "stmatrix".
//
//===----------------------------------------------------------------------===//
#include "tile/Analysis/CopyRules.h"

using namespace mlir;
using namespace mlir::tile;

template <MemorySpace From, MemorySpace To>
static bool moves(const CopyFacts &facts) {
  return facts.source.space == From && facts.target.space == To;
}
static constexpr auto kGlobalToShared =
    moves<MemorySpace::Global, MemorySpace::Shared>;
static constexpr auto kSharedToFragment =
    moves<MemorySpace::Shared, MemorySpace::Fragment>;
static constexpr auto kFragmentToShared =
    moves<MemorySpace::Fragment, MemorySpace::Shared>;
static bool movesGlobalAndShared(const CopyFacts &facts) {
  return moves<MemorySpace::Global, MemorySpace::Shared>(facts) ||
         moves<MemorySpace::Shared, MemorySpace::Global>(facts);
}
/// Registers alone are renamed or exchanged, not loaded.
static bool touchesMemory(const CopyFacts &facts) {
  auto inMemory = [](const CopySide &side) {
    return side.space == MemorySpace::Global ||
           side.space == MemorySpace::Shared;
  };
  return inMemory(facts.source) || inMemory(facts.target);
}
static bool any(const CopyFacts &) { return true; }

/// Elements of the counted side in `bytes`, or 0 when they are not whole.
static int64_t elementsIn(const CopyFacts &facts, int64_t bytes) {
  int64_t bits = facts.countedSide().elementBits;
  return bytes * 8 % bits ? 0 : bytes * 8 / bits;
}

static std::string whyNotWidth(const CopyFacts &facts, int64_t bytes) {
  int64_t elements = elementsIn(facts, bytes);
  if (elements == 0)
    return std::to_string(bytes) + " bytes are no whole number of elements";
  return facts.whyNotWide(elements);
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

static std::string whyNotTma(const CopyFacts &facts, const TargetInfo &target,
                             int64_t) {
  if (CopyOp(facts.op).getDisableTma())
    return "`disable_tma` is set";
  if (!target.hasTma())
    return target.arch.str() + " has no tensor memory accelerator";
  return "needs rings signalled by mbarriers, which this version does not "
         "generate";
}

static std::string whyNotBulk(const CopyFacts &facts, const TargetInfo &target,
                              int64_t) {
  if (!target.hasBulkCopy())
    return target.arch.str() + " has no bulk copies";
  return "needs rings signalled by mbarriers, which this version does not "
         "generate";
}

/// cp.async moves bytes as they are from global to shared memory; it can write
/// zeros for what its `src-size` leaves out, but nothing else.
static std::string whyNotCpAsync(const CopyFacts &facts,
                                 const TargetInfo &target, int64_t bytes) {
  if (!target.hasCpAsync())
    return target.arch.str() + " has no cp.async";
  if (facts.converts)
    return "elements are converted";
  if (facts.padsNonZero && facts.source.mayOverhang)
    return "the region may overhang, and the pad is not zero";
  return whyNotWidth(facts, bytes);
}

//===----------------------------------------------------------------------===//
// Matrix loads and stores
//===----------------------------------------------------------------------===//

/// One 8 x 8 matrix of 16-bit units: lane l has the unit pair at row l / 4,
/// columns 2 * (l % 4) and the next. `transposed` gives lane l the elements at
/// rows 2 * (l % 4) and the next, column l / 4. Rows are contiguous in shared
/// memory. `bytes` is what a thread gets: 4 for each matrix.
static std::string whyNotMatrix(const CopyFacts &facts, const CopySide &shared,
                                const CopySide &fragment, int64_t bytes) {
  if (facts.converts)
    return "elements are converted";
  FragmentLayoutAttr stated =
      facts.layout ? facts.layout : getFragmentLayout(fragment.buffer);
  if (!stated)
    return "the fragment's layout is not known yet";
  if (!facts.vectorDim || facts.tileShape.size() != 2)
    return "the tile is not a matrix with contiguous rows";
  FragmentLayout layout = stated.getLayout().canonicalized();
  if (layout.rank() != 2 || layout.overshoots())
    return "the fragment's layout does not cover the tile exactly";
  unsigned column = *facts.vectorDim, row = 1 - column;
  int64_t unit = 32 / fragment.elementBits; // elements of a 32-bit register
  if (fragment.elementBits > 32)
    return "elements wider than 32 bits";

  const Modes &registers = layout.modes(Axis::Register);
  const Modes &lanes = layout.modes(Axis::Lane);
  auto matches = [&](unsigned along, unsigned across) {
    bool pair =
        unit == 1 || (!registers.empty() && registers[0].dim == int(along) &&
                      registers[0].stride == 1 && registers[0].extent == unit);
    // A merged digit spells the same lanes: (4, along:unit), (8, across:1).
    return pair && lanes.size() == 2 && lanes[0] == Mode{4, int(along), unit} &&
           lanes[1] == Mode{8, int(across), 1};
  };
  bool plain = matches(column, row);
  bool transposed = fragment.elementBits == 16 && matches(row, column);
  if (!plain && !transposed)
    return "the fragment's layout is not made of 8 x 8 matrices with rows of "
           "16 "
           "bytes";
  // A row of a matrix is 16 bytes; where it starts follows from the digits.
  int64_t rowElements = 16 * 8 / fragment.elementBits;
  for (unsigned axis = 0; axis < kNumAxes; ++axis)
    for (auto [i, mode] : llvm::enumerate(layout.modes(Axis(axis)))) {
      bool inMatrix = axis == unsigned(Axis::Lane) ||
                      (axis == unsigned(Axis::Register) && i == 0 && unit > 1);
      int64_t aligned = mode.dim == int(column) ? rowElements : 8;
      if (!inMatrix && mode.dim >= 0 && mode.stride % aligned)
        return "matrices of the fragment do not start at multiples of 8 rows "
               "of "
               "16 bytes";
    }
  // Shared rows: the limits of the shared side at 16 bytes.
  for (const WidthLimit &limit : facts.limits)
    if (limit.elements < rowElements && limit.fromMemory)
      return limit.reason;
  int64_t matrices = layout.numRegisters() / unit;
  if (matrices % (bytes / 4))
    return "each thread has " + std::to_string(matrices) +
           " registers, no multiple of " + std::to_string(bytes / 4);
  return {};
}

static std::string whyNotLdmatrix(const CopyFacts &facts,
                                  const TargetInfo &target, int64_t bytes) {
  if (!target.hasLdmatrix())
    return target.arch.str() + " has no ldmatrix";
  return whyNotMatrix(facts, facts.source, facts.target, bytes);
}

static std::string whyNotStmatrix(const CopyFacts &facts,
                                  const TargetInfo &target, int64_t bytes) {
  if (!target.hasStmatrix())
    return target.arch.str() + " has no stmatrix";
  return whyNotMatrix(facts, facts.target, facts.source, bytes);
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

static std::string whyNotVector(const CopyFacts &facts, const TargetInfo &,
                                int64_t bytes) {
  if (elementsIn(facts, bytes) == 1)
    return "one element at a time";
  return whyNotWidth(facts, bytes);
}

static std::string always(const CopyFacts &, const TargetInfo &, int64_t) {
  return {};
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static const CopyRule kRules[] = {
    {CopyInstruction::Tma, 0, "global to shared memory and back",
     movesGlobalAndShared, whyNotTma},
    {CopyInstruction::Bulk, 0, "global to shared memory and back",
     movesGlobalAndShared, whyNotBulk},
    {CopyInstruction::CpAsync, 16, "global to shared memory", kGlobalToShared,
     whyNotCpAsync},
    {CopyInstruction::CpAsync, 8, "global to shared memory", kGlobalToShared,
     whyNotCpAsync},
    {CopyInstruction::CpAsync, 4, "global to shared memory", kGlobalToShared,
     whyNotCpAsync},
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
    {CopyInstruction::Vector, 2, "or to memory", touchesMemory, whyNotVector},
    {CopyInstruction::Scalar, 0, "anything to anything", any, always},
};

ArrayRef<CopyRule> tile::getCopyRules() { return kRules; }

bool tile::decideCopy(const CopyFacts &facts, const TargetInfo &target,
                      std::optional<CopyInstruction> prefer,
                      CopyDecision &decision) {
  for (const CopyRule &rule : kRules) {
    if (prefer && rule.instruction != *prefer)
      continue;
    if (!rule.concerns(facts)) {
      if (prefer)
        decision.rejected.push_back(
            {&rule, "copies from " + rule.between.str() + " only"});
      continue;
    }
    std::string reason = rule.whyNot(facts, target, rule.bytes);
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
