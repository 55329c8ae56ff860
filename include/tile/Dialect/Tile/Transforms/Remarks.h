//===- Remarks.h - how passes explain themselves ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every pass that decides something has the option `remarks` (PassOptions.td)
// and says through here what it decided, or why it did not.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_TRANSFORMS_REMARKS_H
#define TILE_DIALECT_TILE_TRANSFORMS_REMARKS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "tile/Analysis/Reason.h"
#include "tile/Layout/Plural.h"
#include <optional>

namespace mlir::tile {

/// A note of a remark, to be written to with `<<`, or nothing.
class RemarkNote {
public:
  explicit RemarkNote(Diagnostic *note) : note(note) {}

  template <typename Argument> RemarkNote &operator<<(Argument &&argument) {
    if (note)
      *note << std::forward<Argument>(argument);
    return *this;
  }

private:
  Diagnostic *note;
};

/// Where an operation stands. Constants that canonicalization has moved have no
/// place of their own: they stand where what holds them does.
inline Location placeOf(Operation *op) {
  while (isa<UnknownLoc>(op->getLoc()) && op->getParentOp())
    op = op->getParentOp();
  return op->getLoc();
}

/// A remark, to be written to with `<<`, or nothing: MLIR's own diagnostic
/// asserts that it is written to only where there is one. An error or a warning
/// that takes the remark's place is one, too.
class Remark {
public:
  Remark() = default;
  explicit Remark(InFlightDiagnostic diagnostic)
      : diagnostic(std::move(diagnostic)) {}

  template <typename Argument> Remark &operator<<(Argument &&argument) {
    if (diagnostic)
      *diagnostic << std::forward<Argument>(argument);
    return *this;
  }
  /// Where there is no place to show, the note stands at the remark's.
  RemarkNote attachNote(std::optional<Location> loc = std::nullopt) {
    if (loc && isa<UnknownLoc>(*loc))
      loc = std::nullopt;
    return RemarkNote(diagnostic ? &diagnostic->attachNote(loc) : nullptr);
  }
  RemarkNote attachNote(Operation *op) { return attachNote(placeOf(op)); }

private:
  std::optional<InFlightDiagnostic> diagnostic;
};

/// A remark at `op`, of nothing where the pass is not asked to explain itself.
inline Remark remarkAt(bool isAsked, Operation *op) {
  return isAsked ? Remark(emitRemark(placeOf(op))) : Remark();
}
/// The same at the place of what is gone by now.
inline Remark remarkAt(bool isAsked, Location loc) {
  return isAsked ? Remark(emitRemark(loc)) : Remark();
}

/// A remark of what is not done: `what`, the reason that decided, and
/// what an author can write, in the kernel or as an option, so that it is done.
/// No such remark is without that.
template <typename Place>
Remark missedAt(bool isAsked, Place place, const Twine &what, const Twine &why,
                const Twine &advice) {
  assert(!advice.str().empty() && "expected what an author can write");
  Remark remark = remarkAt(isAsked, place);
  remark << what << ": " << why << "; " << advice;
  return remark;
}

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_TRANSFORMS_REMARKS_H
