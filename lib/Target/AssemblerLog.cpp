//===- AssemblerLog.cpp - what ptxas -v says ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines it reads (ptxas 12 and 13, and nvJitLink's info log):
//   ptxas info    : Compiling entry function 'NAME' for 'sm_90a'
//   ptxas info    : Function properties for NAME
//       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//   ptxas info    : Used 40 registers, used 1 barriers, 1024 bytes smem
//   ptxas info    : (C7510) Potential Performance Loss: ...
//   ptxas warning : ...
//
//===----------------------------------------------------------------------===//
#include "tile/Target/Cubin.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::tile;

/// The number before `unit` in `line`; 0 when there is none.
static int64_t numberBefore(llvm::StringRef line, llvm::StringRef unit) {
  size_t at = line.find(unit);
  if (at == llvm::StringRef::npos)
    return 0;
  llvm::StringRef head = line.take_front(at).rtrim();
  size_t digits = 0;
  while (digits < head.size() && llvm::isDigit(head[head.size() - 1 - digits]))
    ++digits;
  int64_t value = 0;
  if (head.take_back(digits).getAsInteger(10, value))
    return 0;
  return value;
}

bool AssemblerResult::isPerformanceLoss(llvm::StringRef warning) {
  size_t at = 0;
  while ((at = warning.find("C75", at)) != llvm::StringRef::npos) {
    llvm::StringRef digits = warning.substr(at + 3, 2);
    if (digits.size() == 2 && llvm::all_of(digits, llvm::isDigit))
      return true;
    ++at;
  }
  return false;
}

static KernelResources &resourcesOf(AssemblerResult &result,
                                    llvm::StringRef name) {
  for (KernelResources &kernel : result.kernels)
    if (kernel.name == name)
      return kernel;
  result.kernels.emplace_back();
  result.kernels.back().name = name.str();
  return result.kernels.back();
}

void mlir::tile::parseAssemblerLog(llvm::StringRef log,
                                   AssemblerResult &result) {
  std::string entry, function;
  while (!log.empty()) {
    llvm::StringRef line;
    std::tie(line, log) = log.split('\n');
    line = line.rtrim();
    if (line.contains("Compiling entry function '")) {
      entry = line.split('\'').second.split('\'').first.str();
      function = entry;
      resourcesOf(result, entry);
    } else if (line.contains("Function properties for ")) {
      function = line.split("Function properties for ").second.trim().str();
    } else if (line.contains("bytes stack frame") && !function.empty()) {
      KernelResources &kernel = resourcesOf(result, function);
      kernel.stackBytes = numberBefore(line, "bytes stack frame");
      kernel.spillStoreBytes = numberBefore(line, "bytes spill stores");
      kernel.spillLoadBytes = numberBefore(line, "bytes spill loads");
    } else if (line.contains(": Used ") && !entry.empty()) {
      KernelResources &kernel = resourcesOf(result, entry);
      kernel.registers = numberBefore(line, "registers");
      kernel.barriers = numberBefore(line, "barriers");
      kernel.staticSharedBytes = numberBefore(line, "bytes smem");
    } else if (AssemblerResult::isPerformanceLoss(line) ||
               line.contains("warning")) {
      result.warnings.push_back(line.str());
    }
  }
}
