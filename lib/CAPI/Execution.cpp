//===- Execution.cpp - C interface of execution on the CPU ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments are checked by the launcher's own rules against the kernel's
// manifest, so that the CPU and a GPU refuse the same ones by the same words.
//
//===----------------------------------------------------------------------===//
#include "tile-c/Execution.h"
#include "HostLaunch.h"
#include "Source.h"
#include "mlir/Pass/PassManager.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Pipelines/Compile.h"
#include "tile/Pipelines/RoleOption.h"
#include "tile/Target/CpuExecution.h"
#include "tile/Target/ManifestBuilder.h"
#include <mutex>
#include <thread>

using namespace mlir;
using namespace mlir::tile;
using capi::orEmpty;
using capi::split;

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

struct TileProgram {
  virtual ~TileProgram() = default;
  /// Runs a kernel whose arguments have been checked.
  virtual runtime::Status run(const runtime::KernelSpec &kernel,
                              runtime::Span<const runtime::Arg> args,
                              const runtime::CheckedArgs &checked,
                              unsigned workers, std::string &output) = 0;

  std::vector<runtime::KernelSpec> kernels;
  std::vector<std::string> manifests;
};

namespace {
struct CpuTileProgram : TileProgram {
  std::unique_ptr<CpuProgram> program;

  runtime::Status run(const runtime::KernelSpec &kernel,
                      runtime::Span<const runtime::Arg> args,
                      const runtime::CheckedArgs &checked, unsigned workers,
                      std::string &output) override;
};

struct LoweredTileProgram : TileProgram {
  std::unique_ptr<LoweredProgram> program;

  ~LoweredTileProgram() override {
    std::lock_guard<std::mutex> lock(turns());
    program.reset();
  }
  /// The driver in software is one program's at a time.
  static std::mutex &turns() {
    static std::mutex mutex;
    return mutex;
  }
  runtime::Status run(const runtime::KernelSpec &kernel,
                      runtime::Span<const runtime::Arg> args,
                      const runtime::CheckedArgs &checked, unsigned workers,
                      std::string &output) override;
};
} // namespace

/// Threads that a kernel is given where the caller does not say: no more than
/// it has blocks, since each takes longer to start than a small block to run.
static unsigned chooseWorkers(const runtime::KernelSpec &kernel,
                              runtime::Span<const runtime::ExprArg> args) {
  unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  int64_t blocks = 1;
  for (const runtime::Expr &extent : kernel.grid) {
    runtime::Expr::Value value = extent.evaluate(args);
    if (!value.ok() || value.value >= cores || value.value < 1)
      return value.ok() && value.value < 1 ? 1 : cores;
    blocks *= value.value;
  }
  return static_cast<unsigned>(std::min<int64_t>(cores, blocks));
}

runtime::Status CpuTileProgram::run(const runtime::KernelSpec &kernel,
                                    runtime::Span<const runtime::Arg> args,
                                    const runtime::CheckedArgs &checked,
                                    unsigned workers, std::string &output) {
  std::vector<CpuArgument> arguments(args.size());
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    const runtime::ExprArg &buffer = checked.described[i];
    argument.scalar = args[i].bits;
    if (args[i].kind != runtime::ArgKind::MemRef)
      continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are the host's
    argument.data = reinterpret_cast<void *>(args[i].data);
    argument.sizes.assign(buffer.shape, buffer.shape + buffer.rank);
    argument.strides.assign(buffer.strides, buffer.strides + buffer.rank);
  }
  if (!workers)
    workers = chooseWorkers(kernel, {checked.described, args.size()});
  llvm::raw_string_ostream prints(output);
  if (llvm::Error error =
          program->run(kernel.name, arguments, &prints, workers))
    return runtime::Error{"kernel '" + kernel.name +
                          "': " + llvm::toString(std::move(error))};
  return runtime::Status();
}

runtime::Status LoweredTileProgram::run(const runtime::KernelSpec &kernel,
                                        runtime::Span<const runtime::Arg> args,
                                        const runtime::CheckedArgs &checked,
                                        unsigned workers, std::string &output) {
  std::lock_guard<std::mutex> lock(turns());
  program->resume();
  runtime::Status status =
      capi::launchOnHost(*program, kernel, args, checked, output);
  program->suspend();
  return status;
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

static TileProgramOptions defaultOptions() {
  TileProgramOptions options = {};
  options.structSize = sizeof(TileProgramOptions);
  options.checkAssumptions = 1;
  options.optimize = 1;
  options.versions = 1;
  options.seed = 1;
  return options;
}

void tileProgramOptionsInit(TileProgramOptions *options, size_t structSize) {
  capi::initOptions(options, defaultOptions(), structSize);
}

static void addKernel(TileProgram &program, const runtime::KernelSpec &spec) {
  program.manifests.push_back(writeKernelManifest(spec));
  program.kernels.push_back(spec);
}

/// The module's own target where the options say nothing, else sm_80, whose
/// layouts every later architecture has, too.
static FailureOr<TargetAttr> targetOf(ModuleOp module,
                                      const TileProgramOptions &options) {
  CompileOptions compile;
  compile.arch = orEmpty(options.arch);
  compile.device = orEmpty(options.device);
  if (compile.arch.empty() && compile.device.empty() &&
      !module->hasAttr(kTargetAttrName))
    compile.arch = "sm_80";
  return resolveTarget(module, compile);
}

static std::unique_ptr<TileProgram>
compileForCpu(ModuleOp module, const TileProgramOptions &options,
              TargetAttr target) {
  PassManager passes(module.getContext());
  passes.addPass(createSetTargetPass(
      SetTargetPassOptions{target.getArch().str(), target.getDevice().str()}));
  ChooseTunablesPassOptions choice;
  std::vector<std::string> hints = split(options.shapeHints);
  std::vector<std::string> values = split(options.tunables);
  choice.hints.assign(hints.begin(), hints.end());
  choice.values.assign(values.begin(), values.end());
  choice.remarks = options.remarks;
  passes.addPass(createChooseTunablesPass(choice));
  if (failed(passes.run(module)))
    return nullptr;
  auto result = std::make_unique<CpuTileProgram>();
  for (auto kernel : module.getOps<KernelOp>()) {
    FailureOr<runtime::KernelSpec> spec = buildKernelManifest(kernel);
    if (failed(spec))
      return nullptr;
    addKernel(*result, *spec);
  }
  CpuProgramOptions compile;
  compile.checkAssumptions = options.checkAssumptions;
  compile.checkAccesses = options.checkAccesses;
  compile.poison = options.poison;
  compile.lazyAsync = options.lazyAsync;
  compile.blocks = options.blocks;
  compile.allowAddresses = options.allowAddresses;
  auto program = CpuProgram::compile(module, compile);
  if (failed(program))
    return nullptr;
  result->program = std::move(*program);
  return result;
}

static std::unique_ptr<TileProgram>
compileLowered(ModuleOp module, const TileProgramOptions &options,
               TargetAttr target) {
  CompileOptions compile;
  compile.arch = target.getArch().str();
  compile.device = target.getDevice().str();
  compile.hints = split(options.shapeHints);
  compile.tunables = split(options.tunables);
  compile.versions = options.versions;
  compile.fastMath = options.fastMath;
  compile.remarks = options.remarks;
  std::optional<RoleChoice> roles = parseRoles(orEmpty(options.roles));
  if (!roles) {
    module.emitError() << "expected roles among auto, on and off, got '"
                       << options.roles << "'";
    return nullptr;
  }
  compile.roles = *roles;
  if (failed(lowerToNVVM(module, compile)))
    return nullptr;
  LoweredOptions lowered;
  lowered.target = TargetInfo::get(compile.arch);
  lowered.optimize = options.optimize;
  lowered.seed = options.seed;
  auto result = std::make_unique<LoweredTileProgram>();
  {
    std::lock_guard<std::mutex> lock(LoweredTileProgram::turns());
    auto program = LoweredProgram::compile(module, lowered);
    if (failed(program))
      return nullptr;
    result->program = std::move(*program);
    result->program->suspend();
  }
  for (runtime::KernelSpec spec :
       result->program->artifact().manifest.kernels) {
    spec.code.clear();
    spec.versions.clear();
    addKernel(*result, spec);
  }
  return result;
}

int32_t tileProgramCreate(const char *source, size_t length,
                          const TileProgramOptions *given,
                          TileProgram **program, char **diagnostics) {
  TileProgramOptions options = capi::readOptions(given, defaultOptions());
  std::string log;
  llvm::raw_string_ostream os(log);
  std::unique_ptr<TileProgram> made;
  LogicalResult compiled = capi::withModule(
      StringRef(source, length), options.sourceName, options.remarks, os,
      [&](ModuleOp module) -> LogicalResult {
        if (options.kind != TILE_PROGRAM_CPU &&
            options.kind != TILE_PROGRAM_LOWERED)
          return module.emitError()
                 << "expected a kind of program, CPU or lowered, got "
                 << options.kind;
        if (module.getOps<KernelOp>().empty())
          return module.emitError() << "expected at least one tile.kernel";
        FailureOr<TargetAttr> target = targetOf(module, options);
        if (failed(target))
          return failure();
        made = options.kind == TILE_PROGRAM_CPU
                   ? compileForCpu(module, options, *target)
                   : compileLowered(module, options, *target);
        return success(bool(made));
      });
  if (diagnostics)
    *diagnostics = capi::copyText(log);
  *program = succeeded(compiled) ? made.release() : nullptr;
  return succeeded(compiled) ? 0 : 1;
}

void tileProgramDestroy(TileProgram *program) { delete program; }

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

size_t tileProgramNumKernels(const TileProgram *program) {
  return program->kernels.size();
}

const char *tileProgramKernelName(const TileProgram *program, size_t kernel) {
  return kernel < program->kernels.size()
             ? program->kernels[kernel].name.c_str()
             : nullptr;
}

const char *tileProgramManifest(const TileProgram *program, size_t kernel) {
  return kernel < program->manifests.size() ? program->manifests[kernel].c_str()
                                            : nullptr;
}

/// The arguments as the runtime has them; more than any kernel has are counted,
/// not read.
static runtime::Status convert(const TileArg *args, size_t numArgs,
                               std::vector<runtime::Arg> &converted) {
  converted.resize(numArgs);
  for (size_t i = 0; i < numArgs && numArgs <= runtime::kMaxArgs; ++i) {
    const TileArg &from = args[i];
    bool isMemRef = from.kind == TILE_ARG_MEMREF;
    if ((!isMemRef && from.kind != TILE_ARG_SCALAR) || from.type < 0 ||
        from.type >= int32_t(runtime::kNumElementTypes) || from.rank < 0)
      return runtime::Error{"argument " + std::to_string(i) +
                            ": expected a kind, an element type and a rank"};
    runtime::Arg &arg = converted[i];
    arg.kind = isMemRef ? runtime::ArgKind::MemRef : runtime::ArgKind::Scalar;
    arg.type = static_cast<runtime::ElementType>(from.type);
    arg.rank = unsigned(from.rank);
    arg.data = from.data;
    arg.shape = from.shape;
    arg.strides = from.strides;
    arg.bits = from.bits;
  }
  return runtime::Status();
}

/// Everything that a launch on a GPU refuses before it happens.
static runtime::Status check(const TileProgram &program, size_t kernel,
                             const TileArg *args, size_t numArgs,
                             std::vector<runtime::Arg> &converted,
                             runtime::CheckedArgs &checked) {
  if (kernel >= program.kernels.size())
    return runtime::Error{"expected a kernel below " +
                          std::to_string(program.kernels.size()) +
                          " of the program, got " + std::to_string(kernel)};
  const runtime::KernelSpec &spec = program.kernels[kernel];
  if (runtime::Status status = convert(args, numArgs, converted); !status.ok())
    return status;
  if (runtime::Status status = checkArgs(spec, converted, checked);
      !status.ok())
    return status;
  if (runtime::Status status =
          checkOverlap(spec, converted, checked.described, checked.ranges);
      !status.ok())
    return status;
  return checkAssumptions(
      spec, runtime::Span<const runtime::ExprArg>(checked.described, numArgs));
}

int32_t tileProgramRun(TileProgram *program, size_t kernel, const TileArg *args,
                       size_t numArgs, uint32_t workers, char **output,
                       char **error) {
  std::string prints;
  std::vector<runtime::Arg> converted;
  auto checked = std::make_unique<runtime::CheckedArgs>();
  runtime::Status status =
      check(*program, kernel, args, numArgs, converted, *checked);
  int32_t result = status.ok() ? TILE_RUN_DONE : TILE_RUN_REFUSED;
  if (status.ok()) {
    status = program->run(program->kernels[kernel], converted, *checked,
                          workers, prints);
    result = status.ok() ? TILE_RUN_DONE : TILE_RUN_FAILED;
  }
  if (output)
    *output = capi::copyText(prints);
  if (error)
    *error = status.ok() ? nullptr : capi::copyText(status.message());
  return result;
}
