// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gating: the 8 best of 256 experts, and the softmax of their logits.
// Printed by: benchmarks/program.py gate name=gate rows=8 hints=LOGITS=20x256,WEIGHT=20x8,ID=20x8
#shared = #gpu.address_space<workgroup>
tile.kernel @gate(%LOGITS: memref<?x256xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 20, 256>}, %WEIGHT: memref<?x8xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 20, 8>}, %ID: memref<?x8xi32> {tile.alignment = 16, tile.shape_hint = array<i64: 20, 8>})
    grid(%b) = (dim(%LOGITS, 0) ceildiv 8) threads(128) {
  %c8 = arith.constant 8 : index
  %c0 = arith.constant 0 : index
  %f32_1_4426950408889634 = arith.constant 1.4426950408889634 : f32
  %m = arith.muli %b, %c8 : index
  %x = tile.alloc : memref<8x256xf32, #tile.fragment>
  %best = tile.alloc : memref<8x8xf32, #tile.fragment>
  %place = tile.alloc : memref<8x8xi32, #tile.fragment>
  %top = tile.alloc : memref<8xf32, #tile.fragment>
  %sum = tile.alloc : memref<8xf32, #tile.fragment>
  tile.copy %LOGITS[%m, %c0] to %x : memref<?x256xf32> to memref<8x256xf32, #tile.fragment>
  tile.topk %x to %best, %place dim(1) : memref<8x256xf32, #tile.fragment> to memref<8x8xf32, #tile.fragment>, memref<8x8xi32, #tile.fragment>
  tile.reduce max %best to %top dim(1) : memref<8x8xf32, #tile.fragment> to memref<8xf32, #tile.fragment>
  tile.parallel (%i, %j) in (8, 8) {
    %x0 = memref.load %best[%i, %j] : memref<8x8xf32, #tile.fragment>
    %x1 = memref.load %top[%i] : memref<8xf32, #tile.fragment>
    %x2 = arith.subf %x0, %x1 : f32
    %x3 = arith.mulf %x2, %f32_1_4426950408889634 : f32
    %x4 = math.exp2 %x3 fastmath<afn> : f32
    memref.store %x4, %best[%i, %j] : memref<8x8xf32, #tile.fragment>
  }
  tile.reduce sum %best to %sum dim(1) : memref<8x8xf32, #tile.fragment> to memref<8xf32, #tile.fragment>
  tile.parallel (%i, %j) in (8, 8) {
    %x5 = memref.load %best[%i, %j] : memref<8x8xf32, #tile.fragment>
    %x6 = memref.load %sum[%i] : memref<8xf32, #tile.fragment>
    %x7 = arith.divf %x5, %x6 fastmath<arcp> : f32
    memref.store %x7, %best[%i, %j] : memref<8x8xf32, #tile.fragment>
  }
  tile.copy %best to %WEIGHT[%m, %c0] : memref<8x8xf32, #tile.fragment> to memref<?x8xf32>
  tile.copy %place to %ID[%m, %c0] : memref<8x8xi32, #tile.fragment> to memref<?x8xi32>
}
