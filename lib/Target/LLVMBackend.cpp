//===- LLVMBackend.cpp - NVVM dialect to optimized LLVM to PTX ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Target/LLVMBackend.h"
#include "AssemblerFaults.h"
#include "FatalErrors.h"
#include "FloatBits.h"
#include "FloatMagic.h"
#include "FusedProducts.h"
#include "GuardedValues.h"
#include "HalvesOfWords.h"
#include "LargeFunctions.h"
#include "SharedExtensions.h"
#include "SmallArrays.h"
#include "Tf32Rounding.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Dialect/LLVMIR/BasicPtxBuilderInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "tile/Target/NvvmInstructions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

using namespace mlir;
using namespace mlir::tile;

static constexpr llvm::StringLiteral kTriple = "nvptx64-nvidia-cuda";

// Only this target: initializing all of them costs start-up time and size.
extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

static void initializeNVPTX() {
  static std::once_flag done;
  std::call_once(done, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    boundCoalescing();
  });
}

LLVMBackend::LLVMBackend(const BackendOptions &options) : options(options) {
  assert(options.target && "expected a target");
}

LLVMBackend::~LLVMBackend() = default;

LogicalResult LLVMBackend::guarded(StringRef phase,
                                   llvm::function_ref<void()> step) {
  errors.clear();
  std::string reason;
  if (!runCatchingFatalErrors(step, reason)) {
    // What LLVM was working on is in an unknown state: leave it to the process.
    (void)module.release();
    (void)context.release();
    (void)machine.release();
    errors = reason;
  }
  if (errors.empty())
    return success();
  source.emitError() << phase << " failed: " << StringRef(errors).rtrim();
  return failure();
}

/// Whether pointers into shared memory, local memory and constants have 32
/// bits: where the tensor cores read shared memory by descriptors, which are
/// computed from addresses (docs/Rationale/Backend.md).
static bool hasShortPointers(const TargetInfo &target) {
  return target.hasWgmma();
}

namespace {
/// Sets the width of these pointers for the target machines that are made while
/// it lives. LLVM has no other place for it than an option, which it reads
/// then; other threads wait.
class PointerWidth {
public:
  explicit PointerWidth(bool isShort) : lock(mutex) { set(isShort); }
  ~PointerWidth() { set(false); }

private:
  static void set(bool isShort) {
    auto &options = llvm::cl::getRegisteredOptions();
    auto option = options.find("nvptx-short-ptr");
    if (option != options.end())
      *static_cast<llvm::cl::opt<bool> *>(option->second) = isShort;
  }

  static inline std::mutex mutex;
  std::lock_guard<std::mutex> lock;
};
} // namespace

/// LLVM takes a version that it does not know for none, with a warning.
static LogicalResult checkPtxVersion(ModuleOp module,
                                     const llvm::Target &target,
                                     unsigned version, unsigned required) {
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      target.createMCSubtargetInfo(llvm::Triple(kTriple), "", ""));
  SmallVector<unsigned> known;
  for (const llvm::SubtargetFeatureKV &feature :
       info->getAllProcessorFeatures()) {
    StringRef name = feature.Key;
    unsigned number = 0;
    if (name.consume_front("ptx") && !name.getAsInteger(10, number) &&
        number >= required)
      known.push_back(number);
  }
  if (llvm::is_contained(known, version))
    return success();
  llvm::sort(known);
  InFlightDiagnostic error =
      module.emitError() << "expected a PTX version that LLVM knows, ten times "
                            "its number (";
  llvm::interleaveComma(known, error);
  return error << "), got " << version;
}

LogicalResult LLVMBackend::createTargetMachine(ModuleOp moduleOp) {
  initializeNVPTX();
  llvm::Triple triple{kTriple};
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return moduleOp.emitError() << error;
  if (options.ptxVersion &&
      failed(checkPtxVersion(moduleOp, *target, ptxVersion,
                             requiredPtxVersion(moduleOp, *options.target))))
    return failure();
  llvm::TargetOptions targetOptions;
  // fmul + fadd contract only where the operations carry `contract`. PTX
  // assemblers would contract a plain `add`; LLVM prints `add.rn` instead.
  targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  PointerWidth width(hasShortPointers(*options.target));
  machine.reset(target->createTargetMachine(
      triple, options.target->arch, "+ptx" + std::to_string(ptxVersion),
      targetOptions, std::nullopt, std::nullopt,
      options.optimize ? llvm::CodeGenOptLevel::Aggressive
                       : llvm::CodeGenOptLevel::None));
  if (!machine)
    return moduleOp.emitError()
           << "expected LLVM to know the architecture " << options.target->arch;
  return success();
}

/// NVVM operations that are spelled as inline PTX have no LLVM intrinsic.
static bool needsPtxExpansion(ModuleOp module) {
  return module
      .walk([](NVVM::BasicPtxBuilderInterface) {
        return WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// LLVM may copy or sink a call that is not convergent into divergent control
/// flow, and MLIR marks no inline assembly. Functions are convergent for the
/// same reason; the optimizer takes the mark off those that need it not.
static void markConvergent(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr(llvm::Attribute::Convergent);
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (call->isInlineAsm())
          call->addFnAttr(llvm::Attribute::Convergent);
  }
}

static bool isPtxIdentifier(StringRef name) {
  // PTX ISA, "Identifiers".
  auto isFollow = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '$';
  };
  bool special = name.starts_with("_") || name.starts_with("$");
  return !name.empty() && llvm::all_of(name, isFollow) &&
         (special ? name.size() > 1 : llvm::isAlpha(name.front()));
}

/// A kernel's name is what the launcher looks up, so it must be valid as it is.
static LogicalResult verifyKernelNames(ModuleOp module) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()) &&
        !isPtxIdentifier(function.getSymName()))
      return function.emitError()
             << "expected a kernel's name to be letters, digits, '_' and '$', "
                "got '"
             << function.getSymName() << "'";
  return success();
}

/// LLVM makes the names of internal symbols valid, but not those of dynamic
/// shared memory, which is external.
static void renameGlobals(llvm::Module &module) {
  for (llvm::GlobalVariable &global : module.globals()) {
    if (isPtxIdentifier(global.getName()))
      continue;
    std::string name = "_";
    for (char c : global.getName())
      name += llvm::isAlnum(c) ? c : '_';
    global.setName(name); // made unique by LLVM
  }
}

LogicalResult LLVMBackend::translate(ModuleOp moduleOp) {
  TimeReport::Scope time(options.timeReport, "translate to LLVM",
                         TimeReport::Group::Backend);
  source = moduleOp;
  // Bytecode that names `nvvm.kernel` but no NVVM operation does not load the
  // dialect, and the attributes of a dialect that is not loaded are ignored.
  moduleOp.getContext()->loadDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
  if (failed(verifyKernelNames(moduleOp)) ||
      failed(verifyForTarget(moduleOp, *options.target)))
    return failure();
  unsigned required = requiredPtxVersion(moduleOp, *options.target);
  ptxVersion = options.ptxVersion ? options.ptxVersion : required;
  if (ptxVersion < required)
    return moduleOp.emitError()
           << "expected PTX version " << required / 10 << "." << required % 10
           << " or newer for the instructions used, got " << ptxVersion / 10
           << "." << ptxVersion % 10;
  if (failed(createTargetMachine(moduleOp)))
    return failure();

  bool expand = needsPtxExpansion(moduleOp);
  if (expand || options.lineInfo) {
    PassManager passes(moduleOp.getContext());
    passes.enableVerifier(false);
    if (expand)
      passes.addPass(createConvertNVVMToLLVMPass());
    if (options.lineInfo) {
      LLVM::DIScopeForLLVMFuncOpPassOptions scopes;
      scopes.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
      passes.addPass(LLVM::createDIScopeForLLVMFuncOpPass(scopes));
    }
    if (failed(passes.run(moduleOp)))
      return failure();
  }

  llvm::DataLayout layout = machine->createDataLayout();
  moduleOp->setAttr(
      LLVM::LLVMDialect::getDataLayoutAttrName(),
      StringAttr::get(moduleOp.getContext(), layout.getStringRepresentation()));
  moduleOp->setAttr(LLVM::LLVMDialect::getTargetTripleAttrName(),
                    StringAttr::get(moduleOp.getContext(), kTriple));

  context = std::make_unique<llvm::LLVMContext>();
  context->setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo *info, void *backend) {
        if (info->getSeverity() != llvm::DS_Error)
          return;
        llvm::raw_string_ostream os(
            static_cast<LLVMBackend *>(backend)->errors);
        llvm::DiagnosticPrinterRawOStream printer(os);
        info->print(printer);
        os << '\n';
      },
      this);
  bool translated = false;
  if (failed(guarded("translation to LLVM IR", [&] {
        module = translateModuleToLLVMIR(moduleOp, *context, "tile");
        translated = module != nullptr;
      })))
    return failure();
  if (!translated) // MLIR has said why.
    return failure();
  markConvergent(*module);
  renameGlobals(*module);
  return success();
}

LogicalResult LLVMBackend::optimize() {
  if (!options.optimize)
    return success();
  TimeReport::Scope time(options.timeReport, "LLVM -O3",
                         TimeReport::Group::Backend);
  return guarded("optimization", [&] {
    llvm::PipelineTuningOptions tuning;
    // A GPU thread is scalar: loop vectorization is never profitable there, and
    // asking its cost model takes time. SLP pairs f16 operations.
    tuning.LoopVectorization = false;
    tuning.LoopInterleaving = false;
    // The search of this pass grows faster than the code: it takes minutes
    // where hundreds of registers of a fragment are written out. The largest
    // kernels of benchmarks and examples have 15,000 instructions.
    constexpr unsigned kMostForPairs = 30000;
    tuning.SLPVectorization =
        llvm::all_of(*module, [](const llvm::Function &function) {
          return function.getInstructionCount() <= kMostForPairs;
        });
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    llvm::PassInstrumentationCallbacks callbacks;
    skipInLargeFunctions(callbacks);
    llvm::PassBuilder builder(machine.get(), tuning, std::nullopt, &callbacks);
    prepareLargeFunctions(builder);
    selectFromSmallArrays(builder);
    showHalvesOfWords(builder);
    fuseProducts(builder);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
        .run(*module, modules);
    showSharedConditions(*module);
    dropExactRoundings(*module);
    joinMasksAndPowers(*module);
  });
}

void LLVMBackend::avoidAssemblerFaults() {
  avoidMiscompiledSubtractions(*module);
  splitPackedAdditions(*module);
  hideNegations(*module);
  putWaitsFirst(*module);
  copyBehindWaits(*module);
}

std::pair<std::unique_ptr<llvm::Module>, std::unique_ptr<llvm::LLVMContext>>
LLVMBackend::takeModule() {
  avoidAssemblerFaults();
  // Diagnostics of LLVM must not reach this object any more.
  context->setDiagnosticHandler(std::make_unique<llvm::DiagnosticHandler>());
  return {std::move(module), std::move(context)};
}

FailureOr<std::string> LLVMBackend::emitPtx() {
  TimeReport::Scope time(options.timeReport, "LLVM code generation",
                         TimeReport::Group::Backend);
  llvm::SmallString<0> text;
  text.reserve(1 << 18);
  bool supported = true;
  if (failed(guarded("PTX generation", [&] {
        avoidAssemblerFaults();
        hideOperandsOfSharedExtensions(*module);
        hideAdditionsToFloatBits(*module);
        if (options.optimize)
          keepGuardedValues(*module);
        llvm::raw_svector_ostream os(text);
        LargeCodeGate gate(*module);
        llvm::legacy::PassManager passes;
        supported = !machine->addPassesToEmitFile(
            passes, os, nullptr, llvm::CodeGenFileType::AssemblyFile);
        if (supported)
          passes.run(*module);
      })))
    return failure();
  if (!supported) {
    source.emitError() << "expected LLVM's NVPTX target to print assembly";
    return failure();
  }
  return text.str().str();
}

std::string LLVMBackend::printLLVM() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, nullptr);
  return text;
}

FailureOr<std::string> mlir::tile::compileToPtx(ModuleOp module,
                                                const BackendOptions &options) {
  LLVMBackend backend(options);
  if (failed(backend.translate(module)) || failed(backend.optimize()))
    return failure();
  return backend.emitPtx();
}
