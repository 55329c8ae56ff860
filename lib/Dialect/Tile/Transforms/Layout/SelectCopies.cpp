//===- SelectCopies.cpp - the instruction of every copy -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after layouts are inferred, before pipelining; of copies and atomics.
// Facts come from Analysis/CopyFacts, the choice from the table in
// Analysis/CopyRules; this pass records it and explains it.
//
//===----------------------------------------------------------------------===//
#include "tile/Analysis/CopyRules.h"
#include "tile/Analysis/TmaGeometry.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/IR/Tunables.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tile {
#define GEN_PASS_DEF_SELECTCOPIESPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// "cp_async at 8 bytes", or the instruction alone where it has one width.
static std::string nameOf(const CopyRule &rule) {
  std::string name = stringifyCopyInstruction(rule.instruction).str();
  return rule.bytes ? name + " at " + std::to_string(rule.bytes) + " bytes"
                    : name;
}

/// Why a policy of the cache that is asked for says nothing; empty where it
/// does, or where none is.
static StringRef whyNoPolicy(TileMoveOpInterface copy,
                             CopyInstruction instruction) {
  std::optional<EvictionPolicy> policy = copy.getEvictionPolicy();
  const CopyTraits &traits = traitsOf(instruction);
  if (!policy || *policy == EvictionPolicy::Normal || traits.byAsyncProxy)
    return "";
  if (!isGlobal(copy.getSource()) && !isGlobal(copy.getTarget()))
    return "nothing passes the L2 cache";
  if (copy.getCombining())
    return "atomic instructions of threads are given none";
  if (!traits.takesCachePolicy)
    return "ptxas (13.0 to 13.3) makes cp.async with a policy an illegal "
           "instruction";
  Value global =
      isGlobal(copy.getSource()) ? copy.getSource() : copy.getTarget();
  if (storageBitsOf(global) < 8)
    return "loads and stores of packed elements are given none";
  return "";
}

static StringRef memoryName(Value buffer) {
  return isFragment(buffer) ? "registers"
                            : stringifyMemorySpace(getMemorySpace(buffer));
}

/// What moves the elements. Where no address is, the table has one row for
/// everything, and the lowering one way.
static StringRef instructionName(TileMoveOpInterface move,
                                 CopyInstruction instruction) {
  if (isTensorMemory(move.getSource()))
    return "tcgen05.ld";
  if (isTensorMemory(move.getTarget()))
    return "tcgen05.st";
  if (isFragment(move.getSource()) && isFragment(move.getTarget()))
    return "renamed or exchanged";
  return stringifyCopyInstruction(instruction);
}

/// Whether a row is wider than an element: narrower ones say nothing of why the
/// instruction was not taken.
static bool isWide(const CopyFacts &facts, const CopyRule &rule) {
  return !rule.bytes || rule.bytes * 8 > facts.countedSide().elementBits;
}

/// What was chosen and why not the rows before: one reason per instruction,
/// that of its narrowest row of several elements, and one for the wider rows of
/// the chosen one that it keeps from being taken.
static void explain(const CopyFacts &facts, const CopyDecision &decision,
                    bool remarks) {
  if (!remarks)
    return;
  TileMoveOpInterface copy = facts.op;
  Remark remark = remarkAt(remarks, copy);
  remark << memoryName(copy.getSource()) << " to "
         << memoryName(copy.getTarget())
         << (copy.getCombining() ? " atomic: " : " copy: ")
         << instructionName(copy, decision.instruction);
  if (!traitsOf(decision.instruction).byAsyncProxy)
    remark << ", " << plural(decision.bytes, "byte");
  if (copy.getInFront())
    remark << "; where it begins at a negative index, threads store it element "
              "by element, for no tensor copy may: `tile.assume` with `min = "
              "0` can promise that it does not";
  if (copy.getPlanAttr().getExchange())
    remark << ", half of the lanes in another order, which meets fewer bank "
              "conflicts";
  llvm::MapVector<CopyInstruction, const RejectedCopyRule *> others;
  llvm::MapVector<StringRef, std::pair<std::string, const Reason *>> widths;
  for (const RejectedCopyRule &rejected : decision.rejected) {
    if (rejected.rule->instruction == decision.instruction) {
      auto &[list, reason] = widths[rejected.reason.why];
      list += (list.empty() ? "" : ", ") + std::to_string(rejected.rule->bytes);
      reason = &rejected.reason;
    } else if (isWide(facts, *rejected.rule) ||
               !others.contains(rejected.rule->instruction)) {
      others[rejected.rule->instruction] = &rejected;
    }
  }
  for (auto &[instruction, rejected] : others)
    remark << "; " << stringifyCopyInstruction(instruction)
           << " not taken: " << rejected->reason.text();
  for (auto &[why, rejected] : widths)
    remark << "; " << rejected.first
           << " bytes not taken: " << rejected.second->text();
  if (StringRef why = whyNoPolicy(copy, decision.instruction); !why.empty())
    remark << "; `eviction_policy` has no effect: " << why;
}

/// `stated`: the plan in the program; null where it asks by `prefer`.
static LogicalResult refuse(TileMoveOpInterface copy, CopyInstruction preferred,
                            CopyPlanAttr stated, const CopyDecision &decision) {
  InFlightDiagnostic error =
      copy->emitOpError() << "cannot be made by '"
                          << stringifyCopyInstruction(preferred) << "', which ";
  if (stated)
    error << "its `plan` states (" << plural(stated.getBytes(), "byte")
          << " a thread)";
  else
    error << "`prefer` asks for";
  for (const RejectedCopyRule &rejected : decision.rejected)
    error.attachNote(copy->getLoc()) << "rule '" << nameOf(*rejected.rule)
                                     << "': " << rejected.reason.text();
  return error;
}

/// The order of registers in which lanes store to shared memory with fewer bank
/// conflicts; null where their own order is as good.
static DenseI64ArrayAttr exchangeOf(TileMoveOpInterface move,
                                    const CopyDecision &decision) {
  auto layout = move.getLayout();
  SharedLayoutAttr shared = getSharedLayout(move.getTarget());
  if (!traitsOf(decision.instruction).isPlain || !layout || !shared ||
      !isFragment(move.getSource()) || !move.isPlain() ||
      move.getTargetExtents() !=
          SmallVector<int64_t>(shared.getLayout().shape()) ||
      layout->getLayout().shape() != shared.getLayout().shape())
    return {};
  int64_t vector =
      decision.bytes * 8 / std::max(8u, shared.getLayout().elementBits());
  if (vector < 1)
    return {};
  std::optional<LaneExchange> found =
      findLaneExchange(layout->getLayout(), shared.getLayout(), vector);
  return found ? DenseI64ArrayAttr::get(move.getContext(),
                                        {found->lane, found->reg})
               : DenseI64ArrayAttr();
}

namespace {
struct SelectCopiesPass : tile::impl::SelectCopiesPassBase<SelectCopiesPass> {
  using SelectCopiesPassBase::SelectCopiesPassBase;

  void runOnOperation() override {
    if (failed(requireChosen(getOperation())))
      return signalPassFailure();
    const TargetInfo *target = nullptr;
    bool failed = false;
    answers = std::make_shared<CopyAnswers>();
    getOperation().walk([&](TileMoveOpInterface copy) {
      // Nothing to decide without copies; with one, the architecture matters.
      if (!target && !(target = requireTarget(copy))) {
        failed = true;
        return WalkResult::interrupt();
      }
      failed |= mlir::failed(select(copy, *target));
      return WalkResult::advance();
    });
    if (failed)
      signalPassFailure();
  }

private:
  LogicalResult select(TileMoveOpInterface copy, const TargetInfo &target) {
    CopyFacts facts = CopyFacts::get(copy, answers);
    // A pad that is zero says what holds without it, one that nothing overhangs
    // into says nothing: instructions that fill with zero need not know of it.
    if (copy.getPad() && (!facts.padsNonZero || !facts.source.mayOverhang))
      copy.dropPad();
    CopyDecision decision;
    std::optional<CopyInstruction> preferred = copy.getPrefer();
    // A plan that is there is the program's.
    CopyPlanAttr stated = copy.getPlanAttr();
    if (stated)
      preferred = stated.getInstruction();
    if (!decideCopy(facts, target, preferred, decision,
                    stated ? stated.getBytes() : 0))
      return refuse(copy, *preferred, stated, decision);
    copy.setPlanAttr(CopyPlanAttr::get(&getContext(), decision.instruction,
                                       decision.bytes,
                                       exchangeOf(copy, decision)));
    if (traitsOf(decision.instruction).usesTensorMap &&
        isGlobal(copy.getTarget()) &&
        copy.getAddressing() == MoveAddressing::Box)
      copy.setInFront(mayBeginInFront(copy));
    explain(facts, decision, remarks);
    return success();
  }

  std::shared_ptr<CopyAnswers> answers;
};
} // namespace
