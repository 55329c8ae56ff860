// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax of rows of 50257: maximum and sum in one pass, results in a second. Rows start at any element, as their length is odd.
// X, Y: rows x 50257 f16; f32 in between.
// Look at: online softmax with sums that stay apart, one for each place of the fragment, until the end.
tile.kernel @softmax_50257(
    %X: memref<?x50257xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 8, 50257>},
    %Y: memref<?x50257xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 8, 50257>})
    grid(%b) = (dim(%X, 0)) threads(512) {
  %c0 = arith.constant 0 : index
  %step = arith.constant 4096 : index
  %end = arith.constant 50257 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant -6.0e+4 : f16
  %lowestf = arith.constant -6.0e+4 : f32
  %log2e = arith.constant 1.44269504 : f32
  %x = tile.alloc : memref<4096xf16, #tile.fragment>
  %e = tile.alloc : memref<4096xf32, #tile.fragment>
  %part = tile.alloc : memref<4096xf32, #tile.fragment>
  %top = tile.alloc : memref<1xf32, #tile.fragment>
  %new = tile.alloc : memref<1xf32, #tile.fragment>
  %factor = tile.alloc : memref<1xf32, #tile.fragment>
  %sum = tile.alloc : memref<1xf32, #tile.fragment>
  tile.fill %top with %lowestf : memref<1xf32, #tile.fragment>, f32
  tile.fill %part with %zero : memref<4096xf32, #tile.fragment>, f32
  scf.for %n = %c0 to %end step %step {
    tile.copy %X[%b, %n] to %x pad(%lowest : f16) : memref<?x50257xf16> to memref<4096xf16, #tile.fragment>
    tile.parallel (%j) in (4096) {
      %h = memref.load %x[%j] : memref<4096xf16, #tile.fragment>
      %v = arith.extf %h : f16 to f32
      memref.store %v, %e[%j] : memref<4096xf32, #tile.fragment>
    }
    tile.reduce max %e to %new dim(0) : memref<4096xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
    tile.parallel (%i) in (1) {
      %old = memref.load %top[%i] : memref<1xf32, #tile.fragment>
      %chunk = memref.load %new[%i] : memref<1xf32, #tile.fragment>
      %both = arith.maximumf %old, %chunk : f32
      %less = arith.subf %old, %both : f32
      %l2 = arith.mulf %less, %log2e : f32
      %f = math.exp2 %l2 fastmath<afn> : f32
      memref.store %f, %factor[%i] : memref<1xf32, #tile.fragment>
      memref.store %both, %top[%i] : memref<1xf32, #tile.fragment>
    }
    tile.parallel (%j) in (4096) {
      %v = memref.load %e[%j] : memref<4096xf32, #tile.fragment>
      %t = memref.load %top[%c0] : memref<1xf32, #tile.fragment>
      %f = memref.load %factor[%c0] : memref<1xf32, #tile.fragment>
      %p = memref.load %part[%j] : memref<4096xf32, #tile.fragment>
      %d = arith.subf %v, %t : f32
      %l = arith.mulf %d, %log2e : f32
      %w = math.exp2 %l fastmath<afn> : f32
      %s = math.fma %p, %f, %w : f32
      memref.store %s, %part[%j] : memref<4096xf32, #tile.fragment>
    }
  }
  tile.reduce sum %part to %sum dim(0) : memref<4096xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  scf.for %n = %c0 to %end step %step {
    tile.copy %X[%b, %n] to %x : memref<?x50257xf16> to memref<4096xf16, #tile.fragment>
    tile.parallel (%j) in (4096) {
      %h = memref.load %x[%j] : memref<4096xf16, #tile.fragment>
      %v = arith.extf %h : f16 to f32
      %t = memref.load %top[%c0] : memref<1xf32, #tile.fragment>
      %s = memref.load %sum[%c0] : memref<1xf32, #tile.fragment>
      %d = arith.subf %v, %t : f32
      %l = arith.mulf %d, %log2e : f32
      %w = math.exp2 %l fastmath<afn> : f32
      %r = arith.divf %one, %s fastmath<arcp> : f32
      %y = arith.mulf %w, %r : f32
      %z = arith.truncf %y : f32 to f16
      memref.store %z, %x[%j] : memref<4096xf16, #tile.fragment>
    }
    tile.copy %x to %Y[%b, %n] : memref<4096xf16, #tile.fragment> to memref<?x50257xf16>
  }
}
