//===- Case.cpp - one run, from files to report ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Case.h"
#include "CaseRunner.h"
#include "Data.h"
#include "Defined.h"
#include "Magnitudes.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "tile/Pipelines/ToolFiles.h"
#include "tile/Target/DeviceInfo.h"
#include <cmath>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::run;

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

llvm::Expected<KernelOp> run::findKernel(ModuleOp module, StringRef name) {
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
  if (!which.tunables.empty() && kernel && !kernel.getNumTunables())
    return fail("expected a kernel with tunables for --tunables, got '" +
                report.kernel + "'");
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
// Checking
//===----------------------------------------------------------------------===//

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
    if (path == "-")
      return fail("--save: expected a file, got '-': the report goes to the "
                  "standard output");
    for (const auto &[other, file] : saves)
      if (file == path)
        return fail("--save: expected a file for each buffer, got '" + path +
                    "' twice");
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
  if (!which.launch && (which.check || which.repeats || !which.saves.empty()))
    return fail("expected no --check, --bench, --tune or --save with "
                "--no-launch, which gives no results");
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
