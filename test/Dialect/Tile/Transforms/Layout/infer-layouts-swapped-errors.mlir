// What keeps wgmma from swapping operands unasked, each with its reason; stated
// plans that are impossible are errors.
// RUN: tile-opt %s --tile-infer-layouts=remarks=true --split-input-file --verify-diagnostics=only-expected -o /dev/null

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
tile.kernel @chosen() grid(%bx) = (1) threads(256) {
  %a = tile.alloc : memref<16x64xf16, #shared>
  %b = tile.alloc : memref<64x128xf16, #shared>
  %c = tile.alloc : memref<16x128xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<wgmma, m = 64, n = 16, k = 16, warps = [8, 1], swapped>: operands swapped, since 16 rows are no multiple of 64 for each warpgroup; 2x1 warpgroups (square), each with 1x1 instructions per step of k}}
  tile.gemm %a, %b, %c : memref<16x64xf16, #shared>, memref<64x128xf16, #shared>, memref<16x128xf32, #tile.fragment>
}
tile.kernel @reduced() grid(%bx) = (1) threads(256) {
  %a = tile.alloc : memref<16x64xf16, #shared>
  %b = tile.alloc : memref<64x128xf16, #shared>
  %c = tile.alloc : memref<16x128xf32, #tile.fragment>
  %r = tile.alloc : memref<16xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync}}
  // expected-note @below {{not possible: wgmma with swapped operands: 'tile.reduce' works on its result, of which each warp would have columns of all rows}}
  tile.gemm %a, %b, %c : memref<16x64xf16, #shared>, memref<64x128xf16, #shared>, memref<16x128xf32, #tile.fragment>
  tile.reduce max %c to %r dim(1) : memref<16x128xf32, #tile.fragment> to memref<16xf32, #tile.fragment>
}
// The result meets what another reduction has found.
tile.kernel @rescaled(%M: memref<16xf32>) grid(%bx) = (1) threads(256) {
  %a = tile.alloc : memref<16x64xf16, #shared>
  %b = tile.alloc : memref<64x128xf16, #shared>
  %c = tile.alloc : memref<16x128xf32, #tile.fragment>
  %s = tile.alloc : memref<16x64xf32, #tile.fragment>
  %r = tile.alloc : memref<16xf32, #tile.fragment>
  tile.reduce max %s to %r dim(1) : memref<16x64xf32, #tile.fragment> to memref<16xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync}}
  // expected-note @below {{not possible: wgmma with swapped operands: 'tile.reduce' works on its result}}
  tile.gemm %a, %b, %c : memref<16x64xf16, #shared>, memref<64x128xf16, #shared>, memref<16x128xf32, #tile.fragment>
  tile.parallel (%i, %j) in (16, 128) {
    %x = memref.load %c[%i, %j] : memref<16x128xf32, #tile.fragment>
    %y = memref.load %r[%i] : memref<16xf32, #tile.fragment>
    %z = arith.mulf %x, %y : f32
    memref.store %z, %c[%i, %j] : memref<16x128xf32, #tile.fragment>
  }
}
tile.kernel @chain() grid(%bx) = (1) threads(128) {
  %q = tile.alloc : memref<16x64xf16, #shared>
  %k = tile.alloc : memref<64x64xf16, #shared>
  %v = tile.alloc : memref<64x64xf16, #shared>
  %s = tile.alloc : memref<16x64xf32, #tile.fragment>
  %p = tile.alloc : memref<16x64xf16, #tile.fragment>
  %o = tile.alloc : memref<16x64xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync}}
  // expected-note @below {{not possible: wgmma with swapped operands: another gemm takes its result as an operand, which would have to be transposed}}
  tile.gemm %q, %k, %s {transpose_b, clear} : memref<16x64xf16, #shared>, memref<64x64xf16, #shared>, memref<16x64xf32, #tile.fragment>
  tile.copy %s to %p : memref<16x64xf32, #tile.fragment> to memref<16x64xf16, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync}}
  // expected-note @below {{not possible: wgmma with swapped operands reads A and B from shared memory, got a fragment}}
  tile.gemm %p, %v, %o : memref<16x64xf16, #tile.fragment>, memref<64x64xf16, #shared>, memref<16x64xf32, #tile.fragment>
}
// Two gemms add to one result: they hold it alike.
tile.kernel @added() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<16x64xf16, #shared>
  %f = tile.alloc : memref<16x64xf16, #tile.fragment>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<16x64xf32, #tile.fragment>
  tile.gemm %f, %b, %c : memref<16x64xf16, #tile.fragment>, memref<64x64xf16, #shared>, memref<16x64xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync}}
  // expected-note @below {{not possible: wgmma with swapped operands: another gemm, whose operands are not swapped, adds to its result}}
  tile.gemm %a, %b, %c : memref<16x64xf16, #shared>, memref<64x64xf16, #shared>, memref<16x64xf32, #tile.fragment>
}
tile.kernel @other_elements(%C: memref<8x64xf32>) grid(%bx) = (1) threads(128) {
  %c8 = arith.constant 8 : index
  %a = tile.alloc : memref<16x64xf16, #shared>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<16x64xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync}}
  // expected-note @below {{not possible: wgmma with swapped operands: its result is accessed in another way than element by element}}
  tile.gemm %a, %b, %c : memref<16x64xf16, #shared>, memref<64x64xf16, #shared>, memref<16x64xf32, #tile.fragment>
  tile.parallel (%i, %j) in (8, 64) {
    %k = arith.addi %i, %c8 : index
    %x = memref.load %c[%k, %j] : memref<16x64xf32, #tile.fragment>
    memref.store %x, %C[%i, %j] : memref<8x64xf32>
  }
}
tile.kernel @few_columns() grid(%bx) = (1) threads(256) {
  %a = tile.alloc : memref<16x64xf16, #shared>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<16x64xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync}}
  // expected-note @below {{not possible: wgmma with swapped operands: expected an N tile of 64 columns or more for each of 2 warpgroups, a multiple of 64, got 64}}
  tile.gemm %a, %b, %c : memref<16x64xf16, #shared>, memref<64x64xf16, #shared>, memref<16x64xf32, #tile.fragment>
}
tile.kernel @odd_rows() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<20x64xf16, #shared>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<20x64xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync}}
  // expected-note @below {{not possible: wgmma with swapped operands needs an M tile of multiples of 8 for each of 1 warpgroup, got 20}}
  tile.gemm %a, %b, %c : memref<20x64xf16, #shared>, memref<64x64xf16, #shared>, memref<20x64xf32, #tile.fragment>
}
// Eight-bit operands are read along k only.
tile.kernel @fp8() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<16x32xf8E4M3FN, #shared>
  %b = tile.alloc : memref<32x64xf8E4M3FN, #shared>
  %c = tile.alloc : memref<16x64xf32, #tile.fragment>
  // expected-remark @below {{chose plan #tile.mma_plan<mma_sync}}
  // expected-note @below {{not possible: operand B of wgmma with swapped operands: wgmma reads operands along m or n only in 16 bits, got 8}}
  tile.gemm %a, %b, %c : memref<16x32xf8E4M3FN, #shared>, memref<32x64xf8E4M3FN, #shared>, memref<16x64xf32, #tile.fragment>
}
}

// -----

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
tile.kernel @stated_fragment() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<16x32xf16, #tile.fragment>
  %b = tile.alloc : memref<32x64xf16, #shared>
  %c = tile.alloc : memref<16x64xf32, #tile.fragment>
  // expected-error @below {{expected a plan that is possible: wgmma with swapped operands reads A and B from shared memory, got a fragment}}
  tile.gemm %a, %b, %c {plan = #tile.mma_plan<wgmma, m = 64, n = 16, k = 16, warps = [4, 1], swapped>} : memref<16x32xf16, #tile.fragment>, memref<32x64xf16, #shared>, memref<16x64xf32, #tile.fragment>
}
}

// -----

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
tile.kernel @stated_columns() grid(%bx) = (1) threads(256) {
  %a = tile.alloc : memref<16x32xf16, #shared>
  %b = tile.alloc : memref<32x96xf16, #shared>
  %c = tile.alloc : memref<16x96xf32, #tile.fragment>
  // expected-error @below {{expected a plan that is possible: wgmma with swapped operands needs an N tile that is a multiple of 64 for each of 2 warpgroups, got 96}}
  tile.gemm %a, %b, %c {plan = #tile.mma_plan<wgmma, m = 64, n = 16, k = 16, warps = [8, 1], swapped>} : memref<16x32xf16, #shared>, memref<32x96xf16, #shared>, memref<16x96xf32, #tile.fragment>
}
}

// -----

#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
tile.kernel @stated_rows() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<16x32xf16, #shared>
  %b = tile.alloc : memref<32x64xf16, #shared>
  %c = tile.alloc : memref<16x64xf32, #tile.fragment>
  // expected-error @below {{expected a plan that is possible: wgmma with swapped operands needs an M tile of multiples of 8 for each of 1 warpgroup, got 16}}
  tile.gemm %a, %b, %c {plan = #tile.mma_plan<wgmma, m = 64, n = 32, k = 16, warps = [4, 1], swapped>} : memref<16x32xf16, #shared>, memref<32x64xf16, #shared>, memref<16x64xf32, #tile.fragment>
}
}
