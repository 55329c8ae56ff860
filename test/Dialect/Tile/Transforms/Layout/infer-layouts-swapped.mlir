// Gemms of few rows by wgmma with swapped operands: its 64 rows are columns of
// the gemm, and its columns rows. Which gemms get that, and the layouts that
// follow.
// RUN: tile-opt %s --tile-infer-layouts --split-input-file | FileCheck %s

// Two warpgroups beside each other, each with 64 columns and all rows: the
// accumulator of an instruction, transposed. Operands lie as they do for other
// gemms by wgmma.
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
// CHECK-LABEL: tile.kernel @rows
// CHECK: %[[A:.*]] = tile.alloc layout(#tile.shared_layout<shape [16, 64] bits 16 modes [(64, 1:1), (16, 0:64)] swizzle(3, 4, 3)>)
// CHECK: %[[B:.*]] = tile.alloc layout(#tile.shared_layout<shape [64, 128] bits 16 modes [(64, 1:1), (64, 0:64), (2, 1:4096)] swizzle(3, 4, 3)>)
// CHECK: %[[C:.*]] = tile.alloc layout(#tile.fragment_layout<shape [16, 128] reg [(2, 0:1), (2, 1:8), (2, 0:8)] lane [(4, 0:2), (8, 1:1)] warp [(4, 1:16), (2, 1:64)]>)
// CHECK: tile.gemm %[[A]], %[[B]], %[[C]] {clear, plan = #tile.mma_plan<wgmma, m = 64, n = 16, k = 16, warps = [8, 1], swapped>}
// CHECK-NOT: convert_layout
tile.kernel @rows(%A: memref<16x64xf16>, %B: memref<64x128xf16>, %C: memref<16x128xf32>) grid(%bx) = (1) threads(256) {
  %a = tile.alloc : memref<16x64xf16, #shared>
  %b = tile.alloc : memref<64x128xf16, #shared>
  %c = tile.alloc : memref<16x128xf32, #tile.fragment>
  tile.copy %A to %a : memref<16x64xf16> to memref<16x64xf16, #shared>
  tile.copy %B to %b : memref<64x128xf16> to memref<64x128xf16, #shared>
  tile.gemm %a, %b, %c {clear} : memref<16x64xf16, #shared>, memref<64x128xf16, #shared>, memref<16x128xf32, #tile.fragment>
  tile.copy %c to %C : memref<16x128xf32, #tile.fragment> to memref<16x128xf32>
}

// One warpgroup repeats the instruction over the columns; A lies along m.
// CHECK-LABEL: tile.kernel @repeats
// CHECK: tile.alloc layout(#tile.shared_layout<shape [32, 24] bits 16 modes [(8, 1:1), (32, 0:8), (3, 1:256)]>)
// CHECK: tile.alloc layout(#tile.fragment_layout<shape [24, 128] reg [(2, 0:1), (2, 1:8), (3, 0:8), (2, 1:64)] lane [(4, 0:2), (8, 1:1)] warp [(4, 1:16)]>)
// CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<wgmma, m = 64, n = 24, k = 16, warps = [4, 1], swapped>
tile.kernel @repeats() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<32x24xf16, #shared>
  %b = tile.alloc : memref<128x32xf16, #shared>
  %c = tile.alloc : memref<24x128xf32, #tile.fragment>
  tile.gemm %a, %b, %c {transpose_a, transpose_b} : memref<32x24xf16, #shared>, memref<128x32xf16, #shared>, memref<24x128xf32, #tile.fragment>
}

// Rows of the gemm are columns of the instructions for the policy, too.
// CHECK-LABEL: tile.kernel @full_row
// CHECK: tile.alloc layout(#tile.fragment_layout<shape [16, 128] reg [(2, 0:1), (2, 1:8), (2, 1:64)] lane [(4, 0:2), (8, 1:1)] warp [(4, 1:16), (2, 0:8)]>)
// CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<wgmma, m = 64, n = 8, k = 16, warps = [4, 2], swapped>
tile.kernel @full_row() grid(%bx) = (1) threads(256) {
  %a = tile.alloc : memref<16x64xf16, #shared>
  %b = tile.alloc : memref<64x128xf16, #shared>
  %c = tile.alloc : memref<16x128xf32, #tile.fragment>
  tile.gemm %a, %b, %c {policy = #tile.warp_policy<full_row>} : memref<16x64xf16, #shared>, memref<64x128xf16, #shared>, memref<16x128xf32, #tile.fragment>
}

// Loops over elements and casts have the layout of the result: no element
// leaves its thread.
// CHECK-LABEL: tile.kernel @elementwise
// CHECK-NOT: convert_layout
// CHECK: tile.alloc layout(#tile.fragment_layout<shape [48, 64] reg [(2, 0:1), (2, 1:8), (6, 0:8)] lane [(4, 0:2), (8, 1:1)] warp [(4, 1:16)]>) : memref<48x64xf32
// CHECK: tile.alloc layout(#tile.fragment_layout<shape [48, 64] {{.*}} lane [(4, 0:2), (8, 1:1)] warp [(4, 1:16)]>) : memref<48x64xf16
// CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<wgmma, m = 64, n = 48, k = 16, warps = [4, 1], swapped>
// CHECK-NOT: convert_layout
tile.kernel @elementwise(%X: memref<64xf32>, %C: memref<48x64xf16>) grid(%bx) = (1) threads(128) {
  %zero = arith.constant 0.0 : f32
  %a = tile.alloc : memref<48x32xbf16, #shared>
  %b = tile.alloc : memref<32x64xbf16, #shared>
  %c = tile.alloc : memref<48x64xf32, #tile.fragment>
  %h = tile.alloc : memref<48x64xf16, #tile.fragment>
  %x = tile.alloc : memref<64xf32, #tile.fragment>
  tile.copy %X to %x : memref<64xf32> to memref<64xf32, #tile.fragment>
  tile.fill %c with %zero : memref<48x64xf32, #tile.fragment>, f32
  tile.gemm %a, %b, %c : memref<48x32xbf16, #shared>, memref<32x64xbf16, #shared>, memref<48x64xf32, #tile.fragment>
  tile.parallel (%i, %j) in (48, 64) {
    %p = memref.load %c[%i, %j] : memref<48x64xf32, #tile.fragment>
    %q = memref.load %x[%j] : memref<64xf32, #tile.fragment>
    %r = arith.addf %p, %q : f32
    memref.store %r, %c[%i, %j] : memref<48x64xf32, #tile.fragment>
  }
  tile.copy %c to %h : memref<48x64xf32, #tile.fragment> to memref<48x64xf16, #tile.fragment>
  tile.copy %h to %C : memref<48x64xf16, #tile.fragment> to memref<48x64xf16>
}

// A plan that the program states, for any rows and whoever uses the result.
// CHECK-LABEL: tile.kernel @stated
// CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<wgmma, m = 64, n = 32, k = 16, warps = [4, 2], swapped>
tile.kernel @stated() grid(%bx) = (1) threads(256) {
  %a = tile.alloc : memref<64x64xf16, #shared>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  %r = tile.alloc : memref<64xf32, #tile.fragment>
  tile.gemm %a, %b, %c {plan = #tile.mma_plan<wgmma, m = 64, n = 32, k = 16, warps = [4, 2], swapped>} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  tile.reduce max %c to %r dim(1) : memref<64x64xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
}

// Rows that wgmma takes as they are stay rows.
// CHECK-LABEL: tile.kernel @rows_of_64
// CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [4, 2]>
tile.kernel @rows_of_64() grid(%bx) = (1) threads(256) {
  %a = tile.alloc : memref<64x64xf16, #shared>
  %b = tile.alloc : memref<64x128xf16, #shared>
  %c = tile.alloc : memref<64x128xf32, #tile.fragment>
  tile.gemm %a, %b, %c : memref<64x64xf16, #shared>, memref<64x128xf16, #shared>, memref<64x128xf32, #tile.fragment>
}
}
