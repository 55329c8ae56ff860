//===- ViewedTiles.cpp - tiles that are views of one another --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "ViewedTiles.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Layout/Reshape.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tile;

void ViewedTiles::collect(KernelOp kernel) {
  kernel.getBodyRegion().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!getTileViewSource(op) || isGlobal(op->getResult(0)))
      return;
    Value viewed = getViewedTile(op->getResult(0));
    SmallVector<Value> &group = groups[viewed];
    if (group.empty())
      group.push_back(viewed);
    group.push_back(op->getResult(0));
  });
}

ArrayRef<Value> ViewedTiles::group(Value buffer) const {
  auto found = groups.find(getViewedTile(buffer));
  return found == groups.end() ? ArrayRef<Value>() : found->second;
}

OrRefusal<FragmentLayout> ViewedTiles::seenAs(const FragmentLayout &layout,
                                              Value other) {
  return reshaped(layout, cast<MemRefType>(other.getType()).getShape());
}

OrRefusal<SharedLayout> ViewedTiles::seenAs(const SharedLayout &layout,
                                            Value other) {
  auto type = cast<MemRefType>(other.getType());
  return tile::viewed(layout, type.getShape(),
                      getStorageBits(type.getElementType()));
}

/// Each from the viewed tile's layout, as lowering finds it.
template <typename LayoutT>
bool ViewedTiles::allSee(Value buffer, const LayoutT &layout) const {
  ArrayRef<Value> all = group(buffer);
  if (all.empty())
    return true;
  auto root = seenAs(layout, all.front());
  return root && llvm::all_of(all.drop_front(), [&](Value other) {
           return bool(seenAs(*root, other));
         });
}

bool ViewedTiles::fits(Value buffer, const FragmentLayout &layout) const {
  return allSee(buffer, layout);
}

bool ViewedTiles::fits(Value buffer, const SharedLayout &layout) const {
  return allSee(buffer, layout);
}

bool ViewedTiles::hasColumns(Value buffer) const {
  return llvm::any_of(group(buffer), [](Value other) {
    auto part = other.getDefiningOp<memref::SubViewOp>();
    return part && isColumns(part);
  });
}

/// A row of elements, `width` at a time dealt out to as many lanes and warps as
/// divide it; the other lanes and warps hold copies.
static FragmentLayout dealtOutRow(int64_t elements, int64_t width,
                                  int64_t threads) {
  int64_t allWarps = threads / kWarpSize;
  int64_t lanes = std::gcd(elements / width, kWarpSize);
  int64_t warps = std::gcd(elements / width / lanes, allWarps);
  int64_t all = width * lanes * warps;
  auto copies = [](int64_t n) { return Mode{n, Mode::kReplicated, 0}; };
  return FragmentLayout({elements}, {{width, 0, 1}, {elements / all, 0, all}},
                        {{lanes, 0, width}, copies(kWarpSize / lanes)},
                        {{warps, 0, width * lanes}, copies(allWarps / warps)})
      .canonicalized();
}

FragmentLayout ViewedTiles::dealtOut(Value buffer, int64_t threads) const {
  int64_t elements = cast<MemRefType>(buffer.getType()).getNumElements();
  for (int64_t width : {4, 1})
    if (elements % width == 0)
      if (auto layout = seenAs(dealtOutRow(elements, width, threads), buffer);
          layout && fits(buffer, *layout))
        return *layout;
  return *seenAs(FragmentLayout::replicated({elements}, threads), buffer);
}

void ViewedTiles::restate(LayoutConstraints &constraints) const {
  llvm::erase_if(constraints.alternatives, [&](LayoutAlternative &offered) {
    for (SharedDemand &demand : offered.shareds) {
      ArrayRef<Value> all = group(demand.buffer);
      if (all.empty() || demand.oneOf.empty())
        continue;
      SmallVector<SharedLayout> kept;
      for (const SharedLayout &layout : demand.oneOf)
        if (auto own = seenAs(layout, all.front());
            own && fits(all.front(), *own))
          kept.push_back(*own);
      if (kept.empty())
        return true;
      demand.buffer = all.front();
      demand.oneOf = std::move(kept);
    }
    return false;
  });
}
