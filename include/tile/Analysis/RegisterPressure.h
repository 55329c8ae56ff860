//===- RegisterPressure.h - where a thread needs most registers -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_ANALYSIS_REGISTERPRESSURE_H
#define TILE_ANALYSIS_REGISTERPRESSURE_H

#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Target/TargetInfo.h"
#include <optional>

namespace mlir::tile {

/// The operation of a kernel at which a thread is estimated to hold most 32-bit
/// registers: those of the fragments that are alive there (from their first use
/// to their last, and throughout loops around a use that do not make them), and
/// what the operation itself holds (operands of mma.sync, elements of a copy on
/// their way). Addresses, counters and predicates are not counted.
struct RegisterPeak {
  Operation *op = nullptr;
  int64_t fragments = 0; ///< registers alive before and after `op`
  int64_t own = 0;       ///< registers of `op` itself
  int64_t registers() const { return fragments + own; }
};

/// 32-bit registers of a thread that elements laid out so take.
int64_t registersOf(const FragmentLayout &layout, Type element);

/// The same of a fragment; more than any thread has where it has no layout yet.
int64_t registersOfFragment(AllocOp fragment);

/// Whether a gemm uses a fragment or a view of it, or its accumulator in tensor
/// memory is copied there.
bool isFragmentOfGemm(Value fragment);

/// Whether a fragment, which has its layout, is kept in local memory and gone
/// through in loops: it alone has more registers than any thread. Those of
/// gemms are what instructions read and write, and are not.
bool isKeptInLocalMemory(AllocOp fragment, const TargetInfo &target);

/// What a thread has of local memory, as CUDA's limits say.
inline constexpr int64_t kLocalBytesPerThread = 512 << 10;

/// On the function that a kernel becomes: the peak's registers (i64), and its
/// location, for remarks of the assembler.
inline constexpr llvm::StringLiteral kPeakRegistersAttrName =
    "mlir_tile.peak_registers";
inline constexpr llvm::StringLiteral kPeakLocationAttrName =
    "mlir_tile.peak_location";

/// Of a kernel with layouts and plans; nullopt where it has no fragment.
/// Fragments in local memory do not count.
std::optional<RegisterPeak> findRegisterPeak(KernelOp kernel,
                                             const TargetInfo &target);

/// The same before layouts, of the fragments of gemms alone: each divided
/// evenly among `threads`. Others may end in local memory.
std::optional<RegisterPeak> estimateRegisterPeak(KernelOp kernel,
                                                 int64_t threads);

} // namespace mlir::tile
#endif // TILE_ANALYSIS_REGISTERPRESSURE_H
