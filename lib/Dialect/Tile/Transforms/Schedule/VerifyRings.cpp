//===- VerifyRings.cpp - rejects schedules that go wrong ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after pipelining and specialization, before the lowering. Changes
// nothing. What is explored is in Analysis/RingVerification.h; here its verdict
// becomes diagnostics.
//
//===----------------------------------------------------------------------===//
#include "tile/Analysis/RingVerification.h"
#include "tile/Dialect/Tile/IR/Tunables.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_VERIFYRINGSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
struct VerifyRingsPass : tile::impl::VerifyRingsPassBase<VerifyRingsPass> {
  using VerifyRingsPassBase::VerifyRingsPassBase;

  void runOnOperation() override {
    if (failed(requireChosen(getOperation())))
      return signalPassFailure();
    RingVerificationOptions options;
    options.maxSteps = budget;
    options.isExhaustive = exhaustive;
    options.maxStates = maxStates;
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      report(kernel, verifyRings(kernel, options));
    markAllAnalysesPreserved();
  }

private:
  void report(KernelOp kernel, const RingVerdict &verdict);
};
} // namespace

static void attach(Remark &diag, const RingVerdict &verdict) {
  for (const RingNote &note : verdict.finding.notes)
    diag.attachNote(note.loc) << note.text;
}

void VerifyRingsPass::report(KernelOp kernel, const RingVerdict &verdict) {
  const RingFinding &finding = verdict.finding;
  checkedVectors += verdict.vectors;
  switch (verdict.kind) {
  case RingVerdict::Nothing:
    return;
  case RingVerdict::Proved: {
    if (!remarks)
      return;
    Remark diag = remarkAt(remarks, kernel);
    diag << "rings are proved for " << finding.message;
    attach(diag, verdict);
    return;
  }
  case RingVerdict::NotProved: {
    if (lenient && !remarks)
      return;
    Remark diag = lenient ? remarkAt(remarks, finding.op)
                          : Remark(finding.op->emitWarning());
    diag << "not proved: " << finding.message << "; "
         << (finding.advice.empty()
                 ? "it is compiled all the same: test it with the sizes that "
                   "matter"
                 : finding.advice);
    attach(diag, verdict);
    return;
  }
  case RingVerdict::Fault: {
    Remark diag(finding.op->emitError());
    diag << "[" << stringify(finding.rule) << "] " << finding.message;
    attach(diag, verdict);
    if (!verdict.sizes.empty())
      diag.attachNote(kernel.getLoc()) << "found with " << verdict.sizes;
    return signalPassFailure();
  }
  }
}
