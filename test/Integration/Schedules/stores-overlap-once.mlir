// Two stores of one tile write overlapping rows: the second waits for the
// first.
// RUN: tile-run %s --stage=scheduled --arch=sm_80 --lazy-async --check | FileCheck %s
// RUN: tile-run %s --stage=scheduled --arch=sm_90a --lazy-async --check | FileCheck %s
// RUN: tile-run %s --stage=scheduled --arch=sm_100a --lazy-async --check | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_100a -o /dev/null
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<32x64xf16>, %Y: memref<48x64xf16> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %s = tile.alloc : memref<32x64xf16, #shared>
  tile.copy %A to %s : memref<32x64xf16> to memref<32x64xf16, #shared>
  tile.copy %s to %Y[%c0, %c0] : memref<32x64xf16, #shared> to memref<48x64xf16>
  tile.copy %s to %Y[%c16, %c0] : memref<32x64xf16, #shared> to memref<48x64xf16>
}
