//===- GuardOverhang.cpp - blocks of clusters that overhang the grid ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after grids are persistent, and in front of the lowering for the CPU,
// which executes the same blocks. Hardware launches whole clusters; where
// clusters do not divide the grid, their outer blocks get indices outside it.
// They have to run, since their peers rely on them. What such a block writes is
// dropped where the region lies outside of the buffer: in some dimension it
// starts at the block's index times a number, and the grid has as many blocks
// as this dimension needs. All else is guarded here: other regions of global
// memory, single elements, arrivals at counters, prints and assertions.
//
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tile/Analysis/IndexFacts.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_GUARDOVERHANGPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Whether `op` does something in a block outside the grid that it should not.
static bool needsGuard(Operation *op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return isGlobal(load.getMemRef());
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return isGlobal(store.getMemRef());
  if (auto rmw = dyn_cast<memref::AtomicRMWOp>(op))
    return isGlobal(rmw.getMemref());
  if (auto move = dyn_cast<TileMoveOpInterface>(op))
    return isGlobal(move.getTarget());
  // What a loop over elements does is asked of its body.
  if (auto tileOp = dyn_cast<TileOpInterface>(op);
      tileOp && op->getNumRegions() == 0) {
    SmallVector<TileAccess> accesses;
    tileOp.getAccesses(accesses);
    if (llvm::any_of(accesses, [](const TileAccess &access) {
          return access.isWrite && isGlobal(access.buffer);
        }))
      return true;
  }
  return isa<TileElementOpInterface, LastArrivalOp, PrintOp, AssertOp>(op);
}

//===----------------------------------------------------------------------===//
// Regions that lie outside of their buffers
//===----------------------------------------------------------------------===//

/// The sum of the factors of `index` in `value`, a sum of products of it and of
/// what is not negative; 0 where it is no such sum.
static int64_t factorOf(Value value, Value index, Operation *user) {
  if (value == index)
    return 1;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::AddIOp>(op)) {
    int64_t sum = 0;
    for (Value operand : op->getOperands()) {
      int64_t factor = factorOf(operand, index, user);
      if (factor == 0 && getIndexFacts(operand, user).min.value_or(-1) < 0)
        return 0;
      sum += factor;
    }
    return sum;
  }
  if (isa_and_nonnull<arith::MulIOp>(op))
    for (unsigned i : {0u, 1u})
      if (std::optional<int64_t> times = getConstantIntValue(op->getOperand(i));
          times && *times > 0)
        return *times * factorOf(op->getOperand(1 - i), index, user);
  return 0;
}

/// Whether `blocks` times `size` elements are at least the `extent` of a
/// dimension; `symbol` is the one of `blocks` that stands for it, if any does.
static bool covers(AffineExpr blocks, int64_t size, int64_t extent,
                   AffineExpr symbol) {
  if (auto constant = dyn_cast<AffineConstantExpr>(blocks))
    return !ShapedType::isDynamic(extent) &&
           constant.getValue() * size >= extent;
  if (!symbol || size < 1)
    return false;
  if (blocks == symbol)
    return true;
  auto binary = dyn_cast<AffineBinaryOpExpr>(blocks);
  auto number =
      binary ? dyn_cast<AffineConstantExpr>(binary.getRHS()) : nullptr;
  if (!number || number.getValue() < 1)
    return false;
  int64_t divisor = number.getValue();
  switch (binary.getKind()) {
  case AffineExprKind::CeilDiv:
    return binary.getLHS() == symbol && size >= divisor;
  case AffineExprKind::FloorDiv:
    return binary.getLHS() == symbol + (divisor - 1) && size >= divisor;
  case AffineExprKind::Mul:
    return covers(binary.getLHS(), size * divisor, extent, symbol);
  default:
    return false;
  }
}

namespace {
/// Whether a block lies in the grid, once for each way to get its indices.
class Inside {
public:
  explicit Inside(KernelOp kernel) : kernel(kernel) {
    for (auto [d, extent] : llvm::enumerate(kernel.getGrid().getResults()))
      if (kernel.getCluster() &&
          extent.getLargestKnownDivisor() % (*kernel.getCluster())[d] != 0)
        dims.push_back(d);
  }
  bool isNeeded() const { return !dims.empty(); }

  /// Whether all that `move` writes in a block outside the grid is dropped.
  bool isDropped(TileMoveOpInterface move) {
    BlockCoordinatesOp coordinates = coordinatesOf(move);
    return move.getAddressing() == MoveAddressing::Box &&
           llvm::all_of(dims, [&](unsigned d) {
             return startsOutside(move, d, indexOf(coordinates, d));
           });
  }

  /// A condition that dominates `op`.
  Value at(Operation *op) {
    BlockCoordinatesOp coordinates = coordinatesOf(op);
    Value &condition = conditions[coordinates];
    if (condition)
      return condition;
    OpBuilder builder(kernel.getContext());
    if (coordinates)
      builder.setInsertionPointAfter(coordinates);
    else
      builder.setInsertionPointToStart(&kernel.getBodyRegion().front());
    for (unsigned d : dims) {
      Value in = arith::CmpIOp::create(
          builder, kernel.getLoc(), arith::CmpIPredicate::slt,
          indexOf(coordinates, d), extent(builder, d));
      condition = condition ? arith::AndIOp::create(builder, kernel.getLoc(),
                                                    condition, in)
                                  .getResult()
                            : in;
    }
    return condition;
  }

private:
  /// The coordinates that `op` works on; null for those of the launch.
  static BlockCoordinatesOp coordinatesOf(Operation *op) {
    for (; op && !op->hasTrait<OpTrait::IsIsolatedFromAbove>();
         op = op->getParentOp())
      for (Operation *before = op->getPrevNode(); before;
           before = before->getPrevNode())
        if (auto coordinates = dyn_cast<BlockCoordinatesOp>(before))
          return coordinates;
    return {};
  }

  Value indexOf(BlockCoordinatesOp coordinates, unsigned dim) {
    return coordinates ? Value(coordinates.getResult(dim))
                       : Value(kernel.getBlockId(dim));
  }

  /// Whether the region that `move` writes starts behind its buffer in some
  /// dimension, where `index` is beyond dimension `dim` of the grid.
  bool startsOutside(TileMoveOpInterface move, unsigned dim, Value index) {
    auto type = cast<MemRefType>(move.getTarget().getType());
    for (auto [d, offset] : llvm::enumerate(move.getTargetOffsets()))
      if (covers(kernel.getGrid().getResult(dim), factorOf(offset, index, move),
                 type.getDimSize(d), symbolOf(move.getTarget(), d)))
        return true;
    return false;
  }

  /// The symbol of the grid that is the extent of a dimension of `buffer`.
  AffineExpr symbolOf(Value buffer, int64_t dim) {
    ArrayRef<int64_t> operands = kernel.getGridOperands();
    for (size_t i = 0; i < operands.size(); i += 2)
      if (operands[i + 1] == dim &&
          kernel.getKernelArgument(operands[i]) == buffer)
        return getAffineSymbolExpr(i / 2, kernel.getContext());
    return {};
  }

  Value extent(OpBuilder &builder, unsigned dim) {
    Location loc = kernel.getLoc();
    SmallVector<Value> symbols;
    ArrayRef<int64_t> operands = kernel.getGridOperands();
    for (size_t i = 0; i < operands.size(); i += 2) {
      Value argument = kernel.getKernelArgument(operands[i]);
      if (operands[i + 1] >= 0)
        argument =
            memref::DimOp::create(builder, loc, argument, operands[i + 1]);
      else if (!argument.getType().isIndex())
        argument = arith::IndexCastOp::create(builder, loc,
                                              builder.getIndexType(), argument);
      symbols.push_back(argument);
    }
    return affine::expandAffineExpr(
        builder, loc, kernel.getGrid().getResult(dim), ValueRange(), symbols);
  }

  KernelOp kernel;
  SmallVector<unsigned> dims; ///< that clusters do not divide
  llvm::SmallDenseMap<Operation *, Value> conditions;
};

struct GuardOverhangPass
    : tile::impl::GuardOverhangPassBase<GuardOverhangPass> {
  using GuardOverhangPassBase::GuardOverhangPassBase;

  void runOnOperation() override {
    if (failed(requireBefore(*this, getOperation(), {Need::Numbers})))
      return signalPassFailure();
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      Inside inside(kernel);
      if (!inside.isNeeded())
        continue;
      SmallVector<Operation *> found;
      kernel.getBodyRegion().walk([&](Operation *op) {
        auto move = dyn_cast<TileMoveOpInterface>(op);
        if (needsGuard(op) && !(move && inside.isDropped(move)))
          found.push_back(op);
      });
      if (found.empty())
        continue;
      for (Operation *op : found)
        guard(op, inside.at(op));
      guardedOps += found.size();
      remarkAt(remarks, kernel)
          << "clusters may overhang the grid: "
          << plural(found.size(), "operation is", "operations are")
          << " skipped in blocks outside of it (accesses to single elements, "
             "regions that may lie inside of their buffer, prints and "
             "assertions); a grid of whole clusters needs no check";
    }
  }

private:
  /// Moves the region of a copy behind the end of its buffer, where nothing is
  /// stored: its token and its way to memory stay what they are.
  static void moveOutside(TileMoveOpInterface move, Value inside) {
    OpBuilder builder(move);
    Location loc = move.getLoc();
    SmallVector<Value> offsets(move.getTargetOffsets());
    auto type = cast<MemRefType>(move.getTarget().getType());
    if (offsets.empty())
      offsets.assign(type.getRank(),
                     arith::ConstantIndexOp::create(builder, loc, 0));
    Value end = memref::DimOp::create(builder, loc, move.getTarget(), 0);
    offsets.front() =
        arith::SelectOp::create(builder, loc, inside, offsets.front(), end);
    bool isSet = move.setRegions(move.getSource(), move.getSourceOffsets(),
                                 move.getSourceExtents(), move.getTarget(),
                                 offsets, move.getTargetExtents());
    assert(isSet && "a region of a buffer can start anywhere");
    (void)isSet;
  }

  /// What is read outside is zero.
  static void guard(Operation *op, Value inside) {
    // A token stays; so does the alignment of pieces of the last dimension.
    if (auto move = dyn_cast<TileMoveOpInterface>(op);
        move && move.getAddressing() == MoveAddressing::Box) {
      int64_t rank = cast<MemRefType>(move.getTarget().getType()).getRank();
      if (rank > (move.isAsync() ? 0 : 1))
        return moveOutside(move, inside);
    }
    OpBuilder builder(op);
    Location loc = op->getLoc();
    auto branch = scf::IfOp::create(builder, loc, op->getResultTypes(), inside,
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/op->getNumResults() != 0);
    op->replaceAllUsesWith(branch.getResults());
    if (op->getNumResults() == 0) {
      op->moveBefore(branch.thenBlock(), branch.thenBlock()->begin());
      builder.setInsertionPointToEnd(branch.thenBlock());
      scf::YieldOp::create(builder, loc);
      return;
    }
    op->moveBefore(branch.thenBlock(), branch.thenBlock()->end());
    builder.setInsertionPointToEnd(branch.thenBlock());
    scf::YieldOp::create(builder, loc, op->getResults());
    builder.setInsertionPointToEnd(branch.elseBlock());
    SmallVector<Value> zeros;
    for (Type type : op->getResultTypes())
      zeros.push_back(isa<TokenType>(type)
                          ? TokenDoneOp::create(builder, loc, type).getResult()
                          : arith::ConstantOp::create(builder, loc,
                                                      builder.getZeroAttr(type))
                                .getResult());
    scf::YieldOp::create(builder, loc, zeros);
  }
};
} // namespace
