// RUN: tile-opt %s --tile-infer-layouts=print-analysis-only -o /dev/null | FileCheck %s
// RUN: tile-opt %s --tile-infer-layouts -o %t.once
// RUN: tile-opt %t.once --tile-infer-layouts -o %t.twice
// RUN: cmp %t.once %t.twice
//
// Both gemms take all warps along the rows, although 2x2 warps would be cheaper for
// the second alone: scores, probabilities and row statistics stay with their threads
// and nothing is converted.

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90">} {
tile.kernel @attention(%Q: memref<?x64xf16> {tile.alignment = 16}, %K: memref<?x64xf16> {tile.alignment = 16}, %V: memref<?x64xf16> {tile.alignment = 16}, %O: memref<?x64xf16> {tile.alignment = 16}, %n: index)
    grid(%b) = (dim(%Q, 0) ceildiv 64) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %r = arith.muli %b, %c64 : index
  %Qs = tile.alloc : memref<64x64xf16, #shared>
  %Ks = tile.alloc : memref<64x64xf16, #shared>
  %Vs = tile.alloc : memref<64x64xf16, #shared>
  %S = tile.alloc : memref<64x64xf32, #tile.fragment>
  %P = tile.alloc : memref<64x64xf16, #tile.fragment>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  %m = tile.alloc : memref<64xf32, #tile.fragment>
  %mold = tile.alloc : memref<64xf32, #tile.fragment>
  %l = tile.alloc : memref<64xf32, #tile.fragment>
  %lnew = tile.alloc : memref<64xf32, #tile.fragment>
  tile.fill %acc with %z : memref<64x64xf32, #tile.fragment>, f32
  tile.fill %m with %ninf : memref<64xf32, #tile.fragment>, f32
  tile.fill %l with %z : memref<64xf32, #tile.fragment>, f32
  tile.copy %Q[%r, %c0] to %Qs : memref<?x64xf16> to memref<64x64xf16, #shared>
  tile.pipelined %k = %c0 to %n step %c64 stages(2) {
    tile.copy %K[%k, %c0] to %Ks : memref<?x64xf16> to memref<64x64xf16, #shared>
    tile.copy %V[%k, %c0] to %Vs : memref<?x64xf16> to memref<64x64xf16, #shared>
    tile.gemm %Qs, %Ks, %S {transpose_b, clear} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.copy %m to %mold : memref<64xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
    tile.reduce max %S to %m dim(1) accumulate : memref<64x64xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 64) {
      %s = memref.load %S[%i, %j] : memref<64x64xf32, #tile.fragment>
      %max = memref.load %m[%i] : memref<64xf32, #tile.fragment>
      %d = arith.subf %s, %max : f32
      %e = math.exp %d : f32
      memref.store %e, %S[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    tile.reduce sum %S to %lnew dim(1) : memref<64x64xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
    tile.parallel (%i) in (64) {
      %old = memref.load %mold[%i] : memref<64xf32, #tile.fragment>
      %new = memref.load %m[%i] : memref<64xf32, #tile.fragment>
      %d = arith.subf %old, %new : f32
      %scale = math.exp %d : f32
      %li = memref.load %l[%i] : memref<64xf32, #tile.fragment>
      %ln = memref.load %lnew[%i] : memref<64xf32, #tile.fragment>
      %ls = arith.mulf %li, %scale : f32
      %lt = arith.addf %ls, %ln : f32
      memref.store %lt, %l[%i] : memref<64xf32, #tile.fragment>
      memref.store %scale, %mold[%i] : memref<64xf32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (64, 64) {
      %o = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
      %scale = memref.load %mold[%i] : memref<64xf32, #tile.fragment>
      %os = arith.mulf %o, %scale : f32
      memref.store %os, %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    tile.copy %S to %P : memref<64x64xf32, #tile.fragment> to memref<64x64xf16, #tile.fragment>
    tile.gemm %P, %Vs, %acc : memref<64x64xf16, #tile.fragment>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.parallel (%i, %j) in (64, 64) {
    %o = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
    %li = memref.load %l[%i] : memref<64xf32, #tile.fragment>
    %os = arith.divf %o, %li : f32
    memref.store %os, %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %O[%r, %c0] : memref<64x64xf32, #tile.fragment> to memref<?x64xf16>
}
}

// CHECK-LABEL: layouts of kernel @attention, 128 threads
// CHECK: fragment {{.*}} : memref<64x64xf32, #tile.fragment>
// CHECK-NEXT: layout: shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]
// CHECK: fragment {{.*}} : memref<64x64xf16, #tile.fragment>
// CHECK-NEXT: layout: shape [64, 64] reg [(2, 1:1), (2, 0:8), (2, 1:8), (4, 1:16)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]
// CHECK: fragment {{.*}} : memref<64x64xf32, #tile.fragment>
// CHECK-NEXT: layout: shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]
// CHECK: fragment {{.*}} : memref<64xf32, #tile.fragment>
// CHECK-NEXT: layout: shape [64] reg [(2, 0:8)] lane [(4, *), (8, 0:1)] warp [(4, 0:16)]
// CHECK: fragment {{.*}} : memref<64xf32, #tile.fragment>
// CHECK-NEXT: layout: shape [64] reg [(2, 0:8)] lane [(4, *), (8, 0:1)] warp [(4, 0:16)]
// CHECK: fragment {{.*}} : memref<64xf32, #tile.fragment>
// CHECK-NEXT: layout: shape [64] reg [(2, 0:8)] lane [(4, *), (8, 0:1)] warp [(4, 0:16)]
// CHECK: fragment {{.*}} : memref<64xf32, #tile.fragment>
// CHECK-NEXT: layout: shape [64] reg [(2, 0:8)] lane [(4, *), (8, 0:1)] warp [(4, 0:16)]
// CHECK: shared {{.*}} : memref<64x64xf16, #gpu.address_space<workgroup>>
// CHECK-NEXT: layout: shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)
// CHECK: why: swizzled, no bank conflicts
// CHECK: shared {{.*}} : memref<64x64xf16, #gpu.address_space<workgroup>>
// CHECK-NEXT: layout: shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)
// CHECK: why: swizzled, no bank conflicts
// CHECK: shared {{.*}} : memref<64x64xf16, #gpu.address_space<workgroup>>
// CHECK-NEXT: layout: shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)
// CHECK: why: swizzled, no bank conflicts
// CHECK: {{^  }}tile.gemm of line
// CHECK-NEXT: plan: #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [4, 1]>
// CHECK: {{^  }}tile.gemm of line
// CHECK-NEXT: plan: #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [4, 1]>
// CHECK: {{^  }}tile.fill of line
// CHECK-NEXT: layout: shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]
// CHECK: {{^  }}tile.parallel of line
// CHECK-NEXT: layout: shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]
// CHECK: {{^  }}tile.parallel of line
// CHECK-NEXT: layout: shape [64] reg [(2, 0:8)] lane [(4, *), (8, 0:1)] warp [(4, 0:16)]
// CHECK: {{^  }}tile.parallel of line
// CHECK-NEXT: layout: shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]
// CHECK: {{^  }}tile.parallel of line
// CHECK-NEXT: layout: shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [64, 64] reg [(2, 1:1), (2, 0:8), (8, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]
// CHECK: {{^  }}tile.fill of line
// CHECK-NEXT: layout: shape [64] reg [(2, 0:8)] lane [(4, *), (8, 0:1)] warp [(4, 0:16)]
// CHECK: {{^  }}tile.fill of line
// CHECK-NEXT: layout: shape [64] reg [(2, 0:8)] lane [(4, *), (8, 0:1)] warp [(4, 0:16)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [64] reg [(2, 0:8)] lane [(4, *), (8, 0:1)] warp [(4, 0:16)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [64, 64] reg [(8, 1:1), (4, 0:16)] lane [(8, 1:8), (4, 0:1)] warp [(4, 0:4)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [64, 64] reg [(8, 1:1), (4, 0:16)] lane [(8, 1:8), (4, 0:1)] warp [(4, 0:4)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [64, 64] reg [(8, 1:1), (4, 0:16)] lane [(8, 1:8), (4, 0:1)] warp [(4, 0:4)]
// CHECK-NOT: conversion of
