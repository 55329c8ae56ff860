//===- Compile.cpp - from a module to what was asked for ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Pipelines/Compile.h"
#include "OptionalVersions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "tile/Analysis/RegisterPressure.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Layout/Plural.h"
#include "tile/Pipelines/Pipelines.h"
#include "tile/Target/ArtifactBuilder.h"
#include "tile/Target/DeviceInfo.h"

using namespace mlir;
using namespace mlir::tile;

FailureOr<TargetAttr> mlir::tile::resolveTarget(ModuleOp module,
                                                const CompileOptions &options) {
  auto stated = module->getAttrOfType<TargetAttr>(kTargetAttrName);
  std::string error;
  StringRef arch = options.arch, device = options.device;
  if (!device.empty()) {
    const DeviceInfo *figures = DeviceInfo::get(device, &error);
    if (!figures)
      return module.emitError() << error;
    device = figures->name;
    if (arch.empty())
      arch = stated ? stated.getArch()
                    : TargetInfo::newestFor(figures->capability)->arch;
  } else if (stated && (arch.empty() || arch == stated.getArch())) {
    return stated;
  }
  if (arch.empty())
    return module.emitError() << "expected an architecture: --arch=sm_XX or `"
                              << kTargetAttrName << "` on the module";
  // A module that is lowered already may have nothing of the dialect.
  module.getContext()->loadDialect<TileDialect>();
  auto emitError = [&] { return module.emitError(); };
  auto resolved = TargetAttr::getChecked(
      llvm::function_ref<InFlightDiagnostic()>(emitError), module.getContext(),
      arch, device);
  if (!resolved)
    return failure();
  return resolved;
}

/// Runs a pipeline over a module that holds tile kernels; others are left as
/// they are.
static LogicalResult runPipeline(ModuleOp module, const CompileOptions &options,
                                 void (*build)(OpPassManager &,
                                               const TileToNVVMOptions &),
                                 ArrayRef<std::string> without = {}) {
  if (module.getOps<KernelOp>().empty())
    return success();
  FailureOr<TargetAttr> target = resolveTarget(module, options);
  if (failed(target))
    return failure();
  TileToNVVMOptions pipeline;
  pipeline.arch = target->getArch().str();
  pipeline.device = target->getDevice().str();
  pipeline.hints = options.hints;
  pipeline.tunables = options.tunables;
  pipeline.versions = options.versions;
  pipeline.without = without;
  pipeline.remarks = options.remarks;
  pipeline.fastMath = options.fastMath;
  pipeline.guards = options.guards;
  pipeline.verifyNvvm = options.verifyNvvm;
  pipeline.roles = options.roles;
  PassManager passes(module.getContext());
  passes.enableVerifier(options.verifyEach);
  if (options.timeReport)
    passes.addInstrumentation(
        TimeReport::createInstrumentation(*options.timeReport));
  build(passes, pipeline);
  if (failed(passes.run(module)))
    return failure();
  if (options.verifyEach)
    return success();
  TimeReport::Scope time(options.timeReport, "verify",
                         TimeReport::Group::OwnPasses);
  return verify(module);
}

/// Lowers kernels; those in `once` have no versions.
static LogicalResult lowerToNVVM(ModuleOp module, const CompileOptions &options,
                                 SmallVectorImpl<std::string> &without) {
  auto lower = [&](ArrayRef<std::string> without) {
    return runPipeline(module, options, buildTileToNVVMPipeline, without);
  };
  return options.versions ? lowerWithVersions(module, without, lower)
                          : lower(without);
}

LogicalResult mlir::tile::lowerToNVVM(ModuleOp module,
                                      const CompileOptions &options) {
  SmallVector<std::string> without;
  return ::lowerToNVVM(module, options, without);
}

LogicalResult mlir::tile::inferLayouts(ModuleOp module,
                                       const CompileOptions &options) {
  return runPipeline(module, options, buildLayoutPipeline);
}

LogicalResult mlir::tile::selectCopies(ModuleOp module,
                                       const CompileOptions &options) {
  return runPipeline(module, options, buildCopyPipeline);
}

LogicalResult mlir::tile::placeSharedMemory(ModuleOp module,
                                            const CompileOptions &options) {
  return runPipeline(module, options, buildPlacementPipeline);
}

/// Whether there is something to compile: a kernel, as written or lowered.
static bool hasKernel(ModuleOp module) {
  return !module.getOps<KernelOp>().empty() ||
         llvm::any_of(module.getOps<LLVM::LLVMFuncOp>(),
                      [](LLVM::LLVMFuncOp function) {
                        return function->hasAttr(
                            NVVM::NVVMDialect::getKernelFuncAttrName());
                      });
}

/// Everything up to optimized LLVM IR.
static FailureOr<std::unique_ptr<LLVMBackend>>
compileToLLVM(ModuleOp module, const CompileOptions &options,
              SmallVectorImpl<std::string> &without) {
  FailureOr<TargetAttr> target = resolveTarget(module, options);
  if (failed(target))
    return failure();
  if (!hasKernel(module))
    return module.emitError() << "expected at least one kernel";
  if (failed(::lowerToNVVM(module, options, without)))
    return failure();
  BackendOptions backendOptions;
  backendOptions.target = TargetInfo::get(target->getArch());
  backendOptions.ptxVersion = options.ptxVersion;
  backendOptions.optimize = options.optimize;
  backendOptions.lineInfo = options.lineInfo;
  backendOptions.timeReport = options.timeReport;
  auto backend = std::make_unique<LLVMBackend>(backendOptions);
  if (failed(backend->translate(module)) || failed(backend->optimize()))
    return failure();
  return backend;
}

FailureOr<std::string>
mlir::tile::compileToLLVMIR(ModuleOp module, const CompileOptions &options) {
  SmallVector<std::string> without;
  FailureOr<std::unique_ptr<LLVMBackend>> backend =
      compileToLLVM(module, options, without);
  if (failed(backend))
    return failure();
  return (*backend)->printLLVM();
}

static FailureOr<CompileResult>
compileToPtx(ModuleOp module, const CompileOptions &options,
             SmallVectorImpl<std::string> &without) {
  FailureOr<std::unique_ptr<LLVMBackend>> backend =
      compileToLLVM(module, options, without);
  if (failed(backend))
    return failure();
  FailureOr<std::string> ptx = (*backend)->emitPtx();
  if (failed(ptx))
    return failure();
  CompileResult result;
  result.target = (*backend)->getTarget();
  result.ptxVersion = (*backend)->getPtxVersion();
  result.ptx = std::move(*ptx);
  return result;
}

FailureOr<CompileResult>
mlir::tile::compileToPtx(ModuleOp module, const CompileOptions &options) {
  SmallVector<std::string> without;
  return ::compileToPtx(module, options, without);
}

AssemblerResult mlir::tile::assembleModule(ModuleOp module,
                                           const CompileResult &compiled,
                                           const CompileOptions &options) {
  AssemblerOptions assemblerOptions;
  assemblerOptions.target = compiled.target;
  assemblerOptions.kind = options.assembler;
  assemblerOptions.ptxas = options.ptxas;
  assemblerOptions.lineInfo = options.lineInfo;
  assemblerOptions.wantVersion = options.wantAssemblerVersion;
  assemblerOptions.timeReport = options.timeReport;
  AssemblerResult result = assemble(compiled.ptx, assemblerOptions);
  for (const std::string &warning : result.warnings) {
    if (AssemblerResult::isPerformanceLoss(warning))
      module.emitWarning() << warning;
    else
      module.emitRemark() << warning;
  }
  for (const KernelResources &kernel : result.kernels) {
    Operation *function = module.lookupSymbol(kernel.name);
    if (!function)
      function = module;
    InFlightDiagnostic remark = function->emitRemark();
    if (!kernel.spillStoreBytes && !kernel.spillLoadBytes) {
      remark << "'" << kernel.name << "' takes "
             << plural(kernel.registers, "register")
             << " a thread, and spills none";
      // Local buffers, and fragments that no thread has registers for.
      if (kernel.stackBytes)
        remark << "; " << plural(kernel.stackBytes, "byte")
               << " of local memory";
      continue;
    }
    remark << "'" << kernel.name << "' spills: " << kernel.registers
           << " registers, " << kernel.stackBytes << " bytes of stack, "
           << kernel.spillStoreBytes << " bytes of spill stores, "
           << kernel.spillLoadBytes
           << " bytes of spill loads; smaller fragments or more "
              "`threads(...)` need fewer";
    auto where = function->getAttrOfType<LocationAttr>(kPeakLocationAttrName);
    auto peak = function->getAttrOfType<IntegerAttr>(kPeakRegistersAttrName);
    if (where && peak)
      remark.attachNote(where)
          << "most registers are needed here, by estimate: " << peak.getInt()
          << " for fragments and operands, addresses left out";
  }
  return result;
}

FailureOr<std::string>
mlir::tile::compileToCubin(ModuleOp module, const CompileOptions &options) {
  FailureOr<CompileResult> compiled = compileToPtx(module, options);
  if (failed(compiled))
    return failure();
  AssemblerResult assembled = assembleModule(module, *compiled, options);
  if (assembled.status == AssemblerResult::Status::Assembled)
    return std::move(assembled.cubin);
  return module.emitError() << "cannot assemble the PTX: " << assembled.message;
}

/// Compiles and assembles. Versions that the assembler refuses are left out: a
/// program is right without them.
static FailureOr<TargetCode> compileToCode(ModuleOp module,
                                           const CompileOptions &options) {
  OwningOpRef<ModuleOp> written;
  if (options.versions)
    written = module.clone();
  SmallVector<std::string> without;
  while (true) {
    FailureOr<CompileResult> compiled =
        ::compileToPtx(module, options, without);
    if (failed(compiled))
      return failure();
    TargetCode code;
    code.target = compiled->target;
    code.ptxVersion = compiled->ptxVersion;
    code.assembled = assembleModule(module, *compiled, options);
    code.ptx = std::move(compiled->ptx);
    SmallVector<RefusedVersion> refused;
    if (written && code.assembled.status == AssemblerResult::Status::Failed)
      refused = versionsRefusedBy(module, code.assembled.message);
    if (refused.empty())
      return code;
    leaveOut(module, written->clone(), refused, without);
  }
}

FailureOr<runtime::Artifact>
mlir::tile::compileToArtifact(ModuleOp module, const CompileOptions &options) {
  CompileOptions withVersion = options;
  withVersion.wantAssemblerVersion = true;
  FailureOr<TargetCode> compiled = compileToCode(module, withVersion);
  if (failed(compiled))
    return failure();
  TargetCode &code = *compiled;
  using Status = AssemblerResult::Status;
  // An assembler asked for by name is a request, not a hope.
  bool required =
      !options.ptxas.empty() || options.assembler != AssemblerKind::Auto;
  Status status = code.assembled.status;
  if (status == Status::Failed || (status == Status::NotFound && required))
    return module.emitError()
           << "cannot assemble the PTX: " << code.assembled.message;
  if (status != Status::Assembled)
    module.emitRemark() << "the artifact holds PTX only, to be assembled when "
                           "it is loaded: "
                        << code.assembled.message;
  return buildArtifact(module, std::move(code));
}
