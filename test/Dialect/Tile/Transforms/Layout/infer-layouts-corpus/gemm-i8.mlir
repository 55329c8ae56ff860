// RUN: tile-opt %s --tile-infer-layouts=print-analysis-only -o /dev/null | FileCheck %s
// RUN: tile-opt %s --tile-infer-layouts -o %t.once
// RUN: tile-opt %t.once --tile-infer-layouts -o %t.twice
// RUN: cmp %t.once %t.twice
//
// B has k along rows, and ldmatrix transposes 16-bit elements only: it takes pairs of
// bytes, from rows that are distinct modulo 8, which the usual swizzle keeps apart.

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_80">} {
tile.kernel @gemm_i8(%A: memref<4096x4096xi8> {tile.alignment = 16}, %B: memref<4096x4096xi8> {tile.alignment = 16}, %C: memref<4096x4096xi32> {tile.alignment = 16})
    grid(%bx, %by) = (32, 32) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %K = arith.constant 4096 : index
  %zero = arith.constant 0 : i32
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %As = tile.alloc : memref<128x64xi8, #shared>
  %Bs = tile.alloc : memref<64x128xi8, #shared>
  %acc = tile.alloc : memref<128x128xi32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xi32, #tile.fragment>, i32
  tile.pipelined %k = %c0 to %K step %c64 stages(3) {
    tile.copy %A[%m, %k] to %As : memref<4096x4096xi8> to memref<128x64xi8, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<4096x4096xi8> to memref<64x128xi8, #shared>
    tile.gemm %As, %Bs, %acc : memref<128x64xi8, #shared>, memref<64x128xi8, #shared>, memref<128x128xi32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x128xi32, #tile.fragment> to memref<4096x4096xi32>
}
}

// CHECK-LABEL: layouts of kernel @gemm_i8, 128 threads
// CHECK: fragment {{.*}} : memref<128x128xi32, #tile.fragment>
// CHECK-NEXT: layout: shape [128, 128] reg [(2, 1:1), (2, 0:8), (8, 1:8), (4, 0:16)] lane [(4, 1:2), (8, 0:1)] warp [(2, 0:64), (2, 1:64)]
// CHECK: shared {{.*}} : memref<128x64xi8, #gpu.address_space<workgroup>>
// CHECK-NEXT: layout: shape [128, 64] bits 8 modes [(64, 1:1), (128, 0:64)] swizzle(2, 4, 3)
// CHECK: why: swizzled, no bank conflicts
// CHECK: shared {{.*}} : memref<64x128xi8, #gpu.address_space<workgroup>>
// CHECK-NEXT: layout: shape [64, 128] bits 8 modes [(128, 1:1), (64, 0:128)] swizzle(3, 4, 3)
// CHECK: why: swizzled, no bank conflicts
// CHECK: {{^  }}tile.gemm of line
// CHECK-NEXT: plan: #tile.mma_plan<mma_sync, m = 16, n = 8, k = 32, warps = [2, 2]>
// CHECK: {{^  }}tile.fill of line
// CHECK-NEXT: layout: shape [128, 128] reg [(2, 1:1), (2, 0:8), (8, 1:8), (4, 0:16)] lane [(4, 1:2), (8, 0:1)] warp [(2, 0:64), (2, 1:64)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [128, 128] reg [(2, 1:1), (2, 0:8), (8, 1:8), (4, 0:16)] lane [(4, 1:2), (8, 0:1)] warp [(2, 0:64), (2, 1:64)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [128, 64] reg [(16, 1:1), (4, 0:32)] lane [(4, 1:16), (8, 0:1)] warp [(4, 0:8)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [64, 128] reg [(16, 1:1), (4, 0:16)] lane [(8, 1:16), (4, 0:1)] warp [(4, 0:4)]
// CHECK-NOT: conversion of
