// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// D[h, i] = sum over d of O[h, i, d] DO[h, i, d], which attention_backward.mlir needs.
// O, DO: heads x S x 128 f16, any S; D: heads x S f32.
// Look at: copies of three-dimensional arguments to tiles of two dimensions, by `sizes`; the copy of O converts.
tile.kernel @attention_delta(
    %O: memref<?x?x128xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 256, 128>},
    %DO: memref<?x?x128xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 256, 128>},
    %D: memref<?x?xf32> {tile.shape_hint = array<i64: 2, 256>})
    grid(%b, %h) = (dim(%O, 1) ceildiv 32, dim(%O, 0)) threads(128) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %m = arith.muli %b, %c32 : index
  %o = tile.alloc : memref<32x128xf32, #tile.fragment>
  %do = tile.alloc : memref<32x128xf16, #tile.fragment>
  %d = tile.alloc : memref<32xf32, #tile.fragment>
  tile.copy %O[%h, %m, %c0] sizes [1, 32, 128] to %o : memref<?x?x128xf16> to memref<32x128xf32, #tile.fragment>
  tile.copy %DO[%h, %m, %c0] sizes [1, 32, 128] to %do : memref<?x?x128xf16> to memref<32x128xf16, #tile.fragment>
  tile.parallel (%i, %j) in (32, 128) {
    %x = memref.load %o[%i, %j] : memref<32x128xf32, #tile.fragment>
    %yh = memref.load %do[%i, %j] : memref<32x128xf16, #tile.fragment>
    %y = arith.extf %yh : f16 to f32
    %p = arith.mulf %x, %y : f32
    memref.store %p, %o[%i, %j] : memref<32x128xf32, #tile.fragment>
  }
  tile.reduce sum %o to %d dim(1) : memref<32x128xf32, #tile.fragment> to memref<32xf32, #tile.fragment>
  tile.copy %d to %D[%h, %m] sizes [1, 32] : memref<32xf32, #tile.fragment> to memref<?x?xf32>
}
