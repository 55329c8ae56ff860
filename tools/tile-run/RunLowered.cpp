//===- RunLowered.cpp - running a lowered kernel on the CPU ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "RunLowered.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::run;

llvm::Expected<std::optional<RunResult>>
run::runLowered(ModuleOp module, const LoweredOptions &lowered,
                StringRef kernel, ArrayRef<Argument> arguments,
                const Memory &memory, const RunOptions &options,
                raw_ostream &prints) {
  auto program = LoweredProgram::compile(module, lowered);
  if (failed(program))
    return std::nullopt;
  auto driver = runtime::Driver::create((*program)->driver(),
                                        (*program)->driverContext());
  if (!driver)
    return llvm::createStringError(driver.message());
  CudaSession session;
  if (auto failure = session.open(*driver))
    return std::move(failure);
  auto ran = runOnCuda(session, (*program)->artifact(), kernel, arguments,
                       memory, options);
  prints << (*program)->output();
  std::string finding = (*program)->finding();
  if (!finding.empty()) {
    llvm::consumeError(ran.takeError());
    return llvm::createStringError(finding);
  }
  if (!ran)
    return ran.takeError();
  // What a GPU's registers are is not known here.
  ran->where = "lowered for " + lowered.target->arch.str() + ", on the CPU";
  return std::optional<RunResult>(std::move(*ran));
}
