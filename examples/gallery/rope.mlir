// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rotary position embedding, halves turned: with c and s row P[t] of the tables,
// Y[t, h, :64] = X[t, h, :64] c - X[t, h, 64:] s, Y[t, h, 64:] = X[t, h, 64:] c + X[t, h, :64] s.
// X, Y: tokens x heads x 128 f16; P: tokens i32, rows of the tables; COS, SIN: positions x 64 f32.
// Look at: a scalar load that decides where tiles lie; a vector that every row of a tile uses.
#rows = affine_map<(d0) -> (d0 * 16)>
tile.kernel @rope(
    %X: memref<?x?x128xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 64, 32, 128>},
    %P: memref<?xi32> {tile.shape_hint = array<i64: 64>},
    %COS: memref<?x64xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 128, 64>},
    %SIN: memref<?x64xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 128, 64>},
    %Y: memref<?x?x128xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 64, 32, 128>})
    grid(%hb, %t) = (dim(%X, 1) ceildiv 16, dim(%X, 0)) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %h = affine.apply #rows(%hb)
  %a = tile.alloc : memref<16x64xf32, #tile.fragment>
  %b = tile.alloc : memref<16x64xf32, #tile.fragment>
  %c = tile.alloc : memref<64xf32, #tile.fragment>
  %s = tile.alloc : memref<64xf32, #tile.fragment>
  %pi = memref.load %P[%t] : memref<?xi32>
  %p = arith.index_cast %pi : i32 to index
  tile.copy %X[%t, %h, %c0] sizes [1, 16, 64] to %a : memref<?x?x128xf16> to memref<16x64xf32, #tile.fragment>
  tile.copy %X[%t, %h, %c64] sizes [1, 16, 64] to %b : memref<?x?x128xf16> to memref<16x64xf32, #tile.fragment>
  tile.copy %COS[%p, %c0] to %c : memref<?x64xf32> to memref<64xf32, #tile.fragment>
  tile.copy %SIN[%p, %c0] to %s : memref<?x64xf32> to memref<64xf32, #tile.fragment>
  tile.parallel (%i, %j) in (16, 64) {
    %x1 = memref.load %a[%i, %j] : memref<16x64xf32, #tile.fragment>
    %x2 = memref.load %b[%i, %j] : memref<16x64xf32, #tile.fragment>
    %cj = memref.load %c[%j] : memref<64xf32, #tile.fragment>
    %sj = memref.load %s[%j] : memref<64xf32, #tile.fragment>
    %p1 = arith.mulf %x1, %cj fastmath<contract> : f32
    %q1 = arith.mulf %x2, %sj fastmath<contract> : f32
    %y1 = arith.subf %p1, %q1 fastmath<contract> : f32
    %p2 = arith.mulf %x2, %cj fastmath<contract> : f32
    %q2 = arith.mulf %x1, %sj fastmath<contract> : f32
    %y2 = arith.addf %p2, %q2 fastmath<contract> : f32
    memref.store %y1, %a[%i, %j] : memref<16x64xf32, #tile.fragment>
    memref.store %y2, %b[%i, %j] : memref<16x64xf32, #tile.fragment>
  }
  tile.copy %a to %Y[%t, %h, %c0] sizes [1, 16, 64] : memref<16x64xf32, #tile.fragment> to memref<?x?x128xf16>
  tile.copy %b to %Y[%t, %h, %c64] sizes [1, 16, 64] : memref<16x64xf32, #tile.fragment> to memref<?x?x128xf16>
}
