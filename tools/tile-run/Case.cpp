//===- Case.cpp - one run, from files to report ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Case.h"
#include "Data.h"
#include "Defined.h"
#include "Magnitudes.h"
#include "RunLowered.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "tile/Dialect/Tile/IR/Tunables.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/TileChoice.h"
#include "tile/Pipelines/Compile.h"
#include "tile/Pipelines/Pipelines.h"
#include "tile/Pipelines/SourceDiagnostics.h"
#include "tile/Pipelines/ToolFiles.h"
#include "tile/Target/DeviceInfo.h"
#include "llvm/Support/SourceMgr.h"
#include <cmath>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::run;

namespace {
/// The steps of one run, and what they hand on.
class CaseRunner {
public:
  CaseRunner(const Case &which, const DialectRegistry &registry,
             CudaSession &cuda, Report &report, raw_ostream &prints,
             raw_ostream &errors)
      : which(which), cuda(cuda), report(report), prints(prints),
        errors(errors), owned(std::make_shared<MLIRContext>(
                            registry, MLIRContext::Threading::DISABLED)),
        context(*owned) {
    report.context = owned; // the arguments' types outlive this run
    context.printOpOnDiagnostic(false);
  }

  bool run();

private:
  bool fail(const llvm::Twine &message) {
    errors << "tile-run: error: " << message << "\n";
    return false;
  }
  bool fail(llvm::Error error) {
    return fail(llvm::toString(std::move(error)));
  }

  bool readFiles();
  /// Tile IR of a file, with diagnostics that show its lines.
  struct File {
    llvm::SourceMgr sources;
    std::unique_ptr<SourceDiagnostics> diagnostics;
    OwningOpRef<ModuleOp> module; ///< null where there is no file
  };
  bool parse(std::unique_ptr<llvm::MemoryBuffer> buffer, File &file);
  bool describeKernel();
  /// The architecture that is compiled and chosen for, and the device that is
  /// chosen for, by name, empty for the default.
  llvm::Expected<std::string> arch();
  std::string cpuArch() const;
  std::string device() const;
  /// Candidates of a kernel, for the arguments at hand.
  std::optional<std::vector<Candidate>> rank(KernelOp kernel);
  bool choose(ModuleOp module);
  bool tune(const Memory &memory);
  void measure(const Candidate &candidate, const Memory &memory,
               const Memory *references, TunedCandidate &tuned);
  std::optional<runtime::Artifact> compile(ModuleOp module);
  bool makeReferences(ModuleOp module, const Memory &memory,
                      Memory (&references)[2]);
  std::vector<Comparison> compareAll(const Memory &inputs,
                                     const Memory *references);
  RunOptions runOptions() const;
  bool runTarget(const Memory &memory);
  bool runCpu(const Memory &memory, const RunOptions &options);
  bool runLowered(const Memory &memory, const RunOptions &options);
  bool runCuda(const Memory &memory, const RunOptions &options);
  /// What is compiled: the kernel that runs, without the file's others.
  OwningOpRef<ModuleOp> cloneKernel();
  bool check(const Memory &memory);
  bool parseSaves();
  bool save();

  const Case &which;
  CudaSession &cuda;
  Report &report;
  raw_ostream &prints, &errors;
  std::shared_ptr<MLIRContext> owned;
  MLIRContext &context;
  File source;  ///< as written
  File program; ///< what runs, where it is neither `source` nor an artifact
  std::optional<runtime::Artifact> artifact;
  KernelFacts facts;
  RunResult result;
  /// Arguments to save, and where.
  std::vector<std::pair<unsigned, std::string>> saves;
};
} // namespace

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

bool CaseRunner::parse(std::unique_ptr<llvm::MemoryBuffer> buffer, File &file) {
  if (llvm::Error error =
          checkNesting(buffer->getBuffer(), buffer->getBufferIdentifier()))
    return fail(std::move(error));
  file.sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  file.diagnostics = std::make_unique<SourceDiagnostics>(
      file.sources, &context, errors, /*remarks=*/false);
  file.module = parseSourceFile<ModuleOp>(file.sources, &context);
  return bool(file.module);
}

bool CaseRunner::readFiles() {
  std::string reason;
  auto file = openInputFile(which.input, &reason);
  if (!file)
    return fail(reason);
  if (!isArtifact(file->getBuffer())) {
    if (which.source.empty())
      return parse(std::move(file), source);
    auto sourceFile = openInputFile(which.source, &reason);
    if (!sourceFile)
      return fail(reason);
    return parse(std::move(file), program) &&
           parse(std::move(sourceFile), source);
  }
  if (which.target == Target::Cpu)
    return fail("expected tile IR for --target=cpu, got the artifact '" +
                which.input + "'");
  if (!which.arch.empty())
    return fail("expected no --arch for an artifact, which is compiled");
  if (!which.device.empty())
    return fail("expected no --device for an artifact, which is compiled");
  if (which.check && which.source.empty())
    return fail("expected --source=FILE.mlir: --check compares an artifact "
                "with the meaning of its source");
  auto parsed =
      runtime::Artifact::parse(file->getBufferStart(), file->getBufferSize());
  if (!parsed)
    return fail("'" + which.input + "': " + parsed.message());
  artifact = std::move(*parsed);
  if (which.source.empty())
    return true;
  auto sourceFile = openInputFile(which.source, &reason);
  if (!sourceFile)
    return fail(reason);
  return parse(std::move(sourceFile), source);
}

/// The kernel that the options name, or the only one.
static llvm::Expected<KernelOp> findKernel(ModuleOp module, StringRef name) {
  SmallVector<KernelOp> kernels(module.getOps<KernelOp>());
  if (name.empty() && kernels.size() == 1)
    return kernels.front();
  std::string names;
  for (KernelOp kernel : kernels) {
    if (kernel.getSymName() == name)
      return kernel;
    names += (names.empty() ? "" : ", ") + kernel.getSymName().str();
  }
  if (kernels.empty())
    return llvm::createStringError("expected a tile.kernel in the file");
  if (name.empty())
    return llvm::createStringError("expected --kernel=NAME with one of " +
                                   names);
  return llvm::createStringError("expected a kernel of the file (" + names +
                                 "), got '" + name + "'");
}

/// Finds the kernel, in the artifact, in the source or in both, and makes its
/// arguments.
bool CaseRunner::describeKernel() {
  Signature signature;
  std::string name = which.kernel;
  if (artifact) {
    auto spec = findKernel(artifact->manifest, name);
    if (!spec)
      return fail(spec.takeError());
    auto described = signatureOf(**spec, &context);
    if (!described)
      return fail(described.takeError());
    signature = std::move(*described);
    name = signature.kernel;
  }
  KernelOp kernel;
  // A program that is lowered already has the arguments of its source.
  bool isLowered = program.module && which.stage == Stage::Lowered &&
                   program.module->getOps<KernelOp>().empty();
  if (program.module && !isLowered) {
    auto found = findKernel(*program.module, name);
    if (!found)
      return fail(found.takeError());
    signature = signatureOf(*found, analyzeKernel(*found));
    name = signature.kernel;
  }
  if (source.module) {
    auto found = findKernel(*source.module, name);
    if (!found)
      return fail(found.takeError());
    kernel = *found;
    facts = analyzeKernel(kernel);
    Signature written = signatureOf(kernel, facts);
    if (artifact || (program.module && !isLowered))
      if (auto failure = checkSameSignature(written, signature))
        return fail(std::move(failure));
    signature = std::move(written);
  }
  report.kernel = signature.kernel;
  auto arguments = parseArguments(signature, which.args);
  if (!arguments)
    return fail(arguments.takeError());
  report.arguments = std::move(*arguments);
  if (which.tune && (artifact || program.module))
    return fail("expected tile IR without --source for --tune, which compiles "
                "every candidate");
  if (which.tune && !kernel.getNumTunables())
    return fail("expected a kernel with tunables for --tune, got '" +
                report.kernel + "'");
  if (which.tune)
    return true;
  for (File *file : {&program, &source})
    if (file->module && !choose(*file->module))
      return false;
  if (kernel)
    report.work = measureWork(kernel, extentsOf(report.arguments));
  return true;
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

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

std::optional<std::vector<Candidate>> CaseRunner::rank(KernelOp kernel) {
  auto architecture = arch();
  if (!architecture) {
    fail(architecture.takeError());
    return std::nullopt;
  }
  auto fixed = parseFixedValues(which.tunables);
  if (!fixed) {
    fail("--tunables: " + llvm::toString(fixed.takeError()));
    return std::nullopt;
  }
  cost::SizeHints sizes;
  for (const Argument &argument : report.arguments) {
    if (argument.isBuffer)
      sizes[argument.name] = argument.shape;
    else if (argument.element.isIntOrIndex())
      sizes[argument.name] = {static_cast<int64_t>(argument.scalar)};
  }
  if (failed(checkNames(kernel, sizes, *fixed)))
    return std::nullopt;
  const TargetInfo &target = *TargetInfo::get(*architecture);
  auto ranked = rankCandidates(kernel, target, DeviceInfo::of(target, device()),
                               sizes, *fixed);
  if (failed(ranked))
    return std::nullopt;
  return std::move(*ranked);
}

/// Leaves no tunables in a module: those of the kernel that runs are chosen,
/// other kernels that have some go.
bool CaseRunner::choose(ModuleOp module) {
  for (KernelOp kernel :
       llvm::make_early_inc_range(module.getOps<KernelOp>())) {
    if (!kernel.getNumTunables())
      continue;
    if (kernel.getSymName() != report.kernel) {
      kernel.erase();
      continue;
    }
    auto ranked = rank(kernel);
    if (!ranked)
      return false;
    ArrayRef<int64_t> values = ranked->front().values;
    report.chosen.clear();
    for (auto [i, value] : llvm::enumerate(values))
      report.chosen.emplace_back(kernel.getTunable(i).getName().str(), value);
    if (auto why = substituteTunables(kernel, values))
      return fail(*why);
  }
  return true;
}

/// Compiles, runs and checks one candidate; what goes wrong is its own.
void CaseRunner::measure(const Candidate &candidate, const Memory &memory,
                         const Memory *references, TunedCandidate &tuned) {
  OwningOpRef<ModuleOp> module = source.module->clone();
  for (KernelOp kernel : llvm::make_early_inc_range(module->getOps<KernelOp>()))
    if (kernel.getSymName() != report.kernel)
      kernel.erase();
    else if (auto why = substituteTunables(kernel, candidate.values))
      tuned.failure = *why;
  if (!tuned.failure.empty())
    return;
  std::optional<runtime::Artifact> compiled;
  {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
        return failure();
      if (tuned.failure.empty())
        tuned.failure = diagnostic.str();
      return success();
    });
    compiled = compile(*module);
  }
  if (!compiled) {
    if (tuned.failure.empty())
      tuned.failure = "it does not compile";
    return;
  }
  tuned.failure.clear();
  auto ran = runOnCuda(cuda, std::move(*compiled), report.kernel,
                       report.arguments, memory, runOptions());
  if (!ran) {
    tuned.failure = llvm::toString(ran.takeError());
    return;
  }
  result = std::move(*ran);
  tuned.seconds = result.seconds;
  if (references)
    tuned.comparisons = compareAll(memory, references);
}

bool CaseRunner::tune(const Memory &memory) {
  if (which.target == Target::Cpu)
    return fail("expected --target=cuda for --tune: times on a CPU say nothing "
                "of those on a GPU");
  if (auto failure = cuda.open())
    return fail(std::move(failure));
  KernelOp kernel = llvm::cantFail(findKernel(*source.module, report.kernel));
  auto ranked = rank(kernel);
  if (!ranked)
    return false;
  Tuning tuning;
  tuning.combinations = static_cast<int64_t>(ranked->size());
  tuning.possible = llvm::count_if(
      *ranked, [](const Candidate &c) { return c.isPossible(); });
  // Any candidate has the meaning of all of them.
  Memory references[2];
  OwningOpRef<ModuleOp> meaning = source.module->clone();
  for (KernelOp other : llvm::make_early_inc_range(meaning->getOps<KernelOp>()))
    if (other.getSymName() != report.kernel)
      other.erase();
    else if (auto why = substituteTunables(other, ranked->front().values))
      return fail(*why);
  report.work = measureWork(llvm::cantFail(findKernel(*meaning, report.kernel)),
                            extentsOf(report.arguments));
  if (which.check && !makeReferences(*meaning, memory, references))
    return false;
  report.target = "cuda";
  for (const Candidate &candidate : *ranked) {
    if (!candidate.isPossible() || tuning.candidates.size() == which.tune)
      break;
    TunedCandidate &tuned = tuning.candidates.emplace_back();
    tuned.rank = tuning.candidates.size();
    tuned.predictedSeconds = candidate.estimate.microseconds * 1e-6;
    for (auto [i, value] : llvm::enumerate(candidate.values))
      tuned.values.emplace_back(kernel.getTunable(i).getName().str(), value);
    measure(candidate, memory, which.check ? references : nullptr, tuned);
    if (tuned.isMeasured())
      report.where = result.where;
    if (cuda.isLost())
      return fail("the device does not answer any more after candidate " +
                  tuned.describe() + ": " + tuned.failure);
  }
  tuning.sort();
  report.checked = which.check;
  if (const TunedCandidate *best = tuning.winner()) {
    report.chosen = best->values;
    report.seconds = best->seconds;
    report.comparisons = best->comparisons;
  }
  report.tuning = std::move(tuning);
  return true;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

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
  options.workers = which.workers;
  options.lazyAsync = which.lazyAsync;
  options.blocks = which.blocks;
  return options;
}

bool CaseRunner::runTarget(const Memory &memory) {
  RunOptions options = runOptions();
  bool isCpu = which.target == Target::Cpu;
  report.target = isCpu ? "cpu" : "cuda";
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

/// What the results should be, and the same from the absolute values of inputs.
bool CaseRunner::makeReferences(ModuleOp module, const Memory &memory,
                                Memory (&references)[2]) {
  OwningOpRef<ModuleOp> onMagnitudes = module.clone();
  useMagnitudes(*onMagnitudes);
  std::vector<Argument> magnitudes = report.arguments;
  for (Argument &argument : magnitudes)
    if (!argument.isBuffer && isa<FloatType>(argument.element))
      argument.scalar = std::fabs(argument.scalar);
  Memory input = widenMemory(report.arguments, memory, /*magnitudes=*/false);
  ReferenceOptions options;
  options.workers = which.workers;
  for (bool isMagnitude : {false, true}) {
    auto wide =
        isMagnitude
            ? runReference(*onMagnitudes, report.kernel, magnitudes,
                           widenMemory(magnitudes, memory, true), options)
            : runReference(module, report.kernel, report.arguments, input,
                           options);
    if (!wide)
      return fail("in the reference: " + llvm::toString(wide.takeError()));
    if (!*wide)
      return false;
    references[isMagnitude] = std::move((**wide)[0]);
  }
  double terms = 1;
  for (const KernelWork::Sum &sum : report.work.sums)
    terms = std::max(terms, sum.terms);
  if (llvm::Error error =
          checkDefined(module, report.kernel, report.arguments, input,
                       references[0], references[1], terms, which.workers))
    return fail(std::move(error));
  return true;
}

/// Compares `result`, of all arguments that are written.
std::vector<Comparison> CaseRunner::compareAll(const Memory &inputs,
                                               const Memory *references) {
  ErrorBound bound = errorBound(facts, report.work, report.arguments, inputs,
                                result, which.fastMath);
  std::vector<Comparison> comparisons;
  for (auto [i, argument] : llvm::enumerate(report.arguments))
    if (argument.isBuffer && argument.isWritten)
      comparisons.push_back(compare(argument, result.memory[i],
                                    references[0][i], references[1][i], bound));
  return comparisons;
}

/// Compares with what was written, whatever the schedule became.
bool CaseRunner::check(const Memory &memory) {
  report.checked = true;
  Memory references[2];
  if (!makeReferences(*source.module, memory, references))
    return false;
  report.comparisons = compareAll(memory, references);
  return true;
}

/// What can be wrong with `--save` is told before anything runs.
bool CaseRunner::parseSaves() {
  if (!which.saves.empty() && which.tune)
    return fail("expected no --save with --tune, which runs many candidates");
  for (StringRef text : which.saves) {
    auto [name, path] = text.split(':');
    if (path.empty())
      return fail("expected --save=NAME:FILE.npy, got '" + text + "'");
    auto index = findBuffer(report.arguments, report.kernel, name, "--save");
    if (!index)
      return fail(index.takeError());
    saves.emplace_back(*index, path.str());
  }
  return true;
}

bool CaseRunner::save() {
  for (const auto &[index, path] : saves) {
    const Argument &argument = report.arguments[index];
    if (auto failure = writeNpy(path, argument.element, argument.shape,
                                argument.strides, result.memory[index]))
      return fail("--save: " + llvm::toString(std::move(failure)));
  }
  return true;
}

bool CaseRunner::run() {
  std::string reason;
  if (!which.arch.empty() && !TargetInfo::get(which.arch, &reason))
    return fail("--arch: " + reason);
  if (!which.device.empty() && !DeviceInfo::get(which.device, &reason))
    return fail("--device: " + reason);
  if (!readFiles() || !describeKernel())
    return false;
  if (!parseSaves())
    return false;
  llvm::Expected<Memory> memory =
      fillArguments(report.arguments, /*forCheck=*/which.check);
  if (!memory)
    return fail(memory.takeError());
  if (which.tune)
    return tune(*memory);
  return runTarget(*memory) && save() && (!which.check || check(*memory));
}

bool run::runCase(const Case &which, const DialectRegistry &registry,
                  CudaSession &cuda, Report &report, raw_ostream &prints,
                  raw_ostream &errors) {
  return CaseRunner(which, registry, cuda, report, prints, errors).run();
}
