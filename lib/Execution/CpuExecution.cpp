//===- CpuExecution.cpp - runs kernels on this machine's CPU --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiling: tile-to-cpu on a clone, translation to LLVM IR, one entry per
// kernel that takes its arguments as an array of pointers, -O3 for the host,
// ORC. Running: one thread per worker; worker w of n runs the blocks w, w + n,
// ... Blocks that meet have a worker each.
//
//===----------------------------------------------------------------------===//
#include "tile/Target/CpuExecution.h"
#include "../Target/FatalErrors.h"
#include "CpuRuntime.h"
#include "HostJit.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "tile/Dialect/Tile/IR/Meeting.h"
#include "tile/Pipelines/TileToCPU.h"
#include "tile/Target/Threads.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include <deque>
#include <optional>
#include <thread>

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Bytes of a memref or scalar argument as the compiled function takes it.
struct Parameter {
  bool isBuffer = false;
  unsigned rank = 0;
  bool isPacked = false; ///< two elements to a byte, outside
};

struct CompiledKernel {
  SmallVector<Parameter> parameters;
  bool blocksMeet = false, meetsInGrid = false;
  /// Blocks of a cluster, where these meet by hand; 0 elsewhere.
  int64_t cluster = 0;
};

using Entry = void (*)(void **);

std::string functionName(StringRef kernel) { return (kernel + ".cpu").str(); }
std::string entryName(StringRef kernel) { return (kernel + ".entry").str(); }

/// `void entry(void **arguments)`: loads each argument of `function` from where
/// the array points.
void addEntry(llvm::Module &module, llvm::Function &function,
              const std::string &name) {
  llvm::IRBuilder<> builder(module.getContext());
  auto *type =
      llvm::FunctionType::get(builder.getVoidTy(), {builder.getPtrTy()}, false);
  auto *entry = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                                       name, module);
  builder.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "entry", entry));
  SmallVector<llvm::Value *> values;
  for (llvm::Argument &argument : function.args()) {
    llvm::Value *slot = builder.CreateConstGEP1_64(
        builder.getPtrTy(), entry->getArg(0), argument.getArgNo());
    llvm::Value *place = builder.CreateLoad(builder.getPtrTy(), slot);
    values.push_back(builder.CreateLoad(argument.getType(), place));
  }
  builder.CreateCall(&function, values);
  builder.CreateRetVoid();
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine,
              llvm::OptimizationLevel level) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager cgscc;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder passes(&machine);
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(cgscc);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, cgscc, modules);
  passes.buildPerModuleDefaultPipeline(level).run(module, modules);
}
} // namespace

struct CpuProgram::Impl {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  llvm::StringMap<CompiledKernel> kernels;

  llvm::Error load(std::unique_ptr<llvm::Module> module,
                   std::unique_ptr<llvm::LLVMContext> context,
                   bool runsBriefly);
};

CpuProgram::CpuProgram(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
CpuProgram::~CpuProgram() = default;

llvm::Error CpuProgram::Impl::load(std::unique_ptr<llvm::Module> module,
                                   std::unique_ptr<llvm::LLVMContext> context,
                                   bool runsBriefly) {
  const auto level = runsBriefly ? llvm::CodeGenOptLevel::None
                                 : llvm::CodeGenOptLevel::Aggressive;
  auto machine = createHostMachine(*module, level);
  if (!machine)
    return machine.takeError();
  // Per-function attributes are what the optimizer asks about the host.
  for (llvm::Function &function : *module) {
    function.addFnAttr("target-cpu", (*machine)->getTargetCPU());
    function.addFnAttr("target-features", (*machine)->getTargetFeatureString());
  }
  for (const auto &kernel : kernels)
    if (auto *function = module->getFunction(functionName(kernel.getKey())))
      addEntry(*module, *function, entryName(kernel.getKey()));
  optimize(*module, **machine,
           runsBriefly ? llvm::OptimizationLevel::O1
                       : llvm::OptimizationLevel::O3);

  auto created = createHostJit(level, getCpuRuntimeFunctions());
  if (!created)
    return created.takeError();
  jit = std::move(*created);
  return jit->addIRModule(
      llvm::orc::ThreadSafeModule(std::move(module), std::move(context)));
}

static LogicalResult refuseAddresses(ModuleOp module) {
  WalkResult walk = module.walk([](FromAddressOp op) -> WalkResult {
    return op.emitOpError()
           << "the program itself says which memory of this process it uses: "
              "expected a caller that allows it, as the Python language does "
              "(CompileOptions(allow_addresses=True))";
  });
  return failure(walk.wasInterrupted());
}

FailureOr<std::unique_ptr<CpuProgram>>
CpuProgram::compile(ModuleOp source, const CpuProgramOptions &options) {
  if (!options.allowAddresses && failed(refuseAddresses(source)))
    return failure();
  OwningOpRef<ModuleOp> module = source.clone();
  auto impl = std::make_unique<Impl>();
  for (auto kernel : module->getOps<KernelOp>()) {
    CompiledKernel &compiled = impl->kernels[kernel.getSymName()];
    compiled.blocksMeet = blocksMeet(kernel);
    compiled.meetsInGrid = meetsInGrid(kernel);
    if (meetsInCluster(kernel))
      compiled.cluster = kernel.getClusterSize();
    for (Attribute attr : kernel.getArgTypes()) {
      auto memref = dyn_cast<MemRefType>(cast<TypeAttr>(attr).getValue());
      bool isPacked =
          memref && getStorageBits(memref.getElementType()) < 8 &&
          !(options.widen && isa<FloatType>(memref.getElementType()));
      compiled.parameters.push_back(
          {bool(memref), memref ? unsigned(memref.getRank()) : 0, isPacked});
    }
  }
  PassManager passes(module->getContext());
  TileToCPUOptions pipeline;
  pipeline.widen = options.widen;
  pipeline.checkAssumptions = options.checkAssumptions;
  pipeline.checkAccesses = options.checkAccesses;
  pipeline.lazyAsync = options.lazyAsync;
  pipeline.poison = options.poison;
  pipeline.poisonPattern = options.poisonPattern;
  pipeline.backwards = options.backwards;
  pipeline.blocks = options.blocks;
  buildTileToCPU(passes, pipeline);
  if (failed(passes.run(*module)))
    return failure();

  auto context = std::make_unique<llvm::LLVMContext>();
  auto llvmModule = translateModuleToLLVMIR(*module, *context);
  if (!llvmModule)
    return failure();
  std::string reason;
  std::optional<llvm::Error> error;
  bool finished = runCatchingFatalErrors(
      [&] {
        error = impl->load(std::move(llvmModule), std::move(context),
                           options.runsBriefly);
        // Generates the code now, so that running is only running.
        for (const auto &kernel : impl->kernels) {
          if (*error)
            break;
          auto symbol = impl->jit->lookup(entryName(kernel.getKey()));
          if (!symbol)
            error = symbol.takeError();
        }
      },
      reason);
  if (finished && error && *error)
    reason = llvm::toString(std::move(*error));
  if (!reason.empty()) {
    (void)impl.release(); // LLVM's state is unknown
    return source.emitError()
           << "compilation for the CPU failed: " << StringRef(reason).rtrim();
  }
  return std::unique_ptr<CpuProgram>(new CpuProgram(std::move(impl)));
}

/// Elements from first to last that the strides reach.
static int64_t spanOf(const CpuArgument &argument) {
  int64_t last = 0;
  for (auto [size, stride] : llvm::zip(argument.sizes, argument.strides)) {
    if (size == 0)
      return 0;
    last += (size - 1) * stride;
  }
  return last + 1;
}

/// Compiled code has a byte for each element: packed ones are taken apart
/// before it runs, and put together after.
static std::vector<char> unpack(const CpuArgument &argument) {
  auto *packed = static_cast<const char *>(argument.data);
  std::vector<char> bytes(spanOf(argument));
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = packed[i / 2] >> 4 * (i % 2) & 0xf;
  return bytes;
}
static void pack(ArrayRef<char> bytes, const CpuArgument &argument) {
  auto *packed = static_cast<char *>(argument.data);
  for (size_t i = 0; i < bytes.size(); ++i) {
    unsigned shift = 4 * (i % 2);
    packed[i / 2] = (packed[i / 2] & ~(0xf << shift)) | (bytes[i] & 0xf)
                                                            << shift;
  }
}

namespace {
/// One thread's call of a kernel.
struct Worker {
  CpuContext context;
  std::vector<uint64_t> values; ///< that the call loads
  std::vector<void *> pointers;

  Worker(ArrayRef<uint64_t> arguments, unsigned number, unsigned workers)
      : values(arguments.begin(), arguments.end()) {
    values.insert(values.end(),
                  {number, workers, reinterpret_cast<uintptr_t>(&context)});
    for (uint64_t &value : values)
      pointers.push_back(&value);
  }
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;

  /// Runs its blocks; a failed assertion or schedule ends them.
  void run(Entry entry) {
    if (setjmp(context.schedule.agents.front().unwind) == 0)
      entry(pointers.data());
    if (context.grid)
      context.grid->end(context.failedBlock >= 0);
  }
};
} // namespace

/// The blocks of a kernel that begins with saying how many there are.
static int64_t countBlocks(Entry entry, ArrayRef<uint64_t> values) {
  Worker counter(values, 0, 1);
  counter.context.countsBlocks = true;
  counter.run(entry);
  return counter.context.blocks;
}

/// Blocks that wait for each other run at the same time: `workers` become as
/// many, and `grid` is where they meet.
static llvm::Error chooseWorkers(const CompiledKernel &compiled, Entry entry,
                                 StringRef kernel, ArrayRef<uint64_t> values,
                                 unsigned &workers,
                                 std::optional<CpuGrid> &grid) {
  int64_t blocks = 0;
  if (compiled.blocksMeet) {
    blocks = countBlocks(entry, values);
    if (blocks <= kMaxMeetingBlocks)
      workers = static_cast<unsigned>(std::max<int64_t>(blocks, 1));
    else if (compiled.meetsInGrid)
      return llvm::createStringError(
          "the blocks of '" + kernel +
          "' wait for each other, so each runs on a thread of its own: "
          "expected a grid of at most " +
          llvm::Twine(kMaxMeetingBlocks) + " blocks, got " +
          llvm::Twine(blocks));
  }
  // The blocks of a cluster are neighbours in the order of launched blocks.
  if (compiled.cluster)
    workers = static_cast<unsigned>(
        llvm::alignTo(workers, static_cast<uint64_t>(compiled.cluster)));
  if (compiled.blocksMeet || compiled.cluster)
    grid.emplace(blocks);
  return llvm::Error::success();
}

/// Runs each worker on a thread of its own, the first on this one. Where the
/// system gives too few threads, this one runs the others' blocks, too; but not
/// blocks that wait for each other.
static llvm::Error runOnThreads(std::deque<Worker> &workers, Entry entry,
                                StringRef kernel) {
  Threads threads;
  size_t started = 1;
  while (started < workers.size() && threads.start([&workers, entry, started] {
    workers[started].run(entry);
  }))
    ++started;
  size_t missing = workers.size() - started;
  CpuGrid *grid = workers.front().context.grid;
  if (missing && grid) {
    grid->end(/*failed=*/true); // those that wait already go on, and end
    threads.join();
    return llvm::createStringError(
        "the blocks of '" + kernel +
        "' wait for each other, so each runs on a thread of its own: expected "
        "the system to start " +
        llvm::Twine(workers.size()) + " threads, got " + llvm::Twine(started) +
        " (`ulimit -u` limits them)");
  }
  workers.front().run(entry);
  for (Worker &worker : llvm::drop_begin(workers, started))
    worker.run(entry);
  return llvm::Error::success();
}

llvm::Error CpuProgram::run(StringRef kernel, ArrayRef<CpuArgument> arguments,
                            raw_ostream *prints, unsigned workers) {
  auto found = impl->kernels.find(kernel);
  if (found == impl->kernels.end())
    return llvm::createStringError("expected a kernel of the program, got '" +
                                   kernel + "'");
  ArrayRef<Parameter> parameters = found->second.parameters;
  if (arguments.size() != parameters.size())
    return llvm::createStringError(
        "expected " + llvm::Twine(parameters.size()) + " arguments, got " +
        llvm::Twine(arguments.size()));

  // The values every worker's call loads: descriptors flattened.
  std::vector<uint64_t> values;
  std::vector<std::vector<char>> unpacked(arguments.size());
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    const Parameter &parameter = parameters[i];
    if (!parameter.isBuffer) {
      values.push_back(argument.scalar);
      continue;
    }
    if (argument.sizes.size() != parameter.rank ||
        argument.strides.size() != parameter.rank)
      return llvm::createStringError(
          "expected " + llvm::Twine(parameter.rank) +
          " sizes and strides of argument " + llvm::Twine(i) + ", got " +
          llvm::Twine(argument.sizes.size()) + " and " +
          llvm::Twine(argument.strides.size()));
    auto pointer = reinterpret_cast<uintptr_t>(argument.data);
    if (parameter.isPacked) {
      unpacked[i] = unpack(argument);
      pointer = reinterpret_cast<uintptr_t>(unpacked[i].data());
    }
    values.insert(values.end(), {pointer, pointer, 0});
    values.insert(values.end(), argument.sizes.begin(), argument.sizes.end());
    values.insert(values.end(), argument.strides.begin(),
                  argument.strides.end());
  }
  auto symbol = impl->jit->lookup(entryName(kernel));
  if (!symbol)
    return symbol.takeError();
  auto entry = symbol->toPtr<Entry>();

  // More would wait for each other; and who cannot start a thread ends.
  constexpr unsigned kMostWorkers = 64;
  unsigned processors = std::max(1u, std::thread::hardware_concurrency());
  workers = workers ? std::min(workers, std::max(kMostWorkers, 2 * processors))
                    : processors;
  std::optional<CpuGrid> grid;
  if (llvm::Error wrong =
          chooseWorkers(found->second, entry, kernel, values, workers, grid))
    return wrong;
  CpuWorkspaces workspaces;
  std::deque<Worker> states; // which do not move
  for (unsigned w = 0; w < workers; ++w) {
    states.emplace_back(values, w, workers);
    CpuContext &context = states.back().context;
    context.grid = grid ? &*grid : nullptr;
    context.workspaces = &workspaces;
    if (auto size = static_cast<unsigned>(found->second.cluster)) {
      context.cluster = grid->clusterOf(w, size);
      context.rank = w % size;
    }
  }
  if (llvm::Error missing = runOnThreads(states, entry, kernel))
    return missing;
  for (auto [i, bytes] : llvm::enumerate(unpacked))
    pack(bytes, arguments[i]);

  std::vector<std::pair<int64_t, StringRef>> output;
  const CpuContext *failed = nullptr;
  for (const Worker &state : states) {
    for (const auto &[block, text] : state.context.output)
      output.push_back({block, text});
    if (state.context.failedBlock >= 0 &&
        (!failed || state.context.failedBlock < failed->failedBlock))
      failed = &state.context;
  }
  llvm::sort(output, llvm::less_first()); // a block has one entry
  if (prints)
    for (const auto &[block, text] : output)
      *prints << text;
  if (failed)
    return llvm::createStringError(
        llvm::Twine(failed->failureKind) + " in block " +
        llvm::Twine(failed->failedBlock) + ": " + failed->failure);
  return workspaces.checkZeroed();
}
