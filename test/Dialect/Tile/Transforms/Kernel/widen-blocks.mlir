// Blocks get more threads where the fragments of gemms do not fit in the registers of those that the program names.
// RUN: tile-opt %s --split-input-file --tile-set-target=arch=sm_90a --tile-widen-blocks=remarks -verify-diagnostics | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-set-target=arch=sm_100a --tile-widen-blocks | FileCheck %s --check-prefix=TENSOR

// 128 + 64 + 128 registers.
// CHECK: tile.kernel @attention
// CHECK-SAME: threads(256)
// TENSOR: tile.kernel @attention
// TENSOR-SAME: threads(128)
// expected-remark @+1 {{a block has 256 threads in place of 128: fragments would not fit in registers, which are 255 a thread}}
tile.kernel @attention(%O: memref<128x128xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %q = tile.alloc : memref<128x128xf16, #gpu.address_space<workgroup>>
  %k = tile.alloc : memref<128x128xf16, #gpu.address_space<workgroup>>
  %s = tile.alloc : memref<128x128xf32, #tile.fragment>
  %p = tile.alloc : memref<128x128xf16, #tile.fragment>
  %o = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %o with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.fill %s with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.gemm %q, %k, %s {transpose_b} : memref<128x128xf16, #gpu.address_space<workgroup>>, memref<128x128xf16, #gpu.address_space<workgroup>>, memref<128x128xf32, #tile.fragment>
  tile.copy %s to %p : memref<128x128xf32, #tile.fragment> to memref<128x128xf16, #tile.fragment>
  tile.gemm %p, %k, %o : memref<128x128xf16, #tile.fragment>, memref<128x128xf16, #gpu.address_space<workgroup>>, memref<128x128xf32, #tile.fragment>
  tile.copy %o to %O[%c0, %c0] : memref<128x128xf32, #tile.fragment> to memref<128x128xf32>
}

// -----

// They fit: 128 registers.
// CHECK: tile.kernel @fits
// CHECK-SAME: threads(128)
tile.kernel @fits(%C: memref<128x128xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  %b2 = tile.alloc : memref<64x128xf16, #gpu.address_space<workgroup>>
  %c = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.gemm %a, %b2, %c : memref<128x64xf16, #gpu.address_space<workgroup>>, memref<64x128xf16, #gpu.address_space<workgroup>>, memref<128x128xf32, #tile.fragment>
  tile.copy %c to %C[%c0, %c0] : memref<128x128xf32, #tile.fragment> to memref<128x128xf32>
}

// -----

// Two warpgroups take half of the columns each.
// CHECK: tile.kernel @wide
// CHECK-SAME: threads(256)
// expected-remark @+1 {{a block has 256 threads in place of 128}}
tile.kernel @wide(%C: memref<64x512xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : memref<64x64xf16, #gpu.address_space<workgroup>>
  %b2 = tile.alloc : memref<64x512xf16, #gpu.address_space<workgroup>>
  %c = tile.alloc : memref<64x512xf32, #tile.fragment>
  tile.gemm %a, %b2, %c : memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x512xf16, #gpu.address_space<workgroup>>, memref<64x512xf32, #tile.fragment>
  tile.copy %c to %C[%c0, %c0] : memref<64x512xf32, #tile.fragment> to memref<64x512xf32>
}

// -----

// By rows, two warpgroups would have 32 each, which no wgmma has.
// CHECK: tile.kernel @short
// CHECK-SAME: threads(128)
tile.kernel @short(%C: memref<64x512xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : memref<64x64xf16, #gpu.address_space<workgroup>>
  %b2 = tile.alloc : memref<64x512xf16, #gpu.address_space<workgroup>>
  %c = tile.alloc : memref<64x512xf32, #tile.fragment>
  // expected-remark @+1 {{fragments take 256 registers of each of 128 threads, which have 255: 256 threads would not divide its gemms; smaller tiles need fewer}}
  tile.gemm %a, %b2, %c {policy = #tile.warp_policy<full_row>} : memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x512xf16, #gpu.address_space<workgroup>>, memref<64x512xf32, #tile.fragment>
  tile.copy %c to %C[%c0, %c0] : memref<64x512xf32, #tile.fragment> to memref<64x512xf32>
}

// -----

// The plan says how many warps there are.
// CHECK: tile.kernel @planned
// CHECK-SAME: threads(128)
tile.kernel @planned(%C: memref<128x256xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
  %b2 = tile.alloc : memref<64x256xf16, #gpu.address_space<workgroup>>
  %c = tile.alloc : memref<128x256xf32, #tile.fragment>
  // expected-remark @+1 {{the program's layouts, plans or roles count on so many}}
  tile.gemm %a, %b2, %c {plan = #tile.mma_plan<wgmma, m = 64, n = 256, k = 16, warps = [4, 1]>} : memref<128x64xf16, #gpu.address_space<workgroup>>, memref<64x256xf16, #gpu.address_space<workgroup>>, memref<128x256xf32, #tile.fragment>
  tile.copy %c to %C[%c0, %c0] : memref<128x256xf32, #tile.fragment> to memref<128x256xf32>
}

// -----

// 512 threads share the registers of a multiprocessor: 128 for each, of which this needs all.
// CHECK: tile.kernel @large
// CHECK-SAME: threads(256)
tile.kernel @large(%C: memref<256x256xf32>) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : memref<256x64xf16, #gpu.address_space<workgroup>>
  %b2 = tile.alloc : memref<64x256xf16, #gpu.address_space<workgroup>>
  %c = tile.alloc : memref<256x256xf32, #tile.fragment>
  // expected-remark @+1 {{fragments take 256 registers of each of 256 threads, which have 255: no more threads have enough}}
  tile.gemm %a, %b2, %c : memref<256x64xf16, #gpu.address_space<workgroup>>, memref<64x256xf16, #gpu.address_space<workgroup>>, memref<256x256xf32, #tile.fragment>
  tile.copy %c to %C[%c0, %c0] : memref<256x256xf32, #tile.fragment> to memref<256x256xf32>
}
