//===- HostJit.h - LLVM ORC for this host -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What executing tile IR and executing lowered kernels share: a JIT that finds
// a table of functions and nothing else of the process.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_EXECUTION_HOSTJIT_H
#define TILE_LIB_EXECUTION_HOSTJIT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>
#include <utility>
#include <vector>

namespace mlir::tile {

/// Functions by name.
using HostFunctions = std::vector<std::pair<llvm::StringRef, void *>>;

/// The host's code generator; the module gets its data layout and triple.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createHostMachine(llvm::Module &module, llvm::CodeGenOptLevel level);

/// A JIT that generates code as `createHostMachine(…, level)` does and resolves
/// `functions` only: neither the process's symbols nor a platform that looks
/// some up.
llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>>
createHostJit(llvm::CodeGenOptLevel level, const HostFunctions &functions);

} // namespace mlir::tile
#endif // TILE_LIB_EXECUTION_HOSTJIT_H
