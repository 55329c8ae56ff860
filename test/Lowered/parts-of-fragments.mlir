// Parts of fragments where threads hold them, halves of a product and single rows among them, and where they do not.
// RUN: tile-run %s --kernel=halves --check | FileCheck %s
// RUN: tile-run %s --kernel=halves --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=halves --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=quarter --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=rows --check | FileCheck %s
// RUN: tile-run %s --kernel=rows --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=conditional --check | FileCheck %s
// RUN: tile-run %s --kernel=conditional --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=conditional --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>

tile.kernel @halves(%A: memref<64x64xf16> {tile.alignment = 16}, %B: memref<64x128xf16> {tile.alignment = 16}, %C: memref<64x64xf16> {tile.alignment = 16}, %D: memref<64x64xf16> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %Cs = tile.alloc : memref<64x64xf16, #shared>
  %Ds = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x128xf32, #tile.fragment>, f32
  tile.copy %A to %As : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.copy %B to %Bs : memref<64x128xf16> to memref<64x128xf16, #shared>
  tile.gemm %As, %Bs, %acc : memref<64x64xf16, #shared>, memref<64x128xf16, #shared>, memref<64x128xf32, #tile.fragment>
  tile.copy %acc[%c0, %c0] sizes [64, 64] to %Cs : memref<64x128xf32, #tile.fragment> to memref<64x64xf16, #shared>
  tile.copy %acc[%c0, %c64] sizes [64, 64] to %Ds : memref<64x128xf32, #tile.fragment> to memref<64x64xf16, #shared>
  tile.copy %Cs to %C : memref<64x64xf16, #shared> to memref<64x64xf16>
  tile.copy %Ds to %D : memref<64x64xf16, #shared> to memref<64x64xf16>
}

tile.kernel @quarter(%A: memref<64x64xf16> {tile.alignment = 16}, %B: memref<64x8xf16> {tile.alignment = 16}, %C: memref<64x4xf32>) grid(%b) = (1) threads(128) {
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x8xf16, #shared>
  %acc = tile.alloc : memref<64x8xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x8xf32, #tile.fragment>, f32
  tile.copy %A to %As : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.copy %B to %Bs : memref<64x8xf16> to memref<64x8xf16, #shared>
  tile.gemm %As, %Bs, %acc : memref<64x64xf16, #shared>, memref<64x8xf16, #shared>, memref<64x8xf32, #tile.fragment>
  tile.parallel (%i, %j) in (64, 4) {
    %k = arith.addi %j, %c4 : index
    %x = memref.load %acc[%i, %k] : memref<64x8xf32, #tile.fragment>
    memref.store %x, %C[%i, %j] : memref<64x4xf32>
  }
}

tile.kernel @rows(%A: memref<4x256xf32> {tile.alignment = 16}, %C: memref<256xf32> {tile.alignment = 16}) grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %x = tile.alloc : memref<4x256xf32, #tile.fragment>
  %sum = tile.alloc : memref<256xf32, #tile.fragment>
  tile.copy %A to %x : memref<4x256xf32> to memref<4x256xf32, #tile.fragment>
  tile.fill %sum with %zero : memref<256xf32, #tile.fragment>, f32
  scf.for %k = %c0 to %c4 step %c1 {
    tile.parallel (%j) in (256) {
      %a = memref.load %x[%k, %j] : memref<4x256xf32, #tile.fragment>
      %s = memref.load %sum[%j] : memref<256xf32, #tile.fragment>
      %t = arith.addf %s, %a : f32
      memref.store %t, %sum[%j] : memref<256xf32, #tile.fragment>
    }
  }
  tile.copy %sum to %C : memref<256xf32, #tile.fragment> to memref<256xf32>
}

tile.kernel @conditional(%A: memref<32x64xf16> {tile.alignment = 16}, %B: memref<64x64xf16> {tile.alignment = 16}, %C: memref<16x64xf32>, %D: memref<32x64xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<32x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<32x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<32x64xf32, #tile.fragment>, f32
  tile.copy %A to %As : memref<32x64xf16> to memref<32x64xf16, #shared>
  tile.copy %B to %Bs : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.gemm %As, %Bs, %acc : memref<32x64xf16, #shared>, memref<64x64xf16, #shared>, memref<32x64xf32, #tile.fragment>
  tile.parallel (%i, %j) in (32, 64) {
    %inside = arith.cmpi slt, %i, %c16 : index
    scf.if %inside {
      %k = arith.addi %i, %c16 : index
      %x = memref.load %acc[%k, %j] : memref<32x64xf32, #tile.fragment>
      memref.store %x, %C[%i, %j] : memref<16x64xf32>
      memref.store %zero, %acc[%k, %j] : memref<32x64xf32, #tile.fragment>
    }
  }
  tile.fill %acc[%c16, %c0] sizes [16, 64] with %zero : memref<32x64xf32, #tile.fragment>, f32
  tile.copy %acc to %D : memref<32x64xf32, #tile.fragment> to memref<32x64xf32>
}
