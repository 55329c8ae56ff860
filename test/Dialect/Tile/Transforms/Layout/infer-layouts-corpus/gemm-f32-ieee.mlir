// RUN: tile-opt %s --tile-infer-layouts=print-analysis-only -o /dev/null | FileCheck %s
// RUN: tile-opt %s --tile-infer-layouts -o %t.once
// RUN: tile-opt %t.once --tile-infer-layouts -o %t.twice
// RUN: cmp %t.once %t.twice
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90 | FileCheck %s --check-prefix=PTX
//
// No tensor core multiplies f32 exactly: FMA, each thread an 8x8 block.

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90">} {
tile.kernel @sgemm(%A: memref<1024x1024xf32> {tile.alignment = 16}, %B: memref<1024x1024xf32> {tile.alignment = 16}, %C: memref<1024x1024xf32> {tile.alignment = 16})
    grid(%bx, %by) = (8, 8) threads(256) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %K = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %As = tile.alloc : memref<128x16xf32, #shared>
  %Bs = tile.alloc : memref<16x128xf32, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c16 stages(2) {
    tile.copy %A[%m, %k] to %As : memref<1024x1024xf32> to memref<128x16xf32, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<1024x1024xf32> to memref<16x128xf32, #shared>
    tile.gemm %As, %Bs, %acc {precision = #tile.precision<ieee>} : memref<128x16xf32, #shared>, memref<16x128xf32, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<1024x1024xf32>
}
}

// CHECK-LABEL: layouts of kernel @sgemm, 256 threads
// CHECK: fragment {{.*}} : memref<128x128xf32, #tile.fragment>
// CHECK-NEXT: layout: shape [128, 128] reg [(4, 1:1), (2, 1:64), (8, 0:2)] lane [(16, 1:4), (2, 0:1)] warp [(8, 0:16)]
// CHECK: shared {{.*}} : memref<128x16xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT: layout: shape [128, 16] bits 32 modes [(16, 1:1), (128, 0:16)]
// CHECK: why: row-major, no bank conflicts
// CHECK: shared {{.*}} : memref<16x128xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT: layout: shape [16, 128] bits 32 modes [(128, 1:1), (16, 0:128)]
// CHECK: why: row-major, no bank conflicts
// CHECK: {{^  }}tile.gemm of line
// CHECK-NEXT: plan: #tile.mma_plan<fma, m = 1, n = 1, k = 1, warps = [8, 1]>
// CHECK: not possible: mma_sync multiplies f32 in tf32, and the gemm asks for precision ieee
// CHECK: {{^  }}tile.fill of line
// CHECK-NEXT: layout: shape [128, 128] reg [(4, 1:1), (2, 1:64), (8, 0:2)] lane [(16, 1:4), (2, 0:1)] warp [(8, 0:16)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [128, 128] reg [(4, 1:1), (2, 1:64), (8, 0:2)] lane [(16, 1:4), (2, 0:1)] warp [(8, 0:16)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [128, 16] reg [(4, 1:1), (2, 0:64)] lane [(4, 1:4), (8, 0:1)] warp [(8, 0:8)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [16, 128] reg [(4, 1:1), (2, 0:8)] lane [(32, 1:4)] warp [(8, 0:1)]
// CHECK-NOT: conversion of

// PTX-LABEL: .entry sgemm(
// PTX: cp.async.cg.shared.global
// PTX-NOT: cp.async.ca
// PTX-NOT: mma.sync
// PTX: ld.shared.v4.b32
// PTX: st.global.v4.b32
