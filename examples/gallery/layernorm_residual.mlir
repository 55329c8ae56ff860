// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sum and LayerNorm of rows of 4096: H = X + R, Y = (H - mean) / sqrt(variance + eps) W + B, with the statistics of H
// before it is rounded.
// X, R, H, Y: rows x 4096 f16; W, B: 4096 f16; eps: f32.
// Look at: a row stays in registers from its load to its store, through two reductions over the block.
tile.kernel @layernorm_residual(
    %X: memref<?x4096xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 64, 4096>},
    %R: memref<?x4096xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 64, 4096>},
    %W: memref<4096xf16> {tile.alignment = 16},
    %B: memref<4096xf16> {tile.alignment = 16},
    %eps: f32,
    %H: memref<?x4096xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 64, 4096>},
    %Y: memref<?x4096xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 64, 4096>})
    grid(%b) = (dim(%X, 0)) threads(256) {
  %c0 = arith.constant 0 : index
  %inv = arith.constant 2.44140625e-4 : f32
  %x = tile.alloc : memref<4096xf32, #tile.fragment>
  %r = tile.alloc : memref<4096xf16, #tile.fragment>
  %w = tile.alloc : memref<4096xf16, #tile.fragment>
  %bb = tile.alloc : memref<4096xf16, #tile.fragment>
  %sq = tile.alloc : memref<4096xf32, #tile.fragment>
  %sum = tile.alloc : memref<1xf32, #tile.fragment>
  %var = tile.alloc : memref<1xf32, #tile.fragment>
  tile.copy %X[%b, %c0] to %x : memref<?x4096xf16> to memref<4096xf32, #tile.fragment>
  tile.copy %R[%b, %c0] to %r : memref<?x4096xf16> to memref<4096xf16, #tile.fragment>
  tile.copy %W to %w : memref<4096xf16> to memref<4096xf16, #tile.fragment>
  tile.copy %B to %bb : memref<4096xf16> to memref<4096xf16, #tile.fragment>
  tile.parallel (%j) in (4096) {
    %v = memref.load %x[%j] : memref<4096xf32, #tile.fragment>
    %rh = memref.load %r[%j] : memref<4096xf16, #tile.fragment>
    %rf = arith.extf %rh : f16 to f32
    %s = arith.addf %v, %rf : f32
    memref.store %s, %x[%j] : memref<4096xf32, #tile.fragment>
  }
  tile.copy %x to %H[%b, %c0] : memref<4096xf32, #tile.fragment> to memref<?x4096xf16>
  tile.reduce sum %x to %sum dim(0) : memref<4096xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  tile.parallel (%j) in (4096) {
    %v = memref.load %x[%j] : memref<4096xf32, #tile.fragment>
    %s = memref.load %sum[%c0] : memref<1xf32, #tile.fragment>
    %mean = arith.mulf %s, %inv : f32
    %d = arith.subf %v, %mean : f32
    %q = arith.mulf %d, %d : f32
    memref.store %d, %x[%j] : memref<4096xf32, #tile.fragment>
    memref.store %q, %sq[%j] : memref<4096xf32, #tile.fragment>
  }
  tile.reduce sum %sq to %var dim(0) : memref<4096xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  tile.parallel (%j) in (4096) {
    %s = memref.load %var[%c0] : memref<1xf32, #tile.fragment>
    %mean = arith.mulf %s, %inv : f32
    %e = arith.addf %mean, %eps : f32
    %rs = math.rsqrt %e fastmath<afn> : f32
    %d = memref.load %x[%j] : memref<4096xf32, #tile.fragment>
    %wh = memref.load %w[%j] : memref<4096xf16, #tile.fragment>
    %bh = memref.load %bb[%j] : memref<4096xf16, #tile.fragment>
    %wf = arith.extf %wh : f16 to f32
    %bf = arith.extf %bh : f16 to f32
    %a = arith.mulf %d, %rs : f32
    %y = math.fma %a, %wf, %bf : f32
    memref.store %y, %x[%j] : memref<4096xf32, #tile.fragment>
  }
  tile.copy %x to %Y[%b, %c0] : memref<4096xf32, #tile.fragment> to memref<?x4096xf16>
}
