// What keeps a gemm from tcgen05, each with its reason; stated plans that are
// impossible are errors.
// RUN: tile-opt %s --tile-infer-layouts=remarks=true --split-input-file --verify-diagnostics=only-expected -o /dev/null

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_100a">} {
tile.kernel @rows() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<192x32xf16, #shared>
  %b = tile.alloc : memref<32x64xf16, #shared>
  %c = tile.alloc : memref<192x64xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync}}
  // expected-note @below {{not possible: tcgen05 needs an M tile of 64 or a multiple of 128, got 192}}
  tile.gemm %a, %b, %c : memref<192x32xf16, #shared>, memref<32x64xf16, #shared>, memref<192x64xf32, #tile.fragment>
}
tile.kernel @full_row() grid(%bx) = (1) threads(256) {
  %a = tile.alloc : memref<128x32xf16, #shared>
  %b = tile.alloc : memref<32x64xf16, #shared>
  %c = tile.alloc : memref<128x64xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync}}
  // expected-note @below {{not possible: tcgen05 needs an M tile that is a multiple of 128 for each of 2 warpgroups, got 128}}
  tile.gemm %a, %b, %c {policy = #tile.warp_policy<full_row>} : memref<128x32xf16, #shared>, memref<32x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
}
tile.kernel @columns() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<128x32xf16, #shared>
  %b = tile.alloc : memref<32x24xf16, #shared>
  %c = tile.alloc : memref<128x24xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync}}
  // expected-note @below {{not possible: tcgen05 needs an N tile that is a multiple of 16, got 24}}
  tile.gemm %a, %b, %c : memref<128x32xf16, #shared>, memref<32x24xf16, #shared>, memref<128x24xf32, #tile.fragment>
}
tile.kernel @warps() grid(%bx) = (1) threads(64) {
  %a = tile.alloc : memref<128x32xf16, #shared>
  %b = tile.alloc : memref<32x64xf16, #shared>
  %c = tile.alloc : memref<128x64xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync}}
  // expected-note @below {{not possible: tcgen05 needs whole warpgroups of 4 warps, got 2 warps}}
  tile.gemm %a, %b, %c : memref<128x32xf16, #shared>, memref<32x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
}
// Of 64 rows half of the lanes would be empty.
tile.kernel @registers() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x32xf16, #tile.fragment>
  %b = tile.alloc : memref<32x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync}}
  // expected-note @below {{not possible: tcgen05 reads A from shared memory, or from tensor memory where it is M x K and M a multiple of 128, got a fragment of 64 rows}}
  tile.gemm %a, %b, %c : memref<64x32xf16, #tile.fragment>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}
tile.kernel @transposed() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<32x128xf16, #tile.fragment>
  %b = tile.alloc : memref<32x64xf16, #shared>
  %c = tile.alloc : memref<128x64xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync}}
  // expected-note @below {{got a fragment of 128 rows, transposed}}
  tile.gemm %a, %b, %c {transpose_a} : memref<32x128xf16, #tile.fragment>, memref<32x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
}
tile.kernel @half() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<128x32xf16, #shared>
  %b = tile.alloc : memref<32x64xf16, #shared>
  %c = tile.alloc : memref<128x64xf16, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync}}
  // expected-note @below {{not possible: tcgen05 has no f16 x f16 into f16 on sm_100a}}
  tile.gemm %a, %b, %c : memref<128x32xf16, #shared>, memref<32x64xf16, #shared>, memref<128x64xf16, #tile.fragment>
}
tile.kernel @tf32_along_n() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<128x32xf32, #shared>
  %b = tile.alloc : memref<32x64xf32, #shared>
  %c = tile.alloc : memref<128x64xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync}}
  // expected-note @below {{not possible: operand B of tcgen05: expected tf32 contiguous along k}}
  tile.gemm %a, %b, %c : memref<128x32xf32, #shared>, memref<32x64xf32, #shared>, memref<128x64xf32, #tile.fragment>
}
tile.kernel @tensor_memory_is_full() grid(%bx) = (1) threads(512) {
  %a = tile.alloc : memref<384x32xf16, #shared>
  %b = tile.alloc : memref<32x256xf16, #shared>
  %c = tile.alloc : memref<384x256xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync}}
  // expected-note @below {{not possible: tensor memory has 512 columns, the accumulators of the kernel take 768}}
  tile.gemm %a, %b, %c : memref<384x32xf16, #shared>, memref<32x256xf16, #shared>, memref<384x256xf32, #tile.fragment>
}
}

// -----

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_100a">} {
tile.kernel @stated() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<128x32xf16, #shared>
  %b = tile.alloc : memref<32x96xf16, #shared>
  %c = tile.alloc : memref<128x96xf32, #tile.fragment>
  // expected-error @below {{expected a plan that is possible: tcgen05 has no shape m128n64k16 for these element types and this tile}}
  tile.gemm %a, %b, %c {plan = #tile.mma_plan<tcgen05, m = 128, n = 64, k = 16, warps = [4, 1]>} : memref<128x32xf16, #shared>, memref<32x96xf16, #shared>, memref<128x96xf32, #tile.fragment>
}
}

// -----

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_120a">} {
tile.kernel @elsewhere() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<128x32xf16, #shared>
  %b = tile.alloc : memref<32x64xf16, #shared>
  %c = tile.alloc : memref<128x64xf32, #tile.fragment>
  // expected-error @below {{expected a plan with fma or mma_sync on sm_120a, got tcgen05}}
  tile.gemm %a, %b, %c {plan = #tile.mma_plan<tcgen05, m = 128, n = 64, k = 16, warps = [4, 1]>} : memref<128x32xf16, #shared>, memref<32x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
}
}

// -----

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_100a">} {
tile.kernel @into_tensor_memory() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<128x24xf16, #shared>
  %b = tile.alloc : memref<24x64xf16, #shared>
  %c = tile.alloc : memref<128x64xf32, #tile.tmem>
  // expected-error @below {{expected a gemm into tensor memory that is possible: tcgen05 needs a K tile that is a multiple of 16, got 24}}
  tile.gemm %a, %b, %c : memref<128x24xf16, #shared>, memref<24x64xf16, #shared>, memref<128x64xf32, #tile.tmem>
}
}
