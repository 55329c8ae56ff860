// RUN: tile-opt %s --tile-infer-layouts --split-input-file | FileCheck %s

// The accumulator has the fragment of mma.sync m16n8k16 over 2x2 warps, and the
// loops on it run where it is held. Both operands are swizzled for ldmatrix;
// the copies that fill them move 16 bytes per thread along the contiguous
// dimension.

#shared = #gpu.address_space<workgroup>
// CHECK: module
module attributes {tile.target = #tile.target<"sm_80">} {
// CHECK-LABEL: tile.kernel @gemm
tile.kernel @gemm(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf16>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 128, dim(%C, 0) ceildiv 128) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  // CHECK: tile.alloc layout(#tile.shared_layout<shape [128, 32] bits 16 modes [(32, 1:1), (128, 0:32)] swizzle(2, 4, 3)>) : memref<128x32xf16
  // CHECK: tile.alloc layout(#tile.shared_layout<shape [32, 128] bits 16 modes [(128, 1:1), (32, 0:128)] swizzle(3, 4, 4)>) : memref<32x128xf16
  // CHECK: %[[ACC:.*]] = tile.alloc layout([[C:#tile.fragment_layout<shape \[128, 128\] reg \[\(2, 1:1\), \(2, 0:8\), \(8, 1:8\), \(4, 0:16\)\] lane \[\(4, 1:2\), \(8, 0:1\)\] warp \[\(2, 0:64\), \(2, 1:64\)\]>]]) : memref<128x128xf32
  // CHECK-NOT: tile.alloc
  %As = tile.alloc : memref<128x32xf16, #shared>
  %Bs = tile.alloc : memref<32x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  // CHECK: tile.fill %[[ACC]] {{.*}} {layout = [[C]]}
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c32 stages(3) {
    // CHECK: tile.copy %A{{.*}} {layout = #tile.fragment_layout<shape [128, 32] reg [(8, 1:1), (4, 0:32)] lane [(4, 1:8), (8, 0:1)] warp [(4, 0:8)]>}
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<128x32xf16, #shared>
    // CHECK: tile.copy %B{{.*}} {layout = #tile.fragment_layout<shape [32, 128] reg [(8, 1:1), (4, 0:8)] lane [(16, 1:8), (2, 0:1)] warp [(4, 0:2)]>}
    tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<32x128xf16, #shared>
    // CHECK: tile.gemm {{.*}} {plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [2, 2]>}
    tile.gemm %As, %Bs, %acc : memref<128x32xf16, #shared>, memref<32x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  // An epilogue: a parallel loop with a row of biases, then the copy out.
  %bias = tile.alloc : memref<128xf32, #tile.fragment>
  // CHECK-NOT: convert_layout
  // CHECK: tile.parallel (%{{.*}}) in (128, 128) layout([[C]])
  tile.fill %bias with %zero : memref<128xf32, #tile.fragment>, f32
  tile.parallel (%i, %j) in (128, 128) {
    %x = memref.load %acc[%i, %j] : memref<128x128xf32, #tile.fragment>
    %b = memref.load %bias[%j] : memref<128xf32, #tile.fragment>
    %y = arith.addf %x, %b : f32
    memref.store %y, %acc[%i, %j] : memref<128x128xf32, #tile.fragment>
  }
  // CHECK: tile.copy %[[ACC]] to %C{{.*}} {layout = [[C]]}
  tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<?x?xf16>
}
}
