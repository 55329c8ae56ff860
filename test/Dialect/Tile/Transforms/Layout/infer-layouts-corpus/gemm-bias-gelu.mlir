// RUN: tile-opt %s --tile-infer-layouts=print-analysis-only -o /dev/null | FileCheck %s
// RUN: tile-opt %s --tile-infer-layouts -o %t.once
// RUN: tile-opt %t.once --tile-infer-layouts -o %t.twice
// RUN: cmp %t.once %t.twice
//
// The bias row follows the columns of the accumulator (replicated over its rows);
// the staged result is swizzled so that accumulator rows do not collide.

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90">} {
tile.kernel @gemm_bias_gelu(%A: memref<?x768xf16> {tile.alignment = 16}, %B: memref<768x3072xf16> {tile.alignment = 16}, %bias: memref<3072xf16> {tile.alignment = 16}, %C: memref<?x3072xf16> {tile.alignment = 16})
    grid(%bx, %by) = (24, dim(%C, 0) ceildiv 64) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %K = arith.constant 768 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %rsqrt2 = arith.constant 0.70710678 : f32
  %one = arith.constant 1.0 : f32
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c128 : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<64x128xf32, #tile.fragment>
  %b = tile.alloc : memref<128xf32, #tile.fragment>
  %out = tile.alloc : memref<64x128xf16, #tile.fragment>
  %outs = tile.alloc : memref<64x128xf16, #shared>
  tile.copy %bias[%n] to %b : memref<3072xf16> to memref<128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c64 stages(3) {
    tile.copy %A[%m, %k] to %As : memref<?x768xf16> to memref<64x64xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<768x3072xf16> to memref<64x128xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<64x64xf16, #shared>, memref<64x128xf16, #shared>, memref<64x128xf32, #tile.fragment>
  }
  tile.parallel (%i, %j) in (64, 128) {
    %x = memref.load %acc[%i, %j] : memref<64x128xf32, #tile.fragment>
    %bj = memref.load %b[%j] : memref<128xf32, #tile.fragment>
    %y = arith.addf %x, %bj : f32
    %s = arith.mulf %y, %rsqrt2 : f32
    %e = math.erf %s : f32
    %e1 = arith.addf %e, %one : f32
    %h = arith.mulf %y, %half : f32
    %g = arith.mulf %h, %e1 : f32
    %t = arith.truncf %g : f32 to f16
    memref.store %t, %out[%i, %j] : memref<64x128xf16, #tile.fragment>
  }
  tile.copy %out to %outs : memref<64x128xf16, #tile.fragment> to memref<64x128xf16, #shared>
  tile.copy %outs to %C[%m, %n] : memref<64x128xf16, #shared> to memref<?x3072xf16>
}
}

// CHECK-LABEL: layouts of kernel @gemm_bias_gelu, 128 threads
// CHECK: fragment {{.*}} : memref<64x128xf32, #tile.fragment>
// CHECK-NEXT: layout: shape [64, 128] reg [(2, 1:1), (2, 0:8), (8, 1:8), (2, 0:16)] lane [(4, 1:2), (8, 0:1)] warp [(2, 0:32), (2, 1:64)]
// CHECK: fragment {{.*}} : memref<128xf32, #tile.fragment>
// CHECK-NEXT: layout: shape [128] reg [(2, 0:1), (8, 0:8)] lane [(4, 0:2), (8, *)] warp [(2, *), (2, 0:64)]
// CHECK: fragment {{.*}} : memref<64x128xf16, #tile.fragment>
// CHECK-NEXT: layout: shape [64, 128] reg [(2, 1:1), (2, 0:8), (8, 1:8), (2, 0:16)] lane [(4, 1:2), (8, 0:1)] warp [(2, 0:32), (2, 1:64)]
// CHECK: shared {{.*}} : memref<64x64xf16, #gpu.address_space<workgroup>>
// CHECK-NEXT: layout: shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)
// CHECK: why: swizzled, no bank conflicts
// CHECK: shared {{.*}} : memref<64x128xf16, #gpu.address_space<workgroup>>
// CHECK-NEXT: layout: shape [64, 128] bits 16 modes [(128, 1:1), (64, 0:128)] swizzle(3, 4, 4)
// CHECK: why: swizzled, no bank conflicts
// CHECK: shared {{.*}} : memref<64x128xf16, #gpu.address_space<workgroup>>
// CHECK-NEXT: layout: shape [64, 128] bits 16 modes [(128, 1:1), (64, 0:128)] swizzle(3, 4, 4)
// CHECK: why: swizzled, no bank conflicts
// CHECK: {{^  }}tile.gemm of line
// CHECK-NEXT: plan: #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [2, 2]>
// CHECK: {{^  }}tile.fill of line
// CHECK-NEXT: layout: shape [64, 128] reg [(2, 1:1), (2, 0:8), (8, 1:8), (2, 0:16)] lane [(4, 1:2), (8, 0:1)] warp [(2, 0:32), (2, 1:64)]
// CHECK: {{^  }}tile.parallel of line
// CHECK-NEXT: layout: shape [64, 128] reg [(2, 1:1), (2, 0:8), (8, 1:8), (2, 0:16)] lane [(4, 1:2), (8, 0:1)] warp [(2, 0:32), (2, 1:64)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [64, 128] reg [(2, 1:1), (2, 0:8), (8, 1:8), (2, 0:16)] lane [(4, 1:2), (8, 0:1)] warp [(2, 0:32), (2, 1:64)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [128] reg [(2, 0:1), (8, 0:8)] lane [(4, 0:2), (8, *)] warp [(2, *), (2, 0:64)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [64, 64] reg [(8, 1:1), (4, 0:16)] lane [(8, 1:8), (4, 0:1)] warp [(4, 0:4)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [64, 128] reg [(8, 1:1), (8, 0:8)] lane [(16, 1:8), (2, 0:1)] warp [(4, 0:2)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [64, 128] reg [(8, 1:1), (8, 0:8)] lane [(16, 1:8), (2, 0:1)] warp [(4, 0:2)]
// CHECK-NOT: conversion of
