// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax of rows of 50257, as softmax_50257.mlir, but rows pass through shared memory on their way to registers.
// X, Y: rows x 50257 f16; f32 in between.
// Look at: rows that start at any element are copied to shared memory by whole pieces, two chunks ahead, and shifted there.
#shared = #gpu.address_space<workgroup>
tile.kernel @softmax_50257_realign(
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
  %xs = tile.alloc : memref<1x4096xf16, #shared>
  %x = tile.alloc : memref<4096xf16, #tile.fragment>
  %e = tile.alloc : memref<4096xf32, #tile.fragment>
  %part = tile.alloc : memref<4096xf32, #tile.fragment>
  %top = tile.alloc : memref<1xf32, #tile.fragment>
  %new = tile.alloc : memref<1xf32, #tile.fragment>
  %factor = tile.alloc : memref<1xf32, #tile.fragment>
  %sum = tile.alloc : memref<1xf32, #tile.fragment>
  tile.fill %top with %lowestf : memref<1xf32, #tile.fragment>, f32
  tile.fill %part with %zero : memref<4096xf32, #tile.fragment>, f32
  tile.pipelined %n = %c0 to %end step %step stages(2) {
    tile.copy %X[%b, %n] to %xs : memref<?x50257xf16> to memref<1x4096xf16, #shared>
    tile.copy %xs to %x : memref<1x4096xf16, #shared> to memref<4096xf16, #tile.fragment>
    tile.parallel (%j) in (4096) {
      %h = memref.load %x[%j] : memref<4096xf16, #tile.fragment>
      %v0 = arith.extf %h : f16 to f32
      %col = arith.addi %n, %j : index
      %in = arith.cmpi slt, %col, %end : index
      %v = arith.select %in, %v0, %lowestf : f32
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
  tile.pipelined %n = %c0 to %end step %step stages(2) {
    tile.copy %X[%b, %n] to %xs : memref<?x50257xf16> to memref<1x4096xf16, #shared>
    tile.copy %xs to %x : memref<1x4096xf16, #shared> to memref<4096xf16, #tile.fragment>
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
