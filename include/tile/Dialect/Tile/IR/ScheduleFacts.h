//===- ScheduleFacts.h - what a schedule says of itself ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes that the pass which knows something writes on an operation, so
// that later passes and the lowering ask instead of recognising `addi` and
// `cmpi`. Here are their names, and who writes each. TileDialect checks what
// they may stand on; --tile-verify-rings compares them with the program (R9,
// R23).
//
// Where an attribute is missing nothing is known, which is always correct.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_IR_SCHEDULEFACTS_H
#define TILE_DIALECT_TILE_IR_SCHEDULEFACTS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// On `tile.ring.create`, a dictionary: see RingArrivals.
inline constexpr llvm::StringLiteral kArrivalsAttrName = "tile.arrivals";
/// On `tile.ring.release`: threads have read the slot of a ring whose arrivals
/// are by warpgroups. The warps of each warpgroup meet before one thread
/// arrives for them. (--tile-count-arrivals)
inline constexpr llvm::StringLiteral kMeetAttrName = "tile.meet";
/// On `tile.gemm`: the flag of `accumulate(...)` is false in the first
/// iteration of the loop around, so that nothing needs what C holds in front of
/// that loop.
/// (--tile-clear-accumulators)
inline constexpr llvm::StringLiteral kClearFirstAttrName = "tile.clear_first";
/// On the `tile.alloc` of a fragment of f16 or bf16: a copy out of f32 fills it
/// and copies only read it, so that a thread keeps two elements as one word.
/// Decides about registers, not about values. (--tile-delay-stores)
inline constexpr llvm::StringLiteral kPackedAttrName = "tile.packed";
/// On `scf.for`: the loop was a pipelined one. It steps by one, and iteration i
/// has use i of the rings that it pipelines, or use b + i with a `b` from
/// outside the loop. (--tile-pipeline)
inline constexpr llvm::StringLiteral kRingLoopAttrName = "tile.ring_loop";
/// On `scf.if`, an integer n: the branch is taken where the loop around has an
/// iteration n after this one. (--tile-pipeline, --tile-prefetch-operands)
inline constexpr llvm::StringLiteral kIterationAheadAttrName =
    "tile.iteration_ahead";
/// On `scf.if`: the branch is taken where the first loop in it has an
/// iteration.
/// (--tile-schedule-gemms)
inline constexpr llvm::StringLiteral kGuardsLoopAttrName = "tile.guards_loop";
/// On `scf.for`: all its gemms are by wgmma and return tokens, and the loop
/// carries those of one iteration into the next. (--tile-schedule-gemms)
inline constexpr llvm::StringLiteral kGemmsInFlightAttrName =
    "tile.gemms_in_flight";
/// On a `tile.await`, a `tile.copy` into a tile of shared memory and one out of
/// it, the same number on the three: together they bring a piece of a result
/// out. The await is for the store that has read the tile before.
/// (--tile-schedule-stores)
inline constexpr llvm::StringLiteral kDeliveryAttrName = "tile.delivery";

//===----------------------------------------------------------------------===//
// What the mbarriers of a ring count
//===----------------------------------------------------------------------===//

/// Which threads of a consumer say at a release that a slot was read, and what
/// shows that those for whom they speak have.
enum class RingArrival : uint8_t {
  None,      // no thread: the tensor core arrives by itself (tcgen05.commit)
  Agent,     // one of the agent: it waited for its own store by TMA
  Warpgroup, // one of each warpgroup: a wgmma, or the warpgroup has met
  Warp       // one of each warp: the warp has met
};
StringRef stringify(RingArrival by);

/// The decision of --tile-count-arrivals for a ring that is signalled by
/// mbarriers, as `tile.arrivals = {by = "warpgroup", empty = 4, full = 1}`:
/// arrivals that complete a phase of the full and of the empty mbarrier of a
/// slot, from all agents and blocks.
struct RingArrivals {
  int64_t full = 1, empty = 1;
  RingArrival by = RingArrival::Warp;

  /// What is written on a ring; nullopt where nothing is.
  static std::optional<RingArrivals> of(RingCreateOp ring);
  void writeTo(RingCreateOp ring) const;
};

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

/// The branch that is taken where `loop`, which stands in it, has an iteration;
/// null where there is none, as with bounds that say so themselves.
scf::IfOp guardOf(scf::ForOp loop);
/// Whether `loop` has an iteration whenever it is reached.
bool runsAtLeastOnce(scf::ForOp loop);
/// Whether a thread keeps two elements of a fragment, or of a view of it, as
/// one word.
bool isPackedFragment(Value fragment);
/// How many iterations ahead of this one `branch` asks for; nullopt where it
/// asks for something else.
std::optional<int64_t> iterationsAhead(scf::IfOp branch);

/// Whether `use` is numbered as the iterations of a ring loop are: i, or b + i.
bool countsWithLoop(scf::ForOp loop, Value use);
/// The number of such a use in iteration `iteration`.
Value useInIteration(OpBuilder &builder, scf::ForOp loop, Value use,
                     Value iteration);

/// For TileDialect: an error where an attribute stands on something that it
/// cannot speak of; nullopt for other attributes.
std::optional<LogicalResult> verifyScheduleFact(Operation *op,
                                                NamedAttribute attribute);
/// The names above, for messages.
ArrayRef<StringRef> scheduleFactNames();

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_IR_SCHEDULEFACTS_H
