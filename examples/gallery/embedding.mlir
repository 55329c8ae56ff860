// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of a table: Y[t] = TABLE[I[t]], zeros where I[t] is no row.
// TABLE: vocabulary x 4096 f16; I: tokens i32; Y: tokens x 4096 f16.
// Look at: `tile.gather`, whose rows come in pieces of 16 bytes; four tokens in flight in a block.
tile.kernel @embedding(
    %TABLE: memref<?x4096xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 64, 4096>},
    %I: memref<?xi32> {tile.shape_hint = array<i64: 32>},
    %Y: memref<?x4096xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 32, 4096>})
    grid(%bx, %t) = (4096 ceildiv 2048, dim(%Y, 0) ceildiv 4) threads(256) {
  %c4 = arith.constant 4 : index
  %c2048 = arith.constant 2048 : index
  %m = arith.muli %t, %c4 : index
  %n = arith.muli %bx, %c2048 : index
  %x = tile.alloc : memref<4x2048xf16, #tile.fragment>
  tile.gather %TABLE[%n] rows %I[%m] to %x : memref<?x4096xf16>, memref<?xi32> to memref<4x2048xf16, #tile.fragment>
  tile.copy %x to %Y[%m, %n] : memref<4x2048xf16, #tile.fragment> to memref<?x4096xf16>
}
