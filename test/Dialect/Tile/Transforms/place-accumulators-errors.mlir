// RUN: tile-opt %s --tile-place-accumulators --split-input-file --verify-diagnostics -o /dev/null

#shared = #gpu.address_space<workgroup>
#plan = #tile.mma_plan<tcgen05, m = 128, n = 64, k = 16, warps = [4, 1]>
tile.kernel @no_layout() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<128x32xf16, #shared>
  %b = tile.alloc : memref<32x64xf16, #shared>
  %c = tile.alloc : memref<128x64xf32, #tile.fragment>
  // expected-error @below {{expected an accumulator with a layout: run --tile-infer-layouts}}
  tile.gemm %a, %b, %c {plan = #plan} : memref<128x32xf16, #shared>, memref<32x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
}

// -----

#shared = #gpu.address_space<workgroup>
#plan = #tile.mma_plan<tcgen05, m = 128, n = 64, k = 16, warps = [4, 1]>
#rows = #tile.fragment_layout<shape [128, 64] reg [(64, 1:1)] lane [(32, 0:1)] warp [(4, 0:32)]>
tile.kernel @in_flight() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<128x32xf16, #shared>
  %b = tile.alloc : memref<32x64xf16, #shared>
  %c = tile.alloc layout(#rows) : memref<128x64xf32, #tile.fragment>
  // expected-error @below {{expected a gemm without token, or its accumulator in tensor memory already}}
  %t = tile.gemm %a, %b, %c {plan = #plan} : memref<128x32xf16, #shared>, memref<32x64xf16, #shared>, memref<128x64xf32, #tile.fragment> -> !tile.token
  tile.await %t
}
