// RUN: tile-run %s --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --stage=lowered --arch=sm_80 --check | FileCheck %s
// CHECK: PASS
// The operand of the second product has registers for 32 rows, what it is
// converted from for the tile's 24.
tile.kernel @k(%A: memref<24x32xf32>, %B: memref<32x64xbf16>, %O: memref<24x64xf32>)
    grid(%b) = (1) threads(96) {
  %c0_f32 = arith.constant 0.0 : f32
  %s20 = tile.alloc : memref<32x64xbf16, #gpu.address_space<workgroup>>
  %f12 = tile.alloc layout(#tile.fragment_layout<shape [24, 32] reg [(2, 1:1), (3, 0:8), (4, 1:8)] lane [(4, 1:2), (2, 0:1), (2, 0:2), (2, 0:4)] warp [(3, *)]>) : memref<24x32xf32, #tile.fragment>
  %f14 = tile.alloc : memref<24x32xbf16, #tile.fragment>
  %f21 = tile.alloc : memref<24x64xf32, #tile.fragment>
  tile.copy %A to %f12 : memref<24x32xf32> to memref<24x32xf32, #tile.fragment>
  tile.parallel (%i, %j) in (24, 32) {
    %v = memref.load %f12[%i, %j] : memref<24x32xf32, #tile.fragment>
    %w = arith.truncf %v : f32 to bf16
    memref.store %w, %f14[%i, %j] : memref<24x32xbf16, #tile.fragment>
  }
  tile.copy %B to %s20 : memref<32x64xbf16> to memref<32x64xbf16, #gpu.address_space<workgroup>>
  tile.fill %f21 with %c0_f32 : memref<24x64xf32, #tile.fragment>, f32
  tile.gemm %f14, %s20, %f21 : memref<24x32xbf16, #tile.fragment>, memref<32x64xbf16, #gpu.address_space<workgroup>>, memref<24x64xf32, #tile.fragment>
  tile.copy %f21 to %O : memref<24x64xf32, #tile.fragment> to memref<24x64xf32>
}
