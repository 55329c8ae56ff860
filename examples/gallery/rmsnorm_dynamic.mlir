// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RMSNorm of rows of any length: Y = X / sqrt(mean(X^2) + eps) W. A row waits in shared memory, so that it is read once.
// X, Y: rows x N f16, N <= 16384 and a multiple of 8; W: N f16; eps: f32.
// Look at: promises of `tile.assume` (the launcher checks them); parts of a shared buffer at places of their own.
#shared = #gpu.address_space<workgroup>
tile.kernel @rmsnorm_dynamic(
    %X: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 64, 5120>},
    %W: memref<?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 5120>},
    %eps: f32,
    %Y: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 64, 5120>})
    grid(%b) = (dim(%X, 0)) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2048 = arith.constant 2048 : index
  %zero = arith.constant 0.0 : f32
  %N = memref.dim %X, %c1 : memref<?x?xf16>
  %NY = memref.dim %Y, %c1 : memref<?x?xf16>
  tile.assume %N {divisible_by = 8 : i64, min = 8 : i64, max = 16384 : i64} : index
  %NW = memref.dim %W, %c0 : memref<?xf16>
  tile.assume %NW {divisible_by = 8 : i64} : index
  tile.assume %NY {divisible_by = 8 : i64} : index
  %ni = arith.index_cast %N : index to i32
  %n = arith.sitofp %ni : i32 to f32
  %row = tile.alloc : memref<16384xf16, #shared>
  %h = tile.alloc : memref<2048xf16, #tile.fragment>
  %x = tile.alloc : memref<2048xf32, #tile.fragment>
  %w = tile.alloc : memref<2048xf32, #tile.fragment>
  %sq = tile.alloc : memref<2048xf32, #tile.fragment>
  %sum = tile.alloc : memref<1xf32, #tile.fragment>
  tile.fill %sq with %zero : memref<2048xf32, #tile.fragment>, f32
  scf.for %j0 = %c0 to %N step %c2048 {
    tile.copy %X[%b, %j0] to %h : memref<?x?xf16> to memref<2048xf16, #tile.fragment>
    tile.copy %h to %row[%j0] sizes [2048] : memref<2048xf16, #tile.fragment> to memref<16384xf16, #shared>
    tile.parallel (%j) in (2048) {
      %vh = memref.load %h[%j] : memref<2048xf16, #tile.fragment>
      %v = arith.extf %vh : f16 to f32
      %s0 = memref.load %sq[%j] : memref<2048xf32, #tile.fragment>
      %s = math.fma %v, %v, %s0 : f32
      memref.store %s, %sq[%j] : memref<2048xf32, #tile.fragment>
    }
  }
  tile.reduce sum %sq to %sum dim(0) : memref<2048xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  tile.parallel (%i) in (1) {
    %s = memref.load %sum[%i] : memref<1xf32, #tile.fragment>
    %mean = arith.divf %s, %n : f32
    %e = arith.addf %mean, %eps : f32
    %r = math.rsqrt %e fastmath<afn> : f32
    memref.store %r, %sum[%i] : memref<1xf32, #tile.fragment>
  }
  scf.for %j0 = %c0 to %N step %c2048 {
    tile.copy %row[%j0] sizes [2048] to %x : memref<16384xf16, #shared> to memref<2048xf32, #tile.fragment>
    tile.copy %W[%j0] to %w : memref<?xf16> to memref<2048xf32, #tile.fragment>
    tile.parallel (%j) in (2048) {
      %r = memref.load %sum[%c0] : memref<1xf32, #tile.fragment>
      %v = memref.load %x[%j] : memref<2048xf32, #tile.fragment>
      %wj = memref.load %w[%j] : memref<2048xf32, #tile.fragment>
      %a = arith.mulf %v, %r : f32
      %y = arith.mulf %a, %wj : f32
      memref.store %y, %x[%j] : memref<2048xf32, #tile.fragment>
    }
    tile.copy %x to %Y[%b, %j0] : memref<2048xf32, #tile.fragment> to memref<?x?xf16>
  }
}
