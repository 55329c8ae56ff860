//===- Placement.h - attributes that place memory ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `--tile-place-shared-memory` decides, as attributes of the operations
// that it decides for, and that `--tile-insert-barriers` has run. These are
// discardable attributes of the dialect, typed and verified: without them a
// program means the same.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_IR_PLACEMENT_H
#define TILE_DIALECT_TILE_IR_PLACEMENT_H

#include "tile/Dialect/Tile/IR/TileOps.h"
#include <optional>

namespace mlir::tile {

/// On `tile.alloc`, `tile.ring.create` and `tile.cluster_reduce`, and on
/// operations that exchange values between threads through scratch memory: the
/// first byte in shared memory.
inline constexpr llvm::StringLiteral kOffsetAttrName = "tile.offset";
/// On `tile.ring.create`: the first byte of its mbarriers.
inline constexpr llvm::StringLiteral kMbarriersAttrName = "tile.mbarriers";
/// On `tile.cluster_reduce`: registers exchanged at a time, and whether they
/// are exchanged through the slots of a ring.
inline constexpr llvm::StringLiteral kExchangedAttrName = "tile.exchanged";
inline constexpr llvm::StringLiteral kInRingAttrName = "tile.in_ring";
/// On the kernel: bytes of shared memory; where the mbarriers of the cluster
/// and of tensor memory lie.
inline constexpr llvm::StringLiteral kSharedBytesPlacedAttrName =
    "tile.shared_bytes";
inline constexpr llvm::StringLiteral kClusterBarriersAttrName =
    "tile.cluster_barriers";
inline constexpr llvm::StringLiteral kTensorBarriersAttrName =
    "tile.tensor_barriers";

/// On the kernel: `--tile-insert-barriers` has run.
inline constexpr llvm::StringLiteral kHasBarriersAttrName = "tile.has_barriers";

/// The names above, for messages.
ArrayRef<StringRef> getPlacementAttributeNames();

/// Whether an attribute with one of the names above stands on an operation that
/// may have it, with a value of its type; nothing for other names.
std::optional<LogicalResult> verifyPlacementAttribute(Operation *op,
                                                      NamedAttribute attribute);

/// An i64 attribute of `op`; nothing where it is absent.
std::optional<int64_t> getPlacement(Operation *op, StringRef name);
void setPlacement(Operation *op, StringRef name, int64_t value);

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_IR_PLACEMENT_H
