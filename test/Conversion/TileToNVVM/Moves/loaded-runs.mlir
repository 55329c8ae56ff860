// Elements wait as they were loaded until all loads of a copy are under way: no conversion stands behind the branch of a load,
// where it would wait for that load before the next one is issued.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s
// RUN: tile-run %s --args=X=70x64:normal --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RIGHT: PASS
// Both loads of the region that lies inside stand together, and so do those of its edges, each behind its test.
// CHECK-LABEL:  .entry columns(
// CHECK:          ld.global.nc.L2::cache_hint.b64
// CHECK-NOT:      {{cvt.f32.f16|bra|L__BB}}
// CHECK:          ld.global.nc.L2::cache_hint.b64
// CHECK-NOT:      cvt.f32.f16
// CHECK:        $L__BB
// CHECK-COUNT-8:  cvt.f32.f16
// CHECK-NOT:      cvt.f32.f16
tile.kernel @columns(%X: memref<?x64xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 70, 64>}, %Y: memref<64xf32> {tile.alignment = 16}) grid(%b) = (1) threads(512) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %R = memref.dim %X, %c0 : memref<?x64xf16>
  %x = tile.alloc layout(#tile.fragment_layout<shape [64, 64] reg [(4, 1:1), (2, 0:32)] lane [(16, 1:4), (2, 0:1)] warp [(16, 0:2)]>) : memref<64x64xf32, #tile.fragment>
  %part = tile.alloc : memref<64x64xf32, #tile.fragment>
  %sum = tile.alloc : memref<64xf32, #tile.fragment>
  tile.fill %part with %zero : memref<64x64xf32, #tile.fragment>, f32
  scf.for %m = %c0 to %R step %c64 {
    tile.copy %X[%m, %c0] to %x : memref<?x64xf16> to memref<64x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 64) {
      %v = memref.load %x[%i, %j] : memref<64x64xf32, #tile.fragment>
      %p = memref.load %part[%i, %j] : memref<64x64xf32, #tile.fragment>
      %s = arith.addf %v, %p : f32
      memref.store %s, %part[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
  }
  tile.reduce sum %part to %sum dim(0) : memref<64x64xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
  tile.copy %sum to %Y : memref<64xf32, #tile.fragment> to memref<64xf32>
}
