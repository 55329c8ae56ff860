// A part of a fragment whose threads have columns beyond the part: the fragment that it is copied into has each element once.
// RUN: tile-run %s --args=A=64x8:smallint,O=64x8 --check --stage=lowered --arch=sm_90a | FileCheck %s
// CHECK: check O: 512 elements equal
#f = #tile.fragment_layout<shape [64, 8] reg [(4, 1:1), (4, 0:1)] lane [(8, 0:4), (2, 0:32), (2, 1:4)] warp [(4, *), (2, *)]>
tile.kernel @k(%A: memref<64x8xi32>, %O: memref<64x8xf32>) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c1_f32 = arith.constant 1.0 : f32
  %f4 = tile.alloc layout(#f) : memref<64x8xi32, #tile.fragment>
  %f11 = tile.alloc : memref<64x8xf32, #tile.fragment>
  tile.copy %A to %f4 : memref<64x8xi32> to memref<64x8xi32, #tile.fragment>
  tile.fill %f11 with %c1_f32 : memref<64x8xf32, #tile.fragment>, f32
  tile.copy %f4[%c0, %c0] sizes [64, 2] to %f11[%c0, %c0] sizes [64, 2] : memref<64x8xi32, #tile.fragment> to memref<64x8xf32, #tile.fragment>
  tile.copy %f4[%c0, %c2] sizes [64, 6] to %f11[%c0, %c2] sizes [64, 6] : memref<64x8xi32, #tile.fragment> to memref<64x8xf32, #tile.fragment>
  tile.copy %f11 to %O : memref<64x8xf32, #tile.fragment> to memref<64x8xf32>
}
