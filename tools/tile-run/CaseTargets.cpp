//===- CaseTargets.cpp - compiling for a target and running there ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "CaseRunner.h"
#include "RunLowered.h"
#include "mlir/Pass/PassManager.h"
#include "tile/Pipelines/Compile.h"
#include "tile/Pipelines/Pipelines.h"
#include "tile/Target/DeviceInfo.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::run;

llvm::Expected<std::string> CaseRunner::arch() {
  if (which.target == Target::Cpu)
    return cpuArch();
  if (auto failure = cuda.open())
    return failure;
  return which.arch.empty() ? cuda.arch() : which.arch;
}

std::string CaseRunner::cpuArch() const {
  if (!which.arch.empty())
    return which.arch;
  const DeviceInfo *device = DeviceInfo::get(which.device);
  return device ? TargetInfo::newestFor(device->capability)->arch.str()
                : "sm_80";
}

std::string CaseRunner::device() const {
  if (!which.device.empty() || which.target == Target::Cpu)
    return which.device;
  std::string name = cuda.deviceName();
  const DeviceInfo *there = DeviceInfo::get(name);
  const TargetInfo *target = TargetInfo::get(which.arch);
  // Code that the GPU does not run the launcher refuses, by its own rules.
  return there && target && !there->runs(*target) ? "" : name;
}

/// Brings the module to the phase that is to be executed.
static LogicalResult advance(ModuleOp module, const Case &which,
                             StringRef arch) {
  PassManager manager(module.getContext());
  TileToNVVMOptions options;
  options.arch = arch.str();
  options.device = which.device;
  options.roles = which.roles;
  switch (which.stage.value_or(Stage::Source)) {
  case Stage::Source:
    manager.addPass(
        createSetTargetPass(SetTargetPassOptions{arch.str(), which.device}));
    break;
  case Stage::Layouts:
    buildLayoutPipeline(manager, options);
    break;
  case Stage::Copies:
    buildCopyPipeline(manager, options);
    break;
  case Stage::Scheduled:
    buildSchedulePipeline(manager, options);
    break;
  case Stage::Barriers:
    buildPlacementPipeline(manager, options);
    break;
  case Stage::Lowered:
    llvm_unreachable("compiled as for a GPU");
  }
  return manager.run(module);
}

bool CaseRunner::runCpu(const Memory &memory, const RunOptions &options) {
  OwningOpRef<ModuleOp> module =
      (program.module ? *program.module : *source.module).clone();
  if (failed(advance(*module, which, cpuArch())))
    return false;
  auto ran = runOnCpu(*module, report.kernel, report.arguments, memory, options,
                      &prints);
  if (!ran)
    return fail(ran.takeError());
  if (!*ran)
    return false;
  result = std::move(**ran);
  return true;
}

/// Compiles for the device; nothing after a diagnostic.
std::optional<runtime::Artifact> CaseRunner::compile(ModuleOp module) {
  CompileOptions options;
  auto architecture = arch();
  if (!architecture) {
    fail(architecture.takeError());
    return std::nullopt;
  }
  options.arch = *architecture;
  options.device = device();
  options.versions = true;
  options.fastMath = which.fastMath;
  options.roles = which.roles;
  auto compiled = compileToArtifact(module, options);
  if (failed(compiled))
    return std::nullopt;
  return std::move(*compiled);
}

OwningOpRef<ModuleOp> CaseRunner::cloneKernel() {
  OwningOpRef<ModuleOp> module =
      (program.module ? *program.module : *source.module).clone();
  for (KernelOp kernel : llvm::make_early_inc_range(module->getOps<KernelOp>()))
    if (kernel.getSymName() != report.kernel)
      kernel.erase();
  return module;
}

/// Everything a launch on a GPU would do, on this machine.
bool CaseRunner::runLowered(const Memory &memory, const RunOptions &options) {
  OwningOpRef<ModuleOp> module = cloneKernel();
  CompileOptions compile;
  compile.arch = cpuArch();
  compile.device = which.device;
  compile.versions = true;
  compile.fastMath = which.fastMath;
  compile.roles = which.roles;
  if (failed(lowerToNVVM(*module, compile)))
    return false;
  LoweredOptions lowered;
  lowered.target = TargetInfo::get(compile.arch);
  lowered.seed = which.seed;
  lowered.optimize = which.optimize;
  auto ran = run::runLowered(*module, lowered, report.kernel, report.arguments,
                             memory, options, prints);
  if (!ran)
    return fail(ran.takeError());
  if (!*ran)
    return false;
  result = std::move(**ran);
  return true;
}

bool CaseRunner::runCuda(const Memory &memory, const RunOptions &options) {
  if (which.stage)
    return fail("expected --stage with --target=cpu only");
  if (auto failure = cuda.open())
    return fail(std::move(failure));
  if (!artifact) {
    artifact = compile(*cloneKernel());
    if (!artifact)
      return false;
  }
  auto ran = runOnCuda(cuda, std::move(*artifact), report.kernel,
                       report.arguments, memory, options);
  if (!ran)
    return fail(ran.takeError());
  result = std::move(*ran);
  return true;
}

RunOptions CaseRunner::runOptions() const {
  RunOptions options;
  options.repeats = which.repeats;
  options.launch = which.launch;
  options.workers = which.workers;
  options.lazyAsync = which.lazyAsync;
  options.blocks = which.blocks;
  return options;
}

bool CaseRunner::runTarget(const Memory &memory) {
  RunOptions options = runOptions();
  bool isCpu = which.target == Target::Cpu;
  report.target = isCpu ? "cpu" : "cuda";
  report.launched = options.launch;
  bool isLowered = isCpu && which.stage == Stage::Lowered;
  if (isLowered && options.repeats)
    return fail("expected no --bench with --stage=lowered, which executes the "
                "code of a GPU instruction by instruction: its times say "
                "nothing");
  if (!(isLowered ? runLowered(memory, options)
        : isCpu   ? runCpu(memory, options)
                  : runCuda(memory, options)))
    return false;
  report.where = result.where;
  report.seconds = result.seconds;
  if (result.blocks)
    report.work.blocks = *result.blocks;
  return true;
}
