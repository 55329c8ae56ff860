// A row that is copied by cp.async.bulk fills a ring of TMA: both complete on
// mbarriers.
// RUN: tile-run %s --stage=scheduled --arch=sm_80 --lazy-async --check | FileCheck %s
// RUN: tile-run %s --stage=scheduled --arch=sm_90a --lazy-async --check | FileCheck %s
// RUN: tile-run %s --stage=scheduled --arch=sm_100a --lazy-async --check | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_100a -o /dev/null
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<4x1024xf32> {tile.alignment = 16}, %Y: memref<4x1024xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %s = tile.alloc : memref<1024xf32, #shared>
  %f = tile.alloc : memref<1024xf32, #tile.fragment>
  tile.pipelined %t = %c0 to %c4 step %c1 stages(2) {
    tile.copy %A[%t, %c0] to %s : memref<4x1024xf32> to memref<1024xf32, #shared>
    tile.copy %s to %f : memref<1024xf32, #shared> to memref<1024xf32, #tile.fragment>
    tile.copy %f to %Y[%t, %c0] : memref<1024xf32, #tile.fragment> to memref<4x1024xf32>
  }
}
