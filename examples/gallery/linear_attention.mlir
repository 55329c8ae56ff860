// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Causal linear attention in chunks of 64: O[t] = Q[t] sum over s <= t of K[s]^T V[s].
// Q, K: heads x T x 128 f16; V, O: heads x T x DV f16, DV a multiple of 8.
// Look at: the state, 128 x 64 of a head, is an accumulator that lives through the loop, and goes to shared memory in f16 as an
// operand of the next chunk.
#shared = #gpu.address_space<workgroup>
tile.kernel @linear_attention(
    %Q: memref<?x?x128xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 256, 128>},
    %K: memref<?x?x128xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 256, 128>},
    %V: memref<?x?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 256, 128>},
    %O: memref<?x?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 256, 128>})
    grid(%bv, %h) = (dim(%V, 2) ceildiv 64, dim(%Q, 0)) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %T = memref.dim %Q, %c1 : memref<?x?x128xf16>
  %DV = memref.dim %V, %c2 : memref<?x?x?xf16>
  %DO = memref.dim %O, %c2 : memref<?x?x?xf16>
  tile.assume %DV {divisible_by = 8 : i64} : index
  tile.assume %DO {divisible_by = 8 : i64} : index
  %v = arith.muli %bv, %c64 : index
  %Qs = tile.alloc : memref<64x128xf16, #shared>
  %Ks = tile.alloc : memref<64x128xf16, #shared>
  %Vs = tile.alloc : memref<64x64xf16, #shared>
  %Ss = tile.alloc : memref<128x64xf16, #shared>
  %S = tile.alloc : memref<128x64xf32, #tile.fragment>
  %P = tile.alloc : memref<64x64xf32, #tile.fragment>
  %Ph = tile.alloc : memref<64x64xf16, #tile.fragment>
  %o = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %S with %zero : memref<128x64xf32, #tile.fragment>, f32
  tile.pipelined %t = %c0 to %T step %c64 stages(2) {
    tile.copy %Q[%h, %t, %c0] sizes [1, 64, 128] to %Qs : memref<?x?x128xf16> to memref<64x128xf16, #shared>
    tile.copy %K[%h, %t, %c0] sizes [1, 64, 128] to %Ks : memref<?x?x128xf16> to memref<64x128xf16, #shared>
    tile.copy %V[%h, %t, %v] sizes [1, 64, 64] to %Vs : memref<?x?x?xf16> to memref<64x64xf16, #shared>
    tile.copy %S to %Ss : memref<128x64xf32, #tile.fragment> to memref<128x64xf16, #shared>
    tile.gemm %Qs, %Ks, %P {clear, transpose_b} : memref<64x128xf16, #shared>, memref<64x128xf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.gemm %Qs, %Ss, %o {clear} : memref<64x128xf16, #shared>, memref<128x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %P[%i, %j] : memref<64x64xf32, #tile.fragment>
      %past = arith.cmpi ule, %j, %i : index
      %y = arith.select %past, %x, %zero : f32
      %yh = arith.truncf %y : f32 to f16
      memref.store %yh, %Ph[%i, %j] : memref<64x64xf16, #tile.fragment>
    }
    tile.gemm %Ph, %Vs, %o : memref<64x64xf16, #tile.fragment>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.gemm %Ks, %Vs, %S {transpose_a} : memref<64x128xf16, #shared>, memref<64x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
    tile.copy %o to %O[%h, %t, %v] sizes [1, 64, 64] : memref<64x64xf32, #tile.fragment> to memref<?x?x?xf16>
  }
}
