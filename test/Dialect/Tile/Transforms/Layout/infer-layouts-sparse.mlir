// Gemms with a sparse A: which instruction, and which thread gets which metadata.
// RUN: tile-opt %s --tile-infer-layouts --split-input-file --verify-diagnostics | FileCheck %s

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
// Metadata in shared memory is copied to registers: a thread has the bits of rows r
// and r + 8 in one word, four threads those of two steps of k.
// A has 16 columns of each 32, in rows of 64 bytes.
// CHECK-LABEL: tile.kernel @halves
// CHECK: %[[A:.*]] = tile.alloc layout(#tile.shared_layout<shape [128, 32] bits 16 modes [(32, 1:1), (128, 0:32)] swizzle(2, 4, 3)>)
// CHECK: %[[ES:.*]] = tile.alloc {{.*}} : memref<128x4xi16, #gpu
// CHECK: %[[E:.*]] = tile.alloc layout(#tile.fragment_layout<shape [128, 4] reg [(2, 0:8)] lane [(4, 1:1), (8, 0:1)] warp [(4, 0:16), (2, 0:64)]>) : memref<128x4xi16, #tile.fragment>
// CHECK: tile.copy %[[ES]] to %[[E]]
// CHECK: tile.gemm %[[A]], %{{.*}} metadata(%[[E]] : memref<128x4xi16, #tile.fragment>) {plan = #tile.mma_plan<wgmma_sp, m = 64, n = 64, k = 32, warps = [8, 1]>}
tile.kernel @halves() grid(%bx) = (1) threads(256) {
  %a = tile.alloc : memref<128x32xf16, #shared>
  %e = tile.alloc : memref<128x4xi16, #shared>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<128x64xf32, #tile.fragment>
  tile.gemm %a, %b, %c metadata(%e : memref<128x4xi16, #shared>) : memref<128x32xf16, #shared>, memref<64x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
}

// Of bytes a word is half of a row's step. B has 512 bits of a step side by side:
// no swizzle of 32 bytes.
// CHECK-LABEL: tile.kernel @bytes
// CHECK: tile.alloc layout(#tile.shared_layout<shape [64, 64] bits 8 modes [(64, 1:1), (64, 0:64)] swizzle(2, 4, 3)>)
// CHECK: tile.alloc layout(#tile.fragment_layout<shape [64, 2] reg [] lane [(2, 0:8), (2, 1:1), (8, 0:1)] warp [(4, 0:16)]>) : memref<64x2xi32, #tile.fragment>
// CHECK: plan = #tile.mma_plan<wgmma_sp, m = 64, n = 64, k = 64, warps = [4, 1]>
tile.kernel @bytes() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x32xi8, #shared>
  %b = tile.alloc : memref<64x64xi8, #shared>
  %e = tile.alloc : memref<64x2xi32, #tile.fragment>
  %c = tile.alloc : memref<64x64xi32, #tile.fragment>
  tile.gemm %a, %b, %c metadata(%e : memref<64x2xi32, #tile.fragment>) {transpose_b} : memref<64x32xi8, #shared>, memref<64x64xi8, #shared>, memref<64x64xi32, #tile.fragment>
}

// A may be in registers, as without zeros.
// CHECK-LABEL: tile.kernel @registers
// CHECK: tile.alloc layout(#tile.fragment_layout<shape [64, 32] reg [(2, 1:1), (2, 0:8), (2, 1:8), (2, 1:16)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>) : memref<64x32xf16, #tile.fragment>
// CHECK: wgmma_sp
tile.kernel @registers() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x32xf16, #tile.fragment>
  %e = tile.alloc : memref<64x8xi8, #shared>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.gemm %a, %b, %c metadata(%e : memref<64x8xi8, #shared>) : memref<64x32xf16, #tile.fragment>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}

// A plan that is stated is respected.
// CHECK-LABEL: tile.kernel @stated
// CHECK: plan = #tile.mma_plan<mma_sp, m = 16, n = 8, k = 32, warps = [2, 2]>
tile.kernel @stated() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x32xf16, #shared>
  %e = tile.alloc : memref<64x4xi16, #shared>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.gemm %a, %b, %c metadata(%e : memref<64x4xi16, #shared>) {plan = #tile.mma_plan<mma_sp, m = 16, n = 8, k = 32, warps = [2, 2]>} : memref<64x32xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}
}

// -----

// On sm_80 a warp multiplies; one step of k leaves two threads of each four with
// the same words.
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_80">} {
// CHECK-LABEL: tile.kernel @one_step
// CHECK: tile.alloc layout(#tile.fragment_layout<shape [64, 2] reg [(2, 0:8)] lane [(2, 1:1), (2, *), (8, 0:1)]
// CHECK: plan = #tile.mma_plan<mma_sp, m = 16, n = 8, k = 32
tile.kernel @one_step() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x16xf16, #shared>
  %e = tile.alloc : memref<64x2xi16, #shared>
  %b = tile.alloc : memref<32x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.gemm %a, %b, %c metadata(%e : memref<64x2xi16, #shared>) {policy = #tile.warp_policy<full_row>} : memref<64x16xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}
}

// -----

// Without --tile-expand-sparse-gemms a gemm that no instruction multiplies is refused.
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_100a">} {
tile.kernel @none() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x32xf16, #shared>
  %e = tile.alloc : memref<64x4xi16, #tile.fragment>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{expected an instruction for a sparse A: mma_sp has no f16 x f16 into f32 on sm_100a; --tile-expand-sparse-gemms gives A its zeros back}}
  tile.gemm %a, %b, %c metadata(%e : memref<64x4xi16, #tile.fragment>) : memref<64x32xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}
}

// -----

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_80">} {
tile.kernel @other_target() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x32xf16, #shared>
  %e = tile.alloc : memref<64x4xi16, #tile.fragment>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{expected a plan with mma_sp on sm_80, got wgmma_sp}}
  tile.gemm %a, %b, %c metadata(%e : memref<64x4xi16, #tile.fragment>) {plan = #tile.mma_plan<wgmma_sp, m = 64, n = 64, k = 32, warps = [4, 1]>} : memref<64x32xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}
}

// -----

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
tile.kernel @other_shape() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x32xf16, #shared>
  %e = tile.alloc : memref<64x4xi16, #tile.fragment>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{expected a plan that is possible: wgmma_sp has no shape m64n64k16 for these element types}}
  tile.gemm %a, %b, %c metadata(%e : memref<64x4xi16, #tile.fragment>) {plan = #tile.mma_plan<wgmma_sp, m = 64, n = 64, k = 16, warps = [4, 1]>} : memref<64x32xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}
}
