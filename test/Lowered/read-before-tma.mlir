// Threads read a slot that a tensor copy fills next: the consumers fence before they release it.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_90a -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.mlir
// IR: ldmatrix
// IR: fence.proxy.async.shared::cta
// IR: nvvm.bar.warp.sync
// IR: mbarrier.arrive
// RUN: tile-run %t.mlir --source=%s --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS
// RUN: sed '/fence.proxy.async.shared::cta/d' %t.mlir > %t.fence.mlir
// RUN: not tile-run %t.fence.mlir --source=%s --stage=lowered --arch=sm_90a --check 2>&1 | FileCheck %s --check-prefix=FENCE
// FENCE: missing fence.proxy.async: asynchronous write of {{.*}} earlier read by ldmatrix
#shared = #gpu.address_space<workgroup>
tile.kernel @read(%A: memref<64x128xf16> {tile.alignment = 16}, %B: memref<128x64xf16> {tile.alignment = 16}, %C: memref<64x64xf32>)
    grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %ring = tile.ring.create layouts([#tile.shared_layout<shape [64, 32] bits 16 modes [(32, 1:1), (64, 0:32)]>, #tile.shared_layout<shape [32, 64] bits 16 modes [(64, 1:1), (32, 0:64)]>]) : !tile.ring<1 x [memref<64x32xf16, #shared>, memref<32x64xf16, #shared>], tma -> threads>
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %u = %c0 to %c4 step %c1 {
      %a, %bb = tile.ring.acquire %ring[%u] : !tile.ring<1 x [memref<64x32xf16, #shared>, memref<32x64xf16, #shared>], tma -> threads>
      %k = arith.muli %u, %c32 : index
      tile.copy %A[%c0, %k] to %a : memref<64x128xf16> to memref<64x32xf16, #shared>
      tile.copy %B[%k, %c0] to %bb : memref<128x64xf16> to memref<32x64xf16, #shared>
      tile.ring.commit %ring[%u] : !tile.ring<1 x [memref<64x32xf16, #shared>, memref<32x64xf16, #shared>], tma -> threads>
    }
  }
  role "use" warps(4) {
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %c with %zero : memref<64x64xf32, #tile.fragment>, f32
    scf.for %u = %c0 to %c4 step %c1 {
      %a, %bb = tile.ring.wait %ring[%u] : !tile.ring<1 x [memref<64x32xf16, #shared>, memref<32x64xf16, #shared>], tma -> threads>
      tile.gemm %a, %bb, %c : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
      tile.ring.release %ring[%u] : !tile.ring<1 x [memref<64x32xf16, #shared>, memref<32x64xf16, #shared>], tma -> threads>
    }
    tile.copy %c to %C[%c0, %c0] : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
  }
}
