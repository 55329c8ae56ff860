// What threads write and wgmma reads is fenced by its writers before they meet;
// what pends before a loop meets before it, not in each iteration.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-infer-layouts --tile-select-copies --tile-pipeline=roles=off --tile-count-arrivals --tile-place-shared-memory --tile-insert-barriers --convert-tile-to-nvvm --split-input-file | FileCheck %s

#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: llvm.func @stores
// CHECK:       llvm.store {{.*}} !llvm.ptr<3>
// CHECK-NOT:   nvvm.barrier
// CHECK:       nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT:  nvvm.barrier
// CHECK-NOT:   nvvm.barrier
// CHECK:       wgmma.mma_async
// CHECK-NOT:   nvvm.fence.proxy
// CHECK:       llvm.return
tile.kernel @stores(%C: memref<64x64xf32>) grid(%bx) = (1) threads(128) {
  %zero = arith.constant 0.0 : f16
  %a = tile.alloc : memref<64x16xf16, #shared>
  %b = tile.alloc : memref<16x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %a with %zero : memref<64x16xf16, #shared>, f16
  tile.fill %b with %zero : memref<16x64xf16, #shared>, f16
  tile.gemm %a, %b, %c {clear} : memref<64x16xf16, #shared>, memref<16x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  tile.copy %c to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}

// -----

// cp.async: the fence comes after the copies have landed.
#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: llvm.func @cp_async
// CHECK:       nvvm.cp.async.wait.group 0
// CHECK-NEXT:  nvvm.fence.proxy
// CHECK-NEXT:  nvvm.barrier
// CHECK:       wgmma.mma_async
tile.kernel @cp_async(%A: memref<64x16xf16> {tile.alignment = 16}, %B: memref<16x64xf16> {tile.alignment = 16}, %C: memref<64x64xf32>) grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x16xf16, #shared>
  %b = tile.alloc : memref<16x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.copy %A to %a {disable_tma} : memref<64x16xf16> to memref<64x16xf16, #shared>
  tile.copy %B to %b {disable_tma} : memref<16x64xf16> to memref<16x64xf16, #shared>
  tile.gemm %a, %b, %c {clear} : memref<64x16xf16, #shared>, memref<16x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  tile.copy %c to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}

// -----

// mma.sync reads as threads do: no fence.
#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: llvm.func @generic
// CHECK-NOT:   nvvm.fence.proxy
// CHECK:       nvvm.barrier
// CHECK-NOT:   nvvm.fence.proxy
// CHECK:       llvm.return
tile.kernel @generic(%C: memref<16x64xf32>) grid(%bx) = (1) threads(128) {
  %zero = arith.constant 0.0 : f16
  %a = tile.alloc : memref<16x16xf16, #shared>
  %b = tile.alloc : memref<16x64xf16, #shared>
  %c = tile.alloc : memref<16x64xf32, #tile.fragment>
  tile.fill %a with %zero : memref<16x16xf16, #shared>, f16
  tile.fill %b with %zero : memref<16x64xf16, #shared>, f16
  tile.gemm %a, %b, %c {clear, plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [1, 4]>} : memref<16x16xf16, #shared>, memref<16x64xf16, #shared>, memref<16x64xf32, #tile.fragment>
  tile.copy %c to %C : memref<16x64xf32, #tile.fragment> to memref<16x64xf32>
}

// -----

// A tile that stays: fence and barrier once, before the loop.
#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: llvm.func @resident
// CHECK:       llvm.store {{.*}} !llvm.ptr<3>
// CHECK:       nvvm.fence.proxy
// CHECK-NEXT:  nvvm.barrier
// CHECK:       llvm.cond_br
// CHECK-NOT:   nvvm.fence.proxy
// CHECK-NOT:   nvvm.barrier
// CHECK:       wgmma.mma_async
// CHECK-NOT:   nvvm.barrier
// CHECK:       llvm.return
tile.kernel @resident(%C: memref<64x64xf32>, %n: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f16
  %f = arith.constant 0.0 : f32
  %a = tile.alloc : memref<64x16xf16, #shared>
  %b = tile.alloc : memref<16x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %a with %zero : memref<64x16xf16, #shared>, f16
  tile.fill %b with %zero : memref<16x64xf16, #shared>, f16
  tile.fill %c with %f : memref<64x64xf32, #tile.fragment>, f32
  scf.for %i = %c0 to %n step %c1 {
    tile.gemm %a, %b, %c : memref<64x16xf16, #shared>, memref<16x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %c to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}

// -----

// A ring's own wait fences what the ring's copies wrote; what was stored before
// the loop is fenced before it. The wait is the barrier of both.
#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: llvm.func @ring
// CHECK:       llvm.store {{.*}} !llvm.ptr<3>
// CHECK:       nvvm.fence.proxy
// CHECK-NOT:   nvvm.barrier
// CHECK:       nvvm.cp.async.wait.group 0
// CHECK-NEXT:  llvm.inline_asm has_side_effects asm_dialect = att "fence.proxy.async.shared::cta;"
// CHECK-NEXT:  nvvm.barrier
// CHECK-NOT:   nvvm.fence.proxy
// CHECK:       wgmma.mma_async
tile.kernel @ring(%B: memref<?x64xf16> {tile.alignment = 16}, %C: memref<64x64xf32>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f16
  %f = arith.constant 0.0 : f32
  %K = memref.dim %B, %c0 : memref<?x64xf16>
  %a = tile.alloc : memref<64x16xf16, #shared>
  %b = tile.alloc : memref<16x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %a with %zero : memref<64x16xf16, #shared>, f16
  tile.fill %c with %f : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c16 stages(2) {
    tile.copy %B[%k, %c0] to %b {disable_tma} : memref<?x64xf16> to memref<16x64xf16, #shared>
    tile.gemm %a, %b, %c : memref<64x16xf16, #shared>, memref<16x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %c to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}
