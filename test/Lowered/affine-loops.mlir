// Tile operations in loops of affine bounds: the passes know those of scf.
// RUN: tile-run %s --kernel=fixed --args=A=64,Y=64,n=0 --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=open --args=A=64,Y=64,n=64 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=through_shared --args=A=64x64,Y=64x64,n=64 --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @fixed(%A: memref<?xf32>, %Y: memref<64xf32>, %n: index) grid(%b) = (1) threads(32) {
  %s = tile.alloc : memref<16xf32, #tile.fragment>
  affine.for %i = 0 to 64 step 16 {
    tile.copy %A[%i] to %s : memref<?xf32> to memref<16xf32, #tile.fragment>
    tile.copy %s to %Y[%i] : memref<16xf32, #tile.fragment> to memref<64xf32>
  }
}

tile.kernel @open(%A: memref<?xf32>, %Y: memref<64xf32>, %n: index) grid(%b) = (1) threads(32) {
  %s = tile.alloc : memref<16xf32, #tile.fragment>
  affine.for %i = 0 to %n step 16 {
    tile.copy %A[%i] to %s : memref<?xf32> to memref<16xf32, #tile.fragment>
    tile.copy %s to %Y[%i] : memref<16xf32, #tile.fragment> to memref<64xf32>
  }
}

tile.kernel @through_shared(%A: memref<?x64xf16> {tile.alignment = 16}, %Y: memref<?x64xf16> {tile.alignment = 16}, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<16x64xf16, #shared>
  affine.for %i = 0 to 64 step 16 {
    tile.copy %A[%i, %c0] to %s : memref<?x64xf16> to memref<16x64xf16, #shared>
    tile.copy %s to %Y[%i, %c0] : memref<16x64xf16, #shared> to memref<?x64xf16>
  }
}
