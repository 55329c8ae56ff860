//===- TimeReport.h - how long each phase took ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wall time per phase of one compilation: `tile-translate --time-report` prints
// it. Phases that run more than once (a pass used twice) are summed.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TARGET_TIMEREPORT_H
#define TILE_TARGET_TIMEREPORT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace mlir {
class PassInstrumentation;
}

namespace mlir::tile {

class TimeReport {
public:
  using Clock = std::chrono::steady_clock;

  /// Whose time a phase counts towards.
  enum class Group { Front, OwnPasses, Backend, Assembler };

  /// Adds the time from construction to destruction to a phase. A null report
  /// measures nothing, so that callers need no condition.
  class Scope {
  public:
    Scope(TimeReport *report, llvm::StringRef phase, Group group);
    ~Scope();
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    TimeReport *report;
    llvm::StringRef phase;
    Group group;
    Clock::time_point begin;
  };

  void add(llvm::StringRef phase, Group group, Clock::duration duration);

  /// Milliseconds per phase in order of first use, the sum of our own passes,
  /// and the total since the report was made.
  void print(llvm::raw_ostream &os) const;

  /// Reports each pass of a pass manager as a phase. Single-threaded contexts
  /// only.
  static std::unique_ptr<PassInstrumentation>
  createInstrumentation(TimeReport &report);

private:
  struct Entry {
    std::string phase;
    Group group = Group::Front;
    Clock::duration duration{};
  };
  std::vector<Entry> entries;
  Clock::time_point begin = Clock::now();
};

} // namespace mlir::tile
#endif // TILE_TARGET_TIMEREPORT_H
