//===- ScheduleFacts.h - what a schedule says of itself ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes that the pass which knows something writes on an operation, so
// that later passes and the lowering ask. Here are their names, and who writes
// each. TileDialect checks what they may stand on; --tile-verify-rings compares
// arrivals with the program (R9). What a loop's conditions say is asked of
// `tile.iteration` (Iterations.h).
//
// Where an attribute is missing nothing is known, which is always correct.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_IR_SCHEDULEFACTS_H
#define TILE_DIALECT_TILE_IR_SCHEDULEFACTS_H

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
/// On the `tile.alloc` of a fragment of f16 or bf16: a copy out of f32 fills it
/// and copies only read it, so that a thread keeps two elements as one word.
/// Decides about registers, not about values. (--tile-delay-stores)
inline constexpr llvm::StringLiteral kPackedAttrName = "tile.packed";

/// On an `scf.for` of a thread that copies neighbouring elements of global
/// memory to shared memory: the copy may end later than the loop, at the next
/// barrier or arrival that orders what the thread has done. The program says
/// that no two such copies touch the same bytes before one of these.
inline constexpr llvm::StringLiteral kAsyncCopyAttrName = "tile.async_copy";

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

/// Whether a thread keeps two elements of a fragment, or of a view of it, as
/// one word.
bool isPackedFragment(Value fragment);
/// For TileDialect: an error where an attribute stands on something that it
/// cannot speak of; nullopt for other attributes.
std::optional<LogicalResult> verifyScheduleFact(Operation *op,
                                                NamedAttribute attribute);
/// The names above, for messages.
ArrayRef<StringRef> scheduleFactNames();

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_IR_SCHEDULEFACTS_H
