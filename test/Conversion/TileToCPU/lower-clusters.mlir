// Blocks of a cluster run one after the other: the last one has the sums, and goes over all parts of them.
// RUN: tile-opt %s --convert-tile-to-cpu | FileCheck %s
#f = #tile.fragment
// CHECK-LABEL: func.func @parts
// CHECK: call @tile_cpu_cluster_take
// CHECK: call @tile_cpu_cluster_give
// The parts of a block: none, or for the last one all of them.
// CHECK: %[[PLACE:.*]] = arith.remui
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[PLACE]], %{{.*}} : index
// CHECK: %[[END:.*]] = arith.select %[[LAST]], %{{.*}}, %[[NONE:.*]] : index
// CHECK: scf.for %[[P:.*]] = %[[NONE]] to %[[END]]
// Part p begins at row 4 p.
// CHECK: %[[FROM:.*]] = arith.muli %[[P]], %{{.*}} : index
// CHECK: %[[ROW:.*]] = arith.addi %{{.*}}, %[[FROM]] : index
// CHECK: memref.load %{{.*}}[%[[ROW]], %{{.*}}]
tile.kernel @parts(%X: memref<8x8xf32>, %Y: memref<8x8xf32>) grid(%bx) = (2) threads(32) cluster(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = tile.alloc : memref<8x8xf32, #f>
  %p = tile.alloc : memref<4x8xf32, #f>
  tile.copy %X[%c0, %c0] to %a : memref<8x8xf32> to memref<8x8xf32, #f>
  tile.cluster_reduce sum %a blocks(2) stride(1) parts(0) : memref<8x8xf32, #f>
  %first, %end = tile.cluster_parts blocks(2) stride(1)
  scf.for %i = %first to %end step %c1 {
    tile.cluster_part %a[%i] to %p : memref<8x8xf32, #f> to memref<4x8xf32, #f>
    %row = arith.muli %i, %c4 : index
    tile.copy %p to %Y[%row, %c0] sizes [4, 8] : memref<4x8xf32, #f> to memref<8x8xf32>
  }
}
