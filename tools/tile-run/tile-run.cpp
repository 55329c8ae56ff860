//===- tile-run.cpp - runs a kernel and checks its results ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads tile IR, fills the kernel's arguments with deterministic data, runs it
// on a target and, on request, compares with the CPU meaning in f64. Exit
// status 1 and one diagnostic for anything wrong; a failed comparison is wrong.
//
//===----------------------------------------------------------------------===//
#include "Report.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "tile/Pipelines/Register.h"
#include "tile/Target/TargetInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::run;
namespace cl = llvm::cl;

namespace {
enum class Target { Cpu };
enum class Stage { Source, Layouts, Copies, Scheduled };

struct Options {
  cl::OptionCategory category{"tile-run options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("FILE"), cl::init("-"),
                             cl::cat(category)};
  cl::opt<Target> target{
      "target", cl::desc("where the kernel runs"), cl::init(Target::Cpu),
      cl::values(clEnumValN(Target::Cpu, "cpu",
                            "this machine's CPU, by the meaning of the "
                            "dialect")),
      cl::cat(category)};
  cl::opt<std::string> kernel{
      "kernel", cl::value_desc("NAME"),
      cl::desc("kernel to run; needed when the file has several"),
      cl::cat(category)};
  cl::list<std::string> args{
      "args", cl::value_desc("A=1024x512:normal:1,s=2.5"),
      cl::desc("arguments by name: a buffer's SHAPE[@STRIDES][:FILL[:SEED]], a "
               "scalar's value. Fills: zeros, ones, iota, uniform (-1 to 1), "
               "normal, smallint (-3 to 3), nan. Left out: static shapes, "
               "uniform for what is read, nan for what is only written"),
      cl::cat(category)};
  cl::opt<bool> check{
      "check",
      cl::desc(
          "compare with the CPU meaning in f64 (integers and small-integer "
          "data exactly, other floats within the error bound)"),
      cl::cat(category)};
  cl::opt<bool> bench{"bench",
                      cl::desc("time the kernel; report GFLOP/s and GB/s"),
                      cl::cat(category)};
  cl::opt<unsigned> repeats{"repeats", cl::init(5),
                            cl::desc("timed runs of --bench (default 5)"),
                            cl::cat(category)};
  cl::opt<bool> json{"json", cl::desc("report as one JSON object"),
                     cl::cat(category)};
  cl::opt<std::string> arch{
      "arch", cl::init("sm_80"),
      cl::desc(
          "architecture that layouts and schedules are made for, by LLVM's "
          "-mcpu names (default sm_80)"),
      cl::cat(category)};
  cl::opt<Stage> stage{
      "stage", cl::desc("phase of the IR that the CPU executes"),
      cl::init(Stage::Source),
      cl::values(
          clEnumValN(Stage::Source, "source", "as read (default)"),
          clEnumValN(Stage::Source, "plain", "the same"),
          clEnumValN(Stage::Layouts, "layouts", "after layout inference"),
          clEnumValN(Stage::Copies, "copies", "after copy selection"),
          clEnumValN(Stage::Scheduled, "scheduled", "after pipelining")),
      cl::cat(category)};
  cl::alias pipeline{"pipeline", cl::desc("same as --stage"),
                     cl::aliasopt(stage), cl::cat(category)};
  cl::opt<unsigned> workers{
      "workers", cl::init(0),
      cl::desc("threads of --target=cpu (default 0: one for each core)"),
      cl::cat(category)};
};

int fail(const llvm::Twine &message) {
  llvm::errs() << "tile-run: error: " << message << "\n";
  return 1;
}

/// The kernel that the options name, or the only one.
llvm::Expected<KernelOp> findKernel(ModuleOp module, StringRef name) {
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

/// Brings the module to the phase that is to be executed.
LogicalResult advance(ModuleOp module, Stage stage, StringRef arch) {
  // The phases of `tile-to-nvvm` up to the conversion.
  std::string passes = ("tile-set-target{arch=" + arch + "}").str();
  if (stage >= Stage::Layouts)
    passes += ",canonicalize,cse,tile-infer-layouts";
  bool copiesApart = PassInfo::lookup("tile-select-copies") != nullptr;
  if (stage >= Stage::Copies && (copiesApart || stage == Stage::Copies))
    passes += ",tile-select-copies";
  if (stage >= Stage::Scheduled)
    passes += ",tile-pipeline";
  PassManager manager(module.getContext());
  if (failed(parsePassPipeline(passes, manager)))
    return failure();
  return manager.run(module);
}

int runKernel(MLIRContext &context, ModuleOp module, const Options &options) {
  llvm::Expected<KernelOp> kernel = findKernel(module, options.kernel);
  if (!kernel)
    return fail(llvm::toString(kernel.takeError()));
  KernelFacts facts = analyzeKernel(*kernel);
  Report report;
  report.kernel = kernel->getSymName().str();
  report.target = "cpu";
  auto arguments =
      parseArguments(*kernel, facts, llvm::join(options.args, ","));
  if (!arguments)
    return fail(llvm::toString(arguments.takeError()));
  report.arguments = std::move(*arguments);
  report.work = measureWork(*kernel, extentsOf(report.arguments));
  llvm::Expected<Memory> memory = fillArguments(report.arguments);
  if (!memory)
    return fail(llvm::toString(memory.takeError()));

  // The reference is what was written, whatever the schedule became.
  OwningOpRef<ModuleOp> source = module.clone();
  if (failed(advance(module, options.stage, options.arch)))
    return 1;
  RunOptions runOptions;
  runOptions.arch = options.arch;
  runOptions.repeats =
      options.bench ? std::max(1u, options.repeats.getValue()) : 0;
  runOptions.workers = options.workers;
  auto result = runOnCpu(module, report.kernel, report.arguments, *memory,
                         runOptions, &llvm::outs());
  if (!result)
    return fail(llvm::toString(result.takeError()));
  if (!*result)
    return 1;
  report.where = (*result)->where;
  report.seconds = (*result)->seconds;

  if (options.check) {
    report.checked = true;
    ErrorBound bound;
    bound.accumulationFactor = (*result)->accumulationFactor;
    bound.terms = report.work.terms;
    bound.accumulatorRoundoff = facts.accumulatorRoundoff;
    bound.innerRoundoff = facts.innerRoundoff;
    bound.subtracts = facts.subtracts;
    Memory references[2];
    for (bool magnitudes : {false, true}) {
      auto wide = runReference(
          *source, report.kernel, report.arguments,
          widenMemory(report.arguments, *memory, magnitudes), options.workers);
      if (!wide)
        return fail("in the reference: " + llvm::toString(wide.takeError()));
      if (!*wide)
        return 1;
      references[magnitudes] = std::move(**wide);
    }
    for (auto [i, argument] : llvm::enumerate(report.arguments))
      if (argument.isBuffer && argument.isWritten)
        report.comparisons.push_back(compare(argument, (*result)->memory[i],
                                             references[0][i], references[1][i],
                                             bound));
  }
  if (options.json)
    report.printJson(llvm::outs());
  else
    report.printText(llvm::outs());
  return report.passed() ? 0 : 1;
}
} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(
      argc, argv, "mlir-tile: runs a kernel and checks its results\n");
  std::string reason;
  if (!TargetInfo::get(options.arch, &reason))
    return fail(reason);

  DialectRegistry registry;
  registerTileDialects(registry);
  registerTilePasses();
  MLIRContext context(registry);
  auto file = openInputFile(options.input, &reason);
  if (!file)
    return fail(reason);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return 1;
  return runKernel(context, *module, options);
}
