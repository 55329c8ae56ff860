// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Padded experts in fp8 with a scale for each row of X and each column of W.
// Data for tile-run: --args=EXPERT=4:range:0:4.
// Printed by: benchmarks/program.py grouped name=grouped_fp8 form=padded element=f8E4M3FN tb=True scaled=True depth=128 rows=64 columns=64 threads=128 hints=X=256x128,W=4x144x128,EXPERT=4,SX=256,SW=4x144,Y=256x144
#shared = #gpu.address_space<workgroup>
tile.kernel @grouped_fp8(%X: memref<?x?xf8E4M3FN> {tile.alignment = 16, tile.shape_hint = array<i64: 256, 128>}, %W: memref<?x?x?xf8E4M3FN> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 144, 128>}, %EXPERT: memref<?xi32> {tile.shape_hint = array<i64: 4>}, %SX: memref<?xf32> {tile.shape_hint = array<i64: 256>}, %SW: memref<?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 144>}, %Y: memref<?x?xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 256, 144>})
    grid(%bx, %t) = (dim(%Y, 1) ceildiv 64, dim(%EXPERT, 0)) threads(128) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %i32_0 = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %X, %c1 : memref<?x?xf8E4M3FN>
  %N = memref.dim %W, %c1 : memref<?x?x?xf8E4M3FN>
  %NY = memref.dim %Y, %c1 : memref<?x?xbf16>
  %KW = memref.dim %W, %c2 : memref<?x?x?xf8E4M3FN>
  %NS = memref.dim %SW, %c1 : memref<?x?xf32>
  tile.assume %K {divisible_by = 16 : i64} : index
  tile.assume %KW {divisible_by = 16 : i64} : index
  tile.assume %NY {divisible_by = 8 : i64} : index
  tile.assume %NS {divisible_by = 4 : i64} : index
  %e32 = memref.load %EXPERT[%t] : memref<?xi32>
  %m = arith.muli %t, %c64 : index
  %end = arith.addi %m, %c64 : index
  %e = arith.index_cast %e32 : i32 to index
  %some = arith.cmpi sge, %e32, %i32_0 : i32
  scf.if %some {
    %n = arith.muli %bx, %c64 : index
    %Xs = tile.alloc : memref<64x128xf8E4M3FN, #shared>
    %Ws = tile.alloc : memref<64x128xf8E4M3FN, #shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
    tile.pipelined %k = %c0 to %K step %c128 stages(4) {
      tile.copy %X[%m, %k] to %Xs : memref<?x?xf8E4M3FN> to memref<64x128xf8E4M3FN, #shared>
      tile.copy %W[%e, %n, %k] sizes [1, 64, 128] to %Ws : memref<?x?x?xf8E4M3FN> to memref<64x128xf8E4M3FN, #shared>
      tile.gemm %Xs, %Ws, %acc {transpose_b} : memref<64x128xf8E4M3FN, #shared>, memref<64x128xf8E4M3FN, #shared>, memref<64x64xf32, #tile.fragment>
    }
    %sx = tile.alloc : memref<64xf32, #tile.fragment>
    %sw = tile.alloc : memref<64xf32, #tile.fragment>
    tile.copy %SW[%e, %n] sizes [1, 64] to %sw : memref<?x?xf32> to memref<64xf32, #tile.fragment>
    tile.copy %SX[%m] to %sx : memref<?xf32> to memref<64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 64) {
      %x0 = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
      %x1 = memref.load %sx[%i] : memref<64xf32, #tile.fragment>
      %x2 = memref.load %sw[%j] : memref<64xf32, #tile.fragment>
      %x3 = arith.mulf %x1, %x2 : f32
      %g = arith.mulf %x0, %x3 : f32
      memref.store %g, %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    tile.copy %acc to %Y[%m, %n] : memref<64x64xf32, #tile.fragment> to memref<?x?xbf16>
  }
}
