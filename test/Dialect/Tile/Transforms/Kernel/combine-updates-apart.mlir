// Updates of which no two iterations have one element stay loads and stores: interleaved ones, those of two halves, and those of
// groups that the stated layouts give to one thread each.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-combine-updates -split-input-file | FileCheck %s
// CHECK-NOT: memref.atomic_rmw

tile.kernel @interleaved(%X: memref<64xf32>, %Y: memref<128xf32>) grid(%b) = (1) threads(32) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tile.parallel (%i) in (64) {
    %x = memref.load %X[%i] : memref<64xf32>
    %p = arith.muli %i, %c2 : index
    %q = arith.addi %p, %c1 : index
    %a = memref.load %Y[%p] : memref<128xf32>
    %c = arith.addf %a, %x : f32
    memref.store %c, %Y[%p] : memref<128xf32>
    %d = memref.load %Y[%q] : memref<128xf32>
    %e = arith.addf %d, %x : f32
    memref.store %e, %Y[%q] : memref<128xf32>
  }
}

// -----

tile.kernel @halves(%X: memref<64xf32>, %Y: memref<128xf32>) grid(%b) = (1) threads(32) {
  %c64 = arith.constant 64 : index
  tile.parallel (%i) in (64) {
    %x = memref.load %X[%i] : memref<64xf32>
    %q = arith.addi %i, %c64 : index
    %a = memref.load %Y[%i] : memref<128xf32>
    %c = arith.addf %a, %x : f32
    memref.store %c, %Y[%i] : memref<128xf32>
    %d = memref.load %Y[%q] : memref<128xf32>
    %e = arith.addf %d, %x : f32
    memref.store %e, %Y[%q] : memref<128xf32>
  }
}

// -----

tile.kernel @groups(%X: memref<256xf32>, %Y: memref<32xf32>) grid(%b) = (1) threads(32) {
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %f = tile.alloc layout(#tile.fragment_layout<shape [256] reg [(8, 0:1)] lane [(32, 0:8)] warp []>) : memref<256xf32, #tile.fragment>
  %m = tile.alloc layout(#tile.fragment_layout<shape [32] reg [] lane [(32, 0:1)] warp []>) : memref<32xf32, #tile.fragment>
  tile.copy %X to %f : memref<256xf32> to memref<256xf32, #tile.fragment>
  tile.fill %m with %zero : memref<32xf32, #tile.fragment>, f32
  tile.parallel (%i) in (256) {
    %g = arith.divui %i, %c8 : index
    %x = memref.load %f[%i] : memref<256xf32, #tile.fragment>
    %o = memref.load %m[%g] : memref<32xf32, #tile.fragment>
    %n = arith.maxnumf %o, %x : f32
    memref.store %n, %m[%g] : memref<32xf32, #tile.fragment>
  }
  tile.copy %m to %Y : memref<32xf32, #tile.fragment> to memref<32xf32>
}
