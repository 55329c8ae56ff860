// Who runs a program may have fewer blocks than the grid: each works off a range of tiles.
// RUN: tile-opt %s --convert-tile-to-cpu="blocks=6" --canonicalize | FileCheck %s

// Six blocks are launched: three clusters of two, each with a range of tiles.
// CHECK-LABEL: func.func @range.cpu(
// CHECK:         %[[ROWS:.*]] = arith.ceildivsi
// CHECK:         %[[TILES:.*]] = arith.muli %{{.*}}, %[[ROWS]]
// CHECK:         %[[CLUSTERS:.*]] = arith.minsi %[[TILES]], %c3
// CHECK:         %[[BLOCKS:.*]] = arith.muli %[[CLUSTERS]], %c2
// CHECK:         scf.for %[[BLOCK:.*]] = %{{.*}} to %[[BLOCKS]]
// CHECK:           %[[FIRST:.*]] = arith.divui %[[BLOCK]], %c2
// CHECK:           %[[RANK:.*]] = arith.remui %[[BLOCK]], %c2
// CHECK:           scf.for %[[T:.*]] = %[[FIRST]] to %[[TILES]] step %[[CLUSTERS]]
// Down a panel of four rows of blocks, which are two rows of clusters.
// CHECK:             arith.remui %[[T]]
// CHECK:             %[[LEFT:.*]] = arith.subi %[[ROWS]]
// CHECK:             %[[HEIGHT:.*]] = arith.minui %[[LEFT]], %c2
// CHECK:             %[[X:.*]] = arith.divui %{{.*}}, %[[HEIGHT]]
// CHECK:             %[[Y:.*]] = arith.addi
// CHECK:             %[[DIGIT:.*]] = arith.remui %[[RANK]], %c2
// CHECK:             %[[ROW:.*]] = arith.muli %[[Y]], %c2
// CHECK:             arith.addi %[[ROW]], %[[DIGIT]]
tile.kernel @range(%A: memref<?x?xf32>) grid(%bx, %by) = (dim(%A, 1) ceildiv 8, dim(%A, 0) ceildiv 8) threads(32)
    cluster(1, 2) attributes {persistent = 1, panel = 4} {
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %first, %end, %step = tile.block_range
  scf.for %t = %first to %end step %step {
    %x, %y = tile.block_coordinates %t : index, index
    %m = arith.muli %y, %c8 : index
    %n = arith.muli %x, %c8 : index
    tile.fill %A[%m, %n] sizes [8, 8] with %one : memref<?x?xf32>, f32
  }
}
