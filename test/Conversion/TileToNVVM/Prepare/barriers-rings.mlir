// A ring orders its producers against its consumers. What the threads that
// consume a slot do in it among themselves is ordered by barriers.
// RUN: tile-opt %s --split-input-file --tile-to-nvvm=arch=sm_80 | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-to-nvvm=arch=sm_90a | FileCheck %s --check-prefix=PROXY

#shared = #gpu.address_space<workgroup>
// The stage is scaled in place by other threads than those that multiply it.
// CHECK-LABEL: llvm.func @scaled
// CHECK:       nvvm.cp.async.wait.group 1
// CHECK-NEXT:  nvvm.barrier
// CHECK:       llvm.store {{.*}} !llvm.ptr<3>
// CHECK:       nvvm.barrier
// CHECK:       nvvm.ldmatrix
// CHECK:       nvvm.mma.sync
// CHECK-NOT:   nvvm.barrier
// CHECK:       nvvm.cp.async.wait.group 0
//
// wgmma reads through the async proxy what threads have written; it is released
// to tensor copies, that write through it, by the same fence.
// PROXY-LABEL: llvm.func @scaled
// PROXY:       mbarrier.try_wait
// PROXY:       llvm.store {{.*}} !llvm.ptr<3>
// PROXY:       nvvm.fence.proxy
// PROXY:       nvvm.barrier id
// PROXY-NOT:   nvvm.barrier
// PROXY:       wgmma.mma_async
tile.kernel @scaled(%A: memref<?x512xf16> {tile.alignment = 16}, %B: memref<512x?xf16> {tile.alignment = 16}, %C: memref<?x?xf32> {tile.alignment = 16})
    grid(%bx) = (dim(%A, 0) ceildiv 64) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %two = arith.constant 2.0 : f16
  %zero = arith.constant 0.0 : f32
  %N = memref.dim %B, %c1 : memref<512x?xf16>
  tile.assume %N {divisible_by = 64 : i64} : index
  %m = arith.muli %bx, %c64 : index
  %a = tile.alloc : memref<64x64xf16, #shared>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %c with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c512 step %c64 stages(3) {
    tile.copy %A[%m, %k] to %a : memref<?x512xf16> to memref<64x64xf16, #shared>
    tile.copy %B[%k, %c0] to %b : memref<512x?xf16> to memref<64x64xf16, #shared>
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %a[%i, %j] : memref<64x64xf16, #shared>
      %y = arith.mulf %x, %two : f16
      memref.store %y, %a[%i, %j] : memref<64x64xf16, #shared>
    }
    tile.gemm %a, %b, %c : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %c to %C[%m, %c0] : memref<64x64xf32, #tile.fragment> to memref<?x?xf32>
}

// -----

#shared = #gpu.address_space<workgroup>
// Two views of one slot, read twice: only what is written between is ordered.
// CHECK-LABEL: llvm.func @stage_read
// CHECK:       nvvm.cp.async.wait.group 0
// CHECK-NEXT:  nvvm.barrier
// CHECK-NOT:   nvvm.barrier
// CHECK:       llvm.cond_br
// CHECK-NOT:   nvvm.barrier
// CHECK:       nvvm.cp.async.wait.group 0
// CHECK-NEXT:  nvvm.barrier
// CHECK-NOT:   nvvm.barrier
// CHECK:       llvm.return
tile.kernel @stage_read(%A: memref<?x64xf32> {tile.alignment = 16}, %C: memref<64x64xf32> {tile.alignment = 16}, %D: memref<64x64xf32> {tile.alignment = 16})
    grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %M = memref.dim %A, %c0 : memref<?x64xf32>
  %a = tile.alloc : memref<64x64xf32, #shared>
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %f with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %M step %c64 stages(2) {
    tile.copy %A[%k, %c0] to %a : memref<?x64xf32> to memref<64x64xf32, #shared>
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %a[%i, %j] : memref<64x64xf32, #shared>
      %y = memref.load %f[%i, %j] : memref<64x64xf32, #tile.fragment>
      %z = arith.addf %x, %y : f32
      memref.store %z, %f[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %a[%j, %i] : memref<64x64xf32, #shared>
      %y = memref.load %f[%i, %j] : memref<64x64xf32, #tile.fragment>
      %z = arith.addf %x, %y : f32
      memref.store %z, %f[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
  }
  tile.copy %f to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}
