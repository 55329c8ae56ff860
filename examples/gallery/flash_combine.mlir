// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of flash_decode.mlir put together: O = sum over s of OP[s] 2^LSE[s] / sum over s of 2^LSE[s].
// OP: batch x heads x parts x 8 x 128 f32; LSE: batch x heads x parts x 8 f32; at most 64 parts, the first not empty;
// O: batch x heads x 8 x 128 f16.
// Look at: `pad` gives parts that do not exist the weight zero.
tile.kernel @flash_combine(
    %OP: memref<?x?x?x8x128xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 2, 4, 8, 128>},
    %LSE: memref<?x?x?x8xf32> {tile.shape_hint = array<i64: 4, 2, 4, 8>},
    %O: memref<?x?x8x128xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 2, 8, 128>})
    grid(%h, %b) = (dim(%O, 1), dim(%O, 0)) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant -1.0e+30 : f32
  %S = memref.dim %OP, %c2 : memref<?x?x?x8x128xf32>
  %lse = tile.alloc : memref<64x8xf32, #tile.fragment>
  %top = tile.alloc : memref<8xf32, #tile.fragment>
  %sum = tile.alloc : memref<8xf32, #tile.fragment>
  %w = tile.alloc : memref<8xf32, #tile.fragment>
  %o = tile.alloc : memref<8x128xf32, #tile.fragment>
  %acc = tile.alloc : memref<8x128xf32, #tile.fragment>
  tile.copy %LSE[%b, %h, %c0, %c0] sizes [1, 1, 64, 8] to %lse pad(%lowest : f32) : memref<?x?x?x8xf32> to memref<64x8xf32, #tile.fragment>
  tile.reduce max %lse to %top dim(0) : memref<64x8xf32, #tile.fragment> to memref<8xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<8x128xf32, #tile.fragment>, f32
  tile.fill %sum with %zero : memref<8xf32, #tile.fragment>, f32
  scf.for %s = %c0 to %S step %c1 {
    tile.copy %OP[%b, %h, %s, %c0, %c0] sizes [1, 1, 1, 8, 128] to %o : memref<?x?x?x8x128xf32> to memref<8x128xf32, #tile.fragment>
    tile.copy %LSE[%b, %h, %s, %c0] sizes [1, 1, 1, 8] to %w : memref<?x?x?x8xf32> to memref<8xf32, #tile.fragment>
    tile.parallel (%i) in (8) {
      %l = memref.load %w[%i] : memref<8xf32, #tile.fragment>
      %t = memref.load %top[%i] : memref<8xf32, #tile.fragment>
      %a = memref.load %sum[%i] : memref<8xf32, #tile.fragment>
      %d = arith.subf %l, %t : f32
      %e = math.exp2 %d fastmath<afn> : f32
      %n = arith.addf %a, %e : f32
      memref.store %e, %w[%i] : memref<8xf32, #tile.fragment>
      memref.store %n, %sum[%i] : memref<8xf32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (8, 128) {
      %x = memref.load %o[%i, %j] : memref<8x128xf32, #tile.fragment>
      %a = memref.load %acc[%i, %j] : memref<8x128xf32, #tile.fragment>
      %e = memref.load %w[%i] : memref<8xf32, #tile.fragment>
      %y = math.fma %x, %e, %a : f32
      memref.store %y, %acc[%i, %j] : memref<8x128xf32, #tile.fragment>
    }
  }
  tile.parallel (%i, %j) in (8, 128) {
    %a = memref.load %acc[%i, %j] : memref<8x128xf32, #tile.fragment>
    %l = memref.load %sum[%i] : memref<8xf32, #tile.fragment>
    %y = arith.divf %a, %l fastmath<arcp> : f32
    memref.store %y, %acc[%i, %j] : memref<8x128xf32, #tile.fragment>
  }
  tile.copy %acc to %O[%b, %h, %c0, %c0] sizes [1, 1, 8, 128] : memref<8x128xf32, #tile.fragment> to memref<?x?x8x128xf16>
}
