// One tile is stored to two matrices by TMA: both stores are awaited.
// RUN: tile-run %s --stage=scheduled --arch=sm_80 --lazy-async --check | FileCheck %s
// RUN: tile-run %s --stage=scheduled --arch=sm_90a --lazy-async --check | FileCheck %s
// RUN: tile-run %s --stage=scheduled --arch=sm_100a --lazy-async --check | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_100a -o /dev/null
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<32x64xf16>, %Y: memref<32x64xf16> {tile.alignment = 16}, %Z: memref<32x64xf16> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %s = tile.alloc : memref<32x64xf16, #shared>
  tile.copy %A to %s : memref<32x64xf16> to memref<32x64xf16, #shared>
  tile.copy %s to %Y : memref<32x64xf16, #shared> to memref<32x64xf16>
  tile.copy %s to %Z : memref<32x64xf16, #shared> to memref<32x64xf16>
}
