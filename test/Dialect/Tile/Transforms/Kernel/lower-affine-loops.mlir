// The pass alone, without others that load the dialect of its results.
// RUN: tile-opt %s --tile-lower-affine-accesses | FileCheck %s
// CHECK: scf.for
// CHECK-NOT: affine.for
tile.kernel @loop(%A: memref<?xf32>, %Y: memref<64xf32>) grid(%b) = (1) threads(32) {
  %s = tile.alloc : memref<16xf32, #tile.fragment>
  affine.for %i = 0 to 64 step 16 {
    tile.copy %A[%i] to %s : memref<?xf32> to memref<16xf32, #tile.fragment>
    tile.copy %s to %Y[%i] : memref<16xf32, #tile.fragment> to memref<64xf32>
  }
}
