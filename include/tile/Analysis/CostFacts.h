//===- CostFacts.h - what a kernel's blocks do, by number -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the facts of CostModel.h off a kernel as it was written (without
// tunables, before layouts) for given sizes of its arguments: instructions of
// gemms, bytes of copies, trip counts, shared memory, registers. Rewrites
// nothing.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_COSTFACTS_H
#define TILE_ANALYSIS_COSTFACTS_H

#include "tile/Analysis/CostModel.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <optional>
#include <tuple>

namespace mlir::tile::cost {

/// The extent that is assumed for an unknown dimension, and the range of a loop
/// with unknown bounds.
inline constexpr int64_t kDefaultExtent = 4096, kDefaultTrips = 16;

/// Per argument: sizes of a buffer, or the value of an integer scalar.
using ProblemSizes = SmallVector<SmallVector<int64_t>>;
/// The same by the argument's name, of one problem or of several.
using SizeHints = llvm::StringMap<SmallVector<SmallVector<int64_t>>>;

/// Problems to choose for: static sizes, else `hints`, else the argument's
/// `tile.shape_hint`, else the default. An argument with sizes of one problem
/// has them in all. An error at the kernel where a hint does not fit, or two
/// arguments have sizes of different numbers of problems.
FailureOr<SmallVector<ProblemSizes>> problemSizes(KernelOp kernel,
                                                  const SizeHints &hints);

/// Reads candidates of one kernel; what gemms of the same shapes become is
/// worked out once.
class FactsReader {
public:
  FactsReader(const TargetInfo &target, const DeviceInfo &device);

  /// Returns why the kernel is not possible, or nothing and the facts. `spec`:
  /// the same facts for any sizes, but for the device and `resident`; empty
  /// where it cannot say them (more loops or buffers than it has room for).
  /// What a launcher cannot compute is in it as it is for `sizes`.
  std::optional<std::string> read(KernelOp kernel, const ProblemSizes &sizes,
                                  KernelFacts &facts,
                                  runtime::CostSpec *spec = nullptr);

  /// What a gemm costs, and the registers it takes beside its fragments.
  struct GemmFacts {
    Work work;
    int64_t registers = 0;
    /// Registers of a thread that hold its fragments, and that one wgmma reads
    /// and writes (0: another instruction).
    int64_t held = 0, widest = 0;
    std::string refused;
  };
  const GemmFacts &gemm(GemmOp op);

  /// Registers of a thread beside fragments: addresses, loops, the epilogue. By
  /// ptxas: 168 where wgmma accumulates in 128, 228 where mma.sync accumulates
  /// in 128 with two sets of operands of 32.
  static constexpr int64_t kBaseRegisters = 32;

private:
  const TargetInfo &target;
  const DeviceInfo &device;
  std::map<std::tuple<void *, void *, void *, const void *, int64_t>, GemmFacts>
      gemms;
};

} // namespace mlir::tile::cost
#endif // TILE_ANALYSIS_COSTFACTS_H
