// A gather by TMA is not issued before the copy that brings the names of its rows.
// RUN: tile-opt %s --tile-to-schedule="arch=sm_100a" | FileCheck %s
// CHECK-LABEL: tile.kernel @named
// CHECK: tile.copy %names[
// CHECK: tile.gather
#shared = #gpu.address_space<workgroup>
tile.kernel @named(%X: memref<512x64xf16> {tile.alignment = 16}, %names: memref<64xi32>, %W: memref<64x64xf16> {tile.alignment = 16}, %O: memref<64x64xf32> {tile.alignment = 16})
    grid(%b) = (1) threads(128) attributes {specialize = false} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %rows = tile.alloc : memref<64xi32, #shared>
  %x = tile.alloc : memref<64x32xf16, #shared>
  %w = tile.alloc : memref<64x32xf16, #shared>
  %o = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.copy %names[%c0] sizes [64] to %rows : memref<64xi32> to memref<64xi32, #shared>
  tile.fill %o with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c64 step %c32 stages(2) {
    tile.gather %X[%k] rows %rows[%c0] to %x : memref<512x64xf16>, memref<64xi32, #shared> to memref<64x32xf16, #shared>
    tile.copy %W[%c0, %k] sizes [64, 32] to %w : memref<64x64xf16> to memref<64x32xf16, #shared>
    tile.gemm %x, %w, %o {transpose_b} : memref<64x32xf16, #shared>, memref<64x32xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %o to %O : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}
