//===- Case.cpp - one run, from files to report ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Case.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Pipelines/Compile.h"
#include "tile/Pipelines/Pipelines.h"
#include "tile/Target/TargetInfo.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::run;

namespace {
/// Errors and warnings with their source lines, to a stream; no remarks.
class Diagnostics : public SourceMgrDiagnosticHandler {
public:
  Diagnostics(llvm::SourceMgr &sources, MLIRContext *context,
              raw_ostream &stream)
      : SourceMgrDiagnosticHandler(sources, context, stream) {
    setHandler([this](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() != DiagnosticSeverity::Remark)
        emitDiagnostic(diagnostic);
      return success();
    });
  }
};

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
    std::unique_ptr<Diagnostics> diagnostics;
    OwningOpRef<ModuleOp> module; ///< null where there is no file
  };
  bool parse(std::unique_ptr<llvm::MemoryBuffer> buffer, File &file);
  bool describeKernel();
  bool runTarget(const Memory &memory);
  bool runCpu(const Memory &memory, const RunOptions &options);
  bool runCuda(const Memory &memory, const RunOptions &options);
  bool check(const Memory &memory);

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
};
} // namespace

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

bool CaseRunner::parse(std::unique_ptr<llvm::MemoryBuffer> buffer, File &file) {
  file.sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  file.diagnostics =
      std::make_unique<Diagnostics>(file.sources, &context, errors);
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
  if (program.module) {
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
    if (artifact || program.module)
      if (auto failure = checkSameSignature(written, signature))
        return fail(std::move(failure));
    signature = std::move(written);
  }
  report.kernel = signature.kernel;
  auto arguments = parseArguments(signature, which.args);
  if (!arguments)
    return fail(arguments.takeError());
  report.arguments = std::move(*arguments);
  if (kernel)
    report.work = measureWork(kernel, extentsOf(report.arguments));
  return true;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Brings the module to the phase that is to be executed.
static LogicalResult advance(ModuleOp module, Stage stage, StringRef arch) {
  PassManager manager(module.getContext());
  TileToNVVMOptions options;
  options.arch = arch.str();
  switch (stage) {
  case Stage::Source:
    manager.addPass(createSetTargetPass(SetTargetPassOptions{arch.str()}));
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
  }
  return manager.run(module);
}

bool CaseRunner::runCpu(const Memory &memory, const RunOptions &options) {
  OwningOpRef<ModuleOp> module =
      (program.module ? *program.module : *source.module).clone();
  if (failed(advance(*module, which.stage.value_or(Stage::Source),
                     which.arch.empty() ? "sm_80" : which.arch)))
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

bool CaseRunner::runCuda(const Memory &memory, const RunOptions &options) {
  if (which.stage)
    return fail("expected --stage with --target=cpu only");
  if (auto failure = cuda.open())
    return fail(std::move(failure));
  if (!artifact) {
    CompileOptions compile;
    compile.arch = which.arch;
    compile.versions = true;
    if (compile.arch.empty()) {
      auto arch = cuda.arch();
      if (!arch)
        return fail(arch.takeError());
      compile.arch = *arch;
    }
    OwningOpRef<ModuleOp> module =
        (program.module ? *program.module : *source.module).clone();
    for (KernelOp kernel :
         llvm::make_early_inc_range(module->getOps<KernelOp>()))
      if (kernel.getSymName() != report.kernel)
        kernel.erase();
    auto compiled = compileToArtifact(*module, compile);
    if (failed(compiled))
      return false;
    artifact = std::move(*compiled);
  }
  auto ran = runOnCuda(cuda, std::move(*artifact), report.kernel,
                       report.arguments, memory, options);
  if (!ran)
    return fail(ran.takeError());
  result = std::move(*ran);
  return true;
}

bool CaseRunner::runTarget(const Memory &memory) {
  RunOptions options;
  options.repeats = which.repeats;
  options.workers = which.workers;
  options.lazyAsync = which.lazyAsync;
  options.blocks = which.blocks;
  bool isCpu = which.target == Target::Cpu;
  report.target = isCpu ? "cpu" : "cuda";
  if (!(isCpu ? runCpu(memory, options) : runCuda(memory, options)))
    return false;
  report.where = result.where;
  report.seconds = result.seconds;
  if (result.blocks)
    report.work.blocks = *result.blocks;
  return true;
}

/// Compares with what was written, whatever the schedule became.
bool CaseRunner::check(const Memory &memory) {
  report.checked = true;
  ErrorBound bound;
  bound.accumulationFactor = result.accumulationFactor;
  bound.terms = report.work.terms;
  bound.accumulatorRoundoff = facts.accumulatorRoundoff;
  bound.innerRoundoff = facts.innerRoundoff;
  bound.subtracts = facts.subtracts;
  Memory references[2];
  for (bool magnitudes : {false, true}) {
    auto wide = runReference(*source.module, report.kernel, report.arguments,
                             widenMemory(report.arguments, memory, magnitudes),
                             which.workers);
    if (!wide)
      return fail("in the reference: " + llvm::toString(wide.takeError()));
    if (!*wide)
      return false;
    references[magnitudes] = std::move(**wide);
  }
  for (auto [i, argument] : llvm::enumerate(report.arguments))
    if (argument.isBuffer && argument.isWritten)
      report.comparisons.push_back(compare(argument, result.memory[i],
                                           references[0][i], references[1][i],
                                           bound));
  return true;
}

bool CaseRunner::run() {
  std::string reason;
  if (!which.arch.empty() && !TargetInfo::get(which.arch, &reason))
    return fail("--arch: " + reason);
  if (!readFiles() || !describeKernel())
    return false;
  llvm::Expected<Memory> memory = fillArguments(report.arguments);
  if (!memory)
    return fail(memory.takeError());
  return runTarget(*memory) && (!which.check || check(*memory));
}

bool run::runCase(const Case &which, const DialectRegistry &registry,
                  CudaSession &cuda, Report &report, raw_ostream &prints,
                  raw_ostream &errors) {
  return CaseRunner(which, registry, cuda, report, prints, errors).run();
}
