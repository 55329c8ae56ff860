//===- Tile.cpp - the compiler's own part of the Python extension ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers dialects and passes with MLIR's bindings, and compiles modules.
// Everything goes through the C interface (tile-c/), so that this file needs no
// C++ header of LLVM.
//
//===----------------------------------------------------------------------===//
#include "TileDialect.h"
#include "mlir-c/Pass.h"
#include "tile-c/Compiler.h"
#include <memory>

using namespace nb::literals;

namespace {

struct ResultDeleter {
  void operator()(TileCompileResult *result) const {
    tileCompileResultDestroy(result);
  }
};

/// What tileCompile and tileCompileModule share: options and the result.
struct Compilation {
  TileCompileOptions options;
  std::unique_ptr<TileCompileResult, ResultDeleter> result;
  std::string diagnostics;
  int32_t status = 1;

  template <typename Run> void run(Run &&compile) {
    TileCompileResult *made = nullptr;
    char *text = nullptr;
    {
      nb::gil_scoped_release release;
      status = compile(&made, &text);
    }
    result.reset(made);
    diagnostics = text ? text : "";
    tileDiagnosticsDestroy(text);
  }
};

} // namespace

/// Compiles text, bytecode or a module; see compile.__doc__.
static nb::object compile(nb::object source, const std::string &arch,
                          const std::string &output, bool optimize,
                          bool lineInfo, bool remarks, const std::string &ptxas,
                          const std::string &sourceName, bool versions,
                          bool fastMath, const std::string &shapeHints,
                          const std::string &tunables, const std::string &roles,
                          const std::string &device, bool guards) {
  static const std::pair<const char *, TileOutput> kOutputs[] = {
      {"artifact", TILE_OUTPUT_ARTIFACT}, {"ptx", TILE_OUTPUT_PTX},
      {"cubin", TILE_OUTPUT_CUBIN},       {"llvmir", TILE_OUTPUT_LLVM_IR},
      {"nvvm", TILE_OUTPUT_NVVM},
  };
  Compilation compilation;
  TileCompileOptions &options = compilation.options;
  tileCompileOptionsInit(&options, sizeof options);
  options.output = -1;
  for (auto [name, value] : kOutputs)
    if (output == name)
      options.output = value;
  if (options.output < 0)
    throw nb::value_error(("expected an output among artifact, ptx, cubin, "
                           "llvmir and nvvm, got '" +
                           output + "'")
                              .c_str());
  options.arch = arch.c_str();
  options.optimize = optimize;
  options.lineInfo = lineInfo;
  options.remarks = remarks;
  options.ptxas = ptxas.c_str();
  options.sourceName = sourceName.c_str();
  options.versions = versions;
  options.fastMath = fastMath;
  options.shapeHints = shapeHints.c_str();
  options.tunables = tunables.c_str();
  options.roles = roles.c_str();
  options.device = device.c_str();
  options.guards = guards;

  if (nb::isinstance<nb::str>(source) || nb::isinstance<nb::bytes>(source)) {
    std::string text;
    if (nb::isinstance<nb::str>(source)) {
      text = nb::cast<std::string>(source);
    } else {
      auto bytes = nb::cast<nb::bytes>(source);
      text.assign(bytes.c_str(), bytes.size());
    }
    compilation.run([&](TileCompileResult **made, char **diagnostics) {
      return tileCompile(text.data(), text.size(), &options, made, diagnostics);
    });
  } else {
    MlirModule module = nb::cast<MlirModule>(source);
    compilation.run([&](TileCompileResult **made, char **diagnostics) {
      return tileCompileModule(module, &options, made, diagnostics);
    });
  }
  nb::object bytes = nb::none();
  if (!compilation.status) {
    size_t size = 0;
    const char *data = tileCompileResultData(compilation.result.get(), &size);
    bytes = nb::bytes(data, size);
  }
  return nb::make_tuple(bytes, compilation.diagnostics);
}

void populateExecution(nb::module_ &m); // Execution.cpp

NB_MODULE(_tile, m) {
  m.doc() = "The tile compiler: dialects, passes, compilation.";
  tileRegisterPasses();
  tile_python::bindAnalysis(m);
  m.def("register_dialects", &tileRegisterDialects, "registry"_a,
        "Adds the tile dialect and those that kernels use beside it.");
  m.def("compiler_version", &tileCompilerVersion,
        "Names the compiler and LLVM's version; part of every cache key.");
  m.def(
      "compile", &compile, "source"_a, nb::kw_only(), "arch"_a = "",
      "output"_a = "artifact", "optimize"_a = true, "line_info"_a = false,
      "remarks"_a = false, "ptxas"_a = "", "source_name"_a = "",
      "versions"_a = true, "fast_math"_a = false, "shape_hints"_a = "",
      "tunables"_a = "", "roles"_a = "", "device"_a = "", "guards"_a = true,
      "Compiles MLIR text, bytecode or a module. Returns a pair: the bytes of "
      "the output (None where it failed) and the diagnostics as text. Other "
      "Python threads run meanwhile; the module must not change.");
  populateExecution(m);
}
