// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experts by a table of tiles, which examples/experts/route_offsets.mlir makes; few blocks go over all tiles in a loop of the program, and rows leave through shared memory.
// Data for tile-run: --args=TOTAL=1:range:6:7.
// Printed by: benchmarks/program.py grouped name=grouped_table form=table loop=True rows=64 columns=64 threads=128 store=staged hints=X=150x128,W=4x128x136,TILE=6x4,TOTAL=1,Y=150x136,blocks=4
#shared = #gpu.address_space<workgroup>
tile.kernel @grouped_table(%X: memref<?x?xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 150, 128>}, %W: memref<?x?x?xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 128, 136>}, %TILE: memref<?x4xi32> {tile.alignment = 16, tile.shape_hint = array<i64: 6, 4>}, %TOTAL: memref<1xi32> {tile.shape_hint = array<i64: 1>}, %Y: memref<?x?xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 150, 136>}, %blocks: i32 {tile.shape_hint = array<i64: 4>})
    grid(%block) = (%blocks) threads(128) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %c0 = arith.constant 0 : index
  %i32_0 = arith.constant 0 : i32
  %i32_m1 = arith.constant -1 : i32
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %X, %c1 : memref<?x?xbf16>
  %N = memref.dim %W, %c2 : memref<?x?x?xbf16>
  %NY = memref.dim %Y, %c1 : memref<?x?xbf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  tile.assume %N {divisible_by = 8 : i64} : index
  tile.assume %NY {divisible_by = 8 : i64} : index
  %x0 = arith.addi %NY, %c63 : index
  %across = arith.divui %x0, %c64 : index
  %x1 = memref.load %TOTAL[%c0] : memref<1xi32>
  %rowtiles = arith.index_cast %x1 : i32 to index
  %all = arith.muli %across, %rowtiles : index
  %every = arith.index_cast %blocks : i32 to index
  scf.for %w = %block to %all step %every {
    %t = arith.divui %w, %across : index
    %bx = arith.remui %w, %across : index
    %e32 = memref.load %TILE[%t, %c0] : memref<?x4xi32>
    %e = arith.index_cast %e32 : i32 to index
    %x2 = memref.load %TILE[%t, %c1] : memref<?x4xi32>
    %m = arith.index_cast %x2 : i32 to index
    %x3 = memref.load %TILE[%t, %c2] : memref<?x4xi32>
    %end = arith.index_cast %x3 : i32 to index
    %some = arith.cmpi sge, %e32, %i32_0 : i32
    scf.if %some {
      %n = arith.muli %bx, %c64 : index
      %Xs = tile.alloc : memref<64x64xbf16, #shared>
      %Ws = tile.alloc : memref<64x64xbf16, #shared>
      %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
      tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
      tile.pipelined %k = %c0 to %K step %c64 stages(4) {
        tile.copy %X[%m, %k] to %Xs : memref<?x?xbf16> to memref<64x64xbf16, #shared>
        tile.copy %W[%e, %k, %n] sizes [1, 64, 64] to %Ws : memref<?x?x?xbf16> to memref<64x64xbf16, #shared>
        tile.gemm %Xs, %Ws, %acc : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
      }
      %to = tile.alloc : memref<64xi32, #shared>
      // Rows from the expert's end on are another's: they go nowhere.
      tile.parallel (%i) in (64) {
        %at = arith.addi %m, %i : index
        %x4 = arith.cmpi slt, %at, %end : index
        %x5 = arith.index_cast %at : index to i32
        %x6 = arith.select %x4, %x5, %i32_m1 : i32
        memref.store %x6, %to[%i] : memref<64xi32, #shared>
      }
      %Ys = tile.alloc : memref<64x64xbf16, #shared>
      tile.copy %acc to %Ys : memref<64x64xf32, #tile.fragment> to memref<64x64xbf16, #shared>
      tile.scatter %Ys to %Y[%n] rows %to[%c0] : memref<64x64xbf16, #shared> to memref<?x?xbf16>, memref<64xi32, #shared>
    }
  }
}
