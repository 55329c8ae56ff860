//===- LayoutConstraints.cpp - demands of loops, copies, reductions -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each operation demands of layouts. The gemm's demands, which depend on
// the target's instructions, are in GemmConstraints.cpp.
//
//===----------------------------------------------------------------------===//
#include "tile/Dialect/Tile/IR/LayoutConstraints.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "tile/Dialect/Tile/IR/TileOps.h"

using namespace mlir;
using namespace mlir::tile;

namespace {

/// The access of a region of `operand`: its extents other than one are the
/// loop's dimensions, in order.
LoopAccess regionAccess(OpOperand &operand, OperandRange offsets,
                        ArrayRef<int64_t> extents, bool isWrite,
                        bool isAtomic) {
  LoopAccess access;
  access.operand = &operand;
  access.isRead = !isWrite || isAtomic;
  access.isWrite = isWrite;
  access.isAtomic = isAtomic;
  size_t loopRank = llvm::count_if(extents, [](int64_t e) { return e != 1; });
  size_t next = 0;
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    LoopIndex index;
    index.coefficients.assign(std::max<size_t>(loopRank, 1), 0);
    if (extent != 1)
      index.coefficients[next++] = 1;
    if (!offsets.empty()) {
      APInt offset;
      if (matchPattern(offsets[dim], m_ConstantInt(&offset)))
        index.constant = offset.getSExtValue();
      else
        index.uniforms.push_back(offsets[dim]);
    }
    access.indices.push_back(std::move(index));
  }
  return access;
}

SmallVector<int64_t> loopShape(ArrayRef<int64_t> tileShape) {
  if (tileShape.empty())
    return {1};
  return llvm::to_vector(tileShape);
}

template <typename OpT> LoopDemand copyLoop(OpT op, bool isAtomic) {
  LoopDemand loop;
  loop.shape = loopShape(op.getTileShape());
  loop.accesses.push_back(
      regionAccess(op.getSourceMutable(), op.getSourceOffsets(),
                   op.getSourceExtents(), /*isWrite=*/false, false));
  loop.accesses.push_back(
      regionAccess(op.getTargetMutable(), op.getTargetOffsets(),
                   op.getTargetExtents(), /*isWrite=*/true, isAtomic));
  loop.stated = op.getLayoutAttr();
  return loop;
}

std::optional<int64_t> optionalWidth(std::optional<uint64_t> width) {
  return width ? std::optional<int64_t>(*width) : std::nullopt;
}

/// The access of a tile's rows to a buffer that has them along `rowDim`, and
/// their elements, where `hasColumns`, along its last dimension.
LoopAccess rowsAccess(OpOperand &operand, unsigned rowDim, bool hasColumns,
                      bool isWrite) {
  LoopAccess access;
  access.operand = &operand;
  access.isRead = !isWrite;
  access.isWrite = isWrite;
  auto type = cast<MemRefType>(operand.get().getType());
  access.indices.resize(type.getRank());
  for (LoopIndex &index : access.indices)
    index.coefficients.assign(2, 0);
  access.indices[rowDim].coefficients[0] = 1;
  if (hasColumns)
    access.indices.back().coefficients[1] = 1;
  return access;
}

/// Rows of the global side lie where only the operation knows. What matters
/// here, that the elements of a row are neighbours and rows are not, is as if
/// the rows were those of the buffer's last dimension but one.
template <typename OpT> LoopDemand rowsLoop(OpT op, bool isStore) {
  LoopDemand loop;
  loop.shape = op.getTileShape();
  for (bool isTarget : {false, true}) {
    OpOperand &operand =
        isTarget ? op.getTargetMutable() : op.getSourceMutable();
    LoopAccess access = rowsAccess(
        operand, cast<MemRefType>(operand.get().getType()).getRank() - 2,
        /*hasColumns=*/true, isTarget);
    if (isTarget == isStore)
      for (LoopIndex &index : access.indices)
        index.uniforms.push_back(Value());
    loop.accesses.push_back(std::move(access));
  }
  loop.stated = op.getLayoutAttr();
  loop.coalescedWidth = optionalWidth(op.getCoalescedWidth());
  return loop;
}

template <typename OpT> LoopDemand indexedLoop(OpT op, bool isStore) {
  LoopDemand loop = rowsLoop(op, isStore);
  // From memory each row's index is read once, whoever moves the row.
  if (!isFragment(op.getIndices()))
    return loop;
  LoopAccess names = rowsAccess(op.getIndicesMutable(), /*rowDim=*/0,
                                /*hasColumns=*/false, /*isWrite=*/false);
  APInt first;
  if (matchPattern(op.getFirst(), m_ConstantInt(&first)))
    names.indices.front().constant = first.getSExtValue();
  else
    names.indices.front().uniforms.push_back(op.getFirst());
  loop.accesses.push_back(std::move(names));
  return loop;
}

} // namespace

void Im2colOp::getLayoutConstraints(LayoutConstraints &constraints) {
  constraints.loop(rowsLoop(*this, /*isStore=*/false));
}

void GatherOp::getLayoutConstraints(LayoutConstraints &constraints) {
  constraints.loop(indexedLoop(*this, /*isStore=*/false));
}

void ScatterOp::getLayoutConstraints(LayoutConstraints &constraints) {
  constraints.loop(indexedLoop(*this, /*isStore=*/true));
}

void CopyOp::getLayoutConstraints(LayoutConstraints &constraints) {
  LoopDemand loop = copyLoop(*this, /*isAtomic=*/false);
  loop.coalescedWidth = optionalWidth(getCoalescedWidth());
  bool converts = cast<MemRefType>(getSource().getType()).getElementType() !=
                  cast<MemRefType>(getTarget().getType()).getElementType();
  loop.realigns = isGlobal(getSource()) &&
                  (isShared(getTarget()) ? !converts : isFragment(getTarget()));
  constraints.loop(std::move(loop));
}

void ClusterCopyOp::getLayoutConstraints(LayoutConstraints &constraints) {
  LoopDemand loop = copyLoop(*this, /*isAtomic=*/false);
  loop.coalescedWidth = optionalWidth(getCoalescedWidth());
  constraints.loop(std::move(loop));
}

void AtomicOp::getLayoutConstraints(LayoutConstraints &constraints) {
  constraints.loop(copyLoop(*this, /*isAtomic=*/true));
}

void FillOp::getLayoutConstraints(LayoutConstraints &constraints) {
  LoopDemand loop;
  SmallVector<int64_t> tile;
  for (int64_t extent : getExtents())
    if (extent != 1)
      tile.push_back(extent);
  loop.shape = loopShape(tile);
  loop.accesses.push_back(regionAccess(getTargetMutable(), getOffsets(),
                                       getExtents(), /*isWrite=*/true, false));
  loop.stated = getLayoutAttr();
  constraints.loop(std::move(loop));
}

void ParallelOp::getLayoutConstraints(LayoutConstraints &constraints) {
  LoopDemand loop;
  loop.shape = llvm::to_vector(getExtents());
  loop.stated = getLayoutAttr();
  loop.coalescedWidth = optionalWidth(getCoalescedWidth());
  ValueRange ivs = getBodyRegion().getArguments();
  auto add = [&](OpOperand &operand, ValueRange indices, bool isRead,
                 bool isWrite, bool isAtomic) {
    LoopAccess access;
    access.operand = &operand;
    access.isRead = isRead;
    access.isWrite = isWrite;
    access.isAtomic = isAtomic;
    for (Value index : indices)
      access.indices.push_back(analyzeLoopIndex(index, ivs));
    loop.accesses.push_back(std::move(access));
  };
  getBodyRegion().walk([&](Operation *op) {
    if (auto load = dyn_cast<memref::LoadOp>(op))
      add(load.getMemrefMutable(), load.getIndices(), true, false, false);
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      add(store.getMemrefMutable(), store.getIndices(), false, true, false);
    else if (auto rmw = dyn_cast<memref::AtomicRMWOp>(op))
      add(rmw.getMemrefMutable(), rmw.getIndices(), true, true, true);
    else if (auto load = dyn_cast<AtomicLoadOp>(op))
      add(load.getMemrefMutable(), load.getIndices(), true, true, true);
    else if (auto store = dyn_cast<AtomicStoreOp>(op))
      add(store.getMemrefMutable(), store.getIndices(), true, true, true);
  });
  constraints.loop(std::move(loop));
}

void ReduceOp::getLayoutConstraints(LayoutConstraints &constraints) {
  auto from = cast<MemRefType>(getSource().getType());
  auto to = cast<MemRefType>(getTarget().getType());
  bool accumulates = getAccumulate();
  constraints.needsFragment(getSourceMutable(), /*reads=*/true,
                            /*writes=*/false);
  constraints.needsFragment(getTargetMutable(), accumulates, /*writes=*/true);
  constraints.slice(getSourceMutable(), getTargetMutable(), getDim(),
                    /*keepDim=*/from.getRank() == to.getRank(), accumulates);
}

/// A loop over whole tiles of one shape.
static LoopDemand wholeLoop(MutableOperandRange reads,
                            MutableOperandRange writes,
                            FragmentLayoutAttr stated) {
  Operation *op = reads.getOwner();
  ArrayRef<int64_t> shape =
      cast<MemRefType>(reads[0].get().getType()).getShape();
  LoopDemand loop;
  for (int64_t extent : shape)
    if (extent != 1)
      loop.shape.push_back(extent);
  loop.shape = loopShape(loop.shape);
  auto none = op->getOperands().take_front(0);
  for (OpOperand &operand : reads)
    loop.accesses.push_back(
        regionAccess(operand, none, shape, /*isWrite=*/false, false));
  for (OpOperand &operand : writes)
    loop.accesses.push_back(
        regionAccess(operand, none, shape, /*isWrite=*/true, false));
  loop.stated = stated;
  return loop;
}

// Who holds an element combines it: source and target lie alike.
void ScanOp::getLayoutConstraints(LayoutConstraints &constraints) {
  constraints.loop(wholeLoop(MutableOperandRange(*this, 0, 1),
                             MutableOperandRange(*this, 1, 1),
                             getLayoutAttr()));
}

void ScanWithOp::getLayoutConstraints(LayoutConstraints &constraints) {
  constraints.loop(
      wholeLoop(getSourcesMutable(), getTargetsMutable(), getLayoutAttr()));
}

// Elements that are combined together lie alike.
void ReduceWithOp::getLayoutConstraints(LayoutConstraints &constraints) {
  MutableOperandRange none(*this, 0, 0);
  constraints.loop(wholeLoop(getSourcesMutable(), none, getLayoutAttr()));
  for (auto [from, to] : llvm::zip(getSourcesMutable(), getTargetsMutable())) {
    OpOperand &source = from, &target = to;
    constraints.needsFragment(source, /*reads=*/true, /*writes=*/false);
    constraints.needsFragment(target, getAccumulate(), /*writes=*/true);
    bool keepDim = cast<MemRefType>(source.get().getType()).getRank() ==
                   cast<MemRefType>(target.get().getType()).getRank();
    constraints.slice(source, target, getDim(), keepDim, getAccumulate());
  }
}

// They are other operations by then.
void SortOp::getLayoutConstraints(LayoutConstraints &constraints) {
  constraints.refuse("run --tile-expand-operations before");
}
void TopKOp::getLayoutConstraints(LayoutConstraints &constraints) {
  constraints.refuse("run --tile-expand-operations before");
}
void ClusterGatherOp::getLayoutConstraints(LayoutConstraints &constraints) {
  constraints.refuse("run --tile-expand-operations before");
}

// Every block has the same layout, so that registers meet registers.
void ClusterReduceOp::getLayoutConstraints(LayoutConstraints &constraints) {
  constraints.needsFragment(getTargetMutable(), /*reads=*/true,
                            /*writes=*/true);
}

// Formed where layouts are known.
void ClusterPartOp::getLayoutConstraints(LayoutConstraints &) {}

// The conversion joins two layouts that others determine.
void ConvertLayoutOp::getLayoutConstraints(LayoutConstraints &) {}

// Any layout can be printed.
void PrintOp::getLayoutConstraints(LayoutConstraints &) {}
