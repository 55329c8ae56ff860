//===- Compile.h - from a module to what was asked for ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole compiler behind a few functions: tile-translate and the C API are
// thin wrappers around them. A module may hold tile kernels or be in the LLVM
// and NVVM dialects already. Failures are diagnostics; results are in memory.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_PIPELINES_COMPILE_H
#define TILE_PIPELINES_COMPILE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/LLVM.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Runtime/Artifact.h"
#include "tile/Target/Cubin.h"
#include "tile/Target/LLVMBackend.h"

namespace mlir::tile {
class TargetAttr;

struct CompileOptions {
  /// LLVM's -mcpu name; empty: the module's `tile.target`, else the newest that
  /// `device` runs.
  std::string arch;
  /// The GPU that choices are made for (DeviceInfo.h); empty: what the module
  /// says beside its architecture, else this one's default.
  std::string device;
  /// PTX version (major*10+minor); 0: the lowest that the module needs.
  unsigned ptxVersion = 0;
  /// Sizes to choose tunables for (`A=8192x4096`), and tunables that are
  /// decided (`bm=128`).
  std::vector<std::string> hints, tunables;
  bool optimize = true;
  bool lineInfo = false;
  /// Math functions by approximate instructions that flush denormals; their
  /// bounds are in docs/Rationale/Math.md.
  bool fastMath = false;
  /// Elements of tiles in shared memory whose indices may lie outside get a
  /// condition; without, the program promises that none does.
  bool guards = true;
  /// Of kernels that do not say themselves whether warps have roles.
  RoleChoice roles = RoleChoice::Auto;
  /// Passes explain their decisions in remarks.
  bool remarks = false;
  /// Kernels that the program promises nothing about get a second version for
  /// aligned arguments; only a launcher, so only an artifact, can use it.
  bool versions = false;
  /// Verifies after every pass, not only at the end.
  bool verifyEach = false;
  /// Checks what is translated for hazards that assemble (--tile-verify-nvvm).
  bool verifyNvvm = false;
  AssemblerKind assembler = AssemblerKind::Auto;
  std::string ptxas; ///< path; empty: found on PATH
  /// Asks the assembler for its version; compileToArtifact always does.
  bool wantAssemblerVersion = false;
  TimeReport *timeReport = nullptr; ///< may be null
};

struct CompileResult {
  const TargetInfo *target = nullptr;
  unsigned ptxVersion = 0;
  std::string ptx;
};

/// What the options say, else the module's own target; an error at the module
/// where there is none or device and architecture do not fit.
FailureOr<TargetAttr> resolveTarget(ModuleOp module,
                                    const CompileOptions &options);

/// Runs `tile-to-nvvm` where the module still holds tile kernels.
LogicalResult lowerToNVVM(ModuleOp module, const CompileOptions &options);

/// The combinations of tunables of each kernel that has some, by the times that
/// the cost model predicts for the sizes of `options.hints`, the fastest first:
/// a line of JSON each, with the field `excluded`, the reason, in place of
/// `microseconds` (one number for each problem) where one is not possible. An
/// error at the module where no kernel has tunables.
FailureOr<std::string> listCandidates(ModuleOp module,
                                      const CompileOptions &options);

/// Runs the pipeline as far as layouts are decided.
LogicalResult inferLayouts(ModuleOp module, const CompileOptions &options);

/// Further, to where every copy has its instruction.
LogicalResult selectCopies(ModuleOp module, const CompileOptions &options);

/// Further, to where shared memory is placed and barriers stand.
LogicalResult placeSharedMemory(ModuleOp module, const CompileOptions &options);

/// LLVM IR as text, after optimization.
FailureOr<std::string> compileToLLVMIR(ModuleOp module,
                                       const CompileOptions &options);

FailureOr<CompileResult> compileToPtx(ModuleOp module,
                                      const CompileOptions &options);

/// Assembles. Spills, stack frames and the assembler's warnings become remarks
/// and warnings at the kernels. A missing assembler is no error here: the
/// caller looks at the status.
AssemblerResult assembleModule(ModuleOp module, const CompileResult &compiled,
                               const CompileOptions &options);

/// Compiles and assembles; that nothing can assemble is an error.
FailureOr<std::string> compileToCubin(ModuleOp module,
                                      const CompileOptions &options);

/// Compiles and assembles. Where there is no assembler, or it is too old, a
/// remark says so and the artifact holds PTX for the driver to assemble.
FailureOr<runtime::Artifact> compileToArtifact(ModuleOp module,
                                               const CompileOptions &options);

} // namespace mlir::tile
#endif // TILE_PIPELINES_COMPILE_H
