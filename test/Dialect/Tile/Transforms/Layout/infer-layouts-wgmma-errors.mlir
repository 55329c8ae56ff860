// What keeps a gemm from wgmma, each with its reason; stated plans that are
// impossible are errors.
// RUN: tile-opt %s --tile-infer-layouts=remarks=true --split-input-file --verify-diagnostics=only-expected -o /dev/null

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
tile.kernel @rows() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<96x32xf16, #shared>
  %b = tile.alloc : memref<32x64xf16, #shared>
  %c = tile.alloc : memref<96x64xf32, #tile.fragment>
  %r = tile.alloc : memref<96xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync}}
  // expected-note @below {{not possible: wgmma needs an M tile that is a multiple of 64 for each of 1 warpgroup, got 96}}
  // expected-note @below {{not possible: wgmma with swapped operands: 'tile.reduce' works on its result}}
  tile.gemm %a, %b, %c : memref<96x32xf16, #shared>, memref<32x64xf16, #shared>, memref<96x64xf32, #tile.fragment>
  tile.reduce sum %c to %r dim(1) : memref<96x64xf32, #tile.fragment> to memref<96xf32, #tile.fragment>
}
tile.kernel @full_row() grid(%bx) = (1) threads(256) {
  %a = tile.alloc : memref<64x32xf16, #shared>
  %b = tile.alloc : memref<32x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // No more warpgroups below each other than have 64 rows each.
  // expected-remark @below {{chose plan #tile.mma_plan<wgmma, m = 64, n = 32, k = 16, warps = [4, 2]>}}
  tile.gemm %a, %b, %c {policy = #tile.warp_policy<full_row>} : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}
tile.kernel @columns() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x32xf16, #shared>
  %b = tile.alloc : memref<32x20xf16, #shared>
  %c = tile.alloc : memref<64x20xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync}}
  // expected-note @below {{not possible: wgmma needs an N tile of multiples of 8 for each of 1 warpgroup, got 20}}
  tile.gemm %a, %b, %c : memref<64x32xf16, #shared>, memref<32x20xf16, #shared>, memref<64x20xf32, #tile.fragment>
}
tile.kernel @warps() grid(%bx) = (1) threads(64) {
  %a = tile.alloc : memref<64x32xf16, #shared>
  %b = tile.alloc : memref<32x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync}}
  // expected-note @below {{not possible: wgmma needs whole warpgroups of 4 warps, got 2 warps}}
  tile.gemm %a, %b, %c : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}
// A K tile with a tail goes by the mma.sync whose k divides it, or by FMA. The
// reason says which tiles would do.
tile.kernel @k_tail() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x24xf16, #shared>
  %b = tile.alloc : memref<24x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync, m = 16, n = 8, k = 8}}
  // expected-note @below {{not possible: wgmma needs a K tile that is a multiple of 16, got 24: tiles and steps of 32 compute the same over a whole tensor, beyond which zeros are read}}
  // expected-note @below {{not possible: mma_sync m16n8k16 needs a K tile that is a multiple of 16, got 24}}
  tile.gemm %a, %b, %c : memref<64x24xf16, #shared>, memref<24x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}
tile.kernel @k_tail_72() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x72xbf16, #shared>
  %b = tile.alloc : memref<64x72xbf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync, m = 16, n = 8, k = 8}}
  // expected-note @below {{not possible: wgmma needs a K tile that is a multiple of 16, got 72: tiles and steps of 80 compute the same}}
  // expected-note @below {{not possible: mma_sync m16n8k16 needs a K tile that is a multiple of 16, got 72}}
  tile.gemm %a, %b, %c {transpose_b} : memref<64x72xbf16, #shared>, memref<64x72xbf16, #shared>, memref<64x64xf32, #tile.fragment>
}
tile.kernel @k_tail_fp8() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x48xf8E4M3FN, #shared>
  %b = tile.alloc : memref<64x48xf8E4M3FN, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16}}
  // expected-note @below {{not possible: wgmma needs a K tile that is a multiple of 32, got 48: tiles and steps of 64 compute the same}}
  // expected-note @below {{not possible: mma_sync m16n8k32 needs a K tile that is a multiple of 32, got 48}}
  tile.gemm %a, %b, %c {transpose_b} : memref<64x48xf8E4M3FN, #shared>, memref<64x48xf8E4M3FN, #shared>, memref<64x64xf32, #tile.fragment>
}
tile.kernel @k_tail_i8() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x48xi8, #shared>
  %b = tile.alloc : memref<64x48xi8, #shared>
  %c = tile.alloc : memref<64x64xi32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16}}
  // expected-note @below {{not possible: wgmma needs a K tile that is a multiple of 32, got 48: tiles and steps of 64 compute the same}}
  // expected-note @below {{not possible: mma_sync m16n8k32 needs a K tile that is a multiple of 32, got 48}}
  tile.gemm %a, %b, %c {transpose_b} : memref<64x48xi8, #shared>, memref<64x48xi8, #shared>, memref<64x64xi32, #tile.fragment>
}
tile.kernel @k_tail_tf32() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x12xf32, #shared>
  %b = tile.alloc : memref<64x12xf32, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync, m = 16, n = 8, k = 4}}
  // expected-note @below {{not possible: wgmma needs a K tile that is a multiple of 8, got 12: tiles and steps of 16 compute the same}}
  // expected-note @below {{not possible: mma_sync m16n8k8 needs a K tile that is a multiple of 8, got 12}}
  tile.gemm %a, %b, %c {transpose_b} : memref<64x12xf32, #shared>, memref<64x12xf32, #shared>, memref<64x64xf32, #tile.fragment>
}
tile.kernel @k_tail_4() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x4xf16, #shared>
  %b = tile.alloc : memref<64x4xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<fma}}
  // expected-note @below {{not possible: wgmma needs a K tile that is a multiple of 16, got 4: tiles and steps of 16 compute the same}}
  // expected-note @below {{not possible: mma_sync m16n8k16 needs a K tile that is a multiple of 16, got 4}}
  // expected-note @below {{not possible: mma_sync m16n8k8 needs a K tile that is a multiple of 8, got 4}}
  tile.gemm %a, %b, %c {transpose_b} : memref<64x4xf16, #shared>, memref<64x4xf16, #shared>, memref<64x64xf32, #tile.fragment>
}
// Eight-bit operands are read along k only.
tile.kernel @fp8() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x32xf8E4M3FN, #shared>
  %b = tile.alloc : memref<32x64xf8E4M3FN, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync}}
  // expected-note @below {{not possible: operand B of wgmma: wgmma reads operands along m or n only in 16 bits, got 8}}
  tile.gemm %a, %b, %c : memref<64x32xf8E4M3FN, #shared>, memref<32x64xf8E4M3FN, #shared>, memref<64x64xf32, #tile.fragment>
}
tile.kernel @tf32() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<32x64xf32, #shared>
  %b = tile.alloc : memref<64x32xf32, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync}}
  // expected-note @below {{not possible: operand A of wgmma: wgmma reads operands along m or n only in 16 bits, got 32}}
  tile.gemm %a, %b, %c {transpose_a, transpose_b} : memref<32x64xf32, #shared>, memref<64x32xf32, #shared>, memref<64x64xf32, #tile.fragment>
}
tile.kernel @b_in_registers() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x32xf16, #shared>
  %b = tile.alloc : memref<32x64xf16, #tile.fragment>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync}}
  // expected-note @below {{not possible: wgmma reads B from shared memory, got a fragment}}
  tile.gemm %a, %b, %c : memref<64x32xf16, #shared>, memref<32x64xf16, #tile.fragment>, memref<64x64xf32, #tile.fragment>
}
// Padded rows have no matrix descriptor.
tile.kernel @stated_layout() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x32xf16, #shared>
  %b = tile.alloc layout(#tile.shared_layout<shape [32, 64] bits 16 modes [(64, 1:1), (32, 0:72)]>) : memref<32x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync}}
  // expected-note-re @below {{not possible: operand B of wgmma: element (0, 1) of the operand lies at byte 144, wgmma would read it at 16}}
  tile.gemm %a, %b, %c : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}
}

// -----

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
tile.kernel @stated_n() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x32xf16, #shared>
  %b = tile.alloc : memref<32x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @below {{expected a plan that is possible: wgmma has no shape m64n20k16 for these element types}}
  tile.gemm %a, %b, %c {plan = #tile.mma_plan<wgmma, m = 64, n = 20, k = 16, warps = [4, 1]>} : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}
}

// -----

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
tile.kernel @stated_warps() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x32xf16, #shared>
  %b = tile.alloc : memref<32x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @below {{expected a plan that is possible: wgmma needs a multiple of 4 warps along m, got 2}}
  tile.gemm %a, %b, %c {plan = #tile.mma_plan<wgmma, m = 64, n = 32, k = 16, warps = [2, 2]>} : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}
}

// -----

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
tile.kernel @stated_major() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x32xi8, #shared>
  %b = tile.alloc : memref<32x64xi8, #shared>
  %c = tile.alloc : memref<64x64xi32, #tile.fragment>
  // expected-error @below {{expected a plan that is possible: operand B of wgmma: wgmma reads operands along m or n only in 16 bits, got 8}}
  tile.gemm %a, %b, %c {plan = #tile.mma_plan<wgmma, m = 64, n = 64, k = 32, warps = [4, 1]>} : memref<64x32xi8, #shared>, memref<32x64xi8, #shared>, memref<64x64xi32, #tile.fragment>
}
}

// -----

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90">} {
tile.kernel @elsewhere() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x32xf16, #shared>
  %b = tile.alloc : memref<32x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @below {{expected a plan with fma or mma_sync on sm_90, got wgmma}}
  tile.gemm %a, %b, %c {plan = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [4, 1]>} : memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}
}

// -----

// 512 threads share the registers of a multiprocessor.
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
tile.kernel @registers() grid(%bx) = (1) threads(512) {
  %a = tile.alloc : memref<256x64xf16, #shared>
  %b = tile.alloc : memref<64x256xf16, #shared>
  %c = tile.alloc : memref<256x256xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync}}
  // expected-note @below {{not possible: wgmma keeps 128 registers of accumulators in each of 512 threads, which have 128, 26 of them for addresses: use a smaller tile}}
  tile.gemm %a, %b, %c : memref<256x64xf16, #shared>, memref<64x256xf16, #shared>, memref<256x256xf32, #tile.fragment>
}
tile.kernel @fits() grid(%bx) = (1) threads(512) {
  %a = tile.alloc : memref<256x64xf16, #shared>
  %b = tile.alloc : memref<64x128xf16, #shared>
  %c = tile.alloc : memref<256x128xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<wgmma}}
  tile.gemm %a, %b, %c : memref<256x64xf16, #shared>, memref<64x128xf16, #shared>, memref<256x128xf32, #tile.fragment>
}
}
