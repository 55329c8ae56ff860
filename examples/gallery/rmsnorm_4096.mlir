// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RMSNorm of rows of 4096: Y = X / sqrt(mean(X^2) + eps) W.
// X, Y: rows x 4096 f16; W: 4096 f16; eps: f32.
// Look at: a row in registers between its load and its store, computed with in f32; copies that convert.
tile.kernel @rmsnorm_4096(
    %X: memref<?x4096xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 64, 4096>},
    %W: memref<4096xf16> {tile.alignment = 16},
    %eps: f32,
    %Y: memref<?x4096xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 64, 4096>})
    grid(%b) = (dim(%X, 0)) threads(256) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 4096.0 : f32
  %x = tile.alloc : memref<4096xf32, #tile.fragment>
  %w = tile.alloc : memref<4096xf32, #tile.fragment>
  %sq = tile.alloc : memref<4096xf32, #tile.fragment>
  %sum = tile.alloc : memref<1xf32, #tile.fragment>
  tile.copy %X[%b, %c0] to %x : memref<?x4096xf16> to memref<4096xf32, #tile.fragment>
  tile.copy %W to %w : memref<4096xf16> to memref<4096xf32, #tile.fragment>
  tile.parallel (%j) in (4096) {
    %v = memref.load %x[%j] : memref<4096xf32, #tile.fragment>
    %s = arith.mulf %v, %v : f32
    memref.store %s, %sq[%j] : memref<4096xf32, #tile.fragment>
  }
  tile.reduce sum %sq to %sum dim(0) : memref<4096xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  tile.parallel (%j) in (4096) {
    %s = memref.load %sum[%c0] : memref<1xf32, #tile.fragment>
    %mean = arith.divf %s, %n : f32
    %e = arith.addf %mean, %eps : f32
    %r = math.rsqrt %e : f32
    %v = memref.load %x[%j] : memref<4096xf32, #tile.fragment>
    %wj = memref.load %w[%j] : memref<4096xf32, #tile.fragment>
    %a = arith.mulf %v, %r : f32
    %y = arith.mulf %a, %wj : f32
    memref.store %y, %x[%j] : memref<4096xf32, #tile.fragment>
  }
  tile.copy %x to %Y[%b, %c0] : memref<4096xf32, #tile.fragment> to memref<?x4096xf16>
}
