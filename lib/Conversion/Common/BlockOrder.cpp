//===- BlockOrder.cpp - the order in which a grid is worked off -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Conversion/BlockOrder.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Unsigned arithmetic on values of one type, folded where constants allow.
struct Numbers {
  OpBuilder &builder;
  Location loc;
  Type type;

  Value constant(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  }
  template <typename OpT> Value apply(Value a, Value b) {
    return builder.createOrFold<OpT>(loc, a, b);
  }
};
} // namespace

/// Coordinates in clusters; `panel` counts rows of clusters.
static SmallVector<Value>
buildClusterCoordinates(OpBuilder &builder, Location loc, Value number,
                        ValueRange clusters, std::optional<int64_t> panel) {
  if (clusters.size() == 1)
    return {number};
  Numbers n{builder, loc, number.getType()};
  SmallVector<Value> result(clusters.size());
  Value columns = clusters[0], rows = clusters[1];
  Value plane = number;
  if (clusters.size() == 3) {
    Value size = n.apply<arith::MulIOp>(columns, rows);
    result[2] = n.apply<arith::DivUIOp>(number, size);
    plane = n.apply<arith::RemUIOp>(number, size);
  }
  if (!panel) {
    result[0] = n.apply<arith::RemUIOp>(plane, columns);
    result[1] = n.apply<arith::DivUIOp>(plane, columns);
    return result;
  }
  Value height = n.constant(*panel);
  Value size = n.apply<arith::MulIOp>(height, columns);
  Value first =
      n.apply<arith::MulIOp>(n.apply<arith::DivUIOp>(plane, size), height);
  Value within = n.apply<arith::RemUIOp>(plane, size);
  // The last panel may have fewer rows.
  Value left = n.apply<arith::SubIOp>(rows, first);
  height = n.apply<arith::MinUIOp>(height, left);
  result[0] = n.apply<arith::DivUIOp>(within, height);
  result[1] =
      n.apply<arith::AddIOp>(first, n.apply<arith::RemUIOp>(within, height));
  return result;
}

SmallVector<Value> tile::buildBlockCoordinates(OpBuilder &builder, Location loc,
                                               Value number, Value rank,
                                               ValueRange clusters,
                                               ArrayRef<int64_t> clusterExtents,
                                               std::optional<int64_t> panel) {
  if (panel && clusters.size() > 1)
    panel = std::max<int64_t>(1, *panel / clusterExtents[1]);
  SmallVector<Value> result =
      buildClusterCoordinates(builder, loc, number, clusters, panel);
  Numbers n{builder, loc, number.getType()};
  Value rest = rank;
  for (auto [coordinate, extent] : llvm::zip(result, clusterExtents)) {
    if (extent == 1)
      continue;
    Value width = n.constant(extent);
    Value digit = n.apply<arith::RemUIOp>(rest, width);
    rest = n.apply<arith::DivUIOp>(rest, width);
    coordinate = n.apply<arith::AddIOp>(
        n.apply<arith::MulIOp>(coordinate, width), digit);
  }
  return result;
}
