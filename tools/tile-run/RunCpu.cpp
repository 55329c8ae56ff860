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

/// Whether there are so few elements that a kernel is compiled for longer than
/// it runs.
static bool isSmall(const Memory &memory) {
  constexpr size_t kBytes = 256 * 1024;
  size_t bytes = 0;
  for (const Buffer &buffer : memory)
    bytes += buffer.size();
  return bytes <= kBytes;
}

/// The first run: what is undefined shows, or is an error.
static llvm::Expected<std::optional<Memory>>
runChecked(ModuleOp module, StringRef kernel, ArrayRef<Argument> arguments,
           const Memory &memory, CpuProgramOptions compile, unsigned workers,
           bool launch, raw_ostream *prints) {
  compile.checkAccesses = true;
  compile.poison = true;
  compile.runsBriefly = isSmall(memory);
  auto program = CpuProgram::compile(module, compile);
  if (failed(program))
    return std::nullopt;
  Memory result = memory;
  std::vector<CpuArgument> bound = bind(arguments, result, false);
  if (!launch)
    return result;
  if (auto failure = (*program)->run(kernel, bound, prints, workers))
    return failure;
  return result;
}

llvm::Expected<std::optional<RunResult>>
run::runOnCpu(ModuleOp module, StringRef kernel, ArrayRef<Argument> arguments,
              const Memory &memory, const RunOptions &options,
              raw_ostream *prints) {
  CpuProgramOptions compile;
  compile.checkAssumptions = true;
  compile.lazyAsync = options.lazyAsync;
  compile.blocks = options.blocks;
  RunResult result;
  unsigned workers = options.workers
                         ? options.workers
                         : std::max(1u, std::thread::hardware_concurrency());
  result.where =
      std::to_string(workers) + " CPU thread" + (workers == 1 ? "" : "s");
  auto first = runChecked(module, kernel, arguments, memory, compile, workers,
                          options.launch, prints);
  if (!first)
    return first.takeError();
  if (!*first)
    return std::nullopt;
  result.memory = std::move(**first);
  if (!options.repeats)
    return result;
  // What is timed checks no index. It works on memory of its own, since a
  // kernel may accumulate.
  auto program = CpuProgram::compile(module, compile);
  if (failed(program))
    return std::nullopt;
  Memory scratch = memory;
  std::vector<CpuArgument> bound = bind(arguments, scratch, false);
  for (unsigned i = 0; i <= options.repeats; ++i) {
    auto start = std::chrono::steady_clock::now();
    if (auto failure = (*program)->run(kernel, bound, nullptr, workers))
      return failure;
    std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    if (i > 0) // the first is to warm up
      result.seconds.push_back(elapsed.count());
  }
  return result;
}

llvm::Expected<std::optional<std::vector<Memory>>>
run::runReference(ModuleOp module, StringRef kernel,
                  ArrayRef<Argument> arguments, ArrayRef<Memory> wide,
                  const ReferenceOptions &options) {
  WalkResult viewed = module.walk([](tile::ViewOp view) {
    Type from = cast<MemRefType>(view.getSource().getType()).getElementType();
    Type to = cast<MemRefType>(view.getType()).getElementType();
    return WalkResult(
        failure(from != to && (isa<FloatType>(from) || isa<FloatType>(to))));
  });
  if (viewed.wasInterrupted())
    return llvm::createStringError(
        "expected no `tile.view` of floats as other elements with --check, "
        "whose reference computes in f64: their bits are others there; "
        "compare what --save writes");
  CpuProgramOptions compile;
  compile.widen = true;
  compile.checkAccesses = true;
  compile.poison = true;
  compile.poisonPattern = options.poisonPattern;
  compile.backwards = options.backwards;
  compile.runsBriefly = llvm::all_of(wide, isSmall);
  auto program = CpuProgram::compile(module, compile);
  if (failed(program))
    return std::nullopt;
  std::vector<Memory> results;
  for (const Memory &memory : wide) {
    Memory &result = results.emplace_back(memory);
    std::vector<CpuArgument> bound = bind(arguments, result, true);
    if (auto failure = (*program)->run(kernel, bound, nullptr, options.workers))
      return failure;
    for (auto [argument, buffer] : llvm::zip(arguments, result))
      if (!argument.isWritten)
        buffer = Buffer();
  }
  return results;
}
