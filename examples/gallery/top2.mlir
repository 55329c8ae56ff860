// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gating of a mixture of 64 experts: the two largest of each token, the first of equals first, and their softmax.
// X: tokens x 64 f32; W: tokens x 2 f32; I: tokens x 2 i32.
// Look at: indices by a reduction of the least index that holds the largest value.
tile.kernel @top2(
    %X: memref<?x64xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 128, 64>},
    %W: memref<?x2xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 128, 2>},
    %I: memref<?x2xi32> {tile.alignment = 16, tile.shape_hint = array<i64: 128, 2>})
    grid(%b) = (dim(%X, 0) ceildiv 32) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %one = arith.constant 1.0 : f32
  %log2e = arith.constant 1.44269504 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %none = arith.constant 64 : i32
  %m = arith.muli %b, %c32 : index
  %x = tile.alloc : memref<32x64xf32, #tile.fragment>
  %k = tile.alloc : memref<32x64xi32, #tile.fragment>
  %v1 = tile.alloc : memref<32xf32, #tile.fragment>
  %i1 = tile.alloc : memref<32xi32, #tile.fragment>
  %v2 = tile.alloc : memref<32xf32, #tile.fragment>
  %i2 = tile.alloc : memref<32xi32, #tile.fragment>
  %w = tile.alloc : memref<32x2xf32, #tile.fragment>
  %i = tile.alloc : memref<32x2xi32, #tile.fragment>
  tile.copy %X[%m, %c0] to %x : memref<?x64xf32> to memref<32x64xf32, #tile.fragment>
  tile.reduce max %x to %v1 dim(1) : memref<32x64xf32, #tile.fragment> to memref<32xf32, #tile.fragment>
  tile.parallel (%t, %j) in (32, 64) {
    %v = memref.load %x[%t, %j] : memref<32x64xf32, #tile.fragment>
    %a = memref.load %v1[%t] : memref<32xf32, #tile.fragment>
    %eq = arith.cmpf oeq, %v, %a : f32
    %c = arith.index_cast %j : index to i32
    %s = arith.select %eq, %c, %none : i32
    memref.store %s, %k[%t, %j] : memref<32x64xi32, #tile.fragment>
  }
  tile.reduce min %k to %i1 dim(1) : memref<32x64xi32, #tile.fragment> to memref<32xi32, #tile.fragment>
  tile.parallel (%t, %j) in (32, 64) {
    %v = memref.load %x[%t, %j] : memref<32x64xf32, #tile.fragment>
    %a = memref.load %i1[%t] : memref<32xi32, #tile.fragment>
    %c = arith.index_cast %j : index to i32
    %eq = arith.cmpi eq, %c, %a : i32
    %s = arith.select %eq, %lowest, %v : f32
    memref.store %s, %x[%t, %j] : memref<32x64xf32, #tile.fragment>
  }
  tile.reduce max %x to %v2 dim(1) : memref<32x64xf32, #tile.fragment> to memref<32xf32, #tile.fragment>
  tile.parallel (%t, %j) in (32, 64) {
    %v = memref.load %x[%t, %j] : memref<32x64xf32, #tile.fragment>
    %a = memref.load %v2[%t] : memref<32xf32, #tile.fragment>
    %eq = arith.cmpf oeq, %v, %a : f32
    %c = arith.index_cast %j : index to i32
    %s = arith.select %eq, %c, %none : i32
    memref.store %s, %k[%t, %j] : memref<32x64xi32, #tile.fragment>
  }
  tile.reduce min %k to %i2 dim(1) : memref<32x64xi32, #tile.fragment> to memref<32xi32, #tile.fragment>
  tile.parallel (%t, %j) in (32, 2) {
    %a = memref.load %v1[%t] : memref<32xf32, #tile.fragment>
    %b2 = memref.load %v2[%t] : memref<32xf32, #tile.fragment>
    %p = memref.load %i1[%t] : memref<32xi32, #tile.fragment>
    %q = memref.load %i2[%t] : memref<32xi32, #tile.fragment>
    %d = arith.subf %b2, %a : f32
    %l = arith.mulf %d, %log2e : f32
    %e = math.exp2 %l fastmath<afn> : f32
    %z = arith.addf %one, %e : f32
    %w1 = arith.divf %one, %z : f32
    %w2 = arith.divf %e, %z : f32
    %first = arith.cmpi eq, %j, %c0 : index
    %ws = arith.select %first, %w1, %w2 : f32
    %is = arith.select %first, %p, %q : i32
    memref.store %ws, %w[%t, %j] : memref<32x2xf32, #tile.fragment>
    memref.store %is, %i[%t, %j] : memref<32x2xi32, #tile.fragment>
  }
  tile.copy %w to %W[%m, %c0] : memref<32x2xf32, #tile.fragment> to memref<?x2xf32>
  tile.copy %i to %I[%m, %c0] : memref<32x2xi32, #tile.fragment> to memref<?x2xi32>
}
