// The ring of a loop is used once more behind it: that slot is released after
// the await of the store that reads it.
// RUN: tile-run %s --stage=scheduled --arch=sm_80 --lazy-async --check | FileCheck %s
// RUN: tile-run %s --stage=scheduled --arch=sm_90a --lazy-async --check | FileCheck %s
// RUN: tile-run %s --stage=scheduled --arch=sm_100a --lazy-async --check | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_100a -o /dev/null
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<64x256xf16> {tile.alignment = 16}, %B: memref<256x64xf16> {tile.alignment = 16}, %R: memref<64x32xf16> {tile.alignment = 16}, %Y: memref<64x32xf16> {tile.alignment = 16}, %C: memref<64x64xf32> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<64x32xf16, #shared>
  %Bs = tile.alloc : memref<32x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c256 step %c32 stages(2) {
    tile.copy %A[%c0, %k] to %As : memref<64x256xf16> to memref<64x32xf16, #shared>
    tile.copy %B[%k, %c0] to %Bs : memref<256x64xf16> to memref<32x64xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %R to %As : memref<64x32xf16> to memref<64x32xf16, #shared>
  %t = tile.copy %As to %Y : memref<64x32xf16, #shared> to memref<64x32xf16> -> !tile.token
  tile.copy %acc to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
  tile.await %t
}
