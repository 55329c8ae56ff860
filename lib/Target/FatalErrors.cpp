//===- FatalErrors.cpp - LLVM's fatal errors as failures ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's only hook is one handler for the whole process, which must not return.
// It jumps back to the innermost guarded step of its own thread. Where a thread
// runs no guarded step it prints the reason, as LLVM would without a handler,
// and returns; LLVM then ends the process.
//
//===----------------------------------------------------------------------===//
#include "FatalErrors.h"
#include "llvm/Support/ErrorHandling.h"
#include <csetjmp>
#include <mutex>
#include <string>
#include <unistd.h>

namespace {
struct GuardedStep {
  std::jmp_buf resume;
  std::string *reason;
  GuardedStep *outer;
};
} // namespace

/// The handler receives no caller's data that differs between threads, hence
/// the one thread-local of this library.
static GuardedStep *&currentStep() {
  static thread_local GuardedStep *step = nullptr;
  return step;
}

static void handleFatalError(void *, const char *reason, bool) {
  GuardedStep *step = currentStep();
  if (!step) {
    // Past any buffer, as LLVM does: the process is about to end.
    std::string line = std::string("LLVM ERROR: ") + reason + "\n";
    (void)!::write(STDERR_FILENO, line.data(), line.size());
    return;
  }
  *step->reason = reason;
  std::longjmp(step->resume, 1);
}

bool mlir::tile::runCatchingFatalErrors(llvm::function_ref<void()> step,
                                        std::string &reason) {
  static std::once_flag installed;
  std::call_once(installed, [] {
    llvm::remove_fatal_error_handler();
    llvm::install_fatal_error_handler(handleFatalError);
  });
  GuardedStep guarded;
  guarded.reason = &reason;
  guarded.outer = currentStep();
  if (setjmp(guarded.resume)) {
    currentStep() = guarded.outer;
    return false;
  }
  currentStep() = &guarded;
  step();
  currentStep() = guarded.outer;
  return true;
}
