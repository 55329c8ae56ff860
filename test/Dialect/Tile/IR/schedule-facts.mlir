// What a schedule says of itself stays through patterns that build loops and branches anew (an argument that nothing needs is dropped,
// equal comparisons become one), and it stays true however these patterns write a comparison.
// RUN: tile-opt %s --canonicalize --cse | FileCheck %s
// RUN: tile-opt %s --canonicalize --cse | tile-opt --tile-verify-rings -o /dev/null

// CHECK-LABEL: tile.kernel @kept
// CHECK: tile.alloc {tile.packed}
// CHECK: arith.cmpi sgt, %n, %c0
// CHECK: scf.if
// CHECK: scf.for %{{[a-z0-9]+}} = %c0 to %n step %c1 {
// CHECK: scf.if
// CHECK: } {tile.iteration_ahead = 1 : i64}
// CHECK: } {tile.ring_loop}
// CHECK: } {tile.guards_loop}
tile.kernel @kept(%n: index, %out: memref<?xindex>, %A: memref<64x64xf16>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = tile.alloc {tile.packed} : memref<64x64xf16, #tile.fragment>
  tile.copy %A to %f : memref<64x64xf16> to memref<64x64xf16, #tile.fragment>
  %runs = arith.cmpi slt, %c0, %n : index
  %same = arith.cmpi slt, %c0, %n : index
  scf.if %runs {
    memref.store %n, %out[%c1] : memref<?xindex>
  }
  scf.if %same {
    %unused = scf.for %k = %c0 to %n step %c1 iter_args(%x = %c0) -> (index) {
      %next = arith.addi %k, %c1 : index
      %is = arith.cmpi slt, %next, %n : index
      scf.if %is {
        memref.store %k, %out[%k] : memref<?xindex>
      } {tile.iteration_ahead = 1 : i64}
      scf.yield %x : index
    } {tile.ring_loop}
  } {tile.guards_loop}
  tile.copy %f to %A : memref<64x64xf16, #tile.fragment> to memref<64x64xf16>
}
