// As store-of-lone-copy.mlir, in a pipelined loop.
// RUN: tile-run %s --stage=scheduled --arch=sm_80 --lazy-async --check | FileCheck %s
// RUN: tile-run %s --stage=scheduled --arch=sm_90a --lazy-async --check | FileCheck %s
// RUN: tile-run %s --stage=scheduled --arch=sm_100a --lazy-async --check | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_100a -o /dev/null
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<4x64x64xf16> {tile.alignment = 16}, %Y: memref<4x64x64xf16> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %s = tile.alloc : memref<64x64xf16, #shared>
  tile.pipelined %i = %c0 to %c4 step %c1 stages(2) {
    tile.copy %A[%i, %c0, %c0] to %s : memref<4x64x64xf16> to memref<64x64xf16, #shared>
    %t = tile.copy %s to %Y[%i, %c0, %c0] : memref<64x64xf16, #shared> to memref<4x64x64xf16> -> !tile.token
    tile.await %t
  }
}
