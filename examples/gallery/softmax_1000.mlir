// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax of rows of 1000 in one pass: Y = exp(X - max) / sum of exp(X - max). A block has four rows in registers.
// X, Y: rows x 1000 f32.
// Look at: `pad` fills columns 1000 to 1023, so that they change neither the maximum nor the sum.
tile.kernel @softmax_1000(
    %X: memref<?x1000xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 64, 1000>},
    %Y: memref<?x1000xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 64, 1000>})
    grid(%b) = (dim(%X, 0) ceildiv 4) threads(128) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant -3.0e+38 : f32
  %log2e = arith.constant 1.44269504 : f32
  %m = arith.muli %b, %c4 : index
  %x = tile.alloc : memref<4x1024xf32, #tile.fragment>
  %top = tile.alloc : memref<4xf32, #tile.fragment>
  %sum = tile.alloc : memref<4xf32, #tile.fragment>
  tile.copy %X[%m, %c0] to %x pad(%lowest : f32) : memref<?x1000xf32> to memref<4x1024xf32, #tile.fragment>
  tile.reduce max %x to %top dim(1) : memref<4x1024xf32, #tile.fragment> to memref<4xf32, #tile.fragment>
  tile.parallel (%i, %j) in (4, 1024) {
    %v = memref.load %x[%i, %j] : memref<4x1024xf32, #tile.fragment>
    %t = memref.load %top[%i] : memref<4xf32, #tile.fragment>
    %d = arith.subf %v, %t : f32
    %s = arith.mulf %d, %log2e : f32
    %e = math.exp2 %s fastmath<afn> : f32
    memref.store %e, %x[%i, %j] : memref<4x1024xf32, #tile.fragment>
  }
  tile.reduce sum %x to %sum dim(1) : memref<4x1024xf32, #tile.fragment> to memref<4xf32, #tile.fragment>
  tile.parallel (%i, %j) in (4, 1024) {
    %v = memref.load %x[%i, %j] : memref<4x1024xf32, #tile.fragment>
    %s = memref.load %sum[%i] : memref<4xf32, #tile.fragment>
    %r = arith.divf %one, %s fastmath<arcp> : f32
    %y = arith.mulf %v, %r : f32
    memref.store %y, %x[%i, %j] : memref<4x1024xf32, #tile.fragment>
  }
  tile.copy %x to %Y[%m, %c0] : memref<4x1024xf32, #tile.fragment> to memref<?x1000xf32>
}
