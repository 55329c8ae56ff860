// Behind a promise that two values are equal, the first stands for both; one
// that holds by itself is none.
// RUN: tile-opt %s --canonicalize --cse | FileCheck %s

// CHECK-LABEL: tile.kernel @one_size
// CHECK-DAG: %[[K:.*]] = memref.dim %A, %c1
// CHECK-DAG: %[[KB:.*]] = memref.dim %B, %c0
// CHECK: tile.assume %[[K]] equals %[[KB]] : index
// CHECK-NEXT: memref.store %[[K]], %C[%c0]
// CHECK-NEXT: memref.store %[[K]], %C[%c1]
tile.kernel @one_size(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<2xindex>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = memref.dim %A, %c1 : memref<?x?xf16>
  %kb = memref.dim %B, %c0 : memref<?x?xf16>
  tile.assume %k equals %kb : index
  memref.store %k, %C[%c0] : memref<2xindex>
  memref.store %kb, %C[%c1] : memref<2xindex>
}

// CHECK-LABEL: tile.kernel @kept
// CHECK-NOT: equals
// CHECK: tile.assume %{{.*}} {divisible_by = 8 : i64} : index
// CHECK-NOT: tile.assume
tile.kernel @kept(%n: index) grid(%b) = (1) threads(32) {
  %c8 = arith.constant 8 : index
  %eight = arith.constant 8 : index
  tile.assume %n equals %n {divisible_by = 8 : i64} : index
  tile.assume %c8 equals %eight : index
}
