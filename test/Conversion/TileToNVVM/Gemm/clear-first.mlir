// What accumulators hold in front of a loop is not needed where its first product starts from zero, and nothing reads them before it.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-infer-layouts --tile-place-shared-memory --tile-insert-barriers --convert-tile-to-nvvm | FileCheck %s

#shared = #gpu.address_space<workgroup>
#wgmma = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [4, 1]>
!a = memref<64x64xf16, #shared>
!acc = memref<64x64xf32, #tile.fragment>

// CHECK-LABEL: llvm.func @cleared
// CHECK: llvm.mlir.undef : f32
// CHECK: wgmma
tile.kernel @cleared(%C: memref<64x64xf32>, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc : !a
  %acc = tile.alloc : !acc
  %done = tile.token.done
  %last = scf.for %k = %c0 to %n step %c1 iter_args(%before = %done) -> (!tile.token) {
    %later = tile.iteration past(1) of %k in %c0 to %n step %c1
    %t = tile.gemm %a, %a, %acc accumulate(%later) {plan = #wgmma} : !a, !a, !acc -> !tile.token
    tile.await %before
    scf.yield %t : !tile.token
  }
  tile.await %last
  tile.copy %acc to %C : !acc to memref<64x64xf32>
}

// CHECK-LABEL: llvm.func @read_before
// CHECK-NOT: llvm.mlir.undef : f32
// CHECK: wgmma
// CHECK-NOT: llvm.mlir.undef : f32
tile.kernel @read_before(%C: memref<64x64xf32>, %D: memref<64x64xf32>, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc : !a
  %acc = tile.alloc : !acc
  tile.copy %C to %acc : memref<64x64xf32> to !acc
  %done = tile.token.done
  %last = scf.for %k = %c0 to %n step %c1 iter_args(%before = %done) -> (!tile.token) {
    tile.await %before
    tile.copy %acc to %D : !acc to memref<64x64xf32>
    %later = tile.iteration past(1) of %k in %c0 to %n step %c1
    %t = tile.gemm %a, %a, %acc accumulate(%later) {plan = #wgmma} : !a, !a, !acc -> !tile.token
    scf.yield %t : !tile.token
  }
  tile.await %last
}

// A question to a loop that starts elsewhere does not say that the first product does.
// CHECK-LABEL: llvm.func @other_start
// CHECK-NOT: llvm.mlir.undef : f32
// CHECK: wgmma
// CHECK-NOT: llvm.mlir.undef : f32
tile.kernel @other_start(%C: memref<64x64xf32>, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc : !a
  %acc = tile.alloc : !acc
  tile.copy %C to %acc : memref<64x64xf32> to !acc
  %done = tile.token.done
  %last = scf.for %k = %c1 to %n step %c1 iter_args(%before = %done) -> (!tile.token) {
    %later = tile.iteration past(1) of %k in %c0 to %n step %c1
    %t = tile.gemm %a, %a, %acc accumulate(%later) {plan = #wgmma} : !a, !a, !acc -> !tile.token
    tile.await %before
    scf.yield %t : !tile.token
  }
  tile.await %last
  tile.copy %acc to %C : !acc to memref<64x64xf32>
}
