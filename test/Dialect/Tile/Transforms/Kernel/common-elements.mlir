// Elements that several iterations name: iterations in the order of their indices, and what a condition picks.
// RUN: tile-opt %s --split-input-file --tile-set-target=arch=sm_80 --tile-combine-updates=remarks -verify-diagnostics | FileCheck %s

// What a loop reads of an element that several of its iterations write: one thread has them all, in order; half-precision
// sums round in that order, too.
// CHECK-LABEL: tile.kernel @in_order
// CHECK: tile.parallel (%{{.*}}, %{{.*}}) in (64, 16) layout(#tile.fragment_layout<shape [64, 16] reg [(16, 1:1)] lane [(32, 0:1)] warp [(2, 0:32)]>) {
// CHECK: tile.parallel (%{{.*}}, %{{.*}}) in (16, 64) layout(#tile.fragment_layout<shape [16, 64] reg [(16, 0:1)] lane [(32, 1:1)] warp [(2, 1:32)]>) {
// CHECK-NOT: atomic_rmw
tile.kernel @in_order(%A: memref<64x16xf32>, %H: memref<16x64xf16>) grid(%bx) = (1) threads(64) {
  %best = tile.alloc : memref<64xf32, #tile.fragment>
  %at = tile.alloc : memref<64xi32, #tile.fragment>
  %half = tile.alloc : memref<64xf16, #tile.fragment>
  // expected-remark @below {{one thread has all iterations of an element, in the order of their indices}}
  tile.parallel (%i, %j) in (64, 16) {
    %x = memref.load %A[%i, %j] : memref<64x16xf32>
    %old = memref.load %best[%i] : memref<64xf32, #tile.fragment>
    %c = arith.cmpf ogt, %x, %old : f32
    scf.if %c {
      memref.store %x, %best[%i] : memref<64xf32, #tile.fragment>
      %k = arith.index_cast %j : index to i32
      memref.store %k, %at[%i] : memref<64xi32, #tile.fragment>
    }
  }
  // expected-remark @below {{one thread has all iterations of an element, in the order of their indices}}
  tile.parallel (%i, %j) in (16, 64) {
    %x = memref.load %H[%i, %j] : memref<16x64xf16>
    %old = memref.load %half[%j] : memref<64xf16, #tile.fragment>
    %new = arith.addf %old, %x : f16
    memref.store %new, %half[%j] : memref<64xf16, #tile.fragment>
  }
}

// -----

// A condition picks the iteration that writes, and nobody reads: as it is.
// CHECK-LABEL: tile.kernel @picked
// CHECK: tile.parallel (%{{.*}}, %{{.*}}) in (64, 16) {
// CHECK-NOT: tile.reduce
tile.kernel @picked(%A: memref<64x16xf32>, %n: index) grid(%bx) = (1) threads(64) {
  %one = tile.alloc : memref<64xf32, #tile.fragment>
  tile.parallel (%i, %j) in (64, 16) {
    %c = arith.cmpi eq, %j, %n : index
    scf.if %c {
      %x = memref.load %A[%i, %j] : memref<64x16xf32>
      memref.store %x, %one[%i] : memref<64xf32, #tile.fragment>
    }
  }
}
