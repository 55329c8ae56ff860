// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index of the largest element of each row, the first of equals, and its value.
// X: rows x N f16, N a multiple of 8; I: rows i32; V: rows f32.
// Look at: two `tile.reduce`s make a reduction of pairs: the largest value first, then the least index among its holders.
// Each place of the fragment keeps the first of its column's equals, so ties need no care across chunks.
tile.kernel @argmax(
    %X: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 8, 4096>},
    %I: memref<?xi32> {tile.shape_hint = array<i64: 8>},
    %V: memref<?xf32> {tile.shape_hint = array<i64: 8>})
    grid(%b) = (dim(%X, 0)) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %step = arith.constant 2048 : index
  %low = arith.constant 0xFC00 : f16
  %lowest = arith.constant 0xFF800000 : f32
  %none = arith.constant 2147483647 : i32
  %N = memref.dim %X, %c1 : memref<?x?xf16>
  tile.assume %N {divisible_by = 8 : i64, min = 1 : i64} : index
  %x = tile.alloc : memref<2048xf16, #tile.fragment>
  %best = tile.alloc : memref<2048xf32, #tile.fragment>
  %at = tile.alloc : memref<2048xi32, #tile.fragment>
  %top = tile.alloc : memref<1xf32, #tile.fragment>
  %where = tile.alloc : memref<1xi32, #tile.fragment>
  tile.fill %best with %lowest : memref<2048xf32, #tile.fragment>, f32
  tile.fill %at with %none : memref<2048xi32, #tile.fragment>, i32
  scf.for %n = %c0 to %N step %step {
    tile.copy %X[%b, %n] to %x pad(%low : f16) : memref<?x?xf16> to memref<2048xf16, #tile.fragment>
    tile.parallel (%j) in (2048) {
      %h = memref.load %x[%j] : memref<2048xf16, #tile.fragment>
      %v = arith.extf %h : f16 to f32
      %a = memref.load %best[%j] : memref<2048xf32, #tile.fragment>
      %i = memref.load %at[%j] : memref<2048xi32, #tile.fragment>
      %column = arith.addi %n, %j : index
      %c = arith.index_cast %column : index to i32
      %more = arith.cmpf ogt, %v, %a : f32
      %va = arith.select %more, %v, %a : f32
      %ia = arith.select %more, %c, %i : i32
      memref.store %va, %best[%j] : memref<2048xf32, #tile.fragment>
      memref.store %ia, %at[%j] : memref<2048xi32, #tile.fragment>
    }
  }
  tile.reduce max %best to %top dim(0) : memref<2048xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  tile.parallel (%j) in (2048) {
    %a = memref.load %best[%j] : memref<2048xf32, #tile.fragment>
    %t = memref.load %top[%c0] : memref<1xf32, #tile.fragment>
    %i = memref.load %at[%j] : memref<2048xi32, #tile.fragment>
    %eq = arith.cmpf oeq, %a, %t : f32
    %k = arith.select %eq, %i, %none : i32
    memref.store %k, %at[%j] : memref<2048xi32, #tile.fragment>
  }
  tile.reduce min %at to %where dim(0) : memref<2048xi32, #tile.fragment> to memref<1xi32, #tile.fragment>
  tile.copy %where to %I[%b] : memref<1xi32, #tile.fragment> to memref<?xi32>
  tile.copy %top to %V[%b] : memref<1xf32, #tile.fragment> to memref<?xf32>
}
