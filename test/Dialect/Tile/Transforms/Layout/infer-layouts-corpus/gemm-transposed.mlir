// RUN: tile-opt %s --tile-infer-layouts=print-analysis-only -o /dev/null | FileCheck %s
// RUN: tile-opt %s --tile-infer-layouts -o %t.once
// RUN: tile-opt %t.once --tile-infer-layouts -o %t.twice
// RUN: cmp %t.once %t.twice
//
// Both operands transposed, 8 warps on 128x256: 2x4, each 64x64.

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90">} {
tile.kernel @gemm_tt(%A: memref<4096x4096xbf16> {tile.alignment = 16}, %B: memref<4096x4096xbf16> {tile.alignment = 16}, %C: memref<4096x4096xf32> {tile.alignment = 16})
    grid(%bx, %by) = (16, 32) threads(256) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %K = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c256 : index
  %As = tile.alloc : memref<64x128xbf16, #shared>
  %Bs = tile.alloc : memref<256x64xbf16, #shared>
  %acc = tile.alloc : memref<128x256xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x256xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c64 stages(3) {
    tile.copy %A[%k, %m] to %As : memref<4096x4096xbf16> to memref<64x128xbf16, #shared>
    tile.copy %B[%n, %k] to %Bs : memref<4096x4096xbf16> to memref<256x64xbf16, #shared>
    tile.gemm %As, %Bs, %acc {transpose_a, transpose_b} : memref<64x128xbf16, #shared>, memref<256x64xbf16, #shared>, memref<128x256xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x256xf32, #tile.fragment> to memref<4096x4096xf32>
}
}

// CHECK-LABEL: layouts of kernel @gemm_tt, 256 threads
// CHECK: fragment {{.*}} : memref<128x256xf32, #tile.fragment>
// CHECK-NEXT: layout: shape [128, 256] reg [(2, 1:1), (2, 0:8), (8, 1:8), (4, 0:16)] lane [(4, 1:2), (8, 0:1)] warp [(2, 0:64), (4, 1:64)]
// CHECK: shared {{.*}} : memref<64x128xbf16, #gpu.address_space<workgroup>>
// CHECK-NEXT: layout: shape [64, 128] bits 16 modes [(128, 1:1), (64, 0:128)] swizzle(3, 4, 4)
// CHECK: why: swizzled, no bank conflicts
// CHECK: shared {{.*}} : memref<256x64xbf16, #gpu.address_space<workgroup>>
// CHECK-NEXT: layout: shape [256, 64] bits 16 modes [(64, 1:1), (256, 0:64)] swizzle(3, 4, 3)
// CHECK: why: swizzled, no bank conflicts
// CHECK: {{^  }}tile.gemm of line
// CHECK-NEXT: plan: #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [2, 4]>
// CHECK: {{^  }}tile.fill of line
// CHECK-NEXT: layout: shape [128, 256] reg [(2, 1:1), (2, 0:8), (8, 1:8), (4, 0:16)] lane [(4, 1:2), (8, 0:1)] warp [(2, 0:64), (4, 1:64)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [128, 256] reg [(2, 1:1), (2, 0:8), (8, 1:8), (4, 0:16)] lane [(4, 1:2), (8, 0:1)] warp [(2, 0:64), (4, 1:64)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [64, 128] reg [(8, 1:1), (4, 0:16)] lane [(16, 1:8), (2, 0:1)] warp [(8, 0:2)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [256, 64] reg [(8, 1:1), (8, 0:32)] lane [(8, 1:8), (4, 0:1)] warp [(8, 0:4)]
// CHECK-NOT: conversion of
