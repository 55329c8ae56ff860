//===- RunCpu.cpp - running a kernel on the CPU ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Elements.h"
#include "Run.h"
#include "tile/Target/CpuExecution.h"
#include <chrono>
#include <cstring>
#include <thread>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::run;

/// Arguments for the program, over `memory`.
static std::vector<CpuArgument> bind(ArrayRef<Argument> arguments,
                                     Memory &memory, bool wide) {
  std::vector<CpuArgument> bound;
  for (auto [argument, bytes] : llvm::zip(arguments, memory)) {
    CpuArgument &to = bound.emplace_back();
    if (argument.isBuffer) {
      to.data = bytes.data();
      to.sizes = argument.shape;
      to.strides = argument.strides;
    } else if (wide && isa<FloatType>(argument.element)) {
      std::memcpy(&to.scalar, &argument.scalar, sizeof(double));
    } else if (isa<FloatType>(argument.element)) {
      storeElement(argument.element, &to.scalar, argument.scalar);
    } else {
      storeInteger(argument.element, &to.scalar,
                   static_cast<int64_t>(argument.scalar));
    }
  }
  return bound;
}

llvm::Expected<std::optional<RunResult>>
run::runOnCpu(ModuleOp module, StringRef kernel, ArrayRef<Argument> arguments,
              const Memory &memory, const RunOptions &options,
              raw_ostream *prints) {
  CpuProgramOptions compile;
  compile.checkAssumptions = true;
  compile.checkAccesses = options.repeats == 0; // not what is timed
  compile.poison = options.repeats == 0;
  compile.lazyAsync = options.lazyAsync;
  compile.blocks = options.blocks;
  auto program = CpuProgram::compile(module, compile);
  if (failed(program))
    return std::nullopt;
  RunResult result;
  unsigned workers = options.workers
                         ? options.workers
                         : std::max(1u, std::thread::hardware_concurrency());
  result.where =
      std::to_string(workers) + " CPU thread" + (workers == 1 ? "" : "s");
  result.memory = memory;
  std::vector<CpuArgument> bound = bind(arguments, result.memory, false);
  if (auto failure = (*program)->run(kernel, bound, prints, workers))
    return failure;
  if (!options.repeats)
    return result;
  // Timed runs work on memory of their own: a kernel may accumulate.
  Memory scratch = memory;
  bound = bind(arguments, scratch, false);
  for (unsigned i = 0; i < options.repeats; ++i) {
    auto start = std::chrono::steady_clock::now();
    if (auto failure = (*program)->run(kernel, bound, nullptr, workers))
      return failure;
    std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    result.seconds.push_back(elapsed.count());
  }
  return result;
}

llvm::Expected<std::optional<Memory>>
run::runReference(ModuleOp module, StringRef kernel,
                  ArrayRef<Argument> arguments, Memory memory,
                  unsigned workers) {
  CpuProgramOptions compile;
  compile.widen = true;
  auto program = CpuProgram::compile(module, compile);
  if (failed(program))
    return std::nullopt;
  std::vector<CpuArgument> bound = bind(arguments, memory, true);
  if (auto failure = (*program)->run(kernel, bound, nullptr, workers))
    return failure;
  for (auto [argument, buffer] : llvm::zip(arguments, memory))
    if (!argument.isWritten)
      buffer = Buffer();
  return memory;
}
