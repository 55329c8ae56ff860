// A ring that cp.async fills and TMA stores from: the wait of its threads
// fences the proxies.
// RUN: tile-run %s --stage=scheduled --arch=sm_80 --lazy-async --check --args=A=4x16x16,n=4 | FileCheck %s
// RUN: tile-run %s --stage=scheduled --arch=sm_90a --lazy-async --check --args=A=4x16x16,n=4 | FileCheck %s
// RUN: tile-run %s --stage=scheduled --arch=sm_100a --lazy-async --check --args=A=4x16x16,n=4 | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_100a -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a -o - | FileCheck %s --check-prefix=PTX
// PTX: cp.async.wait_group
// PTX: fence.proxy.async.shared::cta
// PTX: bar.sync
// PTX: cp.async.bulk.tensor.3d.global.shared::cta
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<4x?x16xf32>, %W: memref<4x16x16xf32> {tile.alignment = 16}, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tile.alloc : memref<16x16xf32, #shared>
  tile.pipelined %t = %c0 to %n step %c1 stages(3) {
    tile.copy %A[%t, %c0, %c0] to %s : memref<4x?x16xf32> to memref<16x16xf32, #shared>
    tile.copy %s to %W[%t, %c0, %c0] : memref<16x16xf32, #shared> to memref<4x16x16xf32>
  }
}
