// RUN: tile-opt %s --tile-infer-layouts=print-analysis-only -o %t.mlir | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.mlir
// RUN: tile-opt %s --tile-infer-layouts=remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tile-opt %s --tile-infer-layouts -o /dev/null 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty

// The analysis prints structure, words, reason and cost; the IR stays as it was.
// IR-NOT: layout =
// IR-NOT: shared_layout
// IR-NOT: plan
// IR-NOT: tile.convert_layout

// Remarks only when asked for.
// QUIET-NOT: remark

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_80">} {
// CHECK-LABEL: layouts of kernel @k, 128 threads
tile.kernel @k(%A: memref<64x24xf16>, %Y: memref<64x64xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  // CHECK: fragment {{.*}} : memref<64x64xf32, #tile.fragment> (line [[C:[0-9]+]])
  // CHECK-NEXT: layout: shape [64, 64] reg [(2, 1:1), (2, 0:8), (2, 1:8), (4, 0:16)] lane [(4, 1:2), (8, 0:1)] warp [(4, 1:16)]
  // CHECK-NEXT: in words: a 64x64 tile over 128 threads: each thread holds 32 elements; registers: 2 consecutive along dimension 1,
  // CHECK-NEXT: why: operand C of mma_sync m16n8k8
  // CHECK: fragment {{.*}} : memref<64x24xf16, #tile.fragment>
  // CHECK: why: stated by the user
  // CHECK: shared {{.*}} : memref<24x64xf16
  // CHECK: why: swizzled, no bank conflicts
  %C = tile.alloc : memref<64x64xf32, #tile.fragment>
  %As = tile.alloc layout(#tile.fragment_layout<shape [64, 24] reg [(4, 1:1), (3, 1:8)] lane [(2, 1:4), (16, 0:1)] warp [(4, 0:16)]>) : memref<64x24xf16, #tile.fragment>
  %Bs = tile.alloc : memref<24x64xf16, #shared>
  // CHECK: tile.gemm of line [[GEMM:[0-9]+]]
  // CHECK-NEXT: plan: #tile.mma_plan<mma_sync, m = 16, n = 8, k = 8, warps = [1, 4]>
  // CHECK-NEXT: why: 1x4 warps (full_col), each with 4x2 instructions per step of k
  // CHECK-NEXT: cost: {{[0-9.]+}} cycles
  // CHECK-NEXT: not possible: mma_sync m16n8k16 needs a K tile that is a multiple of 16, got 24
  // CHECK: tile.copy of line
  // CHECK: why: where the tile of line {{[0-9]+}} is held
  // CHECK: conversion of {{.*}} before tile.gemm of line [[GEMM]]: shared_memory (
  // CHECK-NEXT: layout: shape [64, 24] reg [(2, 1:1), (2, 0:8), (3, 1:8), (4, 0:16)] lane [(4, 1:2), (8, 0:1)] warp [(4, *)]
  // CHECK: why: operand A of mma_sync m16n8k8
  tile.copy %A to %As : memref<64x24xf16> to memref<64x24xf16, #tile.fragment>
  // REMARK: remark: chose plan #tile.mma_plan<mma_sync, m = 16, n = 8, k = 8, warps = [1, 4]>: 1x4 warps (full_col)
  // REMARK: note: not possible: mma_sync m16n8k16 needs a K tile that is a multiple of 16, got 24
  // REMARK: remark: needs a fragment in another layout (operand A of mma_sync m16n8k8): inserted a conversion of class shared_memory, because
  // REMARK: note: of this fragment
  tile.gemm %As, %Bs, %C {policy = #tile.warp_policy<full_col>} : memref<64x24xf16, #tile.fragment>, memref<24x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  tile.copy %C to %Y : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}

// A free choice prints its cost, term by term.
// CHECK-LABEL: layouts of kernel @row, 64 threads
// CHECK: tile.copy of line
// CHECK: why: cheapest of the free choices
// CHECK-NEXT: cost: {{[0-9.]+}} cycles = global {{[0-9.]+}} + issue {{[0-9.]+}} + reductions {{[0-9.]+}}
tile.kernel @row(%X: memref<8x512xf32>) grid(%b) = (1) threads(64) {
  %x = tile.alloc : memref<8x512xf32, #tile.fragment>
  %s = tile.alloc : memref<8xf32, #tile.fragment>
  tile.copy %X to %x : memref<8x512xf32> to memref<8x512xf32, #tile.fragment>
  tile.reduce sum %x to %s dim(1) : memref<8x512xf32, #tile.fragment> to memref<8xf32, #tile.fragment>
  tile.return
}
}
