// Stores of one tile write overlapping rows, in one round and in the next. TMA
// does not order them, so the earlier one has to have ended.
// RUN: tile-run %s --stage=scheduled --arch=sm_80 --lazy-async --check | FileCheck %s
// RUN: tile-run %s --stage=scheduled --arch=sm_90a --lazy-async --check | FileCheck %s
// RUN: tile-run %s --stage=scheduled --arch=sm_100a --lazy-async --check | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_100a -o /dev/null
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<4x32x64xf16>, %Y: memref<160x64xf16> {tile.alignment = 16}, %Z: memref<128x64xf16> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %s = tile.alloc : memref<32x64xf16, #shared>
  scf.for %i = %c0 to %c4 step %c1 {
    %r = arith.muli %i, %c32 : index
    %r1 = arith.addi %r, %c32 : index
    tile.copy %A[%i, %c0, %c0] to %s : memref<4x32x64xf16> to memref<32x64xf16, #shared>
    tile.copy %s to %Y[%r, %c0] : memref<32x64xf16, #shared> to memref<160x64xf16>
    tile.copy %s to %Z[%r, %c0] : memref<32x64xf16, #shared> to memref<128x64xf16>
    tile.copy %s to %Y[%r1, %c0] : memref<32x64xf16, #shared> to memref<160x64xf16>
  }
}
