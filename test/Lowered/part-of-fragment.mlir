// A part of a fragment is written and the rest kept, also where the part is narrower than a warp's run of it.
// RUN: tile-run %s --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS
tile.kernel @part(%A: memref<32x32xi32>, %B: memref<32x32xi32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : i32
  %a = tile.alloc : memref<32x32xi32, #tile.fragment>
  %b0 = tile.alloc : memref<32x32xi32, #tile.fragment>
  tile.copy %A[%c0, %c0] to %a : memref<32x32xi32> to memref<32x32xi32, #tile.fragment>
  tile.fill %b0 with %c2 : memref<32x32xi32, #tile.fragment>, i32
  tile.copy %a[%c0, %c0] sizes [32, 8] to %b0[%c0, %c0] sizes [32, 8] : memref<32x32xi32, #tile.fragment> to memref<32x32xi32, #tile.fragment>
  tile.copy %b0 to %B[%c0, %c0] : memref<32x32xi32, #tile.fragment> to memref<32x32xi32>
}
