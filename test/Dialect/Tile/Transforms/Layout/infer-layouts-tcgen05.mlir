// Gemms into tensor memory: which get tcgen05, and the layouts that follow for
// the accumulator (as warps read tensor memory) and operands.
// RUN: tile-opt %s --tile-infer-layouts --split-input-file | FileCheck %s

// A thread has a whole row; operands as for wgmma.
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_100a">} {
// CHECK-LABEL: tile.kernel @rows
// CHECK: %[[A:.*]] = tile.alloc layout(#tile.shared_layout<shape [128, 64] bits 16 modes [(64, 1:1), (128, 0:64)] swizzle(3, 4, 3)>)
// CHECK: %[[B:.*]] = tile.alloc layout(#tile.shared_layout<shape [64, 128] bits 16 modes [(64, 1:1), (64, 0:64), (2, 1:4096)] swizzle(3, 4, 3)>)
// CHECK: %[[C:.*]] = tile.alloc layout(#tile.fragment_layout<shape [128, 128] reg [(128, 1:1)] lane [(32, 0:1)] warp [(4, 0:32)]>)
// CHECK: tile.gemm %[[A]], %[[B]], %[[C]] {plan = #tile.mma_plan<tcgen05, m = 128, n = 128, k = 16, warps = [4, 1]>}
// CHECK-NOT: convert_layout
tile.kernel @rows() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<128x64xf16, #shared>
  %b = tile.alloc : memref<64x128xf16, #shared>
  %c = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.gemm %a, %b, %c : memref<128x64xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
}

// Two warpgroups: along m where each has whole instructions, else in turns along
// n, of which the instruction knows nothing.
// CHECK-LABEL: tile.kernel @along_m
// CHECK: reg [(64, 1:1)] lane [(32, 0:1)] warp [(4, 0:32), (2, 0:128)]
// CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<tcgen05, m = 128, n = 64, k = 16, warps = [8, 1]>
tile.kernel @along_m() grid(%bx) = (1) threads(256) {
  %a = tile.alloc : memref<256x64xf16, #shared>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<256x64xf32, #tile.fragment>
  tile.gemm %a, %b, %c {transpose_b} : memref<256x64xf16, #shared>, memref<64x64xf16, #shared>, memref<256x64xf32, #tile.fragment>
}
// CHECK-LABEL: tile.kernel @along_n
// CHECK: reg [(64, 1:1), (2, 1:128)] lane [(32, 0:1)] warp [(4, 0:32), (2, 1:64)]
// CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<tcgen05, m = 128, n = 256, k = 16, warps = [4, 2]>
tile.kernel @along_n() grid(%bx) = (1) threads(256) {
  %a = tile.alloc : memref<128x64xf16, #shared>
  %b = tile.alloc : memref<64x256xf16, #shared>
  %c = tile.alloc : memref<128x256xf32, #tile.fragment>
  tile.gemm %a, %b, %c : memref<128x64xf16, #shared>, memref<64x256xf16, #shared>, memref<128x256xf32, #tile.fragment>
}

// 64 rows: registers as those of wgmma.
// CHECK-LABEL: tile.kernel @half
// CHECK: reg [(2, 1:1), (2, 0:8), (16, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]
// CHECK: plan = #tile.mma_plan<tcgen05, m = 64, n = 128, k = 16, warps = [4, 1]>
tile.kernel @half() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x64xbf16, #shared>
  %b = tile.alloc : memref<64x128xbf16, #shared>
  %c = tile.alloc : memref<64x128xf32, #tile.fragment>
  tile.gemm %a, %b, %c : memref<64x64xbf16, #shared>, memref<64x128xbf16, #shared>, memref<64x128xf32, #tile.fragment>
}

// Other kinds; bytes may lie along m or n, which wgmma does not read.
// CHECK-LABEL: tile.kernel @kinds
// CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<tcgen05, m = 128, n = 64, k = 8, warps = [4, 1]>
// CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<tcgen05, m = 128, n = 128, k = 32, warps = [4, 1]>
// CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<tcgen05, m = 128, n = 128, k = 32, warps = [4, 1]>
tile.kernel @kinds() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<128x32xf32, #shared>
  %b = tile.alloc : memref<64x32xf32, #shared>
  %c = tile.alloc : memref<128x64xf32, #tile.fragment>
  tile.gemm %a, %b, %c {transpose_b} : memref<128x32xf32, #shared>, memref<64x32xf32, #shared>, memref<128x64xf32, #tile.fragment>
  %d = tile.alloc : memref<128x64xf8E4M3FN, #shared>
  %e = tile.alloc : memref<64x128xf8E5M2, #shared>
  %f = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.gemm %d, %e, %f : memref<128x64xf8E4M3FN, #shared>, memref<64x128xf8E5M2, #shared>, memref<128x128xf32, #tile.fragment>
  %g = tile.alloc : memref<64x128xi8, #shared>
  %h = tile.alloc : memref<64x128xi8, #shared>
  %i = tile.alloc : memref<128x128xi32, #tile.fragment>
  tile.gemm %g, %h, %i {transpose_a, unsigned_a} : memref<64x128xi8, #shared>, memref<64x128xi8, #shared>, memref<128x128xi32, #tile.fragment>
}

// A gemm into tensor memory: nothing is demanded of registers.
// CHECK-LABEL: tile.kernel @stated
// CHECK: tile.alloc : memref<128x64xf32, #tile.tmem>
// CHECK: tile.gemm {{.*}}plan = #tile.mma_plan<tcgen05, m = 128, n = 64, k = 16, warps = [4, 1]>
tile.kernel @stated() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<128x64xf16, #shared>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<128x64xf32, #tile.tmem>
  tile.gemm %a, %b, %c : memref<128x64xf16, #shared>, memref<64x64xf16, #shared>, memref<128x64xf32, #tile.tmem>
}
}

// -----

// Without the suffix there is no tcgen05.
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_100">} {
// CHECK-LABEL: tile.kernel @unsuffixed
// CHECK: plan = #tile.mma_plan<mma_sync
tile.kernel @unsuffixed() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<128x64xf16, #shared>
  %b = tile.alloc : memref<64x128xf16, #shared>
  %c = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.gemm %a, %b, %c : memref<128x64xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
}
}
