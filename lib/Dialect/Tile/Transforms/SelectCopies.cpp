//===- SelectCopies.cpp - the instruction of every copy -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Phase 3: after layouts are inferred, before pipelining; of copies and
// atomics. Facts come from Analysis/CopyFacts, the choice from the table in
// Analysis/CopyRules; this pass records it and explains it.
//
//===----------------------------------------------------------------------===//
#include "tile/Analysis/CopyRules.h"
#include "tile/Dialect/Tile/IR/Tunables.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
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
  bool isProxys = instruction == CopyInstruction::Tma ||
                  instruction == CopyInstruction::Bulk;
  if (!policy || *policy == EvictionPolicy::Normal || isProxys)
    return "";
  if (!isGlobal(copy.getSource()) && !isGlobal(copy.getTarget()))
    return "nothing passes the L2 cache";
  if (copy.getCombining())
    return "atomic instructions of threads are given none";
  if (instruction == CopyInstruction::Realign)
    return "loads that are shifted into place are given none";
  Value global =
      isGlobal(copy.getSource()) ? copy.getSource() : copy.getTarget();
  if (getStorageBits(cast<MemRefType>(global.getType()).getElementType()) < 8)
    return "loads and stores of packed elements are given none";
  return "";
}

/// What was chosen and why not the rows before: one reason per instruction,
/// that of its narrowest row, and each wider row of the chosen one.
static void explain(TileMoveOpInterface copy, const CopyDecision &decision) {
  InFlightDiagnostic remark = copy->emitRemark();
  remark << (copy.getCombining() ? "atomic: " : "copy: ")
         << stringifyCopyInstruction(decision.instruction) << ", "
         << decision.bytes << " bytes";
  llvm::MapVector<CopyInstruction, const RejectedCopyRule *> others;
  for (const RejectedCopyRule &rejected : decision.rejected)
    if (rejected.rule->instruction != decision.instruction)
      others[rejected.rule->instruction] = &rejected;
  for (auto &[instruction, rejected] : others)
    remark << "; " << stringifyCopyInstruction(instruction)
           << " not taken: " << rejected->reason;
  for (const RejectedCopyRule &rejected : decision.rejected)
    if (rejected.rule->instruction == decision.instruction)
      remark << "; " << rejected.rule->bytes
             << " bytes not taken: " << rejected.reason;
  if (StringRef why = whyNoPolicy(copy, decision.instruction); !why.empty())
    remark << "; `eviction_policy` has no effect: " << why;
}

static LogicalResult refuse(TileMoveOpInterface copy, CopyInstruction preferred,
                            const CopyDecision &decision) {
  InFlightDiagnostic error = copy->emitOpError()
                             << "cannot be made by '"
                             << stringifyCopyInstruction(preferred)
                             << "', which `prefer` asks for";
  for (const RejectedCopyRule &rejected : decision.rejected)
    error.attachNote(copy->getLoc())
        << "rule '" << nameOf(*rejected.rule) << "': " << rejected.reason;
  return error;
}

namespace {
struct SelectCopiesPass : tile::impl::SelectCopiesPassBase<SelectCopiesPass> {
  using SelectCopiesPassBase::SelectCopiesPassBase;

  void runOnOperation() override {
    if (failed(requireChosen(getOperation())))
      return signalPassFailure();
    auto attribute = getOperation()->getAttrOfType<TargetAttr>(kTargetAttrName);
    const TargetInfo *target =
        attribute ? TargetInfo::get(attribute.getArch()) : nullptr;
    bool failed = false;
    getOperation().walk([&](TileMoveOpInterface copy) {
      if (!target) {
        // Nothing to decide without copies; with one, the architecture matters.
        getOperation().emitError()
            << "expected '" << kTargetAttrName
            << "' on the module (`--tile-set-target=arch=...`)";
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
    CopyFacts facts = CopyFacts::get(copy);
    // A pad that is zero says what holds without it, one that nothing overhangs
    // into says nothing: instructions that fill with zero need not know of it.
    if (auto padded = dyn_cast<CopyOp>(*copy))
      if (padded.getPad() && (!facts.padsNonZero || !facts.source.mayOverhang))
        padded.getPadMutable().clear();
    CopyDecision decision;
    std::optional<CopyInstruction> preferred = copy.getPrefer();
    if (!decideCopy(facts, target, preferred, decision))
      return refuse(copy, *preferred, decision);
    copy.setPlanAttr(
        CopyPlanAttr::get(&getContext(), decision.instruction, decision.bytes));
    if (remarks)
      explain(copy, decision);
    return success();
  }
};
} // namespace
