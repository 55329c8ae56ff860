// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gradient of a table's rows: DTABLE[I[t]] += DY[t], in any order; nothing where I[t] is no row.
// DY: tokens x 4096 f16; I: tokens i32; DTABLE: vocabulary x 4096 f32, which holds what is added to (zeros at first).
// Look at: `memref.atomic_rmw` on rows that an index names; neighbours of a row become one instruction (red.v4.f32).
tile.kernel @embedding_backward(
    %DY: memref<?x4096xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 32, 4096>},
    %I: memref<?xi32> {tile.shape_hint = array<i64: 32>},
    %DTABLE: memref<?x4096xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 64, 4096>})
    grid(%bx, %t) = (4096 ceildiv 2048, dim(%DY, 0) ceildiv 4) threads(256) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c2048 = arith.constant 2048 : index
  %nobody = arith.constant -1 : i32
  %vocabulary = memref.dim %DTABLE, %c0 : memref<?x4096xf32>
  %m = arith.muli %t, %c4 : index
  %n = arith.muli %bx, %c2048 : index
  %x = tile.alloc : memref<4x2048xf32, #tile.fragment>
  %row = tile.alloc : memref<4xi32, #tile.fragment>
  tile.copy %DY[%m, %n] to %x : memref<?x4096xf16> to memref<4x2048xf32, #tile.fragment>
  // Tokens behind the last one have no row.
  tile.copy %I[%m] to %row pad(%nobody : i32) : memref<?xi32> to memref<4xi32, #tile.fragment>
  tile.parallel (%i, %j) in (4, 2048) {
    %r = memref.load %row[%i] : memref<4xi32, #tile.fragment>
    %at = arith.index_cast %r : i32 to index
    %exists = arith.cmpi ult, %at, %vocabulary : index
    scf.if %exists {
      %g = memref.load %x[%i, %j] : memref<4x2048xf32, #tile.fragment>
      %c = arith.addi %n, %j : index
      memref.atomic_rmw addf %g, %DTABLE[%at, %c] : (f32, memref<?x4096xf32>) -> f32
    }
  }
}
