// Gemms by warpgroups: which get wgmma, how warpgroups share the result, and
// the layouts that follow for accumulators and operands.
// RUN: tile-opt %s --tile-infer-layouts --split-input-file | FileCheck %s

// One warpgroup repeats the instruction over 128 rows. A lies along k in rows
// of 128 bytes, B along n in two panels of 64 columns, both as TMA swizzles.
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
// CHECK-LABEL: tile.kernel @repeats
// CHECK: %[[A:.*]] = tile.alloc layout(#tile.shared_layout<shape [128, 64] bits 16 modes [(64, 1:1), (128, 0:64)] swizzle(3, 4, 3)>)
// CHECK: %[[B:.*]] = tile.alloc layout(#tile.shared_layout<shape [64, 128] bits 16 modes [(64, 1:1), (64, 0:64), (2, 1:4096)] swizzle(3, 4, 3)>)
// CHECK: %[[C:.*]] = tile.alloc layout(#tile.fragment_layout<shape [128, 128] reg [(2, 1:1), (2, 0:8), (16, 1:8), (2, 0:64)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>)
// CHECK: tile.gemm %[[A]], %[[B]], %[[C]] {plan = #tile.mma_plan<wgmma, m = 64, n = 128, k = 16, warps = [4, 1]>}
// CHECK-NOT: convert_layout
tile.kernel @repeats() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<128x64xf16, #shared>
  %b = tile.alloc : memref<64x128xf16, #shared>
  %c = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.gemm %a, %b, %c : memref<128x64xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
}

// Two warpgroups: along m while each has 64 rows, else along n.
// CHECK-LABEL: tile.kernel @along_m
// CHECK: warp [(4, 0:16), (2, 0:64)]
// CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<wgmma, m = 64, n = 256, k = 16, warps = [8, 1]>
tile.kernel @along_m() grid(%bx) = (1) threads(256) {
  %a = tile.alloc : memref<128x64xf16, #shared>
  %b = tile.alloc : memref<256x64xf16, #shared>
  %c = tile.alloc : memref<128x256xf32, #tile.fragment>
  tile.gemm %a, %b, %c {transpose_b} : memref<128x64xf16, #shared>, memref<256x64xf16, #shared>, memref<128x256xf32, #tile.fragment>
}
// CHECK-LABEL: tile.kernel @along_n
// CHECK: warp [(4, 0:16), (2, 1:64)]
// CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [4, 2]>
tile.kernel @along_n() grid(%bx) = (1) threads(256) {
  %a = tile.alloc : memref<64x64xf16, #shared>
  %b = tile.alloc : memref<64x128xf16, #shared>
  %c = tile.alloc : memref<64x128xf32, #tile.fragment>
  tile.gemm %a, %b, %c : memref<64x64xf16, #shared>, memref<64x128xf16, #shared>, memref<64x128xf32, #tile.fragment>
}
// CHECK-LABEL: tile.kernel @full_col
// CHECK: plan = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [4, 2]>
tile.kernel @full_col() grid(%bx) = (1) threads(256) {
  %a = tile.alloc : memref<128x64xf16, #shared>
  %b = tile.alloc : memref<64x128xf16, #shared>
  %c = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.gemm %a, %b, %c {policy = #tile.warp_policy<full_col>} : memref<128x64xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
}

// The widest swizzle that divides the rows; more than 256 columns are several
// instructions; i8 has fewer widths.
// CHECK-LABEL: tile.kernel @widths
// CHECK: shape [64, 48] bits 16 modes [(16, 1:1), (64, 0:16), (3, 1:1024)] swizzle(1, 4, 3)
// CHECK: shape [48, 320] bits 16 modes [(32, 1:1), (48, 0:32), (10, 1:1536)] swizzle(2, 4, 3)
// CHECK: plan = #tile.mma_plan<wgmma, m = 64, n = 160, k = 16, warps = [4, 1]>
// CHECK: plan = #tile.mma_plan<wgmma, m = 64, n = 8, k = 32, warps = [4, 1]>
// CHECK: plan = #tile.mma_plan<wgmma, m = 64, n = 24, k = 32, warps = [4, 1]>
tile.kernel @widths() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x48xf16, #shared>
  %b = tile.alloc : memref<48x320xf16, #shared>
  %c = tile.alloc : memref<64x320xf32, #tile.fragment>
  tile.gemm %a, %b, %c : memref<64x48xf16, #shared>, memref<48x320xf16, #shared>, memref<64x320xf32, #tile.fragment>
  %d = tile.alloc : memref<64x64xi8, #shared>
  %e = tile.alloc : memref<40x64xi8, #shared>
  %f = tile.alloc : memref<64x40xi32, #tile.fragment>
  tile.gemm %d, %e, %f {transpose_b} : memref<64x64xi8, #shared>, memref<40x64xi8, #shared>, memref<64x40xi32, #tile.fragment>
  %g = tile.alloc : memref<24x64xi8, #shared>
  %h = tile.alloc : memref<64x24xi32, #tile.fragment>
  tile.gemm %d, %g, %h {transpose_b} : memref<64x64xi8, #shared>, memref<24x64xi8, #shared>, memref<64x24xi32, #tile.fragment>
}
}

// -----

// Chained gemms: the accumulator, once cast, is operand A in registers. The
// copy runs where both are held, and no element leaves its thread.
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
// CHECK-LABEL: tile.kernel @chain
// CHECK-NOT: convert_layout
// CHECK: %[[S:.*]] = tile.alloc layout(#tile.fragment_layout<shape [128, 128] reg [(2, 1:1), (2, 0:8), (16, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16), (2, 0:64)]>)
// CHECK: %[[P:.*]] = tile.alloc layout(#tile.fragment_layout<shape [128, 128] reg [(2, 1:1), (2, 0:8), (2, 1:8), (8, 1:16)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16), (2, 0:64)]>)
// CHECK: tile.gemm %{{.*}}, %{{.*}}, %[[S]] {clear, plan = #tile.mma_plan<wgmma, m = 64, n = 128, k = 16, warps = [8, 1]>
// CHECK-NOT: convert_layout
// CHECK: tile.copy %[[S]] to %[[P]] decided {layout = #tile.fragment_layout<shape [128, 128] reg [(2, 1:1), (2, 0:8), (16, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16), (2, 0:64)]>}
// CHECK-NOT: convert_layout
// CHECK: tile.gemm %[[P]], {{.*}}plan = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [8, 1]>
tile.kernel @chain() grid(%bx) = (1) threads(256) {
  %q = tile.alloc : memref<128x64xf16, #shared>
  %k = tile.alloc : memref<128x64xf16, #shared>
  %v = tile.alloc : memref<128x64xf16, #shared>
  %s = tile.alloc : memref<128x128xf32, #tile.fragment>
  %p = tile.alloc : memref<128x128xf16, #tile.fragment>
  %o = tile.alloc : memref<128x64xf32, #tile.fragment>
  tile.gemm %q, %k, %s {transpose_b, clear} : memref<128x64xf16, #shared>, memref<128x64xf16, #shared>, memref<128x128xf32, #tile.fragment>
  tile.copy %s to %p : memref<128x128xf32, #tile.fragment> to memref<128x128xf16, #tile.fragment>
  tile.gemm %p, %v, %o : memref<128x128xf16, #tile.fragment>, memref<128x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
}
// One buffer read along k by one gemm and along n by another has one layout
// for both.
// CHECK-LABEL: tile.kernel @both_majors
// CHECK: shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)
// CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16
// CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16
tile.kernel @both_majors() grid(%bx) = (1) threads(128) {
  %b = tile.alloc : memref<64x64xf16, #shared>
  %a = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.gemm %a, %b, %c : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  tile.gemm %a, %b, %c {transpose_b} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}
// What suits both readers: alone, the second would take panels of 64 bytes, but
// a warpgroup of the first begins at column 48.
// CHECK-LABEL: tile.kernel @common
// CHECK: shape [16, 96] bits 16 modes [(16, 1:1), (16, 0:16), (6, 1:256)] swizzle(1, 4, 3)
// CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<wgmma, m = 64, n = 48, k = 16, warps = [4, 2]>
// CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<wgmma, m = 64, n = 16, k = 16, warps = [8, 1]>
tile.kernel @common() grid(%bx) = (1) threads(256) {
  %a = tile.alloc : memref<64x16xf16, #shared>
  %b = tile.alloc : memref<16x96xf16, #shared>
  %c = tile.alloc : memref<64x96xf32, #tile.fragment>
  %d = tile.alloc : memref<128x96xf16, #shared>
  %e = tile.alloc : memref<128x16xf32, #tile.fragment>
  tile.gemm %a, %b, %c : memref<64x16xf16, #shared>, memref<16x96xf16, #shared>, memref<64x96xf32, #tile.fragment>
  tile.gemm %d, %b, %e {transpose_b} : memref<128x96xf16, #shared>, memref<16x96xf16, #shared>, memref<128x16xf32, #tile.fragment>
}
// One tile as both operands.
// CHECK-LABEL: tile.kernel @square
// CHECK: shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)] swizzle(3, 4, 3)
// CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16
tile.kernel @square() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.gemm %a, %a, %c {transpose_b} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}
// A layout that the user stated is kept where wgmma reads it.
// CHECK-LABEL: tile.kernel @stated
// CHECK: modes [(32, 1:1), (64, 0:32), (2, 1:2048)] swizzle(2, 4, 3)
// CHECK: modes [(32, 1:1), (64, 0:32), (2, 1:2048)] swizzle(2, 4, 3)
// CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16
tile.kernel @stated() grid(%bx) = (1) threads(128) {
  %a = tile.alloc layout(#tile.shared_layout<shape [64, 64] bits 16 modes [(32, 1:1), (64, 0:32), (2, 1:2048)] swizzle(2, 4, 3)>) : memref<64x64xf16, #shared>
  %b = tile.alloc layout(#tile.shared_layout<shape [64, 64] bits 16 modes [(32, 1:1), (64, 0:32), (2, 1:2048)] swizzle(2, 4, 3)>) : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.gemm %a, %b, %c : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}
// A stated plan takes fewer columns at a time.
// CHECK-LABEL: tile.kernel @stated_plan
// CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<wgmma, m = 64, n = 32, k = 16, warps = [4, 1]>
tile.kernel @stated_plan() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x64xf16, #shared>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.gemm %a, %b, %c {plan = #tile.mma_plan<wgmma, m = 64, n = 32, k = 16, warps = [4, 1]>} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}
}
