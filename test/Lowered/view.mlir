// Views: what is written through one shape is read through the other, in
// global and shared memory and in fragments, also where gemms, rings and roles
// work on the viewed tile.
// RUN: tile-run %s --kernel=reshape --check | FileCheck %s
// RUN: tile-run %s --kernel=reshape --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=reshape --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=reshape --stage=lowered --arch=sm_100a --check | FileCheck %s
// RUN: tile-run %s --kernel=heads --check | FileCheck %s
// RUN: tile-run %s --kernel=heads --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=heads --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=heads --stage=lowered --arch=sm_100a --check | FileCheck %s
// RUN: tile-run %s --kernel=ring --args=A=128x256,B=256x128,C=128x128 --check | FileCheck %s
// RUN: tile-run %s --kernel=ring --stage=lowered --arch=sm_80 --args=A=128x256,B=256x128,C=128x128 --check | FileCheck %s
// RUN: tile-run %s --kernel=ring --stage=lowered --arch=sm_90a --args=A=128x256,B=256x128,C=128x128 --check | FileCheck %s
// RUN: tile-run %s --kernel=ring --stage=lowered --arch=sm_100a --args=A=128x256,B=256x128,C=128x128 --check | FileCheck %s
// RUN: tile-run %s --kernel=bytes --check | FileCheck %s
// RUN: tile-run %s --kernel=bytes --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=bytes --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=odd --check | FileCheck %s
// RUN: tile-run %s --kernel=odd --stage=lowered --arch=sm_80 --check | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>

tile.kernel @reshape(%A: memref<?x64xf32> {tile.shape_hint = array<i64: 32, 64>}, %B: memref<2048xf32>, %C: memref<32xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %v = tile.view %A : memref<?x64xf32> to memref<?xf32>
  %s = tile.alloc : memref<2048xf32, #shared>
  %s2 = tile.view %s : memref<2048xf32, #shared> to memref<32x64xf32, #shared>
  %s3 = tile.view %s2 : memref<32x64xf32, #shared> to memref<32x8x8xf32, #shared>
  %f = tile.alloc : memref<2048xf32, #tile.fragment>
  %f2 = tile.view %f : memref<2048xf32, #tile.fragment> to memref<32x64xf32, #tile.fragment>
  %r = tile.alloc : memref<32xf32, #tile.fragment>
  tile.copy %v[%c0] to %s : memref<?xf32> to memref<2048xf32, #shared>
  tile.parallel (%i, %j, %k) in (32, 8, 8) {
    %x = memref.load %s3[%i, %j, %k] : memref<32x8x8xf32, #shared>
    %y = arith.addf %x, %x : f32
    memref.store %y, %s3[%i, %j, %k] : memref<32x8x8xf32, #shared>
  }
  tile.copy %s2 to %f2 : memref<32x64xf32, #shared> to memref<32x64xf32, #tile.fragment>
  tile.reduce max %f2 to %r dim(1) : memref<32x64xf32, #tile.fragment> to memref<32xf32, #tile.fragment>
  tile.copy %f to %B : memref<2048xf32, #tile.fragment> to memref<2048xf32>
  tile.copy %r to %C : memref<32xf32, #tile.fragment> to memref<32xf32>
}

// The accumulators of a gemm by heads: registers under another name.
tile.kernel @heads(%A: memref<64x64xf16>, %B: memref<64x128xf16>, %W: memref<4x32xf32>, %L: memref<64x4xf32>, %S: memref<64x128xf32>) grid(%b) = (1) threads(128) {
  %a = tile.alloc : memref<64x64xf16, #shared>
  %bs = tile.alloc : memref<64x128xf16, #shared>
  %w = tile.alloc : memref<4x32xf32, #shared>
  %s = tile.alloc : memref<64x128xf32, #tile.fragment>
  %h = tile.view %s : memref<64x128xf32, #tile.fragment> to memref<64x4x32xf32, #tile.fragment>
  %l = tile.alloc : memref<64x4xf32, #tile.fragment>
  tile.copy %A to %a : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.copy %B to %bs : memref<64x128xf16> to memref<64x128xf16, #shared>
  tile.copy %W to %w : memref<4x32xf32> to memref<4x32xf32, #shared>
  tile.gemm %a, %bs, %s {clear} : memref<64x64xf16, #shared>, memref<64x128xf16, #shared>, memref<64x128xf32, #tile.fragment>
  tile.parallel (%i, %j, %k) in (64, 4, 32) {
    %x = memref.load %h[%i, %j, %k] : memref<64x4x32xf32, #tile.fragment>
    %y = memref.load %w[%j, %k] : memref<4x32xf32, #shared>
    %z = arith.mulf %x, %y : f32
    memref.store %z, %h[%i, %j, %k] : memref<64x4x32xf32, #tile.fragment>
  }
  tile.reduce sum %h to %l dim(2) : memref<64x4x32xf32, #tile.fragment> to memref<64x4xf32, #tile.fragment>
  tile.copy %l to %L : memref<64x4xf32, #tile.fragment> to memref<64x4xf32>
  tile.copy %s to %S : memref<64x128xf32, #tile.fragment> to memref<64x128xf32>
}

// A tile of a pipelined loop that a gemm reads through a view, which keeps it
// from becoming slots of a ring; an accumulator that is read through a view
// behind the loop.
tile.kernel @ring(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf32> {tile.alignment = 16})
    grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 32 : i64} : index
  %a = tile.alloc : memref<1x128x32xf16, #shared>
  %a2 = tile.view %a : memref<1x128x32xf16, #shared> to memref<128x32xf16, #shared>
  %bs = tile.alloc : memref<32x128xf16, #shared>
  %c = tile.alloc : memref<128x128xf32, #tile.fragment>
  %cv = tile.view %c : memref<128x128xf32, #tile.fragment> to memref<128x2x64xf32, #tile.fragment>
  tile.fill %c with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c32 stages(3) {
    tile.copy %A[%c0, %k] to %a : memref<?x?xf16> to memref<1x128x32xf16, #shared>
    tile.copy %B[%k, %c0] to %bs : memref<?x?xf16> to memref<32x128xf16, #shared>
    tile.gemm %a2, %bs, %c : memref<128x32xf16, #shared>, memref<32x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.parallel (%i, %j, %k) in (128, 2, 64) {
    %x = memref.load %cv[%i, %j, %k] : memref<128x2x64xf32, #tile.fragment>
    %y = arith.addf %x, %x : f32
    memref.store %y, %cv[%i, %j, %k] : memref<128x2x64xf32, #tile.fragment>
  }
  tile.copy %c to %C[%c0, %c0] : memref<128x128xf32, #tile.fragment> to memref<?x?xf32>
}

// The bytes of words.
tile.kernel @bytes(%A: memref<16x16xi32>, %B: memref<16x64xi8>, %C: memref<1024xi8>) grid(%b) = (1) threads(64) {
  %s = tile.alloc : memref<16x16xi32, #shared>
  %v = tile.view %s : memref<16x16xi32, #shared> to memref<16x64xi8, #shared>
  %g = tile.view %A : memref<16x16xi32> to memref<1024xi8>
  %f = tile.alloc : memref<16x64xi8, #tile.fragment>
  %h = tile.alloc : memref<1024xi8, #tile.fragment>
  tile.copy %A to %s : memref<16x16xi32> to memref<16x16xi32, #shared>
  tile.copy %v to %f : memref<16x64xi8, #shared> to memref<16x64xi8, #tile.fragment>
  tile.copy %f to %B : memref<16x64xi8, #tile.fragment> to memref<16x64xi8>
  tile.copy %g to %h : memref<1024xi8> to memref<1024xi8, #tile.fragment>
  tile.copy %h to %C : memref<1024xi8, #tile.fragment> to memref<1024xi8>
}

// No layout that deals 6 x 10 elements out has a form of 4 x 15.
tile.kernel @odd(%A: memref<6x10xf32>, %B: memref<4x15xf32>) grid(%b) = (1) threads(32) {
  %f = tile.alloc : memref<6x10xf32, #tile.fragment>
  %v = tile.view %f : memref<6x10xf32, #tile.fragment> to memref<4x15xf32, #tile.fragment>
  tile.copy %A to %f : memref<6x10xf32> to memref<6x10xf32, #tile.fragment>
  tile.parallel (%i, %j) in (4, 15) {
    %x = memref.load %v[%i, %j] : memref<4x15xf32, #tile.fragment>
    %y = arith.addf %x, %x : f32
    memref.store %y, %v[%i, %j] : memref<4x15xf32, #tile.fragment>
  }
  tile.copy %v to %B : memref<4x15xf32, #tile.fragment> to memref<4x15xf32>
}
