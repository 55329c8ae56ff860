// Rows of a fragment that do not fill what one warp has of it.
// A region of 24 rows, of which one warp of four has all, where the next one has rows from 32 on: the fragment that they are copied into has
// each element once. The compiler gave warps 144 rows each, and several of them stored one element.
// RUN: tile-run %s --kernel=from --args=A=128x32:smallint,O=128x32 --check --stage=lowered --arch=sm_90a | FileCheck %s
// Rows from 8 on, of which registers of the loop have one too many: no thread moves that.
// RUN: tile-run %s --kernel=at --args=A=32x40:smallint,O=32x40 --check --stage=lowered --arch=sm_90a | FileCheck %s
// RUN: tile-run %s --kernel=at --args=A=32x40:smallint,O=32x40 --check --stage=lowered --arch=sm_80 | FileCheck %s
// RUN: tile-opt %s --tile-to-layouts=arch=sm_90a | FileCheck %s --check-prefix=LAYOUT
// CHECK: PASS
// LAYOUT-LABEL: @from
// LAYOUT-NOT: 0:24
#rows = #tile.fragment_layout<shape [128, 32] reg [(4, 1:1), (16, 0:2)] lane [(8, 1:4), (2, 0:1), (2, *)] warp [(4, 0:32)]>
tile.kernel @from(%A: memref<128x32xf32>, %O: memref<128x32xf32> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %a = tile.alloc layout(#rows) : memref<128x32xf32, #tile.fragment>
  %f = tile.alloc : memref<128x32xf32, #tile.fragment>
  tile.copy %A to %a : memref<128x32xf32> to memref<128x32xf32, #tile.fragment>
  tile.fill %f with %one : memref<128x32xf32, #tile.fragment>, f32
  tile.copy %a[%c0, %c0] sizes [24, 32] to %f[%c0, %c0] sizes [24, 32] : memref<128x32xf32, #tile.fragment> to memref<128x32xf32, #tile.fragment>
  tile.copy %f to %O : memref<128x32xf32, #tile.fragment> to memref<128x32xf32>
}

#accumulator = #tile.fragment_layout<shape [32, 40] reg [(2, 1:1), (2, 0:8), (5, 1:8), (2, 0:16)] lane [(4, 1:2), (8, 0:1)] warp []>
tile.kernel @at(%A: memref<32x40xf32>, %O: memref<32x40xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %f = tile.alloc layout(#accumulator) : memref<32x40xf32, #tile.fragment>
  tile.copy %A to %f : memref<32x40xf32> to memref<32x40xf32, #tile.fragment>
  tile.copy %f[%c0, %c0] sizes [8, 40] to %O[%c0, %c0] sizes [8, 40] : memref<32x40xf32, #tile.fragment> to memref<32x40xf32>
  tile.copy %f[%c8, %c0] sizes [24, 40] to %O[%c8, %c0] sizes [24, 40] : memref<32x40xf32, #tile.fragment> to memref<32x40xf32>
}
