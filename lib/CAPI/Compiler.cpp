//===- Compiler.cpp - C interface of the compiler -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile-c/Compiler.h"
#include "Source.h"
#include "tile/Pipelines/Compile.h"
#include "tile/Pipelines/RoleOption.h"
#include "tile/Target/ArtifactBuilder.h"
#include "tile/Target/DeviceInfo.h"
#include "tile/Target/TargetInfo.h"
#include <cstdlib>

using namespace mlir;
using namespace mlir::tile;
using capi::orEmpty;
using capi::split;

struct TileCompileResult {
  std::string bytes;
};

static TileCompileOptions defaultOptions() {
  TileCompileOptions options = {};
  options.structSize = sizeof(TileCompileOptions);
  options.output = TILE_OUTPUT_ARTIFACT;
  options.optimize = 1;
  options.versions = 1;
  options.guards = 1;
  return options;
}

void tileCompileOptionsInit(TileCompileOptions *options, size_t structSize) {
  capi::initOptions(options, defaultOptions(), structSize);
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
  compile.guards = options.guards;
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

int32_t tileCompile(const char *source, size_t length,
                    const TileCompileOptions *given, TileCompileResult **result,
                    char **diagnostics) {
  TileCompileOptions options = capi::readOptions(given, defaultOptions());
  std::string log, bytes;
  llvm::raw_string_ostream os(log);
  LogicalResult compiled = capi::withModule(
      StringRef(source, length), options.sourceName, options.remarks, os,
      [&](ModuleOp module) -> LogicalResult {
        FailureOr<std::string> output = compile(module, options);
        if (failed(output))
          return failure();
        bytes = std::move(*output);
        return success();
      });
  if (diagnostics)
    *diagnostics = capi::copyText(log);
  *result = nullptr;
  if (failed(compiled))
    return 1;
  *result = new TileCompileResult{std::move(bytes)};
  return 0;
}

const char *tileCompileResultData(const TileCompileResult *result,
                                  size_t *size) {
  if (size)
    *size = result->bytes.size();
  return result->bytes.c_str();
}

void tileCompileResultDestroy(TileCompileResult *result) { delete result; }

void tileDiagnosticsDestroy(char *diagnostics) { std::free(diagnostics); }

const char *tileArchOfCapability(int32_t major, int32_t minor) {
  // Names are parts of tables that live as long as the library.
  if (major < 0 || minor < 0)
    return nullptr;
  const TargetInfo *best =
      TargetInfo::newestFor(static_cast<unsigned>(major * 10 + minor));
  return best ? best->arch.data() : nullptr;
}

const char *tileDeviceOfName(const char *name, int32_t major, int32_t minor,
                             int32_t multiprocessors) {
  // Nothing is known of it.
  if (major < 0 || minor < 0 || (!*orEmpty(name) && multiprocessors <= 0))
    return "";
  const DeviceInfo *device =
      DeviceInfo::find(orEmpty(name), static_cast<unsigned>(major * 10 + minor),
                       multiprocessors);
  return device ? device->name.data() : "";
}

const char *tileCompilerVersion(void) { return kCompilerVersion; }
