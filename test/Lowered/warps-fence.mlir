// Warps of a part of the kernel write a tile, or the block has before it, which tensor copies or wgmma read behind it: each
// thread fences what it has written, in front of the barrier that ends the part.
// RUN: tile-run %s --kernel=copied --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=filled --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=before --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=multiplied --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=multiplied --stage=lowered --arch=sm_100a --check | FileCheck %s
// CHECK: PASS
// RUN: tile-opt %s --pass-pipeline='builtin.module(tile-to-barriers{arch=sm_90a})' | FileCheck %s --check-prefix=IR
// IR-LABEL: tile.kernel @copied
// IR: tile.copy %{{.*}} to %{{.*}} : memref<16x16xf32, #tile.fragment> to memref<16x16xf32, #gpu.address_space<workgroup>>
// IR-NEXT: tile.fence proxy
// IR-NEXT: }
// IR-NEXT: tile.copy %{{.*}} to %C
#shared = #gpu.address_space<workgroup>

tile.kernel @copied(%X: memref<16x16xf32> {tile.alignment = 16}, %C: memref<16x16xf32> {tile.alignment = 16}) grid(%b) = (1) threads(64) {
  %s = tile.alloc : memref<16x16xf32, #shared>
  tile.on_warps 1 count 1 {
    %c = tile.alloc : memref<16x16xf32, #tile.fragment>
    tile.copy %X to %c : memref<16x16xf32> to memref<16x16xf32, #tile.fragment>
    tile.copy %c to %s : memref<16x16xf32, #tile.fragment> to memref<16x16xf32, #shared>
  }
  tile.copy %s to %C : memref<16x16xf32, #shared> to memref<16x16xf32>
}

tile.kernel @filled(%n: index {tile.shape_hint = array<i64: 3>}, %C: memref<16x16xf32> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %s = tile.alloc : memref<16x16xf32, #shared>
  tile.on_warps 0 count 2 {
    scf.for %i = %c0 to %n step %c1 {
      tile.fill %s with %one : memref<16x16xf32, #shared>, f32
    }
  }
  tile.copy %s to %C : memref<16x16xf32, #shared> to memref<16x16xf32>
}

tile.kernel @before(%X: memref<16x16xf32> {tile.alignment = 16}, %C: memref<16x16xf32> {tile.alignment = 16}, %D: memref<32xf32>) grid(%b) = (1) threads(128) {
  %one = arith.constant 1.0 : f32
  %s = tile.alloc : memref<16x16xf32, #shared>
  %t = tile.alloc : memref<32xf32, #shared>
  tile.fill %s with %one : memref<16x16xf32, #shared>, f32
  tile.on_warps 1 count 1 {
    tile.fill %t with %one : memref<32xf32, #shared>, f32
  }
  tile.copy %s to %C : memref<16x16xf32, #shared> to memref<16x16xf32>
  tile.copy %t to %D : memref<32xf32, #shared> to memref<32xf32>
}

tile.kernel @multiplied(%A: memref<64x64xf16> {tile.alignment = 16}, %B: memref<64x64xf16> {tile.alignment = 16}, %C: memref<64x64xf32>) grid(%b) = (1) threads(128) {
  %zero = arith.constant 0.0 : f32
  %a = tile.alloc : memref<64x64xf16, #shared>
  %s = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.copy %B to %s : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.on_warps 2 count 2 {
    tile.parallel (%i, %j) in (64, 64) {
      %v = memref.load %A[%i, %j] : memref<64x64xf16>
      %w = arith.addf %v, %v : f16
      memref.store %w, %a[%i, %j] : memref<64x64xf16, #shared>
    }
  }
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.gemm %a, %s, %acc : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  tile.copy %acc to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}
