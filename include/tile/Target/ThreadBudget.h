//===- ThreadBudget.h - how many registers a thread has ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers of a thread at launch, of a thread of each role, and what has
// to be left beside fragments. Passes, the cost model and the lowering ask
// here, so that they cannot disagree. Plain C++ without IR: tested by numbers.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TARGET_THREADBUDGET_H
#define TILE_TARGET_THREADBUDGET_H

#include "tile/Target/TargetInfo.h"

namespace mlir::tile {

/// Threads of the warpgroup that issues copies, added to the kernel's own.
inline constexpr int64_t kProducerThreads = 128;

/// Registers of a thread beside accumulators and results that both are alive:
/// addresses, counters, descriptors, and what ptxas needs to shuffle (128x256
/// tiles with 232 registers and 64 of results do not spill).
inline constexpr int64_t kRegistersBesideFragments = 40;
/// The same of a role whose other fragments may spill: with fewer beside those
/// of its gemms ptxas serializes wgmma (C7512), which costs more than what the
/// producers spill.
inline constexpr int64_t kRegistersBesideGemms = 32;
/// The same where several blocks share a multiprocessor, whose epilogues
/// convert accumulators that die as results come (192 of both do with 154
/// registers).
inline constexpr int64_t kRegistersBesideDyingFragments = 24;
/// The fewest beside the accumulators of wgmma with which ptxas compiles it:
/// ptxas 13.0 asks for 154 registers where those are 128 (C7602).
inline constexpr int64_t kRegistersBesideWgmma = 26;
/// Registers that a loop of products by mma.sync takes for addresses of shared
/// memory, where each is kept through the loop: one for each operand and copy,
/// and for each of its rows that a swizzle moves.
inline constexpr int64_t kRegistersForPlaces = 56;
/// What the cost model counts on for a thread that issues copies.
inline constexpr int64_t kRegistersOfProducer = 40;

/// What the threads of two roles need of their registers.
struct RoleDemand {
  int64_t copies = 0;    ///< producers, to copy by all threads; 0: one issues
  int64_t fragments = 0; ///< consumers, of fragments alive at a time
  int64_t gemms = 0;     ///< consumers, of fragments that gemms read and write
};

/// Registers of a thread of each role, zeros where nothing is redistributed;
/// and for how many blocks on a multiprocessor.
struct RoleRegisters {
  int64_t producer = 0, consumer = 0;
  int64_t blocks = 1;
};

class ThreadBudget {
public:
  explicit ThreadBudget(const TargetInfo &target) : target(target) {}

  /// A thread's part of the register file when `blocks` of `threads` each share
  /// a multiprocessor.
  int64_t share(int64_t threads, int64_t blocks = 1) const;

  /// What a launch gives a thread: the part in steps of 8 that the hardware
  /// allocates.
  int64_t launched(int64_t threads, int64_t blocks = 1) const;

  /// The most that a thread of `consumers` can get when `blocks` share a
  /// multiprocessor: with roles, what the producers do not keep.
  int64_t consumer(int64_t consumers, bool hasRoles, int64_t blocks = 1) const;

  /// Blocks that the register file holds.
  int64_t blocks(int64_t registers, int64_t consumers, bool hasRoles) const;

  /// How a launch of `threads`, producers included, is redistributed, for as
  /// many of `blocks` on a multiprocessor as have registers for their gemms.
  RoleRegisters roles(int64_t threads, int64_t blocks,
                      const RoleDemand &demand) const;

private:
  RoleRegisters redistribute(int64_t threads, int64_t blocks,
                             const RoleDemand &demand) const;

  const TargetInfo &target;
};

} // namespace mlir::tile
#endif // TILE_TARGET_THREADBUDGET_H
