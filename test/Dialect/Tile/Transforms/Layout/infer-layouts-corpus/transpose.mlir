// RUN: tile-opt %s --tile-infer-layouts=print-analysis-only -o /dev/null | FileCheck %s
// RUN: tile-opt %s --tile-infer-layouts -o %t.once
// RUN: tile-opt %t.once --tile-infer-layouts -o %t.twice
// RUN: cmp %t.once %t.twice
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90 | FileCheck %s --check-prefix=PTX
//
// Written transposed: lanes run along the columns in global memory on both sides.

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90">} {
tile.kernel @transpose(%X: memref<4096x4096xf32> {tile.alignment = 16}, %Y: memref<4096x4096xf32> {tile.alignment = 16}) grid(%bx, %by) = (64, 64) threads(256) {
  %c64 = arith.constant 64 : index
  %i0 = arith.muli %by, %c64 : index
  %j0 = arith.muli %bx, %c64 : index
  %s = tile.alloc : memref<64x64xf32, #shared>
  tile.copy %X[%i0, %j0] to %s : memref<4096x4096xf32> to memref<64x64xf32, #shared>
  tile.parallel (%j, %i) in (64, 64) {
    %v = memref.load %s[%i, %j] : memref<64x64xf32, #shared>
    %gj = arith.addi %j0, %j : index
    %gi = arith.addi %i0, %i : index
    memref.store %v, %Y[%gj, %gi] : memref<4096x4096xf32>
  }
}
}

// CHECK-LABEL: layouts of kernel @transpose, 256 threads
// CHECK: shared {{.*}} : memref<64x64xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT: layout: shape [64, 64] bits 32 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 6)
// CHECK: why: swizzled, bank conflicts of degree 2 in tile.parallel of line
// CHECK: {{^  }}tile.copy of line
// CHECK-NEXT: layout: shape [64, 64] reg [(4, 1:1), (4, 0:16)] lane [(16, 1:4), (2, 0:1)] warp [(8, 0:2)]
// CHECK: {{^  }}tile.parallel of line
// CHECK-NEXT: layout: shape [64, 64] reg [(4, 1:1), (4, 0:16)] lane [(16, 1:4), (2, 0:1)] warp [(8, 0:2)]
// CHECK-NOT: conversion of

// PTX-LABEL: .entry transpose(
// PTX: cp.async.cg.shared.global
// PTX: st.global.v4.b32
// PTX-NOT: st.global.b32
