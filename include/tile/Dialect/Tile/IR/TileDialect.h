//===- TileDialect.h - the tile dialect, attributes, types ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_IR_TILEDIALECT_H
#define TILE_DIALECT_TILE_IR_TILEDIALECT_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "tile/Layout/FragmentLayout.h"
#include "tile/Layout/SharedLayout.h"

#include "tile/Dialect/Tile/IR/TileDialect.h.inc"
#include "tile/Dialect/Tile/IR/TileEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "tile/Dialect/Tile/IR/TileAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "tile/Dialect/Tile/IR/TileTypes.h.inc"

namespace mlir::memref {
class SubViewOp;
} // namespace mlir::memref

namespace mlir::tile {

/// Where a buffer lives.
enum class MemorySpace {
  Global,
  Shared,
  Fragment,
  Local,
  TensorMemory,
  Unknown
};
MemorySpace getMemorySpace(Type memrefType);
inline MemorySpace getMemorySpace(Value buffer) {
  return getMemorySpace(buffer.getType());
}
inline bool isGlobal(Value v) {
  return getMemorySpace(v) == MemorySpace::Global;
}
inline bool isShared(Value v) {
  return getMemorySpace(v) == MemorySpace::Shared;
}
inline bool isFragment(Value v) {
  return getMemorySpace(v) == MemorySpace::Fragment;
}
inline bool isTensorMemory(Value v) {
  return getMemorySpace(v) == MemorySpace::TensorMemory;
}
inline bool isLocal(Value v) { return getMemorySpace(v) == MemorySpace::Local; }
StringRef stringifyMemorySpace(MemorySpace space);

/// The layout attribute stated where a buffer was created (alloc, or the ring a
/// view comes from); null when absent.
FragmentLayoutAttr getFragmentLayout(Value buffer);
SharedLayoutAttr getSharedLayout(Value buffer);

/// The tile of which `op` shows the same memory under another shape
/// (`tile.view`), or in shared memory one slice along its first dimensions
/// (`memref.subview %t[%k, 0, 0] [1, M, N]`) or columns; null where `op` is
/// none of these.
Value getTileViewSource(Operation *op);

/// Whether a part of a tile in shared memory is columns of it that panels of
/// 128 bytes hold as a whole: `memref.subview %t[0, 64] [M, 128]` of f16.
bool isColumns(memref::SubViewOp part);

/// Element types that can be stored: f64 f32 f16 bf16, fp8, f4E2M1FN, i64 i32
/// i16 i8 i4 i1, index.
bool isStorageType(Type type);
/// Bits that an element takes in memory: i1 takes a byte, index 64 bits.
unsigned getStorageBits(Type type);

/// The most elements of one tile: more than any memory of a block holds, and
/// few enough that layouts can be enumerated.
inline constexpr int64_t kMaxTileElements = int64_t(1) << 24;
/// True when all extents are positive and their product is at most
/// kMaxTileElements.
bool isTileShape(ArrayRef<int64_t> extents);

/// Name of the module attribute that holds the TargetAttr.
inline constexpr llvm::StringLiteral kTargetAttrName = "tile.target";
inline constexpr llvm::StringLiteral kAlignmentAttrName = "tile.alignment";
/// The largest `tile.alignment`, in bytes: more than any allocator promises.
inline constexpr int64_t kMaxAlignment = int64_t(1) << 20;
inline constexpr llvm::StringLiteral kMayAliasAttrName = "tile.may_alias";
inline constexpr llvm::StringLiteral kShapeHintAttrName = "tile.shape_hint";
/// Dictionary, on a kernel, of what `tile-choose-tunables` chose.
inline constexpr llvm::StringLiteral kChosenAttrName = "tile.chosen";
/// On a kernel with tunables: how many combinations of them are compiled, for
/// the launcher to choose from; or which ones.
inline constexpr llvm::StringLiteral kVersionsAttrName = "tile.versions";
inline constexpr int64_t kMaxTunedVersions = 192;
/// On a kernel: what predicts how long its launches take, as
/// runtime::serializeCost writes it.
inline constexpr llvm::StringLiteral kCostAttrName = "tile.cost";

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_IR_TILEDIALECT_H
