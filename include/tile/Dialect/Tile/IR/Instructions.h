//===- Instructions.h - what passes ask of an instruction -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instruction that copies or multiplies tiles is a row of a table
// (Instructions.cpp): who issues it, how its end becomes known, which sides of
// a ring it is. Passes ask the row of what a plan names and compare no
// instructions; CONTRIBUTING.md lists the files that a new one touches.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_IR_INSTRUCTIONS_H
#define TILE_DIALECT_TILE_IR_INSTRUCTIONS_H

#include "tile/Dialect/Tile/IR/TileOps.h"
#include <optional>

namespace mlir::tile {

/// How the end of a copy becomes known.
enum class CopyCompletion {
  /// The copy has ended when its instructions have run.
  Issue,
  /// Each thread waits for groups of its own copies (cp.async.wait_group).
  ThreadGroups,
  /// A load signals an mbarrier; a store is in a bulk group of the one thread
  /// that issued it (cp.async.bulk.wait_group).
  Bulk
};

struct CopyTraits {
  CopyInstruction instruction;
  CopyCompletion completion;
  /// The asynchronous proxy makes the copy, one thread issues it for its agent;
  /// otherwise all threads copy elements of their own.
  bool byAsyncProxy;
  /// A tensor map on the host describes the global side.
  bool usesTensorMap;
  /// Plain loads and stores: the layout of the copy's loop says which thread
  /// touches which element, and a thread loads all of its elements before it
  /// stores the first.
  bool isPlain;
  /// A warp moves whole 8 x 8 matrices; threads hold rows in 32-bit words.
  bool movesMatrices;
  /// The instruction can combine elements into the target (`tile.atomic`).
  bool mayCombine;
  /// Loads and stores can carry an eviction policy of the L2 cache.
  bool takesCachePolicy;
  /// The producer side of the rings that the copy fills for its own agent, and
  /// of those that it fills for another role.
  RingProducer fills, fillsForRole;
  /// Registers of a thread for `bytes` of data on their way, in `runs` pieces.
  int64_t (*registersOnTheWay)(int64_t bytes, int64_t runs);
};

/// How the end of a gemm becomes known.
enum class MmaCompletion {
  /// The gemm has ended when its instructions have run.
  Issue,
  /// Each warpgroup waits for groups of its own gemms (wgmma.wait_group).
  WarpgroupGroups,
  /// The thread that issued it lets it signal an mbarrier (tcgen05.commit).
  Mbarrier
};

struct MmaTraits {
  MmaInstruction instruction;
  MmaCompletion completion;
  /// Operands in shared memory are read by the asynchronous proxy, by
  /// descriptors; otherwise threads load them into registers.
  bool readsByDescriptor;
  /// Operands are fragments of a warp, which loads those of one step of k at a
  /// time from shared memory.
  bool loadsOperandFragments;
  /// Accumulators are in tensor memory; otherwise in registers.
  bool usesTensorMemory;
  /// Whether C is read can be decided at run time (`accumulate(%flag)`).
  bool takesAccumulateFlag;
  /// The two blocks of a pair can multiply as one.
  bool worksInPairs;
  /// A plan may give it the operands swapped: it multiplies B^T A^T.
  bool swapsOperands;
  /// A is sparse; the instruction takes its metadata from registers.
  bool readsMetadata;
  /// The consumer side of the rings whose slots it reads.
  RingConsumer reader;
  /// The producer side of the rings of accumulators that it fills, if it can.
  std::optional<RingProducer> writer;

  bool isAsynchronous() const { return completion != MmaCompletion::Issue; }
};

/// Whether a copy's source and target are one region: nothing moves, and all
/// that can be done is to ask for the region in the L2 cache.
bool isPrefetch(TileMoveOpInterface move);

/// What is known of the instruction of `op`; null where it is no gemm.
const MmaTraits *gemmTraits(Operation *op);
/// The same of a move; null where `op` moves no tile.
const CopyTraits *moveTraits(Operation *op);
/// What reads `buffer` in `op`: gemms by their instruction, stores by the
/// asynchronous proxy, or threads.
RingConsumer readerOf(Operation *op, Value buffer);
/// Whether `op` reads a buffer through the asynchronous proxy (operands of
/// wgmma, the source of a tensor or bulk copy), or writes it so.
bool readsThroughAsyncProxy(Operation *op, Value buffer);
bool writesThroughAsyncProxy(Operation *op, Value buffer);

const CopyTraits &traitsOf(CopyInstruction instruction);
const MmaTraits &traitsOf(MmaInstruction instruction);
inline const CopyTraits &traitsOf(CopyPlanAttr plan) {
  return traitsOf(plan.getInstruction());
}
inline const MmaTraits &traitsOf(MmaPlanAttr plan) {
  return traitsOf(plan.getInstruction());
}
/// Before an instruction is chosen these are those of `scalar`, which anything
/// can be copied by, and of `fma`, which anything can be multiplied by.
const CopyTraits &traitsOf(TileMoveOpInterface move);
const MmaTraits &traitsOf(GemmOp gemm);

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_IR_INSTRUCTIONS_H
