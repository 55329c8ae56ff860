//===- TileViewOp.cpp - buffers that allocate nothing ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tile.view`: memory with another shape or element type. `tile.from_address`:
// memory that begins at an address.
//
//===----------------------------------------------------------------------===//
#include "tile/Dialect/Tile/IR/Addresses.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/TileOps.h"

using namespace mlir;
using namespace mlir::tile;

/// Bits of the extents that are static; nullopt where they overflow.
static std::optional<int64_t> staticBits(MemRefType type) {
  int64_t bits = getStorageBits(type.getElementType());
  for (int64_t extent : type.getShape())
    if (!ShapedType::isDynamic(extent) && llvm::MulOverflow(bits, extent, bits))
      return std::nullopt;
  return bits;
}

static LogicalResult verifyPlaces(ViewOp view, MemRefType from, MemRefType to) {
  MemorySpace space = getMemorySpace(from);
  bool isTile = space == MemorySpace::Shared || space == MemorySpace::Fragment;
  if ((!isTile && space != MemorySpace::Global) ||
      from.getMemorySpace() != to.getMemorySpace() ||
      !from.getLayout().isIdentity() || !to.getLayout().isIdentity())
    return view.emitOpError()
           << "[view-1] expected two memrefs of global, shared or fragment "
              "memory without layout maps, got "
           << from << " and " << to;
  for (MemRefType type : {from, to})
    if (llvm::is_contained(
            type.getShape().drop_front(isTile ? 0 : !!type.getRank()),
            ShapedType::kDynamic))
      return view.emitOpError() << "[view-1] expected "
                                << (isTile ? "static shapes of tiles"
                                           : "static extents after the first")
                                << ", got " << type;
  for (MemRefType type : {from, to})
    if (!isStorageType(type.getElementType()))
      return view.emitOpError() << "[view-1] expected numbers as elements, got "
                                << type.getElementType();
  return success();
}

LogicalResult ViewOp::verify() {
  auto from = dyn_cast<MemRefType>(getSource().getType());
  auto to = dyn_cast<MemRefType>(getResult().getType());
  if (!from || !to)
    return emitOpError() << "[view-1] expected ranked memrefs, got "
                         << getSource().getType() << " and "
                         << getResult().getType();
  if (ringOf(getSource()))
    return emitOpError()
           << "[view-1] expected no slot of a ring, got a result of '"
           << getSource().getDefiningOp()->getName() << "'";
  if (failed(verifyPlaces(*this, from, to)))
    return failure();
  std::optional<int64_t> fromBits = staticBits(from), toBits = staticBits(to);
  // What a dynamic extent takes is left to the program.
  bool isOpen = to.getNumDynamicDims() || from.getNumDynamicDims();
  if (!fromBits || !toBits || (!isOpen && *fromBits != *toBits))
    return emitOpError() << "[view-2] expected equally many bits, got " << from
                         << " and " << to;
  if (from.getNumDynamicDims() && !to.getNumDynamicDims())
    return emitOpError() << "[view-2] expected a dynamic extent of the result "
                            "for those of "
                         << from << ", got " << to;
  Type element = from.getElementType(), seen = to.getElementType();
  if (element == seen)
    return success();
  if (isFragment(getSource()) || getStorageBits(element) < 8 ||
      getStorageBits(seen) < 8 || element.isInteger(1) || seen.isInteger(1))
    return emitOpError() << "[view-3] expected "
                         << (isFragment(getSource())
                                 ? "the element type of the fragment"
                                 : "element types of 8 bits or more")
                         << ", got " << from << " and " << to;
  return success();
}

Value ViewOp::getViewSource() { return getSource(); }

LogicalResult FromAddressOp::verify() {
  auto type = dyn_cast<MemRefType>(getResult().getType());
  if (!type || getMemorySpace(type) != MemorySpace::Global ||
      !type.getLayout().isIdentity() || !isStorageType(type.getElementType()) ||
      getStorageBits(type.getElementType()) % 8)
    return emitOpError() << "[from-address-1] expected a memref of global "
                            "memory without a layout map, of elements of whole "
                            "bytes, got "
                         << getResult().getType();
  if (getSizes().size() != static_cast<size_t>(type.getNumDynamicDims()))
    return emitOpError() << "[from-address-2] expected an operand for each of "
                         << type.getNumDynamicDims() << " dynamic extents, got "
                         << getSizes().size();
  return success();
}

/// As of kernels' tiles.
static constexpr int64_t kMaxEntryBytes = int64_t(1) << 24;

LogicalResult WorkspaceOp::verify() {
  auto type = dyn_cast<MemRefType>(getResult().getType());
  if (!type || getMemorySpace(type) != MemorySpace::Global ||
      !type.getLayout().isIdentity() || !isStorageType(type.getElementType()) ||
      getStorageBits(type.getElementType()) % 8 || type.getRank() < 1 ||
      !type.isDynamicDim(0) || type.getNumDynamicDims() != 1)
    return emitOpError()
           << "[workspace-1] expected a memref of global memory without a "
              "layout map, of elements of whole bytes, whose first extent "
              "alone is dynamic, got "
           << getResult().getType();
  int64_t bytes = getStorageBits(type.getElementType()) / 8;
  for (int64_t extent : type.getShape().drop_front()) {
    bytes = extent < 1 || extent > kMaxEntryBytes / bytes ? 0 : bytes * extent;
    if (!bytes)
      break;
  }
  if (auto count = static_cast<int64_t>(getPerBlock());
      count < 1 || !bytes || count > kMaxEntryBytes)
    return emitOpError() << "[workspace-2] expected `per_block` of 1 or more, "
                            "and entries of 1 to "
                         << kMaxEntryBytes << " bytes, got "
                         << static_cast<int64_t>(getPerBlock()) << " of "
                         << type;
  if (!isa_and_present<KernelOp>((*this)->getParentOp()))
    return emitOpError() << "[workspace-3] expected to stand in the body of a "
                            "kernel";
  return success();
}

int64_t WorkspaceOp::getBytesPerBlock() {
  MemRefType type = getMemRefType();
  int64_t bytes = getStorageBits(type.getElementType()) / 8;
  for (int64_t extent : type.getShape().drop_front())
    bytes *= extent;
  return bytes * static_cast<int64_t>(getPerBlock());
}

int64_t tile::getAlignment(FromAddressOp op) {
  auto type = cast<MemRefType>(op.getType());
  int64_t element = getStorageBits(type.getElementType()) / 8;
  auto stated = op->getAttrOfType<IntegerAttr>(kAlignmentAttrName);
  return stated ? std::max(element, stated.getInt()) : element;
}
