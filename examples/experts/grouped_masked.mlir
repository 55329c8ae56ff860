// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experts with room for `most` rows each, of which COUNT[e] are there.
// Data for tile-run: --args=COUNT=4:range:0:101.
// Printed by: benchmarks/program.py grouped name=grouped_masked form=masked tb=True rows=64 columns=64 threads=128 hints=X=4x100x128,W=4x136x128,COUNT=4,Y=4x100x136
#shared = #gpu.address_space<workgroup>
tile.kernel @grouped_masked(%X: memref<?x?x?xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 100, 128>}, %W: memref<?x?x?xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 136, 128>}, %COUNT: memref<?xi32> {tile.shape_hint = array<i64: 4>}, %Y: memref<?x?x?xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 100, 136>})
    grid(%bx, %t, %e) = (dim(%Y, 2) ceildiv 64, dim(%X, 1) ceildiv 64, dim(%COUNT, 0)) threads(128) {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %X, %c2 : memref<?x?x?xbf16>
  %N = memref.dim %W, %c1 : memref<?x?x?xbf16>
  %NY = memref.dim %Y, %c2 : memref<?x?x?xbf16>
  %KW = memref.dim %W, %c2 : memref<?x?x?xbf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  tile.assume %KW {divisible_by = 8 : i64} : index
  tile.assume %NY {divisible_by = 8 : i64} : index
  %m = arith.muli %t, %c64 : index
  %x0 = memref.load %COUNT[%e] : memref<?xi32>
  %end = arith.index_cast %x0 : i32 to index
  %some = arith.cmpi slt, %m, %end : index
  scf.if %some {
    %n = arith.muli %bx, %c64 : index
    %Xs = tile.alloc : memref<64x64xbf16, #shared>
    %Ws = tile.alloc : memref<64x64xbf16, #shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
    tile.pipelined %k = %c0 to %K step %c64 stages(4) {
      tile.copy %X[%e, %m, %k] sizes [1, 64, 64] to %Xs : memref<?x?x?xbf16> to memref<64x64xbf16, #shared>
      tile.copy %W[%e, %n, %k] sizes [1, 64, 64] to %Ws : memref<?x?x?xbf16> to memref<64x64xbf16, #shared>
      tile.gemm %Xs, %Ws, %acc {transpose_b} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    }
    tile.copy %acc to %Y[%e, %m, %n] sizes [1, 64, 64] : memref<64x64xf32, #tile.fragment> to memref<?x?x?xbf16>
  }
}
