// What programs that use tensor memory themselves may not do: one clear word
// each.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_100a --split-input-file --verify-diagnostics -o /dev/null

#shared = #gpu.address_space<workgroup>
tile.kernel @never_written() grid(%bx) = (1) threads(128) {
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{expected an accumulator of rank 2 and 32 bits in tensor memory, which a gemm writes, got 'memref<128x64xf32, #tile.tmem>'}}
  %t = tile.alloc : memref<128x64xf32, #tile.tmem>
  tile.fill %t with %zero : memref<128x64xf32, #tile.tmem>, f32
}

// -----

#shared = #gpu.address_space<workgroup>
tile.kernel @to_global(%C: memref<128x64xf32>) grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<128x64xf16, #shared>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %t = tile.alloc : memref<128x64xf32, #tile.tmem>
  tile.gemm %a, %b, %t {clear} : memref<128x64xf16, #shared>, memref<64x64xf16, #shared>, memref<128x64xf32, #tile.tmem>
  // expected-error @below {{expected a whole buffer in tensor memory and a fragment of its shape and element type, got 'memref<128x64xf32, #tile.tmem>' to 'memref<128x64xf32>'}}
  tile.copy %t to %C : memref<128x64xf32, #tile.tmem> to memref<128x64xf32>
}

// -----

#shared = #gpu.address_space<workgroup>
tile.kernel @other_layout(%C: memref<128x64xf32>) grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<128x64xf16, #shared>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %t = tile.alloc : memref<128x64xf32, #tile.tmem>
  %f = tile.alloc : memref<128x64xf32, #tile.fragment>
  tile.gemm %a, %b, %t {clear} : memref<128x64xf16, #shared>, memref<64x64xf16, #shared>, memref<128x64xf32, #tile.tmem>
  // expected-error @below {{expected a fragment in the layout in which warps read tensor memory}}
  tile.copy %t to %f : memref<128x64xf32, #tile.tmem> to memref<128x64xf32, #tile.fragment>
  tile.copy %f to %C : memref<128x64xf32, #tile.fragment> to memref<128x64xf32>
}

// -----

#shared = #gpu.address_space<workgroup>
tile.kernel @two_shapes() grid(%bx) = (1) threads(256) {
  %a = tile.alloc : memref<256x64xf16, #shared>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %t = tile.alloc : memref<256x64xf32, #tile.tmem>
  // expected-error @below {{expected the gemms into one buffer in tensor memory to have one shape along m and one grid of warps}}
  tile.gemm %a, %b, %t {clear, plan = #tile.mma_plan<tcgen05, m = 128, n = 64, k = 16, warps = [8, 1]>} : memref<256x64xf16, #shared>, memref<64x64xf16, #shared>, memref<256x64xf32, #tile.tmem>
  tile.gemm %a, %b, %t {plan = #tile.mma_plan<tcgen05, m = 128, n = 64, k = 16, warps = [4, 2]>} : memref<256x64xf16, #shared>, memref<64x64xf16, #shared>, memref<256x64xf32, #tile.tmem>
}
