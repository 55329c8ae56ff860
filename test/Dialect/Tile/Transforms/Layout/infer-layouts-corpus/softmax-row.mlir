// RUN: tile-opt %s --tile-infer-layouts=print-analysis-only -o /dev/null | FileCheck %s
// RUN: tile-opt %s --tile-infer-layouts -o %t.once
// RUN: tile-opt %t.once --tile-infer-layouts -o %t.twice
// RUN: cmp %t.once %t.twice
//
// Four rows of 1024 on four warps: a row per warp, so that its reductions need no shared
// memory.

module attributes {tile.target = #tile.target<"sm_90">} {
tile.kernel @softmax(%X: memref<?x1024xf32> {tile.alignment = 16}, %Y: memref<?x1024xf32> {tile.alignment = 16}) grid(%b) = (dim(%X, 0) ceildiv 4) threads(128) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %r = arith.muli %b, %c4 : index
  %x = tile.alloc : memref<4x1024xf32, #tile.fragment>
  %m = tile.alloc : memref<4xf32, #tile.fragment>
  %s = tile.alloc : memref<4xf32, #tile.fragment>
  tile.copy %X[%r, %c0] to %x : memref<?x1024xf32> to memref<4x1024xf32, #tile.fragment>
  tile.reduce max %x to %m dim(1) : memref<4x1024xf32, #tile.fragment> to memref<4xf32, #tile.fragment>
  tile.parallel (%i, %j) in (4, 1024) {
    %v = memref.load %x[%i, %j] : memref<4x1024xf32, #tile.fragment>
    %max = memref.load %m[%i] : memref<4xf32, #tile.fragment>
    %d = arith.subf %v, %max : f32
    %e = math.exp %d : f32
    memref.store %e, %x[%i, %j] : memref<4x1024xf32, #tile.fragment>
  }
  tile.reduce sum %x to %s dim(1) : memref<4x1024xf32, #tile.fragment> to memref<4xf32, #tile.fragment>
  tile.parallel (%i, %j) in (4, 1024) {
    %v = memref.load %x[%i, %j] : memref<4x1024xf32, #tile.fragment>
    %sum = memref.load %s[%i] : memref<4xf32, #tile.fragment>
    %d = arith.divf %v, %sum : f32
    memref.store %d, %x[%i, %j] : memref<4x1024xf32, #tile.fragment>
  }
  tile.copy %x to %Y[%r, %c0] : memref<4x1024xf32, #tile.fragment> to memref<?x1024xf32>
}
}

// CHECK-LABEL: layouts of kernel @softmax, 128 threads
// CHECK: fragment {{.*}} : memref<4x1024xf32, #tile.fragment>
// CHECK-NEXT: layout: shape [4, 1024] reg [(4, 1:1), (8, 1:128)] lane [(32, 1:4)] warp [(4, 0:1)]
// CHECK: fragment {{.*}} : memref<4xf32, #tile.fragment>
// CHECK-NEXT: layout: shape [4] reg [] lane [(32, *)] warp [(4, 0:1)]
// CHECK: fragment {{.*}} : memref<4xf32, #tile.fragment>
// CHECK-NEXT: layout: shape [4] reg [] lane [(32, *)] warp [(4, 0:1)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [4, 1024] reg [(4, 1:1), (8, 1:128)] lane [(32, 1:4)] warp [(4, 0:1)]
// CHECK: {{^  }}tile.parallel of line
// CHECK-NEXT: layout: shape [4, 1024] reg [(4, 1:1), (8, 1:128)] lane [(32, 1:4)] warp [(4, 0:1)]
// CHECK: {{^  }}tile.parallel of line
// CHECK-NEXT: layout: shape [4, 1024] reg [(4, 1:1), (8, 1:128)] lane [(32, 1:4)] warp [(4, 0:1)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [4, 1024] reg [(4, 1:1), (8, 1:128)] lane [(32, 1:4)] warp [(4, 0:1)]
// CHECK-NOT: conversion of
