//===- LLVMBackend.h - NVVM dialect to optimized LLVM to PTX ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last phases inside the compiler, in-process: a module in the LLVM and
// NVVM dialects becomes an llvm::Module, is optimized, and becomes PTX text.
// Each step reports failure as a diagnostic on the module; LLVM's own fatal
// errors included.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TARGET_LLVMBACKEND_H
#define TILE_TARGET_LLVMBACKEND_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include "tile/Target/TargetInfo.h"
#include "tile/Target/TimeReport.h"
#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir::tile {

struct BackendOptions {
  /// The architecture; must not be null.
  const TargetInfo *target = nullptr;
  /// PTX version (major*10+minor) to emit; 0: the lowest that the module needs.
  unsigned ptxVersion = 0;
  /// LLVM's -O3; without it the code is correct and easy to follow.
  bool optimize = true;
  /// `.loc` directives from the operations' locations.
  bool lineInfo = false;
  /// Where phases are timed; may be null.
  TimeReport *timeReport = nullptr;
};

/// Owns LLVM's state for one module.
class LLVMBackend {
public:
  explicit LLVMBackend(const BackendOptions &options);
  ~LLVMBackend();

  /// Checks the module against the target, then translates it. The MLIR module
  /// gains its data layout and loses the operations that only MLIR expands.
  LogicalResult translate(ModuleOp module);
  LogicalResult optimize();
  /// PTX text. The LLVM module is consumed.
  FailureOr<std::string> emitPtx();
  /// The module that emitPtx() would hand to code generation, for callers that
  /// execute it instead. The module must go before its context.
  std::pair<std::unique_ptr<llvm::Module>, std::unique_ptr<llvm::LLVMContext>>
  takeModule();

  /// LLVM IR as text.
  std::string printLLVM() const;
  const TargetInfo *getTarget() const { return options.target; }
  /// PTX version chosen; valid after translate().
  unsigned getPtxVersion() const { return ptxVersion; }

private:
  LogicalResult createTargetMachine(ModuleOp module);
  /// Rewrites what assemblers get wrong: the last change of the module.
  void avoidAssemblerFaults();
  /// Runs `step`; LLVM's fatal errors and diagnostics become MLIR diagnostics.
  LogicalResult guarded(StringRef phase, llvm::function_ref<void()> step);

  BackendOptions options;
  unsigned ptxVersion = 0;
  ModuleOp source;
  std::string errors; ///< of LLVM's diagnostic handler
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
};

/// All of the above: a module in the LLVM and NVVM dialects to PTX text.
FailureOr<std::string> compileToPtx(ModuleOp module,
                                    const BackendOptions &options);

} // namespace mlir::tile
#endif // TILE_TARGET_LLVMBACKEND_H
