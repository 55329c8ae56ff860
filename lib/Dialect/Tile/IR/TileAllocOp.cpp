//===- TileAllocOp.cpp - buffers of a kernel ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "TileTunables.h"

using namespace mlir;
using namespace mlir::tile;

LogicalResult AllocOp::verify() {
  auto type = dyn_cast<MemRefType>(getResult().getType());
  bool isOpen = type && isOpenTile(getResult());
  if (!type || !(type.hasStaticShape() || isOpen) ||
      !type.getLayout().isIdentity())
    return emitOpError()
           << "[alloc-1] expected a memref of static shape without "
              "a layout map, got "
           << getResult().getType();
  if (static_cast<int64_t>(getDynamicExtents().size()) !=
      static_cast<int64_t>(type.getNumDynamicDims()))
    return emitOpError() << "[alloc-1] expected an operand for each extent "
                            "that is open, "
                         << type.getNumDynamicDims() << ", got "
                         << getDynamicExtents().size();
  MemorySpace space = getMemorySpace(type);
  if (space == MemorySpace::Global || space == MemorySpace::Unknown)
    return emitOpError() << "[alloc-2] expected shared, fragment, local or "
                            "tensor memory, got "
                         << type;
  if (!isStorageType(type.getElementType()))
    return emitOpError() << "[alloc-6] expected a number as element type, got "
                         << type.getElementType();
  if (!isTileShape(closeExtents(type.getShape())))
    return emitOpError() << "[alloc-7] expected positive extents of product at "
                            "most "
                         << kMaxTileElements << ", got " << type;
  Attribute layout = getLayoutAttr();
  if (!layout)
    return success();
  if (auto fragment = dyn_cast<FragmentLayoutAttr>(layout)) {
    if (space != MemorySpace::Fragment)
      return emitOpError() << "[alloc-3] expected a fragment layout on a "
                              "fragment only, got "
                           << type;
    if (fragment.getShape() != type.getShape())
      return emitOpError()
             << "[alloc-3] expected a layout of the buffer's shape " << type
             << ", got " << fragment;
    auto kernel = (*this)->getParentOfType<KernelOp>();
    int64_t threads = fragment.getLayout().numThreads();
    if (kernel && threads != getFragmentThreads(getResult()))
      return emitOpError() << "[alloc-5] expected a layout over "
                           << getFragmentThreads(getResult())
                           << " threads, got " << threads;
    return success();
  }
  auto shared = cast<SharedLayoutAttr>(layout);
  if (space != MemorySpace::Shared)
    return emitOpError() << "[alloc-3] expected a shared layout on a shared "
                            "buffer only, got "
                         << type;
  if (shared.getShape() != type.getShape())
    return emitOpError() << "[alloc-3] expected a layout of the buffer's shape "
                         << type << ", got " << shared;
  int64_t bits = getStorageBits(type.getElementType());
  if (shared.getElementBits() != bits)
    return emitOpError() << "[alloc-4] expected a layout of " << bits
                         << "-bit elements, got " << shared.getElementBits();
  if (!shared.getLayout().isInjective())
    return emitOpError() << "[alloc-4] expected a layout that puts each "
                            "element in a place of "
                            "its own, got "
                         << shared;
  return success();
}

void AllocOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(),
                       cast<OpResult>(getResult()));
}

SmallVector<MemRefType> AllocOp::getTileTypes() {
  return {cast<MemRefType>(getResult().getType())};
}
SmallVector<SharedLayoutAttr> AllocOp::getSharedLayouts() {
  if (SharedLayoutAttr layout = getSharedLayout(getResult()))
    return {layout};
  return {};
}
