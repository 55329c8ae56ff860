//===- Case.h - one run, from files to report -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one command line of tile-run asks for, and the run itself: reads the
// files, fills the arguments, compiles for the target and runs there, compares
// with the reference. Options and batches are left to others.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TOOLS_TILE_RUN_CASE_H
#define TILE_TOOLS_TILE_RUN_CASE_H

#include "Report.h"
#include "RunCuda.h"
#include "mlir/IR/DialectRegistry.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"

namespace mlir::tile::run {

enum class Target { Cpu, Cuda };
/// Phase of the IR that the CPU executes.
enum class Stage { Source, Layouts, Copies, Scheduled, Barriers, Lowered };

struct Case {
  std::string input;  ///< tile IR, or an artifact
  std::string source; ///< tile IR that the input was made from; may be empty
  std::string kernel; ///< may be empty where there is one
  std::string args;   ///< `--args`
  /// Arguments that are saved after the run, as `C:c.npy`.
  std::vector<std::string> saves;
  Target target = Target::Cpu;
  std::optional<Stage> stage;
  std::string arch;   ///< empty: `device`'s, else sm_80, or that of the GPU
  std::string device; ///< name in DeviceInfo.h; empty: that of the GPU
  bool check = false;
  /// Values of tunables, as `bm=128`; the model chooses the others.
  std::vector<std::string> tunables;
  /// Measures so many of the best candidates; 0: the model chooses.
  unsigned tune = 0;
  unsigned repeats = 0;  ///< timed samples; 0: no timing
  bool launch = true;    ///< as in RunOptions
  unsigned workers = 0;  ///< threads of the CPU; 0: one for each core
  bool fastMath = false; ///< as in CompileOptions, like `roles`
  RoleChoice roles = RoleChoice::Auto;
  bool lazyAsync = false; ///< as in RunOptions, like `blocks`
  unsigned blocks = 0;
  /// Of Stage::Lowered: as in LoweredOptions.
  uint64_t seed = 1;
  bool optimize = true;
};

/// Runs the case and fills `report`. False where that was not possible, after
/// one diagnostic to `errors`; a comparison that fails is the report's.
bool runCase(const Case &which, const DialectRegistry &registry,
             CudaSession &cuda, Report &report, raw_ostream &prints,
             raw_ostream &errors);

} // namespace mlir::tile::run
#endif // TILE_TOOLS_TILE_RUN_CASE_H
