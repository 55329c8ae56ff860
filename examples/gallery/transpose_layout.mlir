// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Y = X^T.
// X: M x N f16; Y: N x M f16; M and N multiples of 8 (others after removing the promises).
// As transpose.mlir, but for one thing. Look at: `layout(...)` on the fragment says who holds which element: a thread has 8
// neighbours of a row of Y, and lanes lie so that reads across shared memory meet different banks.
#shared = #gpu.address_space<workgroup>
tile.kernel @transpose_layout(
    %X: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 512, 768>},
    %Y: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 768, 512>})
    grid(%bx, %by) = (dim(%X, 1) ceildiv 64, dim(%X, 0) ceildiv 64) threads(256) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %N = memref.dim %X, %c1 : memref<?x?xf16>
  %M = memref.dim %Y, %c1 : memref<?x?xf16>
  tile.assume %N {divisible_by = 8 : i64} : index
  tile.assume %M {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  %s = tile.alloc : memref<64x64xf16, #shared>
  %t = tile.alloc layout(#tile.fragment_layout<shape [64, 64] reg [(8, 1:1), (2, 0:32)] lane [(8, 1:8), (4, 0:1)] warp [(8, 0:4)]>) : memref<64x64xf16, #tile.fragment>
  tile.copy %X[%m, %n] to %s : memref<?x?xf16> to memref<64x64xf16, #shared>
  tile.parallel (%i, %j) in (64, 64) {
    %v = memref.load %s[%j, %i] : memref<64x64xf16, #shared>
    memref.store %v, %t[%i, %j] : memref<64x64xf16, #tile.fragment>
  }
  tile.copy %t to %Y[%n, %m] : memref<64x64xf16, #tile.fragment> to memref<?x?xf16>
}
