// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear attention in chunks of 64: S[t] = S[t-1] + k[t]^T v[t], o[t] = scale q[t] S[t]; the last state is kept.
// Look at: the state is an accumulator that lives through the loop, and an operand in bf16 of the next chunk.
#shared = #gpu.address_space<workgroup>
tile.kernel @linear_attention(
    %Q: memref<?x?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 130, 2, 64>},
    %K: memref<?x?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 130, 2, 64>},
    %V: memref<?x?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 130, 2, 64>},
    %scale: f32,
    %O: memref<?x?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 130, 2, 64>},
    %ST: memref<?x?x64x64xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 2, 64, 64>})
    grid(%bv, %h, %b) = (1, dim(%V, 2), dim(%V, 0)) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %T = memref.dim %V, %c1 : memref<?x?x?x64xbf16>
  %heads = memref.dim %V, %c2 : memref<?x?x?x64xbf16>
  %key_heads = memref.dim %K, %c2 : memref<?x?x?x64xbf16>
  %sharing = arith.divui %heads, %key_heads : index
  %hk = arith.divui %h, %sharing : index
  %v = arith.muli %bv, %c64 : index
  %Qs = tile.alloc : memref<64x64xbf16, #shared>
  %Ks = tile.alloc : memref<64x64xbf16, #shared>
  %Vs = tile.alloc : memref<64x64xbf16, #shared>
  %S = tile.alloc : memref<64x64xf32, #tile.fragment>
  %Ss = tile.alloc : memref<64x64xbf16, #shared>
  %P = tile.alloc : memref<64x64xf32, #tile.fragment>
  %Ph = tile.alloc : memref<64x64xbf16, #tile.fragment>
  %o = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %S with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %t = %c0 to %T step %c64 stages(2) {
    tile.copy %Q[%b, %t, %hk, %c0] sizes [1, 64, 1, 64] to %Qs : memref<?x?x?x64xbf16> to memref<64x64xbf16, #shared>
    tile.copy %K[%b, %t, %hk, %c0] sizes [1, 64, 1, 64] to %Ks : memref<?x?x?x64xbf16> to memref<64x64xbf16, #shared>
    tile.copy %V[%b, %t, %h, %v] sizes [1, 64, 1, 64] to %Vs : memref<?x?x?x64xbf16> to memref<64x64xbf16, #shared>
    tile.copy %S to %Ss : memref<64x64xf32, #tile.fragment> to memref<64x64xbf16, #shared>
    tile.gemm %Qs, %Ks, %P {clear, transpose_b} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.gemm %Qs, %Ss, %o {clear} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %P[%i, %j] : memref<64x64xf32, #tile.fragment>
      %x_1 = arith.mulf %x, %scale fastmath<contract> : f32
      %past = arith.cmpi ule, %j, %i : index
      %x_2 = arith.select %past, %x_1, %zero : f32
      %narrow = arith.truncf %x_2 : f32 to bf16
      memref.store %narrow, %Ph[%i, %j] : memref<64x64xbf16, #tile.fragment>
    }
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %o[%i, %j] : memref<64x64xf32, #tile.fragment>
      %x_1 = arith.mulf %x, %scale fastmath<contract> : f32
      memref.store %x_1, %o[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    tile.gemm %Ph, %Vs, %o : memref<64x64xbf16, #tile.fragment>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.gemm %Ks, %Vs, %S {transpose_a} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.copy %o to %O[%b, %t, %h, %v] sizes [1, 64, 1, 64] : memref<64x64xf32, #tile.fragment> to memref<?x?x?x64xbf16>
  }
  tile.copy %S to %ST[%b, %h, %c0, %v] sizes [1, 1, 64, 64] : memref<64x64xf32, #tile.fragment> to memref<?x?x64x64xf32>
}
