// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gradient of the weights, a sum over the rows of each expert: whole steps by the loop, then one whose rows of the next expert are set to zero.
// Data for tile-run: --args=OFF=5:sorted:0:151.
// Printed by: benchmarks/program.py weight_gradient name=weight_gradient tail=rest rows=64 columns=64 threads=128 hints=X=150x128,DY=150x136,OFF=5,DW=4x128x136
#shared = #gpu.address_space<workgroup>
tile.kernel @weight_gradient(%X: memref<?x?xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 150, 128>}, %DY: memref<?x?xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 150, 136>}, %OFF: memref<?xi32> {tile.shape_hint = array<i64: 5>}, %DW: memref<?x?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 128, 136>})
    grid(%bx, %by, %e) = (dim(%DW, 2) ceildiv 64, dim(%DW, 1) ceildiv 64, dim(%DW, 0)) threads(128) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %X, %c1 : memref<?x?xbf16>
  %N = memref.dim %DY, %c1 : memref<?x?xbf16>
  %NW = memref.dim %DW, %c2 : memref<?x?x?xf32>
  tile.assume %K {divisible_by = 8 : i64} : index
  tile.assume %N {divisible_by = 8 : i64} : index
  tile.assume %NW {divisible_by = 4 : i64} : index
  %x0 = memref.load %OFF[%e] : memref<?xi32>
  %begin = arith.index_cast %x0 : i32 to index
  %x1 = arith.addi %e, %c1 : index
  %x2 = memref.load %OFF[%x1] : memref<?xi32>
  %end = arith.index_cast %x2 : i32 to index
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  %Xs = tile.alloc : memref<64x64xbf16, #shared>
  %Ds = tile.alloc : memref<64x64xbf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  %x3 = arith.subi %end, %begin : index
  %x4 = arith.divui %x3, %c64 : index
  %x5 = arith.muli %x4, %c64 : index
  %whole = arith.addi %x5, %begin : index
  tile.pipelined %r = %begin to %whole step %c64 stages(4) {
    tile.copy %X[%r, %m] to %Xs : memref<?x?xbf16> to memref<64x64xbf16, #shared>
    tile.copy %DY[%r, %n] to %Ds : memref<?x?xbf16> to memref<64x64xbf16, #shared>
    tile.gemm %Xs, %Ds, %acc {transpose_a} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  %some = arith.cmpi slt, %whole, %end : index
  scf.if %some {
    %Xr = tile.alloc : memref<64x64xbf16, #shared>
    %Dr = tile.alloc : memref<64x64xbf16, #shared>
    %r = arith.addi %whole, %c0 : index
    tile.copy %X[%r, %m] to %Xr : memref<?x?xbf16> to memref<64x64xbf16, #shared>
    tile.copy %DY[%r, %n] to %Dr : memref<?x?xbf16> to memref<64x64xbf16, #shared>
    tile.parallel (%i, %j) in (64, 64) {
      %at = arith.addi %r, %i : index
      %none = arith.constant 0.0 : bf16
      %x6 = arith.cmpi slt, %at, %end : index
      %x7 = memref.load %Xr[%i, %j] : memref<64x64xbf16, #shared>
      %x8 = arith.select %x6, %x7, %none : bf16
      memref.store %x8, %Xr[%i, %j] : memref<64x64xbf16, #shared>
    }
    tile.gemm %Xr, %Dr, %acc {transpose_a} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %DW[%e, %m, %n] sizes [1, 64, 64] : memref<64x64xf32, #tile.fragment> to memref<?x?x?xf32>
}
