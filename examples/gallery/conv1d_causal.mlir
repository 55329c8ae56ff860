// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Depthwise causal convolution of width 4 with bias and SiLU, as in Mamba: with zeros before the start of a sequence,
// Z[b, t, d] = B[d] + sum over k of W[k, d] X[b, t - 3 + k, d], Y = Z / (1 + exp(-Z)).
// X, Y: batch x T x D f16, D a multiple of 8; W: 4 x D f16; B: D f16.
// Look at: a copy that starts three rows before the tile, at -3 for the first: what lies outside of X is zero.
#shared = #gpu.address_space<workgroup>
tile.kernel @conv1d_causal(
    %X: memref<?x?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 256, 256>},
    %W: memref<4x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 256>},
    %B: memref<?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 256>},
    %Y: memref<?x?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 256, 256>})
    grid(%bd, %bt, %b) = (dim(%X, 2) ceildiv 64, dim(%X, 1) ceildiv 64, dim(%X, 0)) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f32
  %log2e = arith.constant -1.44269504 : f32
  %D = memref.dim %X, %c2 : memref<?x?x?xf16>
  %DY = memref.dim %Y, %c2 : memref<?x?x?xf16>
  %DW = memref.dim %W, %c1 : memref<4x?xf16>
  tile.assume %D {divisible_by = 8 : i64} : index
  tile.assume %DY {divisible_by = 8 : i64} : index
  tile.assume %DW {divisible_by = 8 : i64} : index
  %t = arith.muli %bt, %c64 : index
  %d = arith.muli %bd, %c64 : index
  %t3 = arith.subi %t, %c3 : index
  %xs = tile.alloc : memref<67x64xf16, #shared>
  %w = tile.alloc : memref<4x64xf16, #shared>
  %bias = tile.alloc : memref<64xf16, #tile.fragment>
  %y = tile.alloc : memref<64x64xf16, #tile.fragment>
  tile.copy %X[%b, %t3, %d] sizes [1, 67, 64] to %xs : memref<?x?x?xf16> to memref<67x64xf16, #shared>
  tile.copy %W[%c0, %d] to %w : memref<4x?xf16> to memref<4x64xf16, #shared>
  tile.copy %B[%d] to %bias : memref<?xf16> to memref<64xf16, #tile.fragment>
  tile.parallel (%i, %j) in (64, 64) {
    %bh = memref.load %bias[%j] : memref<64xf16, #tile.fragment>
    %z0 = arith.extf %bh : f16 to f32
    %i1 = arith.addi %i, %c1 : index
    %i2 = arith.addi %i, %c2 : index
    %i3 = arith.addi %i, %c3 : index
    %x0h = memref.load %xs[%i, %j] : memref<67x64xf16, #shared>
    %x1h = memref.load %xs[%i1, %j] : memref<67x64xf16, #shared>
    %x2h = memref.load %xs[%i2, %j] : memref<67x64xf16, #shared>
    %x3h = memref.load %xs[%i3, %j] : memref<67x64xf16, #shared>
    %w0h = memref.load %w[%c0, %j] : memref<4x64xf16, #shared>
    %w1h = memref.load %w[%c1, %j] : memref<4x64xf16, #shared>
    %w2h = memref.load %w[%c2, %j] : memref<4x64xf16, #shared>
    %w3h = memref.load %w[%c3, %j] : memref<4x64xf16, #shared>
    %x0 = arith.extf %x0h : f16 to f32
    %x1 = arith.extf %x1h : f16 to f32
    %x2 = arith.extf %x2h : f16 to f32
    %x3 = arith.extf %x3h : f16 to f32
    %w0 = arith.extf %w0h : f16 to f32
    %w1 = arith.extf %w1h : f16 to f32
    %w2 = arith.extf %w2h : f16 to f32
    %w3 = arith.extf %w3h : f16 to f32
    %z1 = math.fma %x0, %w0, %z0 : f32
    %z2 = math.fma %x1, %w1, %z1 : f32
    %z3 = math.fma %x2, %w2, %z2 : f32
    %z = math.fma %x3, %w3, %z3 : f32
    %l = arith.mulf %z, %log2e : f32
    %e = math.exp2 %l fastmath<afn> : f32
    %q = arith.addf %e, %one : f32
    %s = arith.divf %z, %q fastmath<afn> : f32
    %h = arith.truncf %s : f32 to f16
    memref.store %h, %y[%i, %j] : memref<64x64xf16, #tile.fragment>
  }
  tile.copy %y to %Y[%b, %t, %d] sizes [1, 64, 64] : memref<64x64xf16, #tile.fragment> to memref<?x?x?xf16>
}
