// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gate and up of a layer in one kernel: experts' rows are one after the other, a loop over OFF finds a tile's expert; rows gathered by token, two products, silu of one times the other.
// Data for tile-run: --args=OFF=5:sorted:0:151,ROW=150:range:0:75.
// Printed by: benchmarks/program.py grouped name=gate_up gate=True gather=True tb=True rows=64 columns=64 threads=128 hints=X=75x128,W=4x144x128,OFF=5,ROW=150,Y=150x72
#shared = #gpu.address_space<workgroup>
tile.kernel @gate_up(%X: memref<?x?xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 75, 128>}, %W: memref<?x?x?xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 144, 128>}, %OFF: memref<?xi32> {tile.shape_hint = array<i64: 5>}, %ROW: memref<?xi32> {tile.shape_hint = array<i64: 150>}, %Y: memref<?x?xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 150, 72>})
    grid(%bx, %t) = (dim(%Y, 1) ceildiv 64, dim(%ROW, 0) ceildiv 64 + dim(%OFF, 0)) threads(128) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %f32_m1_4426950408889634 = arith.constant -1.4426950408889634 : f32
  %f32_1_0 = arith.constant 1.0 : f32
  %i32_m1 = arith.constant -1 : i32
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %X, %c1 : memref<?x?xbf16>
  %N = memref.dim %W, %c1 : memref<?x?x?xbf16>
  %NY = memref.dim %Y, %c1 : memref<?x?xbf16>
  %KW = memref.dim %W, %c2 : memref<?x?x?xbf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  tile.assume %KW {divisible_by = 8 : i64} : index
  tile.assume %NY {divisible_by = 8 : i64} : index
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
    %Us = tile.alloc : memref<64x64xbf16, #shared>
    %up = tile.alloc : memref<64x64xf32, #tile.fragment>
    %nu = arith.addi %n, %NY : index
    tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
    tile.fill %up with %zero : memref<64x64xf32, #tile.fragment>, f32
    tile.pipelined %k = %c0 to %K step %c64 stages(4) {
      tile.gather %X[%k] rows %ROW[%m] to %Xs : memref<?x?xbf16>, memref<?xi32> to memref<64x64xbf16, #shared>
      tile.copy %W[%e, %n, %k] sizes [1, 64, 64] to %Ws : memref<?x?x?xbf16> to memref<64x64xbf16, #shared>
      tile.copy %W[%e, %nu, %k] sizes [1, 64, 64] to %Us : memref<?x?x?xbf16> to memref<64x64xbf16, #shared>
      tile.gemm %Xs, %Ws, %acc {transpose_b} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
      tile.gemm %Xs, %Us, %up {transpose_b} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (64, 64) {
      %g = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
      %u = memref.load %up[%i, %j] : memref<64x64xf32, #tile.fragment>
      %x8 = arith.mulf %g, %f32_m1_4426950408889634 : f32
      %x9 = math.exp2 %x8 fastmath<afn> : f32
      %x10 = arith.addf %x9, %f32_1_0 : f32
      %x11 = arith.divf %g, %x10 fastmath<arcp> : f32
      %y = arith.mulf %x11, %u : f32
      memref.store %y, %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    %to = tile.alloc : memref<64xi32, #shared>
    // Rows from the expert's end on are another's: they go nowhere.
    tile.parallel (%i) in (64) {
      %at = arith.addi %m, %i : index
      %x12 = arith.cmpi slt, %at, %end : index
      %x13 = arith.index_cast %at : index to i32
      %x14 = arith.select %x12, %x13, %i32_m1 : i32
      memref.store %x14, %to[%i] : memref<64xi32, #shared>
    }
    tile.scatter %acc to %Y[%n] rows %to[%c0] : memref<64x64xf32, #tile.fragment> to memref<?x?xbf16>, memref<64xi32, #shared>
  }
}
