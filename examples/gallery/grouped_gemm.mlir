// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grouped GEMM of a mixture of experts in one launch: Y[OFF[e]:OFF[e + 1]] = X[OFF[e]:OFF[e + 1]] W[e].
// X: T x K f16; OFF: experts + 1 i32, from 0 up to T; W: experts x K x N f16; Y: T x N f16; K and N multiples of 8.
// Look at: blocks that find their expert by a loop over OFF; a whole pipelined gemm under `scf.if`; `tile.scatter`, which stores
// rows that belong to another expert nowhere.
#shared = #gpu.address_space<workgroup>
tile.kernel @grouped_gemm(
    %X: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 512, 256>},
    %OFF: memref<?xi32> {tile.shape_hint = array<i64: 5>},
    %W: memref<?x?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 256, 256>},
    %Y: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 512, 256>})
    grid(%bx, %t) = (dim(%W, 2) ceildiv 128, dim(%X, 0) ceildiv 128 + dim(%OFF, 0)) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c127 = arith.constant 127 : index
  %c128 = arith.constant 128 : index
  %none = arith.constant -1 : i32
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %X, %c1 : memref<?x?xf16>
  %KW = memref.dim %W, %c1 : memref<?x?x?xf16>
  %N = memref.dim %W, %c2 : memref<?x?x?xf16>
  %NY = memref.dim %Y, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  tile.assume %N {divisible_by = 8 : i64} : index
  tile.assume %NY {divisible_by = 8 : i64} : index
  %E1 = memref.dim %OFF, %c0 : memref<?xi32>
  %E = arith.subi %E1, %c1 : index
  // Which expert has tile t, and from which row on: experts take ceil(rows / 128) tiles each.
  %e, %m, %end, %tiles = scf.for %i = %c0 to %E step %c1 iter_args(%ei = %E, %mi = %c0, %endi = %c0, %before = %c0) -> (index, index, index, index) {
    %next = arith.addi %i, %c1 : index
    %a32 = memref.load %OFF[%i] : memref<?xi32>
    %b32 = memref.load %OFF[%next] : memref<?xi32>
    %a = arith.index_cast %a32 : i32 to index
    %b = arith.index_cast %b32 : i32 to index
    %rows = arith.subi %b, %a : index
    %up = arith.addi %rows, %c127 : index
    %count = arith.divui %up, %c128 : index
    %after = arith.addi %before, %count : index
    %ge = arith.cmpi uge, %t, %before : index
    %lt = arith.cmpi ult, %t, %after : index
    %mine = arith.andi %ge, %lt : i1
    %local = arith.subi %t, %before : index
    %lrow = arith.muli %local, %c128 : index
    %row = arith.addi %a, %lrow : index
    %e2 = arith.select %mine, %i, %ei : index
    %m2 = arith.select %mine, %row, %mi : index
    %end2 = arith.select %mine, %b, %endi : index
    scf.yield %e2, %m2, %end2, %after : index, index, index, index
  }
  %some = arith.cmpi ult, %e, %E : index
  scf.if %some {
    %n = arith.muli %bx, %c128 : index
    %Xs = tile.alloc : memref<128x64xf16, #shared>
    %rows = tile.alloc : memref<128xi32, #shared>
    %Ws = tile.alloc : memref<64x128xf16, #shared>
    %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
    tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
    tile.pipelined %k = %c0 to %K step %c64 stages(4) {
      tile.copy %X[%m, %k] to %Xs : memref<?x?xf16> to memref<128x64xf16, #shared>
      tile.copy %W[%e, %k, %n] sizes [1, 64, 128] to %Ws : memref<?x?x?xf16> to memref<64x128xf16, #shared>
      tile.gemm %Xs, %Ws, %acc : memref<128x64xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
    }
    // Rows from the expert's end on are another's: they go nowhere.
    tile.parallel (%i) in (128) {
      %r = arith.addi %m, %i : index
      %in = arith.cmpi ult, %r, %end : index
      %r32 = arith.index_cast %r : index to i32
      %to = arith.select %in, %r32, %none : i32
      memref.store %to, %rows[%i] : memref<128xi32, #shared>
    }
    tile.scatter %acc to %Y[%n] rows %rows[%c0] : memref<128x128xf32, #tile.fragment> to memref<?x?xf16>, memref<128xi32, #shared>
  }
}
