// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @flags
tile.kernel @flags(%A: memref<?xi32>) grid(%b) = (1) threads(32) {
  tile.parallel (%i) in (8) {
    // CHECK: %[[X:.*]] = tile.atomic_load acquire %{{.*}}[%{{.*}}] : memref<?xi32>
    %x = tile.atomic_load acquire %A[%i] : memref<?xi32>
    // CHECK: tile.atomic_store release %[[X]], %{{.*}}[%{{.*}}] : memref<?xi32>
    tile.atomic_store release %x, %A[%i] : memref<?xi32>
  }
}
