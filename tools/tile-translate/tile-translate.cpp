//===- tile-translate.cpp - tile IR to LLVM IR, PTX, cubin, artifact ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads one module (text or bytecode), compiles it as far as asked, and writes
// the result whole or not at all. What it does is in tile/Pipelines/Compile.h;
// this file is options, files and diagnostics.
//
//===----------------------------------------------------------------------===//
#include "../Tools.h"
#include "LayoutOutput.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "tile/Pipelines/Compile.h"
#include "tile/Pipelines/Register.h"
#include "tile/Pipelines/RoleOption.h"
#include "tile/Pipelines/SourceDiagnostics.h"
#include "tile/Pipelines/ToolFiles.h"
#include "tile/Target/DeviceInfo.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include <optional>

using namespace mlir;
using namespace mlir::tile;
namespace cl = llvm::cl;

namespace {

enum class Emit {
  LLVMIR,
  Ptx,
  Cubin,
  Artifact,
  Candidates,
  LayoutText,
  LayoutSvg
};

struct Options {
  cl::OptionCategory category{"tile-translate options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("FILE"), cl::init("-"),
                             cl::cat(category)};
  cl::opt<std::string> output{
      "o", cl::desc("write to FILE (default: standard output)"),
      cl::value_desc("FILE"), cl::init("-"), cl::cat(category)};
  cl::opt<Emit> emit{
      cl::desc("what to write:"), cl::cat(category),
      cl::values(
          clEnumValN(Emit::LLVMIR, "tile-to-llvmir",
                     "optimized LLVM IR, as text"),
          clEnumValN(Emit::Ptx, "tile-to-ptx", "PTX"),
          clEnumValN(Emit::Cubin, "tile-to-cubin", "machine code of one GPU"),
          clEnumValN(Emit::Artifact, "tile-to-artifact",
                     "code and manifest, what a launcher "
                     "loads (docs/Artifact.md)"),
          clEnumValN(Emit::Candidates, "tile-to-candidates",
                     "the combinations of tunables with their predicted times "
                     "for the sizes of --shape-hints, a line of JSON each, the "
                     "fastest first"),
          clEnumValN(Emit::LayoutText, "tile-layout-to-text",
                     "the layouts in words"),
          clEnumValN(Emit::LayoutSvg, "tile-layout-to-svg",
                     "a layout as a drawing: one period of the first, or of "
                     "that of --layout-line; with --arena, what lies where in "
                     "shared memory"))};
  cl::opt<bool> arena{
      "arena", cl::cat(category),
      cl::desc("with --tile-layout-to-svg: draw the shared memory of the first "
               "kernel's blocks, bytes times program order")};
  cl::opt<unsigned> layoutLine{
      "layout-line", cl::cat(category), cl::value_desc("N"),
      cl::desc("show the layouts of what stands at line N only")};
  cl::opt<std::string> arch{
      "arch", cl::cat(category), cl::value_desc("sm_XX"),
      cl::desc("architecture, by LLVM's -mcpu names (sm_80, sm_90a, ...); "
               "default: the module's `tile.target`, else the newest that "
               "--device runs")};
  cl::opt<std::string> device{
      "device", cl::cat(category), cl::value_desc("NAME"),
      cl::desc("GPU that tiles are chosen for (H100-PCIe, L40S, ...); default: "
               "the module's, else the architecture's "
               "(docs/Rationale/Devices.md)")};
  cl::list<std::string> hints{
      "shape-hints", cl::cat(category), cl::CommaSeparated,
      cl::value_desc("A=8192x4096,s=4"),
      cl::desc("sizes to choose tunables for: an argument's sizes, a scalar's "
               "value; default: the arguments' `tile.shape_hint`, else 4096")};
  cl::list<std::string> tunables{
      "tunables", cl::cat(category), cl::CommaSeparated,
      cl::value_desc("bm=128,stages=4"),
      cl::desc("values of tunables; the model chooses those left out")};
  cl::opt<bool> versions{
      "versions", cl::cat(category), cl::init(true),
      cl::desc(
          "artifacts hold versions: for aligned arguments, of kernels that "
          "do not promise alignment, and the combinations of tunables that "
          "`tile.versions` asks for (default: true)")};
  cl::opt<bool> remarks{"remarks", cl::cat(category),
                        cl::desc("print what was decided, and why nothing "
                                 "faster was possible, at the source lines")};
  cl::opt<bool> timeReport{"time-report", cl::cat(category),
                           cl::desc("print how long each phase took, to "
                                    "standard error")};
  cl::opt<bool> dumpPtxasInfo{
      "dump-ptxas-info", cl::cat(category),
      cl::desc("print registers, spills, stack and shared memory of each "
               "kernel, to standard error")};
  cl::opt<bool> fastMath{
      "fast-math", cl::cat(category),
      cl::desc("math functions by approximate instructions that flush "
               "denormals; docs/Rationale/Math.md has the bounds")};
  cl::opt<bool> guards{
      "guards", cl::init(true), cl::cat(category),
      cl::desc("conditions around elements of shared tiles whose indices may "
               "lie outside (default: true)")};
  cl::opt<RoleChoice> roles{"roles", cl::cat(category),
                            cl::init(RoleChoice::Auto),
                            cl::desc(kRolesDescription), roleValues()};
  cl::opt<bool> lineInfo{"line-info", cl::cat(category),
                         cl::desc("line tables from the source locations")};
  cl::opt<bool> noOpt{"no-opt", cl::cat(category),
                      cl::desc("leave LLVM's optimizations out")};
  cl::opt<unsigned> ptxVersion{
      "ptx-version", cl::cat(category), cl::value_desc("NN"),
      cl::desc("PTX version times ten (80 for 8.0); default: the lowest that "
               "has every instruction used")};
  cl::opt<AssemblerKind> assembler{
      "assembler", cl::cat(category), cl::init(AssemblerKind::Auto),
      cl::desc("what turns PTX into machine code:"),
      cl::values(
          clEnumValN(AssemblerKind::Auto, "auto",
                     "ptxas where found on PATH, else nvJitLink (default)"),
          clEnumValN(AssemblerKind::NvJitLink, "nvjitlink",
                     "libnvJitLink.so, in this process"),
          clEnumValN(AssemblerKind::Ptxas, "ptxas", "the program"))};
  cl::opt<std::string> ptxas{
      "ptxas", cl::cat(category), cl::value_desc("PATH"),
      cl::desc("the ptxas to use; default: the one on PATH")};
  cl::opt<unsigned> elementBits{
      "element-bits", cl::cat(category), cl::init(16), cl::value_desc("N"),
      cl::desc("width of an element of a shared layout in CuTe's spelling "
               "(default: 16)")};
  cl::opt<bool> verifyNvvm{
      "verify-nvvm", cl::cat(category),
      cl::desc("check what is translated for hazards that assemble, as "
               "tile-opt --tile-verify-nvvm does")};
  cl::opt<bool> verifyEach{"verify-each", cl::cat(category),
                           cl::desc("verify after every pass")};
};

} // namespace

static int fail(const llvm::Twine &message) {
  llvm::errs() << "tile-translate: error: " << message << "\n";
  return 1;
}

static int fail(llvm::Error error) {
  return fail(llvm::toString(std::move(error)));
}

static int finish(StringRef path, StringRef bytes) {
  llvm::Error error = writeWhole(path, bytes);
  return error ? fail(std::move(error)) : 0;
}

static void printResources(const AssemblerResult &assembled) {
  for (const KernelResources &kernel : assembled.kernels)
    llvm::errs() << kernel.name << ": " << kernel.registers << " registers, "
                 << kernel.stackBytes << " bytes stack, "
                 << kernel.spillStoreBytes << " bytes spill stores, "
                 << kernel.spillLoadBytes << " bytes spill loads, "
                 << kernel.staticSharedBytes << " bytes static shared memory, "
                 << kernel.barriers << " barriers\n";
  for (const std::string &warning : assembled.warnings)
    llvm::errs() << warning << "\n";
}

/// What is asked for of layouts; none where it is something else.
static std::optional<LayoutFormat> layoutFormat(Emit emit) {
  if (emit == Emit::LayoutText)
    return LayoutFormat::Text;
  if (emit == Emit::LayoutSvg)
    return LayoutFormat::Svg;
  return std::nullopt;
}

/// Compiles `module` to the bytes asked for.
static FailureOr<std::string> translate(ModuleOp module, const Options &options,
                                        const CompileOptions &compile) {
  if (options.arena) {
    if (failed(placeSharedMemory(module, compile)))
      return failure();
    return showArena(module);
  }
  if (std::optional<LayoutFormat> format = layoutFormat(options.emit)) {
    if (failed(inferLayouts(module, compile)))
      return failure();
    return showLayouts(module, *format,
                       options.layoutLine.getNumOccurrences()
                           ? std::optional<unsigned>(options.layoutLine)
                           : std::nullopt);
  }
  if (options.emit == Emit::Candidates)
    return listCandidates(module, compile);
  if (options.emit == Emit::LLVMIR)
    return compileToLLVMIR(module, compile);
  if (options.emit == Emit::Artifact) {
    FailureOr<runtime::Artifact> artifact = compileToArtifact(module, compile);
    if (failed(artifact))
      return failure();
    runtime::Result<std::string> bytes = artifact->serialize();
    if (!bytes) {
      module.emitError() << bytes.message();
      return failure();
    }
    return *bytes;
  }
  FailureOr<CompileResult> compiled = compileToPtx(module, compile);
  if (failed(compiled))
    return failure();
  bool isPtx = options.emit == Emit::Ptx;
  if (isPtx && !options.dumpPtxasInfo && !options.remarks)
    return compiled->ptx;
  AssemblerResult assembled = assembleModule(module, *compiled, compile);
  // Remarks tell of registers and spills where there is an assembler.
  if (isPtx && !options.dumpPtxasInfo)
    return compiled->ptx;
  if (assembled.status != AssemblerResult::Status::Assembled) {
    module.emitError() << "cannot assemble the PTX: " << assembled.message;
    return failure();
  }
  if (options.dumpPtxasInfo)
    printResources(assembled);
  return isPtx ? compiled->ptx : assembled.cubin;
}

int tile::translateMain(int argc, char **argv) {
  TimeReport timeReport;
  llvm::InitLLVM init(argc, argv);
  removeTemporaryFilesOnSignals();
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "mlir-tile: compiles tile IR to LLVM IR, PTX or machine code\n");

  if (!options.emit.getNumOccurrences())
    return fail("expected what to write: --tile-to-llvmir, --tile-to-ptx, "
                "--tile-to-cubin, --tile-to-artifact, --tile-to-candidates, "
                "--tile-layout-to-text or --tile-layout-to-svg");
  if (options.arena && (options.emit != Emit::LayoutSvg ||
                        options.layoutLine.getNumOccurrences()))
    return fail("--arena: expected --tile-layout-to-svg, without "
                "--layout-line");
  std::string error;
  if (!options.arch.empty() && !TargetInfo::get(options.arch, &error))
    return fail("--arch: " + error);
  if (!options.device.empty() && !DeviceInfo::get(options.device, &error))
    return fail("--device: " + error);
  auto buffer = openSource(options.input);
  if (!buffer)
    return fail(buffer.takeError());

  DialectRegistry registry;
  registerTileDialects(registry);
  // One small module: threads would cost more than they bring.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(*buffer), SMLoc());
  SourceDiagnostics diagnostics(*sources, &context, llvm::errs(),
                                options.remarks);

  CompileOptions compile;
  compile.arch = options.arch;
  compile.device = options.device;
  compile.ptxVersion = options.ptxVersion;
  compile.optimize = !options.noOpt;
  compile.lineInfo = options.lineInfo;
  compile.hints.assign(options.hints.begin(), options.hints.end());
  compile.tunables.assign(options.tunables.begin(), options.tunables.end());
  compile.remarks = options.remarks;
  compile.fastMath = options.fastMath;
  compile.guards = options.guards;
  compile.roles = options.roles;
  compile.versions = options.versions && options.emit == Emit::Artifact;
  compile.verifyEach = options.verifyEach;
  compile.verifyNvvm = options.verifyNvvm;
  compile.assembler = options.assembler;
  compile.ptxas = options.ptxas;
  compile.timeReport = options.timeReport ? &timeReport : nullptr;

  std::optional<LayoutFormat> format = layoutFormat(options.emit);
  StringRef source =
      sources->getMemoryBuffer(sources->getMainFileID())->getBuffer();
  if (format && isBareLayout(source)) {
    FailureOr<std::string> text =
        showBareLayout(source, options.elementBits, *format, &context, error);
    if (failed(text))
      return error.empty() ? 1 : fail(error);
    return finish(options.output, *text);
  }

  OwningOpRef<ModuleOp> module;
  {
    TimeReport::Scope time(compile.timeReport, "parse",
                           TimeReport::Group::Front);
    module = parseSourceFile<ModuleOp>(sources, &context);
  }
  if (!module)
    return 1;
  FailureOr<std::string> bytes = translate(*module, options, compile);
  if (failed(bytes))
    return 1;
  int status = finish(options.output, *bytes);
  if (options.timeReport)
    timeReport.print(llvm::errs());
  // The process ends here: taking the IR apart first would only cost time.
  (void)module.release();
  return status;
}
