// RUN: tile-opt %s --tile-infer-layouts=print-analysis-only -o /dev/null | FileCheck %s
// RUN: tile-opt %s --tile-infer-layouts -o %t.once
// RUN: tile-opt %t.once --tile-infer-layouts -o %t.twice
// RUN: cmp %t.once %t.twice
//
// One row over the whole block: 16 bytes of f16 per thread, weights held alike.

module attributes {tile.target = #tile.target<"sm_90">} {
tile.kernel @rmsnorm(%X: memref<?x4096xf16> {tile.alignment = 16}, %W: memref<4096xf16> {tile.alignment = 16}, %Y: memref<?x4096xf16> {tile.alignment = 16}) grid(%b) = (dim(%X, 0)) threads(256) {
  %c0 = arith.constant 0 : index
  %eps = arith.constant 1.0e-5 : f32
  %n = arith.constant 4096.0 : f32
  %x = tile.alloc : memref<1x4096xf32, #tile.fragment>
  %sq = tile.alloc : memref<1x4096xf32, #tile.fragment>
  %w = tile.alloc : memref<4096xf32, #tile.fragment>
  %s = tile.alloc : memref<1xf32, #tile.fragment>
  tile.copy %X[%b, %c0] to %x : memref<?x4096xf16> to memref<1x4096xf32, #tile.fragment>
  tile.copy %W to %w : memref<4096xf16> to memref<4096xf32, #tile.fragment>
  tile.parallel (%i, %j) in (1, 4096) {
    %v = memref.load %x[%i, %j] : memref<1x4096xf32, #tile.fragment>
    %v2 = arith.mulf %v, %v : f32
    memref.store %v2, %sq[%i, %j] : memref<1x4096xf32, #tile.fragment>
  }
  tile.reduce sum %sq to %s dim(1) : memref<1x4096xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  tile.parallel (%i) in (1) {
    %v = memref.load %s[%i] : memref<1xf32, #tile.fragment>
    %mean = arith.divf %v, %n : f32
    %e = arith.addf %mean, %eps : f32
    %r = math.rsqrt %e : f32
    memref.store %r, %s[%i] : memref<1xf32, #tile.fragment>
  }
  tile.parallel (%i, %j) in (1, 4096) {
    %v = memref.load %x[%i, %j] : memref<1x4096xf32, #tile.fragment>
    %r = memref.load %s[%i] : memref<1xf32, #tile.fragment>
    %wj = memref.load %w[%j] : memref<4096xf32, #tile.fragment>
    %a = arith.mulf %v, %r : f32
    %y = arith.mulf %a, %wj : f32
    memref.store %y, %x[%i, %j] : memref<1x4096xf32, #tile.fragment>
  }
  tile.copy %x to %Y[%b, %c0] : memref<1x4096xf32, #tile.fragment> to memref<?x4096xf16>
}
}

// CHECK-LABEL: layouts of kernel @rmsnorm, 256 threads
// CHECK: fragment {{.*}} : memref<1x4096xf32, #tile.fragment>
// CHECK-NEXT: layout: shape [1, 4096] reg [(8, 1:1), (2, 1:2048)] lane [(32, 1:8)] warp [(8, 1:256)]
// CHECK: fragment {{.*}} : memref<1x4096xf32, #tile.fragment>
// CHECK-NEXT: layout: shape [1, 4096] reg [(8, 1:1), (2, 1:2048)] lane [(32, 1:8)] warp [(8, 1:256)]
// CHECK: fragment {{.*}} : memref<4096xf32, #tile.fragment>
// CHECK-NEXT: layout: shape [4096] reg [(8, 0:1), (2, 0:2048)] lane [(32, 0:8)] warp [(8, 0:256)]
// CHECK: fragment {{.*}} : memref<1xf32, #tile.fragment>
// CHECK-NEXT: layout: shape [1] reg [] lane [(32, *)] warp [(8, *)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [4096] reg [(8, 0:1), (2, 0:2048)] lane [(32, 0:8)] warp [(8, 0:256)]
// CHECK: {{^  }}tile.parallel of line
// CHECK-NEXT: layout: shape [1, 4096] reg [(8, 1:1), (2, 1:2048)] lane [(32, 1:8)] warp [(8, 1:256)]
// CHECK: {{^  }}tile.parallel of line
// CHECK-NEXT: layout: shape [1] reg [] lane [(32, *)] warp [(8, *)]
// CHECK: {{^  }}tile.parallel of line
// CHECK-NEXT: layout: shape [1, 4096] reg [(8, 1:1), (2, 1:2048)] lane [(32, 1:8)] warp [(8, 1:256)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [4096] reg [(8, 0:1), (2, 0:2048)] lane [(32, 0:8)] warp [(8, 0:256)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [4096] reg [(8, 0:1), (2, 0:2048)] lane [(32, 0:8)] warp [(8, 0:256)]
// CHECK-NOT: conversion of
