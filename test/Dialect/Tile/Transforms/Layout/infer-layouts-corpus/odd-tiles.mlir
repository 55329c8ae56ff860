// RUN: tile-opt %s --tile-infer-layouts=print-analysis-only -o /dev/null | FileCheck %s
// RUN: tile-opt %s --tile-infer-layouts -o %t.once
// RUN: tile-opt %t.once --tile-infer-layouts -o %t.twice
// RUN: cmp %t.once %t.twice
//
// Extents that are no powers of two: instructions divide 96 and 80, rows are padded,
// 576 columns go to 3 warps.

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90">} {
tile.kernel @gemm_96x80(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 80, dim(%C, 0) ceildiv 96) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c48 = arith.constant 48 : index
  %c80 = arith.constant 80 : index
  %c96 = arith.constant 96 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %m = arith.muli %by, %c96 : index
  %n = arith.muli %bx, %c80 : index
  %As = tile.alloc : memref<96x48xf16, #shared>
  %Bs = tile.alloc : memref<48x80xf16, #shared>
  %acc = tile.alloc : memref<96x80xf32, #tile.fragment>
  %rows = tile.alloc : memref<96xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<96x80xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c48 stages(2) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<96x48xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<48x80xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<96x48xf16, #shared>, memref<48x80xf16, #shared>, memref<96x80xf32, #tile.fragment>
  }
  tile.reduce sum %acc to %rows dim(1) : memref<96x80xf32, #tile.fragment> to memref<96xf32, #tile.fragment>
  tile.parallel (%i, %j) in (96, 80) {
    %v = memref.load %acc[%i, %j] : memref<96x80xf32, #tile.fragment>
    %s = memref.load %rows[%i] : memref<96xf32, #tile.fragment>
    %d = arith.divf %v, %s : f32
    memref.store %d, %acc[%i, %j] : memref<96x80xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<96x80xf32, #tile.fragment> to memref<?x?xf32>
}
tile.kernel @rows_576(%X: memref<?x576xf16> {tile.alignment = 16}, %Y: memref<?x40xf32> {tile.alignment = 16}) grid(%b) = (dim(%X, 0) ceildiv 4) threads(96) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %r = arith.muli %b, %c4 : index
  %x = tile.alloc : memref<4x576xf16, #tile.fragment>
  %y = tile.alloc : memref<4x40xf32, #tile.fragment>
  %one = arith.constant 1.0 : f32
  tile.copy %X[%r, %c0] to %x : memref<?x576xf16> to memref<4x576xf16, #tile.fragment>
  tile.print "x" %x : memref<4x576xf16, #tile.fragment>
  tile.fill %y with %one : memref<4x40xf32, #tile.fragment>, f32
  tile.copy %y to %Y[%r, %c0] : memref<4x40xf32, #tile.fragment> to memref<?x40xf32>
}
}

// CHECK-LABEL: layouts of kernel @gemm_96x80, 128 threads
// CHECK: fragment {{.*}} : memref<96x80xf32, #tile.fragment>
// CHECK-NEXT: layout: shape [96, 80] reg [(2, 1:1), (2, 0:8), (5, 1:8), (3, 0:16)] lane [(4, 1:2), (8, 0:1)] warp [(2, 0:48), (2, 1:40)]
// CHECK: fragment {{.*}} : memref<96xf32, #tile.fragment>
// CHECK-NEXT: layout: shape [96] reg [(2, 0:8), (3, 0:16)] lane [(4, *), (8, 0:1)] warp [(2, 0:48), (2, *)]
// CHECK: shared {{.*}} : memref<96x48xf16, #gpu.address_space<workgroup>>
// CHECK-NEXT: layout: shape [96, 48] bits 16 modes [(48, 1:1), (96, 0:56)]
// CHECK: why: padded rows, no bank conflicts
// CHECK: shared {{.*}} : memref<48x80xf16, #gpu.address_space<workgroup>>
// CHECK-NEXT: layout: shape [48, 80] bits 16 modes [(80, 1:1), (48, 0:88)]
// CHECK: why: padded rows, no bank conflicts
// CHECK: {{^  }}tile.gemm of line
// CHECK-NEXT: plan: #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [2, 2]>
// CHECK: {{^  }}tile.fill of line
// CHECK-NEXT: layout: shape [96, 80] reg [(2, 1:1), (2, 0:8), (5, 1:8), (3, 0:16)] lane [(4, 1:2), (8, 0:1)] warp [(2, 0:48), (2, 1:40)]
// CHECK: {{^  }}tile.parallel of line
// CHECK-NEXT: layout: shape [96, 80] reg [(2, 1:1), (2, 0:8), (5, 1:8), (3, 0:16)] lane [(4, 1:2), (8, 0:1)] warp [(2, 0:48), (2, 1:40)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [96, 80] reg [(2, 1:1), (2, 0:8), (5, 1:8), (3, 0:16)] lane [(4, 1:2), (8, 0:1)] warp [(2, 0:48), (2, 1:40)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [96, 48] reg [(8, 1:1), (6, 0:16)] lane [(8, 1:8), (4, 0:1)] warp [(4, 0:4)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [48, 80] reg [(8, 1:1), (6, 0:8)] lane [(16, 1:8), (2, 0:1)] warp [(4, 0:2)]
// CHECK-NOT: conversion of
// CHECK-LABEL: layouts of kernel @rows_576, 96 threads
// CHECK: fragment {{.*}} : memref<4x576xf16, #tile.fragment>
// CHECK-NEXT: layout: shape [4, 576] reg [(8, 1:1), (3, 1:192)] lane [(8, 1:8), (4, 0:1)] warp [(3, 1:64)]
// CHECK: fragment {{.*}} : memref<4x40xf32, #tile.fragment>
// CHECK-NEXT: layout: shape [4, 40] reg [(2, 1:1)] lane [(8, 1:2), (4, 0:1)] warp [(3, 1:16)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [4, 576] reg [(8, 1:1), (3, 1:192)] lane [(8, 1:8), (4, 0:1)] warp [(3, 1:64)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [4, 40] reg [(2, 1:1)] lane [(8, 1:2), (4, 0:1)] warp [(3, 1:16)]
// CHECK: {{^  }}tile.fill of line
// CHECK-NEXT: layout: shape [4, 40] reg [(2, 1:1)] lane [(8, 1:2), (4, 0:1)] warp [(3, 1:16)]
// CHECK-NOT: conversion of
