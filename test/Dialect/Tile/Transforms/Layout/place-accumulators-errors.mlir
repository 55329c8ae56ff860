// RUN: tile-opt %s --tile-place-accumulators --verify-diagnostics -o /dev/null

#shared = #gpu.address_space<workgroup>
#plan = #tile.mma_plan<tcgen05, m = 128, n = 64, k = 16, warps = [4, 1]>
tile.kernel @no_layout() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<128x32xf16, #shared>
  %b = tile.alloc : memref<32x64xf16, #shared>
  %c = tile.alloc : memref<128x64xf32, #tile.fragment>
  // expected-error @below {{expected an accumulator with a layout: run --tile-infer-layouts}}
  tile.gemm %a, %b, %c {plan = #plan} : memref<128x32xf16, #shared>, memref<32x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
}
