//===- LowerGrid.cpp - kernels as functions that run blocks ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body of a kernel moves into a loop over its blocks. Where the kernel
// asks for ranges, fewer blocks than the grid has may be launched, as on a GPU
// that has fewer places; the order of blocks is BlockOrder.h's. Memory of the
// launch (`tile.workspace`) is the runtime's.
//
//===----------------------------------------------------------------------===//
#include "RuntimeCalls.h"
#include "TileToCPU.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "tile/Conversion/BlockOrder.h"
#include "tile/Dialect/Tile/IR/Meeting.h"

using namespace mlir;
using namespace mlir::tile;

/// The number of blocks in each grid dimension; a negative extent counts as
/// none, so that an empty grid runs nothing.
static SmallVector<Value> buildGrid(OpBuilder &builder, KernelOp kernel,
                                    ValueRange arguments) {
  Location loc = kernel.getLoc();
  SmallVector<Value> symbols;
  ArrayRef<int64_t> operands = kernel.getGridOperands();
  for (size_t i = 0; i < operands.size(); i += 2) {
    Value argument = arguments[operands[i]];
    if (operands[i + 1] >= 0)
      argument = memref::DimOp::create(builder, loc, argument, operands[i + 1]);
    symbols.push_back(
        castElement(builder, loc, argument, builder.getIndexType()));
  }
  SmallVector<Value> grid;
  Value zero = indexConstant(builder, loc, 0);
  for (AffineExpr extent : kernel.getGrid().getResults()) {
    Value count = affine::AffineApplyOp::create(
        builder, loc, AffineMap::get(0, symbols.size(), extent), symbols);
    grid.push_back(arith::MaxSIOp::create(builder, loc, count, zero));
  }
  return grid;
}

namespace {
/// The grid of one kernel, in blocks and in clusters.
class GridBuilder {
public:
  GridBuilder(OpBuilder &builder, KernelOp kernel, ValueRange arguments)
      : b(builder), kernel(kernel), loc(kernel.getLoc()),
        extents(kernel.getGridRank(), 1), size(kernel.getClusterSize()) {
    if (kernel.getCluster())
      extents = llvm::to_vector(*kernel.getCluster());
    clusters = buildGrid(builder, kernel, arguments);
    for (auto [count, extent] : llvm::zip(clusters, extents))
      if (extent > 1)
        count = arith::CeilDivSIOp::create(b, loc, count, constant(extent));
    tiles = clusters.front();
    for (Value count : llvm::drop_begin(clusters))
      tiles = arith::MulIOp::create(b, loc, tiles, count);
    launched = tiles;
  }

  /// At most `blocks` blocks are launched, but one cluster at least.
  void limit(int64_t blocks) {
    launched = arith::MinSIOp::create(
        b, loc, tiles, constant(std::max<int64_t>(1, blocks / size)));
  }
  Value countBlocks() {
    return size == 1 ? launched
                     : arith::MulIOp::create(b, loc, launched, constant(size));
  }
  /// Which cluster a launched block belongs to, and its place there.
  void place(Value block) {
    first = block;
    rank = constant(0);
    if (size == 1)
      return;
    first = arith::DivUIOp::create(b, loc, block, constant(size));
    rank = arith::RemUIOp::create(b, loc, block, constant(size));
  }
  Value getFirst() const { return first; }
  Value getRank() const { return rank; }
  Value getLaunched() const { return launched; }
  /// Panels are for ranges: what a plain grid computes depends on no order.
  SmallVector<Value> coordinates(OpBuilder &builder, Value number,
                                 bool panels) {
    return buildBlockCoordinates(builder, loc, number, rank, clusters, extents,
                                 panels ? kernel.getPanel() : std::nullopt);
  }
  void replace(BlockRangeOp range) {
    range.getFirst().replaceAllUsesWith(first);
    range.getEnd().replaceAllUsesWith(tiles);
    range.getStep().replaceAllUsesWith(launched);
    range.erase();
  }
  void replace(BlockCoordinatesOp op) {
    OpBuilder builder(op);
    SmallVector<Value> indices =
        coordinates(builder, op.getNumber(), /*panels=*/true);
    for (auto [result, index] : llvm::zip(op.getCoordinates(), indices))
      result.replaceAllUsesWith(index);
    op.erase();
  }

private:
  Value constant(int64_t value) { return indexConstant(b, loc, value); }

  OpBuilder &b;
  KernelOp kernel;
  Location loc;
  SmallVector<int64_t> extents; ///< of a cluster, in blocks
  int64_t size;                 ///< blocks of a cluster
  SmallVector<Value> clusters;  ///< of the grid, by dimension
  Value tiles, launched;        ///< clusters of the grid, and that are launched
  Value first, rank;            ///< of the block that runs
};
} // namespace

scf::ForOp tile::getBlockLoop(func::FuncOp function) {
  auto loop = *function.getBody().front().getOps<scf::ForOp>().begin();
  if (loop->hasAttr(kClusterLoopAttrName))
    loop = *loop.getBody()->getOps<scf::ForOp>().begin();
  return loop;
}

/// The loop over the blocks that a worker runs: every so many, or where they
/// `meet` all blocks of every so many clusters.
static scf::ForOp buildLoop(OpBuilder &builder, Location loc, GridBuilder &grid,
                            Value worker, Value workers, int64_t size,
                            bool meet) {
  if (!meet)
    return scf::ForOp::create(builder, loc, worker, grid.countBlocks(),
                              workers);
  auto clusters =
      scf::ForOp::create(builder, loc, worker, grid.getLaunched(), workers);
  clusters->setAttr(kClusterLoopAttrName, builder.getUnitAttr());
  OpBuilder inside = OpBuilder::atBlockBegin(clusters.getBody());
  Value width = indexConstant(inside, loc, size);
  Value first =
      arith::MulIOp::create(inside, loc, clusters.getInductionVar(), width);
  Value end = arith::AddIOp::create(inside, loc, first, width);
  return scf::ForOp::create(inside, loc, first, end,
                            indexConstant(inside, loc, 1));
}

/// The runtime has the memory of a run, by number; each block has `per_block`
/// entries of it.
static void lowerWorkspace(WorkspaceOp op, int64_t number, Value launched) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  MemRefType type = op.getMemRefType();
  auto perBlock = static_cast<int64_t>(op.getPerBlock());
  auto constant = [&](int64_t value) { return indexConstant(b, loc, value); };
  Value entries = arith::MulIOp::create(b, loc, launched, constant(perBlock));
  Value bytes = arith::MulIOp::create(
      b, loc, entries, constant(op.getBytesPerBlock() / perBlock));
  Value address = RuntimeCalls(op)
                      .call(b, "workspace",
                            {constant(number), bytes, constant(op.getZeroed())},
                            b.getIndexType())
                      .getResult(0);
  Value word = arith::IndexCastOp::create(b, loc, b.getI64Type(), address);
  op.replaceAllUsesWith(
      FromAddressOp::create(b, loc, type, word, entries).getResult());
  op.erase();
}

func::FuncOp tile::buildFunction(KernelOp kernel, int64_t blocks) {
  OpBuilder builder(kernel);
  Location loc = kernel.getLoc();
  unsigned count = kernel.getNumKernelArguments();
  SmallVector<Type> types;
  for (Attribute type : kernel.getArgTypes())
    types.push_back(cast<TypeAttr>(type).getValue());
  types.append(3, builder.getIndexType());
  // The suffix keeps a kernel named @exp or @free from being taken for the
  // library function of that name.
  auto function =
      func::FuncOp::create(builder, loc, (kernel.getSymName() + ".cpu").str(),
                           builder.getFunctionType(types, {}));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  ValueRange arguments = entry->getArguments();
  Value worker = arguments[count], workers = arguments[count + 1];

  SmallVector<BlockRangeOp> ranges;
  SmallVector<BlockCoordinatesOp> coordinates;
  kernel.walk([&](BlockRangeOp op) { ranges.push_back(op); });
  kernel.walk([&](BlockCoordinatesOp op) { coordinates.push_back(op); });
  bool isRange = !ranges.empty() || !coordinates.empty();

  GridBuilder grid(builder, kernel, arguments.take_front(count));
  if (!ranges.empty() && blocks > 0)
    grid.limit(blocks);
  SmallVector<WorkspaceOp> workspaces(
      kernel.getBodyRegion().getOps<WorkspaceOp>());
  bool meet = combinesInCluster(kernel);
  bool counts = blocksMeet(kernel);
  Value launched = counts || !workspaces.empty() ? grid.countBlocks() : Value();
  scf::ForOp loop = buildLoop(builder, loc, grid, worker, workers,
                              kernel.getClusterSize(), meet);
  func::ReturnOp::create(builder, loc);
  if (counts) {
    OpBuilder before(kernel.getContext());
    before.setInsertionPointAfterValue(launched);
    RuntimeCalls(loop.getBody()->getTerminator())
        .call(before, "grid_begin", {launched});
  }

  builder.setInsertionPointToStart(loop.getBody());
  grid.place(loop.getInductionVar());
  SmallVector<Value> bodyArguments =
      llvm::to_vector_of<Value>(arguments.take_front(count));
  llvm::append_range(bodyArguments, grid.coordinates(builder, grid.getFirst(),
                                                     /*panels=*/isRange));
  for (BlockRangeOp op : ranges)
    grid.replace(op);
  for (BlockCoordinatesOp op : coordinates)
    grid.replace(op);

  IRRewriter rewriter(builder);
  Block &body = kernel.getBodyRegion().front();
  rewriter.eraseOp(body.getTerminator());
  rewriter.inlineBlockBefore(&body, loop.getBody()->getTerminator(),
                             bodyArguments);
  kernel.erase();
  for (auto [number, op] : llvm::enumerate(workspaces))
    lowerWorkspace(op, static_cast<int64_t>(number), launched);
  lowerClusterReduces(function, grid.getRank());
  return function;
}
