//===- tile-run.cpp - runs a kernel and checks its results ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options, and what is printed. Reads tile IR or an artifact, fills the
// kernel's arguments with deterministic data, runs it on a target and, on
// request, compares with the CPU meaning in f64 (Case.h). Exit status 1 and one
// diagnostic for anything wrong; a failed comparison is wrong.
//
//===----------------------------------------------------------------------===//
#include "../Tools.h"
#include "Batch.h"
#include "Case.h"
#include "tile/Pipelines/Register.h"
#include "tile/Pipelines/RoleOption.h"
#include "tile/Pipelines/ToolFiles.h"
#include "tile/Target/Cubin.h"
#include "tile/Target/TargetInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::run;
namespace cl = llvm::cl;

static constexpr unsigned kCpuRepeats = 5;
static constexpr unsigned kCudaRepeats = 20;
static constexpr unsigned kTuneCandidates = 8;

namespace {
struct Options {
  cl::OptionCategory category{"tile-run options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("FILE"), cl::init("-"),
                             cl::cat(category)};
  cl::opt<Target> target{
      "target", cl::desc("where the kernel runs"), cl::init(Target::Cpu),
      cl::values(
          clEnumValN(Target::Cpu, "cpu",
                     "this machine's CPU, by the meaning of the "
                     "dialect"),
          clEnumValN(Target::Cuda, "cuda", "this machine's first NVIDIA GPU")),
      cl::cat(category)};
  cl::opt<std::string> kernel{
      "kernel", cl::value_desc("NAME"),
      cl::desc("kernel to run; needed when the file has several"),
      cl::cat(category)};
  cl::list<std::string> args{
      "args", cl::value_desc("A=1024x512:normal:1,s=2.5"),
      cl::desc(
          "arguments by name: a buffer's SHAPE[@STRIDES][:FILL[:SEED]] or "
          "@FILE.npy, a scalar's value. Fills: zeros, ones, iota, uniform "
          "(-1 to 1), normal, smallint (-3 to 3), nan; for indices "
          "range:LO:HI, sorted:LO:HI (both without HI), permutation; for "
          "metadata of a sparse A places, "
          "halves (f32). Left "
          "out: sizes of the type and of tile.shape_hint, dense strides, "
          "uniform for what is read (permutation where that names rows, places "
          "and halves where that is metadata), "
          "nan for what is only written, 1 for floating-point scalars. A "
          "file holds types that NumPy lacks as "
          "unsigned integers of their bits"),
      cl::cat(category)};
  cl::list<std::string> saves{
      "save", cl::value_desc("C:c.npy"),
      cl::desc("writes a buffer argument after the run to a file of NumPy's "
               "format, in C order; may be repeated"),
      cl::cat(category)};
  cl::opt<bool> check{
      "check",
      cl::desc(
          "compare with the CPU meaning in f64 (integers and small-integer "
          "data exactly, other floats within the error bound)"),
      cl::cat(category)};
  cl::opt<std::string> source{
      "source", cl::value_desc("FILE.mlir"),
      cl::desc("what FILE was made from (an artifact, or tile IR with a "
               "schedule of its own): tile IR, for --check"),
      cl::cat(category)};
  cl::opt<bool> bench{"bench",
                      cl::desc("time the kernel; report GFLOP/s and GB/s"),
                      cl::cat(category)};
  cl::opt<bool> tune{
      "tune",
      cl::desc("measure the candidates of a kernel with tunables that the "
               "model expects most of, each checked as by --check unless "
               "--check=false says not to"),
      cl::cat(category)};
  cl::opt<unsigned> candidates{
      "candidates", cl::init(kTuneCandidates), cl::value_desc("N"),
      cl::desc("how many candidates --tune measures (default 8)"),
      cl::cat(category)};
  cl::list<std::string> tunables{
      "tunables", cl::cat(category), cl::CommaSeparated,
      cl::value_desc("bm=128,stages=4"),
      cl::desc("values of tunables; the model, or --tune, chooses those left "
               "out, for the sizes of the arguments")};
  cl::opt<bool> noLaunch{
      "no-launch",
      cl::desc("compile and load the kernel and bind its arguments, and stop "
               "before the launch: tells what would be refused"),
      cl::cat(category)};
  cl::opt<unsigned> repeats{
      "repeats", cl::init(0),
      cl::desc("timed samples of --bench (default 5 for cpu; for cuda 20, each "
               "of launches that take a millisecond together)"),
      cl::cat(category)};
  cl::opt<bool> json{
      "json",
      cl::desc("report as one JSON object; what the kernel prints goes to "
               "standard error"),
      cl::cat(category)};
  cl::opt<std::string> arch{
      "arch", cl::value_desc("sm_XX"),
      cl::desc("architecture to compile for, by LLVM's -mcpu names (default: "
               "for cuda the device's with its suffix, for the layouts and "
               "schedules of --stage sm_80)"),
      cl::cat(category)};
  cl::opt<std::string> device{
      "device", cl::value_desc("NAME"),
      cl::desc("GPU that tiles are chosen for (H100-PCIe, L40S, ...; default: "
               "for cuda the one that runs, else the architecture's)"),
      cl::cat(category)};
  cl::opt<Stage> stage{
      "stage", cl::desc("phase of the IR that the CPU executes"),
      cl::init(Stage::Source),
      cl::values(
          clEnumValN(Stage::Source, "source", "as read (default)"),
          clEnumValN(Stage::Source, "plain", "the same"),
          clEnumValN(Stage::Layouts, "layouts", "after layout inference"),
          clEnumValN(Stage::Copies, "copies", "after copy selection"),
          clEnumValN(Stage::Scheduled, "scheduled", "after pipelining"),
          clEnumValN(Stage::Barriers, "barriers",
                     "with places in shared memory and barriers"),
          clEnumValN(Stage::Lowered, "lowered",
                     "the LLVM IR that becomes PTX, thread by thread, with "
                     "checks for races and misuse")),
      cl::cat(category)};
  cl::alias pipeline{"pipeline", cl::desc("same as --stage"),
                     cl::aliasopt(stage), cl::cat(category)};
  cl::opt<unsigned> workers{
      "workers", cl::init(0),
      cl::desc("threads of the CPU (default 0: one for each core)"),
      cl::cat(category)};
  cl::opt<bool> lazyAsync{
      "lazy-async",
      cl::desc("on the CPU, execute asynchronous gemms and stores when they "
               "are awaited, not when issued"),
      cl::cat(category)};
  cl::opt<bool> fastMath{
      "fast-math",
      cl::desc("on a GPU, math functions by approximate instructions that "
               "flush denormals; --check allows their errors"),
      cl::cat(category)};
  cl::opt<RoleChoice> roles{"roles", cl::cat(category),
                            cl::init(RoleChoice::Auto),
                            cl::desc(kRolesDescription), roleValues()};
  cl::opt<unsigned> blocks{
      "blocks", cl::init(0),
      cl::desc("blocks that the CPU launches of a kernel with block ranges "
               "(default 0: one for each of the grid)"),
      cl::cat(category)};
  cl::opt<unsigned> seed{
      "seed", cl::init(1), cl::value_desc("N"),
      cl::desc("decides the order of threads and of asynchronous operations "
               "of --stage=lowered (default 1)"),
      cl::cat(category)};
  cl::opt<bool> unoptimized{
      "unoptimized",
      cl::desc("--stage=lowered executes the LLVM IR before its -O3"),
      cl::cat(category)};
  cl::opt<std::string> batch{
      "batch", cl::value_desc("LIST"),
      cl::desc("run every command line of the file LIST, one a line; the other "
               "options given here come first on each"),
      cl::cat(category)};
  cl::opt<std::string> name{"name", cl::value_desc("TEXT"),
                            cl::desc("what --batch calls the case"),
                            cl::cat(category)};
  cl::opt<unsigned> jobs{
      "jobs", cl::init(1),
      cl::desc("processes of --batch that compile and run at the same time "
               "(default 1; 0: none but this one, where a crash ends it all)"),
      cl::cat(category)};
  cl::opt<unsigned> timeout{
      "timeout", cl::init(300), cl::value_desc("SECONDS"),
      cl::desc("how long a case of --batch may take (default 300)"),
      cl::cat(category)};

  Case toCase() const {
    Case result;
    result.input = input;
    result.source = source;
    result.kernel = kernel;
    result.args = llvm::join(args, ",");
    result.saves.assign(saves.begin(), saves.end());
    result.target = target;
    if (stage.getNumOccurrences())
      result.stage = stage;
    result.arch = arch;
    result.device = device;
    result.check = check || (tune && !check.getNumOccurrences());
    result.tunables.assign(tunables.begin(), tunables.end());
    if (tune)
      result.tune = std::max(1u, candidates.getValue());
    if (bench || tune)
      result.repeats = repeats                  ? repeats
                       : target == Target::Cuda ? kCudaRepeats
                                                : kCpuRepeats;
    result.launch = !noLaunch;
    result.workers = workers;
    result.lazyAsync = lazyAsync;
    result.fastMath = fastMath;
    result.roles = roles;
    result.blocks = blocks;
    result.seed = seed;
    result.optimize = !unoptimized;
    return result;
  }
};
} // namespace

static constexpr llvm::StringLiteral kOverview =
    "mlir-tile: runs a kernel and checks its results\n";

static int fail(const llvm::Twine &message) {
  llvm::errs() << "tile-run: error: " << message << "\n";
  return 1;
}

/// The exit status, once everything that was printed is written.
static int finish(bool passed) {
  if (llvm::Error error = flushStandardOutput())
    return fail(llvm::toString(std::move(error)));
  return passed ? 0 : 1;
}

/// The first error in what a run printed, without place and program.
static std::string firstError(StringRef text) {
  constexpr llvm::StringLiteral mark = "error: ";
  SmallVector<StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines)
    if (size_t place = line.find(mark); place != StringRef::npos)
      return line.substr(place + mark.size()).trim().str();
  return lines.empty() ? "no reason given" : lines.front().trim().str();
}

/// A line of a batch, as text or JSON, for a case without a report.
static std::string failureLine(StringRef name, StringRef why, bool json) {
  std::string line;
  llvm::raw_string_ostream stream(line);
  if (json)
    stream << llvm::json::Value(
        llvm::json::Object{{"name", name}, {"passed", false}, {"error", why}});
  else
    stream << "FAIL " << name << " " << why;
  return line;
}

static int runBatchFile(int argc, char **argv, Options &options,
                        const DialectRegistry &registry) {
  auto cases = readBatch(options.batch);
  if (!cases)
    return fail(llvm::toString(cases.takeError()));
  // The command line's own options, before those of each line.
  std::vector<const char *> common{argv[0]};
  for (int i = 1; i < argc; ++i) {
    StringRef option = StringRef(argv[i]).ltrim('-');
    if (option == "batch" && i + 1 < argc)
      ++i;
    else if (!option.starts_with("batch="))
      common.push_back(argv[i]);
  }
  BatchOptions batch;
  batch.jobs = options.jobs;
  batch.timeoutSeconds = options.timeout;
  bool json = options.json;

  CudaSession cuda;
  auto run = [&](const BatchCase &which) -> CaseOutcome {
    std::vector<const char *> words = common;
    for (const std::string &word : which.arguments)
      words.push_back(word.c_str());
    std::string text;
    llvm::raw_string_ostream errors(text);
    CaseOutcome outcome;
    Report report;
    report.name = which.name;
    cl::ResetAllOptionOccurrences();
    bool ran = cl::ParseCommandLineOptions(static_cast<int>(words.size()),
                                           words.data(), kOverview, &errors);
    if (ran && options.batch.getNumOccurrences()) {
      errors << "error: expected no --batch within a batch\n";
      ran = false;
    }
    ran = ran && runCase(options.toCase(), registry, cuda, report,
                         json ? llvm::errs() : llvm::outs(), errors);
    if (llvm::Error error = flushStandardOutput()) {
      errors << "error: " << llvm::toString(std::move(error)) << "\n";
      ran = false;
    }
    // Where several cases run at a time, their diagnostics would mix.
    if (!ran) {
      outcome.line = failureLine(which.name, firstError(text), json);
      outcome.processLost = cuda.isLost();
      return outcome;
    }
    outcome.passed = report.passed();
    llvm::raw_string_ostream line(outcome.line);
    if (json) {
      report.printJson(line);
      outcome.line.pop_back(); // the line break
    } else {
      line << (outcome.passed ? "PASS " : "FAIL ") << which.name << " ";
      report.printSummary(line);
    }
    return outcome;
  };
  bool passed = runBatch(
      *cases, batch, run,
      [&](const BatchCase &which, StringRef why) {
        return failureLine(which.name, why, json);
      },
      llvm::outs(), json ? llvm::errs() : llvm::outs());
  return finish(passed);
}

int tile::runMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  removeTemporaryFilesOnSignals();
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(argc, argv, kOverview);
  DialectRegistry registry;
  registerTileDialects(registry);
  registerTilePasses();
  if (options.batch.getNumOccurrences())
    return runBatchFile(argc, argv, options, registry);

  CudaSession cuda;
  Report report;
  // A reader of the object reads the whole standard output.
  if (!runCase(options.toCase(), registry, cuda, report,
               options.json ? llvm::errs() : llvm::outs(), llvm::errs()))
    return finish(/*passed=*/false);
  if (options.json)
    report.printJson(llvm::outs());
  else
    report.printText(llvm::outs());
  return finish(report.passed());
}
