// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Twice each element: Y = 2 X.
// X, Y: rows x N f16, any N.
// Look at: rows of odd length start inside 16 bytes. Loads are whole pieces of 16 bytes, shifted into place; for stores lanes
// next to each other exchange what their pieces lack. Compiled for aligned rows once more, the program has neither.
tile.kernel @rows_anywhere(
    %X: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 16, 4001>},
    %Y: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 16, 4001>})
    grid(%m) = (dim(%X, 0)) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2048 = arith.constant 2048 : index
  %N = memref.dim %X, %c1 : memref<?x?xf16>
  %x = tile.alloc : memref<1x2048xf16, #tile.fragment>
  scf.for %n = %c0 to %N step %c2048 {
    tile.copy %X[%m, %n] to %x : memref<?x?xf16> to memref<1x2048xf16, #tile.fragment>
    tile.parallel (%i, %j) in (1, 2048) {
      %v = memref.load %x[%i, %j] : memref<1x2048xf16, #tile.fragment>
      %w = arith.addf %v, %v : f16
      memref.store %w, %x[%i, %j] : memref<1x2048xf16, #tile.fragment>
    }
    tile.copy %x to %Y[%m, %n] : memref<1x2048xf16, #tile.fragment> to memref<?x?xf16>
  }
}
