// A tile that TMA loads outside of loops is stored asynchronously: its slot is
// released after the await of that store.
// RUN: tile-run %s --stage=scheduled --arch=sm_80 --lazy-async --check | FileCheck %s
// RUN: tile-run %s --stage=scheduled --arch=sm_90a --lazy-async --check | FileCheck %s
// RUN: tile-run %s --stage=scheduled --arch=sm_100a --lazy-async --check | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_100a -o /dev/null
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<64x64xf16> {tile.alignment = 16}, %Y: memref<64x64xf16> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %s = tile.alloc : memref<64x64xf16, #shared>
  tile.copy %A to %s : memref<64x64xf16> to memref<64x64xf16, #shared>
  %t = tile.copy %s to %Y : memref<64x64xf16, #shared> to memref<64x64xf16> -> !tile.token
  tile.await %t
}
