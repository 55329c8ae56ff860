// A maximum of the elements that the source has: those outside of it take no part.
// RUN: tile-run %s --kernel=shared --args=A=40:range:-99:-8 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=shared --args=A=40:range:-99:-8 --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=global --args=A=40:range:-99:-8,Y=64:range:-7:-1 --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @shared(%A: memref<?xi32>, %Y: memref<64xi32>) grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %m = arith.constant -7 : i32
  %s = tile.alloc : memref<64xi32, #shared>
  tile.fill %s with %m : memref<64xi32, #shared>, i32
  tile.atomic max %A[%c0] to %s : memref<?xi32> to memref<64xi32, #shared>
  tile.copy %s to %Y : memref<64xi32, #shared> to memref<64xi32>
}

tile.kernel @global(%A: memref<?xi32>, %Y: memref<64xi32>) grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  tile.atomic max %A[%c0] sizes [64] to %Y : memref<?xi32> to memref<64xi32>
}
