//===- GuardOverhang.cpp - blocks of clusters that overhang the grid ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after grids are persistent, and in front of the lowering for the CPU,
// which executes the same blocks. Hardware launches whole clusters; where
// clusters do not divide the grid, their outer blocks get indices outside it.
// They have to run, since their peers rely on them. Regions that copies move
// lie outside the buffers then, and are padded or dropped; what has no bounds
// of its own is guarded here: single elements, atomics, prints and assertions.
//
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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
  if (isa<TileElementOpInterface>(op))
    return true;
  return isa<AtomicOp, PrintOp, AssertOp>(op);
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
      Value index = coordinates ? Value(coordinates.getResult(d))
                                : Value(kernel.getBlockId(d));
      Value in = arith::CmpIOp::create(builder, kernel.getLoc(),
                                       arith::CmpIPredicate::slt, index,
                                       extent(builder, d));
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
        if (needsGuard(op))
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
             "atomics, prints and assertions); a grid of whole clusters needs "
             "no check";
    }
  }

private:
  /// What is read outside is zero.
  static void guard(Operation *op, Value inside) {
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
      zeros.push_back(
          arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type)));
    scf::YieldOp::create(builder, loc, zeros);
  }
};
} // namespace
