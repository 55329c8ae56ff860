//===- PlaceAccumulators.cpp - accumulators in tensor memory --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after layout inference, which planned the gemms and gave their
// accumulators the layout that reading tensor memory gives. A piece of program
// that touches an accumulator by gemms of tcgen05 only gets a buffer in tensor
// memory instead; copies around it connect the two. Columns are assigned by the
// lowering; that they suffice was checked when the gemms were planned.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Accumulators.h"
#include "Schedule/Asynchronous.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Dialect/Tile/IR/Tokens.h"
#include "tile/Dialect/Tile/IR/Tunables.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_PLACEACCUMULATORSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Whether gemms by tcgen05 that add to `buffer` are all that touches it in
/// `op`.
static bool onlyAccumulates(Operation *op, Value buffer) {
  return !op->walk([&](Operation *inner) {
              auto gemm = dyn_cast<GemmOp>(inner);
              for (OpOperand &operand : inner->getOpOperands())
                if (operand.get() == buffer &&
                    !(gemm && traitsOf(gemm).usesTensorMemory &&
                      &operand == &gemm.getCMutable()))
                  return WalkResult::interrupt();
              return WalkResult::advance();
            }).wasInterrupted();
}

namespace {
/// Neighbouring operations of a block.
struct Piece {
  Operation *first, *last;
};

struct PlaceAccumulatorsPass
    : tile::impl::PlaceAccumulatorsPassBase<PlaceAccumulatorsPass> {
  using PlaceAccumulatorsPassBase::PlaceAccumulatorsPassBase;

  void runOnOperation() override {
    if (failed(requireChosen(getOperation())))
      return signalPassFailure();
    SmallVector<GemmOp> gemms;
    getOperation().walk([&](GemmOp gemm) {
      if (traitsOf(gemm).usesTensorMemory && isFragment(gemm.getC()))
        gemms.push_back(gemm);
    });
    // One buffer serves all pieces of one fragment: they follow each other.
    llvm::DenseMap<Value, Value> buffers;
    for (GemmOp gemm : gemms) {
      Value fragment = gemm.getC();
      if (!isFragment(fragment))
        continue; // placed with an earlier one
      AllocOp alloc = allocationOf(fragment);
      FragmentLayoutAttr layout = getFragmentLayout(fragment);
      if (!alloc || !layout) {
        gemm.emitOpError() << "expected an accumulator with a layout: run "
                              "--tile-infer-layouts";
        return signalPassFailure();
      }
      Value &buffer = buffers[fragment];
      if (!buffer) {
        OpBuilder builder(&getContext());
        builder.setInsertionPointAfter(alloc);
        auto type = cast<MemRefType>(fragment.getType());
        buffer = AllocOp::create(
            builder, alloc.getLoc(),
            MemRefType::get(type.getShape(), type.getElementType(),
                            MemRefLayoutAttrInterface(),
                            TensorMemorySpaceAttr::get(&getContext())),
            /*layout=*/Attribute());
      }
      Piece piece = widestPiece(gemm, fragment);
      includeAwaits(piece, fragment);
      place(piece, fragment, buffer, layout);
    }
  }

private:
  static Piece widestPiece(GemmOp gemm, Value fragment) {
    Operation *op = gemm, *owner = fragment.getDefiningOp()->getParentOp();
    while (op->getParentOp() != owner &&
           onlyAccumulates(op->getParentOp(), fragment))
      op = op->getParentOp();
    // What follows in the same block and adds on joins in.
    Piece piece{op, op};
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (touches(next, fragment)) {
        if (!onlyAccumulates(next, fragment))
          break;
        piece.last = next;
      }
    return piece;
  }

  /// Lets the piece last until its gemms have ended. Where their awaits are
  /// elsewhere, or something touches the fragment before, they are awaited at
  /// once: a copy of the result has to find it.
  void includeAwaits(Piece &piece, Value fragment) const {
    Block *block = piece.first->getBlock();
    SmallVector<GemmOp> issued;
    for (Operation *op = piece.first;; op = op->getNextNode()) {
      op->walk([&](GemmOp gemm) {
        if (gemm.getC() == fragment && gemm.isAsync())
          issued.push_back(gemm);
      });
      if (op == piece.last)
        break;
    }
    for (GemmOp gemm : issued) {
      SmallVector<Operation *> awaits;
      bool isFollowed = !collectAwaits(gemm, awaits);
      Operation *end = piece.last;
      for (Operation *await : awaits) {
        Operation *level = block->findAncestorOpInBlock(*await);
        isFollowed &= level && !level->isBeforeInBlock(piece.first);
        if (isFollowed && end->isBeforeInBlock(level))
          end = level;
      }
      for (Operation *op = piece.last; isFollowed && op != end;) {
        op = op->getNextNode();
        isFollowed = !touches(op, fragment);
      }
      if (!isFollowed) {
        missedAt(remarks, gemm, "awaited at once",
                 "its accumulator leaves tensor memory before the program "
                 "awaits it",
                 "use the accumulator behind the `tile.await` only");
        AwaitOp await = awaitAtOnce(gemm);
        end = gemm == piece.last ? await.getOperation() : piece.last;
      }
      piece.last = end;
    }
  }

  void place(Piece piece, Value fragment, Value buffer,
             FragmentLayoutAttr layout) {
    Location loc = piece.first->getLoc();
    OpBuilder builder(piece.first);
    auto copy = [&](Value from, Value to) {
      auto op =
          CopyOp::create(builder, loc, from, ValueRange(), to, ValueRange(),
                         ArrayRef<int64_t>(), ArrayRef<int64_t>());
      op.setLayoutAttr(layout);
    };
    // The start: nothing, zeros, or what the fragment holds.
    auto first = dyn_cast<GemmOp>(piece.first);
    Operation *before = piece.first->getPrevNode();
    while (before && !touches(before, fragment))
      before = before->getPrevNode();
    FillOp zeros = zeroFillOf(before, fragment);
    if (zeros) {
      // The fragment is overwritten behind the piece.
      zeros.getTargetMutable().assign(buffer);
      zeros.removeLayoutAttr();
    } else if (!first || !first.getClear()) {
      copy(fragment, buffer);
    }
    int64_t gemms = 0;
    for (Operation *op = piece.first;; op = op->getNextNode()) {
      op->walk([&](GemmOp gemm) {
        if (gemm.getC() != fragment)
          return;
        gemm.getCMutable().assign(buffer);
        ++gemms;
      });
      if (op == piece.last)
        break;
    }
    builder.setInsertionPointAfter(piece.last);
    copy(buffer, fragment);
    ++placedAccumulators;
    remarkAt(remarks, piece.first)
        << "accumulator of " << plural(gemms, "gemm") << " in tensor memory, "
        << (zeros                       ? "from zero"
            : first && first.getClear() ? "from the first product"
                                        : "from the fragment's values");
  }
};
} // namespace
