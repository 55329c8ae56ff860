//===- LoopCost.h - cost of a loop's layout ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost function of free choices and the candidates it compares. The terms
// and their constants are explained in docs/Rationale/LayoutInference.md.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_ANALYSIS_LOOPCOST_H
#define TILE_LIB_ANALYSIS_LOOPCOST_H

#include "tile/Analysis/LayoutAnalysis.h"

namespace mlir::tile {

/// How an access of a loop walks through memory: byte stride per loop dimension
/// (absent: irregular), element size, and the dimension along which elements
/// are contiguous, if any.
struct MemoryWalk {
  bool isGlobal = false;
  unsigned elementBits = 8;
  SmallVector<std::optional<int64_t>> strides; // in bits, per loop dimension
  std::optional<unsigned> contiguousDim;
  /// Elements that rows are known to be aligned to, as far as strides are
  /// static; a power of two.
  int64_t alignedElements = 1;
};
/// The walk of an access to global or shared memory; nullopt for others.
std::optional<MemoryWalk> memoryWalk(const LoopDemand &loop,
                                     const LoopAccess &access);

/// Cost of moving a fragment between layouts, in cycles; infinite where it
/// cannot be done.
double conversionCost(const FragmentLayout &from, const FragmentLayout &to,
                      unsigned elementBits);

/// Cost of moving it through shared memory, whatever the layouts are.
double sharedTripCost(const FragmentLayout &from, const FragmentLayout &to,
                      unsigned elementBits);

/// Cost of reducing a fragment along `dim`.
double reductionCost(const FragmentLayout &source, unsigned dim);

/// Cost of executing a loop once in a layout, its memory traffic and work.
LayoutCost loopCost(ArrayRef<MemoryWalk> walks, const FragmentLayout &layout);

/// Registers of 32 bits that a fragment takes in each thread.
int64_t registersPerThread(const FragmentLayout &layout, unsigned elementBits);
/// Cost of `registers` per thread: nothing up to what lets so many blocks
/// reside.
double registerCost(int64_t registers, int64_t numThreads,
                    const TargetInfo &target, int64_t blocks = 2);

/// Layouts worth comparing, best guess first: blocked layouts by contiguous
/// dimension and vector width, then other grids of lanes and warps.
std::vector<FragmentLayout> loopCandidates(const LoopDemand &loop,
                                           ArrayRef<MemoryWalk> walks,
                                           int64_t numThreads);

/// Vector width (elements) for a walk along its contiguous dimension: 16 bytes,
/// or what the extent and the static strides allow.
int64_t preferredVector(const LoopDemand &loop, ArrayRef<MemoryWalk> walks,
                        unsigned dim);
/// Loop dimension that most bytes of memory traffic are contiguous along; the
/// last when none is.
unsigned preferredDim(const LoopDemand &loop, ArrayRef<MemoryWalk> walks);
/// Coalesced layout for a loop that touches memory only.
FragmentLayout coalescedLayout(const LoopDemand &loop,
                               ArrayRef<MemoryWalk> walks, int64_t numThreads);

} // namespace mlir::tile
#endif // TILE_LIB_ANALYSIS_LOOPCOST_H
