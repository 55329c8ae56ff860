//===- Compiler.cpp - C interface of the compiler -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile-c/Compiler.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "tile/Pipelines/Compile.h"
#include "tile/Pipelines/Register.h"
#include "tile/Pipelines/RoleOption.h"
#include "tile/Pipelines/SourceDiagnostics.h"
#include "tile/Pipelines/ToolFiles.h"
#include "tile/Target/ArtifactBuilder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace mlir::tile;

struct TileCompileResult {
  std::string bytes;
};

static const char *orEmpty(const char *text) { return text ? text : ""; }

static TileCompileOptions defaultOptions() {
  TileCompileOptions options = {};
  options.structSize = sizeof(TileCompileOptions);
  options.output = TILE_OUTPUT_ARTIFACT;
  options.optimize = 1;
  options.versions = 1;
  return options;
}

void tileCompileOptionsInit(TileCompileOptions *options, size_t structSize) {
  TileCompileOptions defaults = defaultOptions();
  // A caller built against a newer header has a longer struct.
  if (structSize > sizeof(TileCompileOptions))
    std::memset(options, 0, structSize);
  defaults.structSize = structSize;
  std::memcpy(options, &defaults,
              std::min(structSize, sizeof(TileCompileOptions)));
}

/// The parts of a list separated by commas.
static std::vector<std::string> split(const char *text) {
  SmallVector<StringRef> parts;
  StringRef(orEmpty(text))
      .split(parts, ',', /*MaxSplit=*/-1,
             /*KeepEmpty=*/false);
  return {parts.begin(), parts.end()};
}

static FailureOr<std::string> compile(ModuleOp module,
                                      const TileCompileOptions &options) {
  CompileOptions compile;
  compile.arch = orEmpty(options.arch);
  compile.device = orEmpty(options.device);
  compile.optimize = options.optimize;
  compile.lineInfo = options.lineInfo;
  compile.ptxas = orEmpty(options.ptxas);
  compile.fastMath = options.fastMath;
  compile.hints = split(options.shapeHints);
  compile.tunables = split(options.tunables);
  std::optional<RoleChoice> roles = parseRoles(orEmpty(options.roles));
  if (!roles)
    return module.emitError() << "expected roles among auto, on and off, got '"
                              << options.roles << "'";
  compile.roles = *roles;
  compile.remarks = options.remarks;
  compile.versions = options.versions && options.output == TILE_OUTPUT_ARTIFACT;
  switch (options.output) {
  case TILE_OUTPUT_LLVM_IR:
    return compileToLLVMIR(module, compile);
  case TILE_OUTPUT_NVVM: {
    if (failed(lowerToNVVM(module, compile)))
      return failure();
    std::string text;
    llvm::raw_string_ostream(text) << module;
    return text;
  }
  case TILE_OUTPUT_PTX: {
    FailureOr<CompileResult> compiled = compileToPtx(module, compile);
    if (failed(compiled))
      return failure();
    return std::move(compiled->ptx);
  }
  case TILE_OUTPUT_CUBIN:
    return compileToCubin(module, compile);
  case TILE_OUTPUT_ARTIFACT: {
    FailureOr<runtime::Artifact> artifact = compileToArtifact(module, compile);
    if (failed(artifact))
      return failure();
    runtime::Result<std::string> bytes = artifact->serialize();
    if (bytes)
      return std::move(*bytes);
    return module.emitError() << bytes.message();
  }
  default:
    return module.emitError()
           << "expected an output among artifact, ptx, cubin, LLVM IR and "
              "nvvm, got "
           << options.output;
  }
}

/// The result, and what there is to say in `log`.
static FailureOr<std::string> compile(StringRef source,
                                      const TileCompileOptions &options,
                                      llvm::raw_ostream &log) {
  DialectRegistry registry;
  registerTileDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  auto sources = std::make_shared<llvm::SourceMgr>();
  const char *name = orEmpty(options.sourceName);
  // A copy: the parser wants a terminator that the caller need not have.
  if (llvm::Error error = checkNesting(source, *name ? name : "source")) {
    log << "error: " << llvm::toString(std::move(error)) << "\n";
    return failure();
  }
  sources->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(source, *name ? name : "source"),
      SMLoc());
  SourceDiagnostics diagnostics(*sources, &context, log, options.remarks);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return failure();
  return compile(*module, options);
}

int32_t tileCompile(const char *source, size_t length,
                    const TileCompileOptions *given, TileCompileResult **result,
                    char **diagnostics) {
  // A caller built against an older header has a shorter struct.
  TileCompileOptions options = defaultOptions();
  if (given)
    std::memcpy(&options, given,
                std::min(given->structSize, sizeof(TileCompileOptions)));
  std::string log;
  FailureOr<std::string> bytes = failure();
  {
    llvm::raw_string_ostream os(log);
    if (!source && length)
      os << "error: expected a source\n";
    else
      bytes = compile(StringRef(source, length), options, os);
  }
  if (diagnostics)
    *diagnostics = ::strdup(log.c_str());
  *result = nullptr;
  if (failed(bytes))
    return 1;
  *result = new TileCompileResult{std::move(*bytes)};
  return 0;
}

const char *tileCompileResultData(const TileCompileResult *result,
                                  size_t *size) {
  *size = result->bytes.size();
  return result->bytes.c_str();
}

void tileCompileResultDestroy(TileCompileResult *result) { delete result; }

void tileDiagnosticsDestroy(char *diagnostics) { std::free(diagnostics); }

const char *tileCompilerVersion(void) { return kCompilerVersion; }
