//===- RowMove.cpp - lowering of im2col, gather and scatter ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads find where each row of the tile lies in global memory once, however
// many elements of it they move; the rest is a move like all others (Move.cpp).
// Those that tensor copies make are TmaCopy.cpp's.
//
//===----------------------------------------------------------------------===//
#include "Im2col.h"
#include "Memory/ScalarMemory.h"
#include "Move.h"
#include "Tma/TmaCopy.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// Index of a row in the tile as i64.
static Value rowIndex(KernelLowering &lowering, const ThreadCoordinate &row) {
  return lowering.toI64(lowering.materialize(row));
}

static Value isWithin(KernelLowering &lowering, Value index, Value size) {
  // One unsigned comparison rejects negative indices as well.
  return lowering.builder.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult,
                                                      index, size);
}

/// A signed index as i64.
static Value widen(KernelLowering &lowering, Value index) {
  if (!index.getType().isInteger(32))
    return lowering.toI64(index);
  auto &b = lowering.builder;
  return b.createOrFold<arith::ExtSIOp>(b.getI64Type(), index);
}

FailureOr<Value> tile::nvvm::loadRowIndex(KernelLowering &lowering,
                                          Operation *op, Value indices,
                                          Value at) {
  auto load = [&]() -> FailureOr<Value> {
    FailureOr<Value> index = loadScalar(lowering, op, indices, at);
    if (failed(index))
      return failure();
    return widen(lowering, *index);
  };
  if (!isGlobal(indices))
    return load();
  FailureOr<GlobalBuffer> global = lowering.global(indices, op);
  if (failed(global))
    return failure();
  auto &b = lowering.builder;
  auto branch = scf::IfOp::create(b, TypeRange(b.getI64Type()),
                                  isWithin(lowering, at, global->sizes.front()),
                                  /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  FailureOr<Value> index = load();
  if (failed(index))
    return failure();
  scf::YieldOp::create(b, *index);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, lowering.i64(-1));
  return branch.getResult(0);
}

/// Moves between the rows of `global` that `places` finds and a tile.
static LogicalResult moveRows(KernelLowering &lowering,
                              TileMoveOpInterface move, Value start,
                              Endpoint::RowFunction places) {
  Operation *op = move;
  if (failed(requireLayout(op, static_cast<bool>(move.getLayoutAttr()))))
    return failure();
  FragmentLayout loop = move.getLayoutAttr().getLayout();
  bool isLoad = isGlobal(move.getSource());
  Value globalValue = isLoad ? move.getSource() : move.getTarget();
  Value tileValue = isLoad ? move.getTarget() : move.getSource();
  FailureOr<Endpoint> global = Endpoint::createRows(
      lowering, op, globalValue, move.getRowStart(), start, loop, places);
  FailureOr<Endpoint> tile =
      Endpoint::create(lowering, op, tileValue, {}, move.getTileShape(), loop);
  if (failed(global) || failed(tile))
    return failure();
  return moveByThreads(lowering, move, isLoad ? *global : *tile,
                       isLoad ? *tile : *global, loop, /*isInside=*/false);
}

static LogicalResult lowerIm2col(KernelLowering &lowering, Im2colOp im2col) {
  Operation *op = im2col;
  TileMoveOpInterface move = im2col;
  if (move.isMovedByProxy())
    return lowerTmaCopy(lowering, move);
  FailureOr<GlobalBuffer> source = lowering.global(im2col.getSource(), op);
  if (failed(source))
    return failure();
  auto &b = lowering.builder;
  Im2colPixels pixels(lowering, im2col, *source);
  unsigned numSpatial = im2col.getNumSpatial();
  Value first = lowering.toI64(im2col.getPixel());
  SmallVector<Value> reaches;
  // The filter's position moves all rows alike.
  Value start;
  for (unsigned i = 0; i < numSpatial; ++i) {
    reaches.push_back(pixels.reach(i));
    start =
        lowering.add(start, lowering.mul(reaches[i], source->strides[i + 1]));
  }
  auto placeOf = [&](const ThreadCoordinate &row,
                     int64_t) -> FailureOr<RowPlace> {
    Value pixel = lowering.add(first, rowIndex(lowering, row));
    Im2colPixels::Place place = pixels.place(pixel);
    RowPlace result;
    result.inside = pixels.exists(pixel);
    result.offset = lowering.mul(place.image, source->strides.front());
    for (unsigned i = 0; i < numSpatial; ++i) {
      result.offset =
          lowering.add(result.offset,
                       lowering.mul(place.position[i], source->strides[i + 1]));
      Value within =
          isWithin(lowering, lowering.add(place.position[i], reaches[i]),
                   source->sizes[i + 1]);
      result.inside = b.createOrFold<arith::AndIOp>(result.inside, within);
    }
    return result;
  };
  return moveRows(lowering, move, start, placeOf);
}

/// Rows that a buffer of indices names.
template <typename OpT>
static LogicalResult lowerIndexed(KernelLowering &lowering, Operation *op) {
  auto indexed = cast<OpT>(op);
  TileMoveOpInterface move = indexed;
  if (move.isMovedByProxy())
    return lowerTmaCopy(lowering, move);
  Value globalValue =
      isGlobal(move.getSource()) ? move.getSource() : move.getTarget();
  FailureOr<GlobalBuffer> global = lowering.global(globalValue, op);
  if (failed(global) ||
      failed(requireLayout(op, static_cast<bool>(move.getLayoutAttr()))))
    return failure();
  Value indices = indexed.getIndices();
  std::optional<RegisterIndices> registers;
  if (isFragment(indices)) {
    FailureOr<RegisterIndices> found =
        RegisterIndices::create(lowering, op, indices, indexed.getFirst(),
                                move.getLayoutAttr().getLayout());
    if (failed(found))
      return failure();
    registers = *found;
  }
  auto placeOf = [&](const ThreadCoordinate &row,
                     int64_t constant) -> FailureOr<RowPlace> {
    FailureOr<Value> index =
        registers
            ? registers->load(constant)
            : loadRowIndex(lowering, op, indices,
                           lowering.add(lowering.toI64(indexed.getFirst()),
                                        rowIndex(lowering, row)));
    if (failed(index))
      return failure();
    Value wide = widen(lowering, *index);
    return RowPlace{lowering.mul(wide, global->strides.front()),
                    isWithin(lowering, wide, global->sizes.front())};
  };
  return moveRows(lowering, move, Value(), placeOf);
}

void tile::nvvm::registerRowMoveLowerings(Registry &registry) {
  registry.add<Im2colOp>(lowerIm2col);
  registry.add<GatherOp>(lowerIndexed<GatherOp>);
  registry.add<ScatterOp>(lowerIndexed<ScatterOp>);
}
