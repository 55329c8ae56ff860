//===- Dependence.h - what operations touch, and what overlaps --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions that scheduling asks of memory: which buffers an operation (its
// regions included) reads and writes, whether two buffers may overlap, and
// whether a copy in a loop may run ahead of the iteration it stands in.
// Nothing here rewrites. Granularity is the buffer: regions only decide whether
// a write covers a whole buffer.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_DEPENDENCE_H
#define TILE_ANALYSIS_DEPENDENCE_H

#include "tile/Dialect/Tile/IR/Aliasing.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "llvm/ADT/SetVector.h"
#include <optional>
#include <string>

namespace mlir::tile {

/// A buffer in words for diagnostics: the kernel argument's name in quotes, or
/// "the shared buffer".
std::string describeBuffer(Value buffer);

/// One access by one operation.
struct OpAccess {
  Operation *op;
  TileAccess access;
};

/// Whether `op` is a loop over a tile that loads or stores with `order`, or
/// with one that includes it: it takes what others have written (acquire), or
/// hands it over (release). False for null.
bool holdsAccessOf(Operation *op, MemoryOrder order);

/// Appends the accesses of `root` and of everything nested in it, through
/// TileOpInterface, else through memory effects; `tile.await` has those of the
/// operations that it waits for. Returns an operation whose effects are unknown
/// (it may touch anything, or orders what others touch), or null.
Operation *collectAccesses(Operation *root,
                           SmallVectorImpl<OpAccess> &accesses);
Operation *collectAccesses(Block &block, SmallVectorImpl<OpAccess> &accesses);

/// Adds all operations that use `buffer` or a view of it, and the awaits of
/// those that are asynchronous. After all of them nothing uses the buffer any
/// more. Returns the operation through which a token is lost; null where there
/// is none.
Operation *collectUses(Value buffer, SmallVectorImpl<Operation *> &uses);

/// True when the access writes each element of its buffer.
bool coversWholeBuffer(const TileAccess &access);

/// True when `op` overwrites all of `buffer` and reads none of it.
bool overwrites(Operation *op, Value buffer);

/// The outermost loop around `reader` that neither writes nor allocates
/// `buffer`: what `reader` sees of it can be prepared before that loop, once.
/// `reader` itself where there is no such loop.
Operation *hoistedReader(Operation *reader, Value buffer);

/// Why a copy may not run ahead; `note` (when set) points at the cause.
struct Conflict {
  std::string reason;
  std::string advice; ///< what to write so that it can
  Operation *noteOp = nullptr;
  std::string note = {};
};

/// A copy that may run ahead of its iteration, and what it takes with it.
struct AheadCopy {
  TileMoveOpInterface copy;
  /// Operations of the loop body that the copy's operands are computed by, in
  /// body order; they may be executed again earlier (pure, or reads of memory
  /// the loop does not write).
  llvm::SetVector<Operation *> slice;
};

/// The copies from global memory to `tile`, a whole shared allocation, in
/// `body` itself, where each fills a part of it at constant offsets, no two the
/// same elements, and all of them fill all of it; else none. In body order.
SmallVector<TileMoveOpInterface> partsOf(Value tile, Block &body);

/// Decides whether `copy` may be issued iterations ahead of the one it stands
/// in, into storage of its own per iteration: `body` is the loop's body.
/// - it copies global memory over a whole shared allocation, or is one of
///   several that do together (`partsOf`), which have to run ahead together;
/// - RAW, WAW within the loop: everything else in the loop that touches the
///   allocation follows these copies, so that no value survives an iteration;
/// - RAW out of the loop: nothing after the loop reads the allocation's last
///   contents;
/// - RAW into the loop: nothing in the body writes what the copy, or the
///   computation of its operands, reads.
std::optional<Conflict> whyNotAhead(TileMoveOpInterface copy, Block &body,
                                    ArrayRef<OpAccess> bodyAccesses,
                                    Operation *unknown, AheadCopy &result);

} // namespace mlir::tile
#endif // TILE_ANALYSIS_DEPENDENCE_H
