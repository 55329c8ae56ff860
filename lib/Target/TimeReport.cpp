//===- TimeReport.cpp - how long each phase took --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Target/TimeReport.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::tile;

TimeReport::Scope::Scope(TimeReport *report, llvm::StringRef phase, Group group)
    : report(report), phase(phase), group(group), begin(Clock::now()) {}

TimeReport::Scope::~Scope() {
  if (report)
    report->add(phase, group, Clock::now() - begin);
}

void TimeReport::add(llvm::StringRef phase, Group group,
                     Clock::duration duration) {
  for (Entry &entry : entries)
    if (entry.phase == phase) {
      entry.duration += duration;
      return;
    }
  entries.push_back({phase.str(), group, duration});
}

static double milliseconds(TimeReport::Clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

void TimeReport::print(llvm::raw_ostream &os) const {
  Clock::duration own{}, total = Clock::now() - begin;
  os << "phase                                        ms\n";
  for (const Entry &entry : entries) {
    os << llvm::format("%-38s %8.2f\n", entry.phase.c_str(),
                       milliseconds(entry.duration));
    if (entry.group == Group::OwnPasses)
      own += entry.duration;
  }
  os << llvm::format("%-38s %8.2f\n", "own passes together", milliseconds(own));
  os << llvm::format("%-38s %8.2f\n", "total", milliseconds(total));
}

namespace {
/// Times leaves of the pass pipeline; adaptors that only walk to nested
/// operations have no argument and are left out.
class PassTimer : public PassInstrumentation {
public:
  explicit PassTimer(TimeReport &report) : report(report) {}

  void runBeforePass(Pass *pass, Operation *) override {
    starts.push_back(TimeReport::Clock::now());
  }
  void runAfterPass(Pass *pass, Operation *) override { finish(pass); }
  void runAfterPassFailed(Pass *pass, Operation *) override { finish(pass); }

private:
  void finish(Pass *pass) {
    TimeReport::Clock::time_point start = starts.pop_back_val();
    if (!pass->getArgument().empty())
      report.add(pass->getArgument(), TimeReport::Group::OwnPasses,
                 TimeReport::Clock::now() - start);
  }

  TimeReport &report;
  llvm::SmallVector<TimeReport::Clock::time_point> starts;
};
} // namespace

std::unique_ptr<PassInstrumentation>
TimeReport::createInstrumentation(TimeReport &report) {
  return std::make_unique<PassTimer>(report);
}
