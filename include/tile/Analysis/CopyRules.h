//===- CopyRules.h - which instruction makes a copy -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The priority chain of copy selection: a table of rules, tried from the first,
// each of which answers yes or a reason.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_COPYRULES_H
#define TILE_ANALYSIS_COPYRULES_H

#include "tile/Analysis/CopyFacts.h"
#include "tile/Target/TargetInfo.h"

namespace mlir::tile {

/// What becomes of the target: its elements are replaced or combined with, or
/// they are the source itself, and nothing moves.
enum class MoveKind { Copy, Combine, Prefetch };

/// One row: an instruction at one width.
struct CopyRule {
  CopyInstruction instruction;
  /// Bytes a thread moves at a time, of the counted side; 0 is one element.
  int64_t bytes;
  /// `between`: the memory spaces it copies between, for messages. `concerns`:
  /// whether the row applies to this pair of spaces; other rows are skipped and
  /// not reported as rejected.
  llvm::StringLiteral between;
  bool (*concerns)(const CopyFacts &);
  /// Why the row cannot be used for a copy that it concerns; empty if it can.
  Reason (*whyNot)(const CopyFacts &, const TargetInfo &, int64_t bytes);
  /// The row is for moves of this kind alone.
  MoveKind kind = MoveKind::Copy;
  /// The row is only for moves that find their elements in this way.
  std::optional<MoveAddressing> addressing = {};
};

/// The rows in order of preference. The last always applies.
ArrayRef<CopyRule> getCopyRules();

/// A row that was tried and did not apply.
struct RejectedCopyRule {
  const CopyRule *rule;
  Reason reason;
};

struct CopyDecision {
  CopyInstruction instruction = CopyInstruction::Scalar;
  int64_t bytes = 1;
  SmallVector<RejectedCopyRule> rejected;
};

/// Walks the table; `prefer` restricts it to one instruction, `bytes` (0: any)
/// to that many a thread. False (with every row of that instruction in
/// `decision.rejected`) when no row applies.
bool decideCopy(const CopyFacts &facts, const TargetInfo &target,
                std::optional<CopyInstruction> prefer, CopyDecision &decision,
                int64_t bytes = 0);

/// Why no tensor copy can make the move; empty where one can. Passes that make
/// or share copies ask it before --tile-select-copies decides.
Reason whyNotTensorCopy(TileMoveOpInterface move, const TargetInfo &target);

/// The first row by which threads make the move: for copies that cannot have an
/// mbarrier.
CopyPlanAttr planByThreads(TileMoveOpInterface move, const TargetInfo &target);

/// The ldmatrix that loads most of a fragment of rank 2 at a time, from rows of
/// contiguous elements; null where none does.
CopyPlanAttr matrixLoadPlan(MLIRContext *context, const FragmentLayout &layout,
                            unsigned bits);

} // namespace mlir::tile
#endif // TILE_ANALYSIS_COPYRULES_H
