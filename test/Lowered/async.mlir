// A gemm by TMA and wgmma: what asynchronous operations read, write and leave behind.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_90a -o %t.mlir
// RUN: tile-run %t.mlir --source=%s --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=PASS
// PASS: PASS

// RUN: sed '/nvvm.fence.proxy/d' %t.mlir > %t.fence.mlir
// RUN: not tile-run %t.fence.mlir --source=%s --stage=lowered --arch=sm_90a --check 2>&1 | FileCheck %s --check-prefix=FENCE
// FENCE: tile-run: error: {{.*}}missing fence.proxy.async: asynchronous read of {{.*}} is not visible to the asynchronous proxy

// RUN: sed '/fence.mbarrier_init/d' %t.mlir > %t.init.mlir
// RUN: not tile-run %t.init.mlir --source=%s --stage=lowered --arch=sm_90a --check 2>&1 | FileCheck %s --check-prefix=INIT
// INIT: tile-run: error: {{.*}}no fence.mbarrier_init followed its initialization

// RUN: sed 's/wgmma.wait_group.sync.aligned 0/wgmma.wait_group.sync.aligned 1/' %t.mlir > %t.wait.mlir
// RUN: not tile-run %t.wait.mlir --source=%s --stage=lowered --arch=sm_90a --check 2>&1 | FileCheck %s --check-prefix=WAIT
// WAIT: tile-run: error: {{.*}} before wgmma.wait_group has returned it

// RUN: sed '/mbarrier.arrive.shared::cta/d' %t.mlir > %t.arrive.mlir
// RUN: not tile-run %t.arrive.mlir --source=%s --stage=lowered --arch=sm_90a --check 2>&1 | FileCheck %s --check-prefix=ARRIVE
// ARRIVE: tile-run: error: deadlock: {{.*}} wait for phase of parity 0 of the mbarrier at shared address

// RUN: sed '/cp.async.bulk.commit.group/d' %t.mlir > %t.commit.mlir
// RUN: not tile-run %t.commit.mlir --source=%s --stage=lowered --arch=sm_90a --check 2>&1 | FileCheck %s --check-prefix=COMMIT
// COMMIT: tile-run: error: {{.*}}{{(ended with bulk stores that it did not commit|race: )}}
#shared = #gpu.address_space<workgroup>
tile.kernel @gemm(%A: memref<128x512xf16> {tile.alignment = 16}, %B: memref<512x128xf16> {tile.alignment = 16}, %C: memref<128x128xf32> {tile.alignment = 16})
    grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c512 step %c64 stages(4) {
    tile.copy %A[%c0, %k] to %As : memref<128x512xf16> to memref<128x64xf16, #shared>
    tile.copy %B[%k, %c0] to %Bs : memref<512x128xf16> to memref<64x128xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<128x64xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%c0, %c0] : memref<128x128xf32, #tile.fragment> to memref<128x128xf32>
}
