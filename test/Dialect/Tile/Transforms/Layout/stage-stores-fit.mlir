// RUN: tile-opt %s --tile-to-copies=arch=sm_90a | FileCheck %s
// Six stages do not fit, and four are what --tile-fit-stages leaves: then there is room for half of the tile. Before, the store was said to
// have no room, and threads stored four bytes each.
// CHECK-LABEL: tile.kernel @more_stages_than_fit
// CHECK:         tile.alloc{{.*}} memref<128x128xf16, #gpu.address_space<workgroup>>
#shared = #gpu.address_space<workgroup>
tile.kernel @more_stages_than_fit(%A: memref<4096x4096xf16> {tile.alignment = 16}, %B: memref<4096x4096xf16> {tile.alignment = 16}, %C: memref<4096x4096xf16> {tile.alignment = 16})
    grid(%bx, %by) = (16, 32) threads(256) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c256 : index
  %a = tile.alloc : memref<128x64xf16, #shared>
  %b = tile.alloc : memref<64x256xf16, #shared>
  %acc = tile.alloc : memref<128x256xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x256xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c4096 step %c64 stages(6) {
    tile.copy %A[%m, %k] to %a : memref<4096x4096xf16> to memref<128x64xf16, #shared>
    tile.copy %B[%k, %n] to %b : memref<4096x4096xf16> to memref<64x256xf16, #shared>
    tile.gemm %a, %b, %acc : memref<128x64xf16, #shared>, memref<64x256xf16, #shared>, memref<128x256xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x256xf32, #tile.fragment> to memref<4096x4096xf16>
}
