// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C = A W^T with weights of four bits for few rows of A (M <= 16). Weights are operand A of the product: C^T = W A^T.
// A: M x K f16; W: N x K i4, signed, element 2 i in the low half of byte i;
// S: (K / 128) x N f16, a scale for each 128 along K; CT: N x M, the transposed view (strides 1, N) of C: M x N f16; K a multiple of 128, N of 8.
// The weights in f16 are W S, rounded.
// Look at: weights in i4 from memory to registers, converted there.
#shared = #gpu.address_space<workgroup>
#group = affine_map<(d0) -> (d0 floordiv 128)>
tile.kernel @w4a16_m16(
    %A: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 16, 1024>},
    %W: memref<?x?xi4> {tile.alignment = 16, tile.shape_hint = array<i64: 512, 1024>},
    %S: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 8, 512>},
    %CT: memref<?x?xf16, strided<[1, ?]>> {tile.alignment = 16, tile.shape_hint = array<i64: 512, 16>})
    grid(%bn) = (dim(%W, 0) ceildiv 64) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %KW = memref.dim %W, %c1 : memref<?x?xi4>
  %NS = memref.dim %S, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 128 : i64} : index
  tile.assume %KW {divisible_by = 128 : i64} : index
  tile.assume %NS {divisible_by = 8 : i64} : index
  %n = arith.muli %bn, %c64 : index
  %As = tile.alloc : memref<16x128xf16, #shared>
  %Ws = tile.alloc : memref<64x128xi4, #shared>
  %wq = tile.alloc : memref<64x128xi4, #tile.fragment>
  %wf = tile.alloc : memref<64x128xf16, #tile.fragment>
  %Ss = tile.alloc : memref<64xf16, #shared>
  %acc = tile.alloc : memref<64x16xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x16xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c128 stages(6) {
    %g = affine.apply #group(%k)
    tile.copy %A[%c0, %k] to %As : memref<?x?xf16> to memref<16x128xf16, #shared>
    tile.copy %W[%n, %k] to %Ws : memref<?x?xi4> to memref<64x128xi4, #shared>
    tile.copy %S[%g, %n] to %Ss : memref<?x?xf16> to memref<64xf16, #shared>
    tile.copy %Ws to %wq : memref<64x128xi4, #shared> to memref<64x128xi4, #tile.fragment>
    tile.parallel (%i, %j) in (64, 128) {
      %q = memref.load %wq[%i, %j] : memref<64x128xi4, #tile.fragment>
      %f = arith.sitofp %q : i4 to f16
      %sc = memref.load %Ss[%i] : memref<64xf16, #shared>
      %d = arith.mulf %f, %sc : f16
      memref.store %d, %wf[%i, %j] : memref<64x128xf16, #tile.fragment>
    }
    tile.gemm %wf, %As, %acc {transpose_b} : memref<64x128xf16, #tile.fragment>, memref<16x128xf16, #shared>, memref<64x16xf32, #tile.fragment>
  }
  tile.copy %acc to %CT[%n, %c0] : memref<64x16xf32, #tile.fragment> to memref<?x?xf16, strided<[1, ?]>>
}
