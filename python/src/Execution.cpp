//===- Execution.cpp - programs for the CPU, for Python -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles for the CPU by the C interface (tile-c/Execution.h). Programs are
// launched by `_launch`, which reads the arguments (HostProgram.h).
//
//===----------------------------------------------------------------------===//
#include "tile-c/Execution.h"
#include "HostProgram.h"
#include "mlir/Bindings/Python/Nanobind.h"
#include "tile-c/Compiler.h"
#include <memory>
#include <string>

namespace nb = nanobind;
using namespace nb::literals;
using mlir::tile::python::HostProgram;
using mlir::tile::python::kProgramCapsule;

static void destroyProgram(void *data) noexcept {
  auto *host = static_cast<HostProgram *>(data);
  tileProgramDestroy(host->program);
  delete host;
}

/// See compile_program.__doc__.
static nb::object
compileProgram(nb::bytes source, const std::string &kind,
               const std::string &arch, const std::string &device,
               const std::string &sourceName, const std::string &shapeHints,
               const std::string &tunables, bool remarks, bool checkAccesses,
               bool poison, bool lazyAsync, int64_t blocks, bool allowAddresses,
               bool optimize, bool versions, bool fastMath,
               const std::string &roles, uint64_t seed) {
  TileProgramOptions options;
  tileProgramOptionsInit(&options, sizeof options);
  if (kind != "cpu" && kind != "lowered")
    throw nb::value_error(
        ("expected a kind of program, cpu or lowered, got '" + kind + "'")
            .c_str());
  options.kind = kind == "cpu" ? TILE_PROGRAM_CPU : TILE_PROGRAM_LOWERED;
  options.arch = arch.c_str();
  options.device = device.c_str();
  options.sourceName = sourceName.c_str();
  options.shapeHints = shapeHints.c_str();
  options.tunables = tunables.c_str();
  options.remarks = remarks;
  options.checkAccesses = checkAccesses;
  options.poison = poison;
  options.lazyAsync = lazyAsync;
  options.blocks = blocks;
  options.allowAddresses = allowAddresses;
  options.optimize = optimize;
  options.versions = versions;
  options.fastMath = fastMath;
  options.roles = roles.c_str();
  options.seed = seed;

  TileProgram *program = nullptr;
  char *text = nullptr;
  {
    const char *data = source.c_str();
    size_t size = source.size();
    nb::gil_scoped_release release;
    tileProgramCreate(data, size, &options, &program, &text);
  }
  std::string diagnostics = text ? text : "";
  tileDiagnosticsDestroy(text);
  if (!program)
    return nb::make_tuple(nb::none(), nb::list(), diagnostics);
  nb::capsule capsule(
      new HostProgram{program, tileProgramRun, tileDiagnosticsDestroy},
      kProgramCapsule, destroyProgram);
  nb::list manifests;
  for (size_t i = 0; i < tileProgramNumKernels(program); ++i)
    manifests.append(tileProgramManifest(program, i));
  return nb::make_tuple(capsule, manifests, diagnostics);
}

/// Adds what this file has to the module `_tile`.
void populateExecution(nb::module_ &m) {
  m.def("compile_program", &compileProgram, "source"_a, nb::kw_only(),
        "kind"_a = "cpu", "arch"_a = "", "device"_a = "", "source_name"_a = "",
        "shape_hints"_a = "", "tunables"_a = "", "remarks"_a = false,
        "check_accesses"_a = false, "poison"_a = false, "lazy_async"_a = false,
        "blocks"_a = 0, "allow_addresses"_a = false, "optimize"_a = true,
        "versions"_a = true, "fast_math"_a = false, "roles"_a = "",
        "seed"_a = 1,
        "Compiles MLIR text or bytecode to run on this machine's CPU: by the "
        "dialect's meaning ('cpu') or as checked lowered code ('lowered'). "
        "Returns the program for _launch.host_kernel (None where it failed), "
        "the manifest of each kernel as JSON, and the diagnostics as text. "
        "Other Python threads run meanwhile.");
  m.def(
      "arch_of_capability",
      [](int32_t major, int32_t minor) -> nb::object {
        const char *arch = tileArchOfCapability(major, minor);
        return arch ? nb::cast(arch) : nb::none();
      },
      "major"_a, "minor"_a,
      "Names the newest architecture that the compiler knows and a GPU of this "
      "compute capability runs, 'sm_90a'; None where there is none.");
  m.def("device_of_name", &tileDeviceOfName, "name"_a, "major"_a, "minor"_a,
        "multiprocessors"_a,
        "Names the figures that choices are made for, by the driver's name of "
        "a GPU: 'H200'; '' where nothing more is known of it.");
}
