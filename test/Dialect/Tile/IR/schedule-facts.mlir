// What a schedule says of itself stays through patterns that build loops and branches anew (an argument that nothing needs is dropped,
// equal questions become one), and loops are asked after that as before.
// RUN: tile-opt %s --canonicalize --cse | FileCheck %s
// RUN: tile-opt %s --canonicalize --cse | tile-opt --tile-verify-rings -o /dev/null

// CHECK-LABEL: tile.kernel @kept
// CHECK: tile.alloc {tile.packed}
// CHECK: %[[RUNS:.*]] = tile.iteration exists(0) in %c0 to %n step %c1
// CHECK-NOT: tile.iteration exists
// CHECK: scf.if %[[RUNS]]
// CHECK: scf.for %[[K:[a-z0-9]+]] = %c0 to %n step %c1 {
// CHECK: %[[NEXT:.*]] = tile.iteration ahead(1) of %[[K]] in %c0 to %n step %c1
// CHECK: scf.if %[[NEXT]]
tile.kernel @kept(%n: index, %out: memref<?xindex>, %A: memref<64x64xf16>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = tile.alloc {tile.packed} : memref<64x64xf16, #tile.fragment>
  tile.copy %A to %f : memref<64x64xf16> to memref<64x64xf16, #tile.fragment>
  %runs = tile.iteration exists(0) in %c0 to %n step %c1
  %same = tile.iteration exists(0) in %c0 to %n step %c1
  scf.if %runs {
    memref.store %n, %out[%c1] : memref<?xindex>
  }
  scf.if %same {
    %unused = scf.for %k = %c0 to %n step %c1 iter_args(%x = %c0) -> (index) {
      %is = tile.iteration ahead(1) of %k in %c0 to %n step %c1
      scf.if %is {
        memref.store %k, %out[%k] : memref<?xindex>
      }
      scf.yield %x : index
    }
  }
  tile.copy %f to %A : memref<64x64xf16, #tile.fragment> to memref<64x64xf16>
}
