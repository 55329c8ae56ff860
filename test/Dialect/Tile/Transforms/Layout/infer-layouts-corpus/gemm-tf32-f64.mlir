// RUN: tile-opt %s --tile-infer-layouts=print-analysis-only -o /dev/null | FileCheck %s
// RUN: tile-opt %s --tile-infer-layouts -o %t.once
// RUN: tile-opt %t.once --tile-infer-layouts -o %t.twice
// RUN: cmp %t.once %t.twice
//
// 32- and 64-bit operands whose k runs along rows are read element by element: the
// swizzle has chunks of 32 bytes.

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_80">} {
tile.kernel @gemm_tf32(%A: memref<1024x1024xf32> {tile.alignment = 16}, %B: memref<1024x1024xf32> {tile.alignment = 16}, %C: memref<1024x1024xf32> {tile.alignment = 16})
    grid(%bx, %by) = (8, 8) threads(128) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %K = arith.constant 1024 : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %As = tile.alloc : memref<128x32xf32, #shared>
  %Bs = tile.alloc : memref<32x128xf32, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.pipelined %k = %c0 to %K step %c32 stages(2) {
    tile.copy %A[%m, %k] to %As : memref<1024x1024xf32> to memref<128x32xf32, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<1024x1024xf32> to memref<32x128xf32, #shared>
    tile.gemm %As, %Bs, %acc : memref<128x32xf32, #shared>, memref<32x128xf32, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<1024x1024xf32>
}
tile.kernel @gemm_f64(%A: memref<1024x1024xf64> {tile.alignment = 16}, %B: memref<1024x1024xf64> {tile.alignment = 16}, %C: memref<1024x1024xf64> {tile.alignment = 16})
    grid(%bx, %by) = (16, 16) threads(128) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %K = arith.constant 1024 : index
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<64x16xf64, #shared>
  %Bs = tile.alloc : memref<16x64xf64, #shared>
  %acc = tile.alloc : memref<64x64xf64, #tile.fragment>
  tile.pipelined %k = %c0 to %K step %c16 stages(2) {
    tile.copy %A[%m, %k] to %As : memref<1024x1024xf64> to memref<64x16xf64, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<1024x1024xf64> to memref<16x64xf64, #shared>
    tile.gemm %As, %Bs, %acc : memref<64x16xf64, #shared>, memref<16x64xf64, #shared>, memref<64x64xf64, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<64x64xf64, #tile.fragment> to memref<1024x1024xf64>
}
}

// CHECK-LABEL: layouts of kernel @gemm_tf32, 128 threads
// CHECK: fragment {{.*}} : memref<128x128xf32, #tile.fragment>
// CHECK-NEXT: layout: shape [128, 128] reg [(2, 1:1), (2, 0:8), (8, 1:8), (4, 0:16)] lane [(4, 1:2), (8, 0:1)] warp [(2, 0:64), (2, 1:64)]
// CHECK: shared {{.*}} : memref<128x32xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT: layout: shape [128, 32] bits 32 modes [(32, 1:1), (128, 0:32)] swizzle(3, 4, 3)
// CHECK: why: swizzled, no bank conflicts
// CHECK: shared {{.*}} : memref<32x128xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT: layout: shape [32, 128] bits 32 modes [(128, 1:1), (32, 0:128)] swizzle(2, 5, 4)
// CHECK: why: swizzled, no bank conflicts
// CHECK: {{^  }}tile.gemm of line
// CHECK-NEXT: plan: #tile.mma_plan<mma_sync, m = 16, n = 8, k = 8, warps = [2, 2]>
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [128, 128] reg [(2, 1:1), (2, 0:8), (8, 1:8), (4, 0:16)] lane [(4, 1:2), (8, 0:1)] warp [(2, 0:64), (2, 1:64)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [128, 32] reg [(4, 1:1), (8, 0:16)] lane [(8, 1:4), (4, 0:1)] warp [(4, 0:4)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [32, 128] reg [(4, 1:1), (8, 0:4)] lane [(32, 1:4)] warp [(4, 0:1)]
// CHECK-NOT: conversion of
// CHECK-LABEL: layouts of kernel @gemm_f64, 128 threads
// CHECK: fragment {{.*}} : memref<64x64xf64, #tile.fragment>
// CHECK-NEXT: layout: shape [64, 64] reg [(2, 1:1), (4, 1:8), (4, 0:8)] lane [(4, 1:2), (8, 0:1)] warp [(2, 0:32), (2, 1:32)]
// CHECK: shared {{.*}} : memref<64x16xf64, #gpu.address_space<workgroup>>
// CHECK-NEXT: layout: shape [64, 16] bits 64 modes [(16, 1:1), (64, 0:16)] swizzle(2, 5, 2)
// CHECK: why: swizzled, no bank conflicts
// CHECK: shared {{.*}} : memref<16x64xf64, #gpu.address_space<workgroup>>
// CHECK-NEXT: layout: shape [16, 64] bits 64 modes [(64, 1:1), (16, 0:64)] swizzle(2, 5, 4)
// CHECK: why: swizzled, no bank conflicts
// CHECK: {{^  }}tile.gemm of line
// CHECK-NEXT: plan: #tile.mma_plan<mma_sync, m = 8, n = 8, k = 4, warps = [2, 2]>
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [64, 64] reg [(2, 1:1), (4, 1:8), (4, 0:8)] lane [(4, 1:2), (8, 0:1)] warp [(2, 0:32), (2, 1:32)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [64, 16] reg [(2, 1:1), (4, 0:16)] lane [(8, 1:2), (4, 0:1)] warp [(4, 0:4)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [16, 64] reg [(2, 1:1), (4, 0:4)] lane [(32, 1:2)] warp [(4, 0:1)]
// CHECK-NOT: conversion of
