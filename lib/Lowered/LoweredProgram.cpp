//===- LoweredProgram.cpp - runs lowered kernels on the CPU ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiling: LLVM IR for NVPTX as the back end gets it, instrumented, generated
// for this host by ORC. Launching: what the launcher asks of the driver in
// software arrives here as a request, with parameters as a GPU would get them.
//
//===----------------------------------------------------------------------===//
#include "../Execution/CpuRuntime.h"
#include "../Execution/HostJit.h"
#include "../Target/FatalErrors.h"
#include "Instructions.h"
#include "Instrument.h"
#include "RegisterTags.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tile/Target/ArtifactBuilder.h"
#include "tile/Target/LLVMBackend.h"
#include "tile/Target/LoweredExecution.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::lowered;

struct LoweredProgram::Impl {
  LoweredOptions options;
  ProgramTables tables;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  runtime::Artifact artifact;
  std::unique_ptr<SoftwareDevice> device;
  Machine *machine = nullptr; ///< of the launch that runs
  std::string finding, output;
  llvm::StringMap<unsigned> residentBlocks; ///< by kernel, of those that say

  llvm::Error load(std::unique_ptr<llvm::Module> module,
                   std::unique_ptr<llvm::LLVMContext> context);
  std::string launch(const LaunchRequest &request);
};

//===----------------------------------------------------------------------===//
// What instrumented code calls
//===----------------------------------------------------------------------===//

/// Atomics hand on what happened before them, by place.
static void order(Machine &machine, Space space, uint64_t address,
                  uint32_t kind) {
  if (!(kind & (kAcquires | kReleases)))
    return;
  Agent agent = machine.thread().agent;
  Signal &signal = machine.atomicsAt(space, address);
  if (kind & kAcquires)
    machine.detector().acquire(agent, signal);
  if (kind & kReleases)
    machine.detector().release(agent, signal);
}

static char *accessMemory(LoweredProgram::Impl *self, uint64_t address,
                          uint32_t space, uint32_t kind, uint32_t bytes,
                          uint32_t site, uint32_t alignment) {
  Machine &machine = *self->machine;
  auto accessKind = AccessKind(kind & 3);
  if (kind & kPolls)
    machine.poll(site);
  else if (kind & kYields)
    machine.yield();
  if (!(kind & kPolls) &&
      (accessKind == AccessKind::Write || accessKind == AccessKind::Atomic))
    machine.noteProgress();
  char *host =
      machine.access(Space(space), address, bytes, accessKind, site, alignment);
  if (kind & kReadOnlyCache)
    machine.noteReadOnly(address, bytes, site);
  order(machine, Space(space), address, kind);
  return host;
}

static void storeMemory(LoweredProgram::Impl *self, uint64_t address,
                        uint32_t space, uint32_t kind, uint32_t bytes,
                        uint32_t site, uint32_t alignment, const char *value) {
  Machine &machine = *self->machine;
  Thread &thread = machine.thread();
  if (!thread.tags.empty())
    for (uint32_t i = 0; i + 4 <= bytes; i += 4) {
      uint32_t word;
      std::memcpy(&word, value + i, 4);
      if (isTag(thread, word))
        machine.fail("a result of wgmma is stored before wgmma.wait_group "
                     "has returned it, at " +
                     machine.describe(site));
    }
  std::memcpy(accessMemory(self, address, space, kind, bytes, site, alignment),
              value, bytes);
}

static void executeText(LoweredProgram::Impl *self, uint32_t index,
                        uint64_t *slots) {
  Machine &machine = *self->machine;
  Thread &thread = machine.thread();
  const Text &text = self->tables.texts[index];
  if (!text.takesTags && !thread.tags.empty())
    for (unsigned slot = text.numOutputs; slot < text.code.numOperands; ++slot)
      if (isTag(thread, slots[slot]))
        machine.fail(text.code.instructions.front(),
                     "a result of wgmma is used before wgmma.wait_group has "
                     "returned it");
  execute(machine, text.code, slots);
  if (thread.loadsTensor)
    machine.fail(text.code.instructions.back(),
                 "registers of tcgen05.ld are given out before "
                 "tcgen05.wait::ld");
  resolveTags(thread, slots, text.numOutputs);
}

/// vprintf: arguments lie one after the other, each aligned to its size.
static int32_t print(LoweredProgram::Impl *self, const char *format,
                     const char *arguments) {
  Machine &machine = *self->machine;
  size_t offset = 0;
  auto next = [&](void *to, size_t bytes) {
    offset = (offset + bytes - 1) / bytes * bytes;
    std::memcpy(to, arguments + offset, bytes);
    offset += bytes;
  };
  StringRef rest = format;
  while (!rest.empty()) {
    size_t percent = rest.find('%');
    machine.output += rest.take_front(percent);
    if (percent == StringRef::npos)
      break;
    rest = rest.drop_front(percent);
    size_t length = rest.find_first_of("diuxsfgeEGc%", 1);
    if (length == StringRef::npos)
      break;
    std::string one = rest.take_front(length + 1).str();
    rest = rest.drop_front(length + 1);
    char buffer[512];
    switch (one.back()) {
    case '%':
      machine.output += '%';
      continue;
    case 's': {
      const char *text;
      next(&text, sizeof(text));
      machine.output += text;
      continue;
    }
    case 'f':
    case 'g':
    case 'e':
    case 'E':
    case 'G': {
      double value;
      next(&value, sizeof(value));
      std::snprintf(buffer, sizeof(buffer), one.c_str(), value);
      break;
    }
    default:
      if (StringRef(one).contains('l')) {
        int64_t value;
        next(&value, sizeof(value));
        std::snprintf(buffer, sizeof(buffer), one.c_str(), value);
      } else {
        int32_t value;
        next(&value, sizeof(value));
        std::snprintf(buffer, sizeof(buffer), one.c_str(), value);
      }
    }
    machine.output += buffer;
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

LoweredProgram::LoweredProgram(std::unique_ptr<Impl> impl)
    : impl(std::move(impl)) {}
LoweredProgram::~LoweredProgram() = default;

/// Instructions of a basic block above which LLVM's list scheduler, whose time
/// grows with their square, takes longer than the machine runs.
static constexpr size_t kLargeBlock = 10'000;

/// Most of the time is the machine's: what generates code fast is best.
static llvm::CodeGenOptLevel levelFor(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    for (const llvm::BasicBlock &block : function)
      if (block.size() > kLargeBlock)
        return llvm::CodeGenOptLevel::None;
  return llvm::CodeGenOptLevel::Less;
}

llvm::Error
LoweredProgram::Impl::load(std::unique_ptr<llvm::Module> module,
                           std::unique_ptr<llvm::LLVMContext> context) {
  const llvm::CodeGenOptLevel level = levelFor(*module);
  auto machine = createHostMachine(*module, level);
  if (!machine)
    return machine.takeError();
  // Mathematics that the host's code generator leaves to a library is in the
  // table. Kernels call nothing themselves: Instrument.cpp refuses it.
  HostFunctions functions = getCpuRuntimeFunctions();
  auto address = [](auto *function) {
    return reinterpret_cast<void *>(function);
  };
  functions.insert(functions.end(), {{kAccessFunction, address(accessMemory)},
                                     {kStoreFunction, address(storeMemory)},
                                     {kExecuteFunction, address(executeText)},
                                     {kPrintFunction, address(print)}});
  auto created = createHostJit(level, functions);
  if (!created)
    return created.takeError();
  jit = std::move(*created);
  return jit->addIRModule(
      llvm::orc::ThreadSafeModule(std::move(module), std::move(context)));
}

/// The device in software with all kernels of the artifact, as their manifests
/// describe them.
static std::unique_ptr<SoftwareDevice>
createDevice(const runtime::Artifact &artifact, const TargetInfo &target,
             SoftwareDevice::Launch launch) {
  std::map<std::string, KernelDescription> kernels;
  std::function<void(const runtime::KernelSpec &)> add =
      [&](const runtime::KernelSpec &spec) {
        KernelDescription &kernel = kernels[spec.name];
        for (const runtime::ParamSpec &param : spec.params)
          kernel.paramSizes.push_back(param.size());
        for (const runtime::KernelSpec &version : spec.versions)
          add(version);
      };
  for (const runtime::KernelSpec &spec : artifact.manifest.kernels)
    add(spec);
  return std::make_unique<SoftwareDevice>(
      SoftwareDeviceOptions::of(int(target.capability / 10),
                                int(target.capability % 10)),
      std::move(kernels), std::move(launch));
}

FailureOr<std::unique_ptr<LoweredProgram>>
LoweredProgram::compile(ModuleOp module, const LoweredOptions &options) {
  auto impl = std::make_unique<Impl>();
  impl->options = options;
  TargetCode code;
  code.target = options.target;
  code.ptxVersion = 80;
  // No PTX: only the driver in software loads it.
  code.ptx = std::string(SoftwareDevice::kImageMagic) + ".version 8.0\n";
  FailureOr<runtime::Artifact> artifact =
      buildArtifact(module, std::move(code));
  if (failed(artifact))
    return failure();
  impl->artifact = std::move(*artifact);

  BackendOptions backendOptions;
  backendOptions.target = options.target;
  backendOptions.optimize = options.optimize;
  backendOptions.lineInfo = true; // findings name places
  LLVMBackend backend(backendOptions);
  if (failed(backend.translate(module)) || failed(backend.optimize()))
    return failure();
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> llvmModule;
  std::tie(llvmModule, context) = backend.takeModule();
  for (const llvm::Function &function : *llvmModule)
    if (uint64_t blocks = function.getFnAttributeAsParsedInteger(
            NVVM::NVVMDialect::getMinctasmAttrName()))
      impl->residentBlocks[function.getName()] = unsigned(blocks);
  std::string reason = instrument(*llvmModule, impl.get(), impl->tables);
  if (!reason.empty())
    return module.emitError()
           << "cannot execute the lowered kernel: " << reason;
  std::optional<llvm::Error> error;
  bool finished = runCatchingFatalErrors(
      [&] { error = impl->load(std::move(llvmModule), std::move(context)); },
      reason);
  if (finished && error && *error)
    reason = llvm::toString(std::move(*error));
  if (!reason.empty()) {
    (void)impl.release(); // LLVM's state is unknown
    return module.emitError()
           << "compilation for the CPU failed: " << StringRef(reason).rtrim();
  }

  Impl *self = impl.get();
  impl->device = createDevice(
      impl->artifact, *options.target,
      [self](const LaunchRequest &request) { return self->launch(request); });
  return std::unique_ptr<LoweredProgram>(new LoweredProgram(std::move(impl)));
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

std::string LoweredProgram::Impl::launch(const LaunchRequest &request) {
  auto symbol = jit->lookup(entryName(request.kernel));
  if (!symbol)
    return llvm::toString(symbol.takeError());
  MachineOptions machineOptions;
  machineOptions.seed = options.seed;
  // PTX ISA, "ld": .v8.b32 and .v4.b64 need sm_100.
  machineOptions.widestAccess = options.target->capability >= 100 ? 32 : 16;
  if (auto blocks = residentBlocks.find(request.kernel);
      blocks != residentBlocks.end())
    machineOptions.residentBlocks = blocks->second;
  machineOptions.blocksMeet = tables.pollingKernels.contains(request.kernel);
  Machine running(machineOptions, device->memory(), tables.sites);
  machine = &running;
  finding = running.launch(symbol->toPtr<Machine::Entry>(), request);
  output += running.output;
  machine = nullptr;
  return finding;
}

void LoweredProgram::suspend() { impl->device->suspend(); }
void LoweredProgram::resume() { impl->device->resume(); }

const runtime::cuda::Functions &LoweredProgram::driver() const {
  return SoftwareDevice::functions();
}
const runtime::cuda::ContextFunctions &LoweredProgram::driverContext() const {
  return SoftwareDevice::contextFunctions();
}
const runtime::Artifact &LoweredProgram::artifact() const {
  return impl->artifact;
}
std::string LoweredProgram::finding() const { return impl->finding; }
std::string LoweredProgram::output() const { return impl->output; }
