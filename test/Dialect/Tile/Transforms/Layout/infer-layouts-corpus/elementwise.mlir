// RUN: tile-opt %s --tile-infer-layouts=print-analysis-only -o /dev/null | FileCheck %s
// RUN: tile-opt %s --tile-infer-layouts -o %t.once
// RUN: tile-opt %t.once --tile-infer-layouts -o %t.twice
// RUN: cmp %t.once %t.twice
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90 | FileCheck %s --check-prefix=PTX
//
// Three fragments under one layout: what is stored, the wider type, moves in 16 bytes a thread, so that each access of a warp
// covers whole sectors; its loads take 8 bytes.

module attributes {tile.target = #tile.target<"sm_90">} {
tile.kernel @add(%X: memref<?x4096xbf16> {tile.alignment = 16}, %Y: memref<?x4096xbf16> {tile.alignment = 16}, %Z: memref<?x4096xf32> {tile.alignment = 16}) grid(%bx, %by) = (8, dim(%X, 0) ceildiv 8) threads(128) {
  %c8 = arith.constant 8 : index
  %c512 = arith.constant 512 : index
  %i0 = arith.muli %by, %c8 : index
  %j0 = arith.muli %bx, %c512 : index
  %x = tile.alloc : memref<8x512xbf16, #tile.fragment>
  %y = tile.alloc : memref<8x512xbf16, #tile.fragment>
  %z = tile.alloc : memref<8x512xf32, #tile.fragment>
  tile.copy %X[%i0, %j0] to %x : memref<?x4096xbf16> to memref<8x512xbf16, #tile.fragment>
  tile.copy %Y[%i0, %j0] to %y : memref<?x4096xbf16> to memref<8x512xbf16, #tile.fragment>
  tile.parallel (%i, %j) in (8, 512) {
    %a = memref.load %x[%i, %j] : memref<8x512xbf16, #tile.fragment>
    %b = memref.load %y[%i, %j] : memref<8x512xbf16, #tile.fragment>
    %a32 = arith.extf %a : bf16 to f32
    %b32 = arith.extf %b : bf16 to f32
    %c = arith.addf %a32, %b32 : f32
    memref.store %c, %z[%i, %j] : memref<8x512xf32, #tile.fragment>
  }
  tile.copy %z to %Z[%i0, %j0] : memref<8x512xf32, #tile.fragment> to memref<?x4096xf32>
}
}

// CHECK-LABEL: layouts of kernel @add, 128 threads
// CHECK: fragment {{.*}} : memref<8x512xbf16, #tile.fragment>
// CHECK-NEXT: layout: shape [8, 512] reg [(4, 1:1), (8, 0:1)] lane [(32, 1:4)] warp [(4, 1:128)]
// CHECK: fragment {{.*}} : memref<8x512xbf16, #tile.fragment>
// CHECK-NEXT: layout: shape [8, 512] reg [(4, 1:1), (8, 0:1)] lane [(32, 1:4)] warp [(4, 1:128)]
// CHECK: fragment {{.*}} : memref<8x512xf32, #tile.fragment>
// CHECK-NEXT: layout: shape [8, 512] reg [(4, 1:1), (8, 0:1)] lane [(32, 1:4)] warp [(4, 1:128)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [8, 512] reg [(4, 1:1), (8, 0:1)] lane [(32, 1:4)] warp [(4, 1:128)]
// CHECK: {{^  }}tile.parallel of line
// CHECK-NEXT: layout: shape [8, 512] reg [(4, 1:1), (8, 0:1)] lane [(32, 1:4)] warp [(4, 1:128)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [8, 512] reg [(4, 1:1), (8, 0:1)] lane [(32, 1:4)] warp [(4, 1:128)]
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [8, 512] reg [(4, 1:1), (8, 0:1)] lane [(32, 1:4)] warp [(4, 1:128)]
// CHECK-NOT: conversion of

// The vectors predicted are the vectors emitted.
// PTX-LABEL: .entry add(
// PTX: ld.global.nc.{{(L2::cache_hint.)?(v2.b32|b64)}}
// PTX-NOT: ld.global{{[a-z.]*}}.b16
// PTX-NOT: st.global.b32
// PTX: st.global.v4.b32
