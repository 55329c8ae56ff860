// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @meets
tile.kernel @meets(%table: memref<?xi64>, %out: memref<?x8xf32>, %n: index) grid(%b) = (4) threads(32) {
  // CHECK: scf.for
  // CHECK-NEXT: tile.grid_barrier
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    tile.grid_barrier
  }
  %address = memref.load %table[%b] : memref<?xi64>
  // CHECK: %[[A:.*]] = memref.load
  // CHECK: tile.from_address %[[A]] : memref<4x8xf32>
  %x = tile.from_address %address : memref<4x8xf32>
  // CHECK: tile.from_address %[[A]](%{{.*}}) {tile.alignment = 16 : i64} : memref<?x8xf32>
  %y = tile.from_address %address(%n) {tile.alignment = 16} : memref<?x8xf32>
  tile.copy %x[%c0, %c0] sizes [1, 8] to %out[%b, %c0] sizes [1, 8] : memref<4x8xf32> to memref<?x8xf32>
  tile.copy %y[%c0, %c0] sizes [1, 8] to %out[%b, %c0] sizes [1, 8] : memref<?x8xf32> to memref<?x8xf32>
}
