// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C = A W^T with weights of four bits for few rows of A (M <= 16). Weights are operand A of the product: C^T = W A^T.
// A: M x K f16; W: N x K / 8 i32, packed so that what a thread of the instruction needs lies in 16 bytes: of each 128 along K, element
// 16 s + 8 h + 2 t + e is nibble 4 (s mod 2) + 2 h + e of word 4 t + s / 2.
// S: (K / 128) x N f16, a scale for each 128 along K; CT: N x M, the transposed view (strides 1, N) of C: M x N f16; K a multiple of 128, N of 8.
// The weights in f16 are W S, rounded.
// Look at: affine maps of the loop's index say which word and which bits; the compiler makes of them one 16-byte load a thread.
#shared = #gpu.address_space<workgroup>
#word = affine_map<(d0) -> (((d0 mod 8) floordiv 2) * 4 + d0 floordiv 32)>
#shift = affine_map<(d0) -> (((d0 mod 32) floordiv 16) * 16 + ((d0 mod 16) floordiv 8) * 8 + (d0 mod 2) * 4)>
#group = affine_map<(d0) -> (d0 floordiv 128)>
tile.kernel @w4a16_m16_words(
    %A: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 16, 1024>},
    %W: memref<?x?xi32> {tile.alignment = 16, tile.shape_hint = array<i64: 512, 128>},
    %S: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 8, 512>},
    %CT: memref<?x?xf16, strided<[1, ?]>> {tile.alignment = 16, tile.shape_hint = array<i64: 512, 16>})
    grid(%bn) = (dim(%W, 0) ceildiv 64) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %KW = memref.dim %W, %c1 : memref<?x?xi32>
  %NS = memref.dim %S, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 128 : i64} : index
  tile.assume %KW {divisible_by = 16 : i64} : index
  tile.assume %NS {divisible_by = 8 : i64} : index
  %n = arith.muli %bn, %c64 : index
  %As = tile.alloc : memref<16x128xf16, #shared>
  %Ws = tile.alloc : memref<64x16xi32, #shared>
  %wf = tile.alloc : memref<64x128xf16, #tile.fragment>
  %Ss = tile.alloc : memref<64xf16, #shared>
  %acc = tile.alloc : memref<64x16xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x16xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c128 stages(6) {
    %g = affine.apply #group(%k)
    %kw = arith.muli %g, %c16 : index
    tile.copy %A[%c0, %k] to %As : memref<?x?xf16> to memref<16x128xf16, #shared>
    tile.copy %W[%n, %kw] to %Ws : memref<?x?xi32> to memref<64x16xi32, #shared>
    tile.copy %S[%g, %n] to %Ss : memref<?x?xf16> to memref<64xf16, #shared>
    tile.parallel (%i, %j) in (64, 128) {
      %p = affine.apply #word(%j)
      %sh = affine.apply #shift(%j)
      %w = memref.load %Ws[%i, %p] : memref<64x16xi32, #shared>
      %sh32 = arith.index_cast %sh : index to i32
      %ww = arith.shrui %w, %sh32 : i32
      %q = arith.trunci %ww : i32 to i4
      %f = arith.sitofp %q : i4 to f16
      %sc = memref.load %Ss[%i] : memref<64xf16, #shared>
      %d = arith.mulf %f, %sc : f16
      memref.store %d, %wf[%i, %j] : memref<64x128xf16, #tile.fragment>
    }
    tile.gemm %wf, %As, %acc {transpose_b} : memref<64x128xf16, #tile.fragment>, memref<16x128xf16, #shared>, memref<64x16xf32, #tile.fragment>
  }
  tile.copy %acc to %CT[%n, %c0] : memref<64x16xf32, #tile.fragment> to memref<?x?xf16, strided<[1, ?]>>
}
