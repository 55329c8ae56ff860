// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The product behind gate and up, its rows times their weights added to the tokens they belong to.
// Data for tile-run: --args=OFF=5:sorted:0:151,TO=150:range:0:75.
// Printed by: benchmarks/program.py grouped name=down_add store=add weighted=True tb=True rows=64 columns=64 threads=128 hints=X=150x72,W=4x128x72,OFF=5,WEIGHT=150,TO=150,OUT=75x128
#shared = #gpu.address_space<workgroup>
tile.kernel @down_add(%X: memref<?x?xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 150, 72>}, %W: memref<?x?x?xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 128, 72>}, %OFF: memref<?xi32> {tile.shape_hint = array<i64: 5>}, %WEIGHT: memref<?xf32> {tile.shape_hint = array<i64: 150>}, %TO: memref<?xi32> {tile.shape_hint = array<i64: 150>}, %OUT: memref<?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 75, 128>})
    grid(%bx, %t) = (dim(%OUT, 1) ceildiv 64, dim(%X, 0) ceildiv 64 + dim(%OFF, 0)) threads(128) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %i32_0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %nobody = arith.constant -1 : i32
  %K = memref.dim %X, %c1 : memref<?x?xbf16>
  %N = memref.dim %W, %c1 : memref<?x?x?xbf16>
  %NY = memref.dim %OUT, %c1 : memref<?x?xf32>
  %KW = memref.dim %W, %c2 : memref<?x?x?xbf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  tile.assume %KW {divisible_by = 8 : i64} : index
  tile.assume %NY {divisible_by = 4 : i64} : index
  %E1 = memref.dim %OFF, %c0 : memref<?xi32>
  %E = arith.subi %E1, %c1 : index
  // Which expert has tile t, and from which row on: experts take ceil(rows / 64) tiles each.
  %ef, %mf, %endf, %tiles = scf.for %x = %c0 to %E step %c1 iter_args(%ex = %E, %mx = %c0, %endx = %c0, %passed = %c0) -> (index, index, index, index) {
    %before = arith.addi %passed, %c0 : index
    %x0 = memref.load %OFF[%x] : memref<?xi32>
    %a = arith.index_cast %x0 : i32 to index
    %x1 = arith.addi %x, %c1 : index
    %x2 = memref.load %OFF[%x1] : memref<?xi32>
    %b = arith.index_cast %x2 : i32 to index
    %x3 = arith.subi %b, %a : index
    %x4 = arith.addi %x3, %c63 : index
    %x5 = arith.divui %x4, %c64 : index
    %after = arith.addi %before, %x5 : index
    %ge = arith.cmpi sge, %t, %before : index
    %lt = arith.cmpi slt, %t, %after : index
    %mine = arith.andi %ge, %lt : i1
    %x6 = arith.subi %t, %before : index
    %x7 = arith.muli %x6, %c64 : index
    %first = arith.addi %a, %x7 : index
    %e2 = arith.select %mine, %x, %ex : index
    %m2 = arith.select %mine, %first, %mx : index
    %end2 = arith.select %mine, %b, %endx : index
    scf.yield %e2, %m2, %end2, %after : index, index, index, index
  }
  %e = arith.addi %ef, %c0 : index
  %m = arith.addi %mf, %c0 : index
  %end = arith.addi %endf, %c0 : index
  %some = arith.cmpi slt, %e, %E : index
  scf.if %some {
    %n = arith.muli %bx, %c64 : index
    %Xs = tile.alloc : memref<64x64xbf16, #shared>
    %Ws = tile.alloc : memref<64x64xbf16, #shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
    tile.pipelined %k = %c0 to %K step %c64 stages(4) {
      tile.copy %X[%m, %k] to %Xs : memref<?x?xbf16> to memref<64x64xbf16, #shared>
      tile.copy %W[%e, %n, %k] sizes [1, 64, 64] to %Ws : memref<?x?x?xbf16> to memref<64x64xbf16, #shared>
      tile.gemm %Xs, %Ws, %acc {transpose_b} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    }
    %weight = tile.alloc : memref<64xf32, #tile.fragment>
    tile.copy %WEIGHT[%m] to %weight : memref<?xf32> to memref<64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 64) {
      %g = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
      %x8 = memref.load %weight[%i] : memref<64xf32, #tile.fragment>
      %x9 = arith.mulf %g, %x8 : f32
      memref.store %x9, %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    %target = tile.alloc : memref<64xi32, #tile.fragment>
    // Rows from the expert's end on belong to no token.
    tile.parallel (%i) in (64) {
      %at = arith.addi %m, %i : index
      %below = arith.cmpi slt, %at, %end : index
      %to = scf.if %below -> (i32) {
        %token = memref.load %TO[%at] : memref<?xi32>
        scf.yield %token : i32
      } else {
        scf.yield %nobody : i32
      }
      memref.store %to, %target[%i] : memref<64xi32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (64, 64) {
      %to = memref.load %target[%i] : memref<64xi32, #tile.fragment>
      %c = arith.addi %n, %j : index
      %real = arith.cmpi sge, %to, %i32_0 : i32
      %inside = arith.cmpi slt, %c, %NY : index
      %in = arith.andi %real, %inside : i1
      scf.if %in {
        %token = arith.index_cast %to : i32 to index
        %v = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
        memref.atomic_rmw addf %v, %OUT[%token, %c] : (f32, memref<?x?xf32>) -> f32
      }
    }
  }
}
