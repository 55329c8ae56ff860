// Threads fill the slots of a loop's ring; a tensor copy fills the same bytes behind it: who drains the ring has to fence.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_90a -o %t.mlir
// RUN: tile-run %t.mlir --source=%s --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS
// RUN: sed '/nvvm.fence.proxy/d' %t.mlir > %t.fence.mlir
// RUN: not tile-run %t.fence.mlir --source=%s --stage=lowered --arch=sm_90a --check 2>&1 | FileCheck %s --check-prefix=FENCE
// FENCE: tile-run: error: {{.*}}missing fence.proxy.async: asynchronous write of {{.*}} by cp.async.bulk.tensor
#shared = #gpu.address_space<workgroup>
tile.kernel @reused(%A: memref<256x32xf32, strided<[1, 256]>>, %B: memref<64x32xf32> {tile.alignment = 16}, %C: memref<64x32xf32>, %D: memref<64x32xf32>)
    grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %slot = tile.alloc : memref<64x32xf32, #shared>
  %later = tile.alloc : memref<64x32xf32, #shared>
  %sum = tile.alloc : memref<64x32xf32, #tile.fragment>
  tile.fill %sum with %zero : memref<64x32xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c256 step %c64 stages(2) {
    tile.copy %A[%k, %c0] to %slot : memref<256x32xf32, strided<[1, 256]>> to memref<64x32xf32, #shared>
    tile.parallel (%i, %j) in (64, 32) {
      %a = memref.load %slot[%i, %j] : memref<64x32xf32, #shared>
      %old = memref.load %sum[%i, %j] : memref<64x32xf32, #tile.fragment>
      %new = arith.addf %old, %a : f32
      memref.store %new, %sum[%i, %j] : memref<64x32xf32, #tile.fragment>
    }
  }
  tile.copy %sum to %D[%c0, %c0] : memref<64x32xf32, #tile.fragment> to memref<64x32xf32>
  tile.copy %B[%c0, %c0] to %later {prefer = #tile.copy_instruction<tma>} : memref<64x32xf32> to memref<64x32xf32, #shared>
  tile.parallel (%i, %j) in (64, 32) {
    %x = memref.load %later[%i, %j] : memref<64x32xf32, #shared>
    memref.store %x, %C[%i, %j] : memref<64x32xf32>
  }
}
