//===- RingVerification.h - is a schedule right for every size? -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explores what the agents of a kernel (its roles, or the whole block) do with
// rings and tokens, for ranges of trip counts, and answers with one of three
// verdicts; never with "ok" for what was not explored.
// docs/Rationale/VerifyRings.md has the rules and the ranges.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_RINGVERIFICATION_H
#define TILE_ANALYSIS_RINGVERIFICATION_H

#include "tile/Dialect/Tile/IR/TileOps.h"
#include <string>

namespace mlir::tile {

struct RingNote {
  Location loc;
  std::string text;
};

/// The rules of docs/Rings.md that are checked, by its numbers;
/// docs/Rationale/VerifyRings.md says how.
enum class RingRule : uint8_t {
  None, // not proved, and no rule is known to be broken
  R1,
  R2,
  R3,
  R4,
  R5,
  R7,
  R7b,
  R8,
  R9,
  R10,
  R12,
  R14,
  R15,
  R16,
  R17,
  R18,
  R22
};

/// `R16`.
StringRef stringify(RingRule rule);

/// A broken rule.
struct RingFinding {
  RingRule rule = RingRule::None;
  Operation *op = nullptr;
  std::string message;
  SmallVector<RingNote> notes;
  std::string advice = {}; ///< where nothing is proved: how to go on
};

struct RingVerdict {
  enum Kind {
    /// No rings, nothing asynchronous.
    Nothing,
    Proved,
    Fault,
    NotProved
  };
  Kind kind = Nothing;
  /// Fault: what is wrong. NotProved: where and why. Proved: for which trip
  /// counts of which loops, in the notes.
  RingFinding finding;
  /// The sizes for which the fault shows.
  std::string sizes;
  int64_t vectors = 0, steps = 0;
};

struct RingVerificationOptions {
  int64_t maxSteps = 20'000'000;
  /// Explore all interleavings, with the guards of hardware.
  bool isExhaustive = false;
  int64_t maxStates = 1'000'000;
};

RingVerdict verifyRings(KernelOp kernel,
                        const RingVerificationOptions &options = {});

} // namespace mlir::tile
#endif // TILE_ANALYSIS_RINGVERIFICATION_H
