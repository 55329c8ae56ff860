// What a scan is: each element with those before it, or behind it.
// RUN: tile-run %s --args=A=2x4:iota | FileCheck %s
// RUN: tile-run %s --stage=lowered --arch=sm_80 --args=A=2x4:iota | FileCheck %s

// CHECK-DAG: rows[0, 0]: 0
// CHECK-DAG: rows[0, 1]: 1
// CHECK-DAG: rows[0, 2]: 3
// CHECK-DAG: rows[0, 3]: 6
// CHECK-DAG: rows[1, 0]: 4
// CHECK-DAG: rows[1, 3]: 22
// CHECK-DAG: back[0, 0]: 6
// CHECK-DAG: back[0, 3]: 3
// CHECK-DAG: back[1, 0]: 22
// CHECK-DAG: back[1, 2]: 13
// CHECK-DAG: columns[0, 3]: 3
// CHECK-DAG: columns[1, 0]: 4
// CHECK-DAG: columns[1, 3]: 10
// CHECK-DAG: least[0, 0]: 0
// CHECK-DAG: least[1, 3]: 3
// CHECK-DAG: most[0, 1]: 5
// CHECK-DAG: most[1, 1]: 5
tile.kernel @scan(%A: memref<2x4xi32>, %B: memref<2x4xi32>) grid(%b) = (1) threads(32) {
  %a = tile.alloc : memref<2x4xi32, #tile.fragment>
  %y = tile.alloc : memref<2x4xi32, #tile.fragment>
  tile.copy %A to %a : memref<2x4xi32> to memref<2x4xi32, #tile.fragment>
  tile.scan sum %a to %y dim(1) : memref<2x4xi32, #tile.fragment> to memref<2x4xi32, #tile.fragment>
  tile.print "rows" %y : memref<2x4xi32, #tile.fragment>
  tile.scan sum %a to %y dim(1) reverse : memref<2x4xi32, #tile.fragment> to memref<2x4xi32, #tile.fragment>
  tile.print "back" %y : memref<2x4xi32, #tile.fragment>
  tile.scan sum %a to %y dim(0) : memref<2x4xi32, #tile.fragment> to memref<2x4xi32, #tile.fragment>
  tile.print "columns" %y : memref<2x4xi32, #tile.fragment>
  tile.scan min %a to %y dim(0) : memref<2x4xi32, #tile.fragment> to memref<2x4xi32, #tile.fragment>
  tile.print "least" %y : memref<2x4xi32, #tile.fragment>
  tile.scan max %a to %a dim(0) reverse : memref<2x4xi32, #tile.fragment> to memref<2x4xi32, #tile.fragment>
  tile.print "most" %a : memref<2x4xi32, #tile.fragment>
  tile.copy %a to %B : memref<2x4xi32, #tile.fragment> to memref<2x4xi32>
}
