// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear attention with a decay for each head and token: S[t] = exp(g[t]) S[t-1] + k[t]^T v[t], o[t] = scale q[t] S[t].
// Look at: a scan of the chunk's exponents in shared memory weighs scores, outputs, values and the state.
#shared = #gpu.address_space<workgroup>
tile.kernel @simple_gla(
    %Q: memref<?x?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 130, 2, 64>},
    %K: memref<?x?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 130, 2, 64>},
    %V: memref<?x?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 130, 2, 64>},
    %G: memref<?x?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 130, 2>},
    %scale: f32,
    %O: memref<?x?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 130, 2, 64>},
    %ST: memref<?x?x64x64xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 2, 64, 64>})
    grid(%bv, %h, %b) = (1, dim(%V, 2), dim(%V, 0)) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %f1 = arith.constant 1.4426950408889634 : f32
  %T = memref.dim %V, %c1 : memref<?x?x?x64xbf16>
  %heads = memref.dim %V, %c2 : memref<?x?x?x64xbf16>
  %key_heads = memref.dim %K, %c2 : memref<?x?x?x64xbf16>
  %sharing = arith.divui %heads, %key_heads : index
  %hk = arith.divui %h, %sharing : index
  %v = arith.muli %bv, %c64 : index
  %Qs = tile.alloc : memref<64x64xbf16, #shared>
  %Ks = tile.alloc : memref<64x64xbf16, #shared>
  %Vs = tile.alloc : memref<64x64xbf16, #shared>
  %Gs = tile.alloc : memref<64xf32, #shared>
  %sums = tile.alloc : memref<64xf32, #shared>
  %S = tile.alloc : memref<64x64xf32, #tile.fragment>
  %Ss = tile.alloc : memref<64x64xbf16, #shared>
  %P = tile.alloc : memref<64x64xf32, #tile.fragment>
  %Ph = tile.alloc : memref<64x64xbf16, #tile.fragment>
  %o = tile.alloc : memref<64x64xf32, #tile.fragment>
  %Vw = tile.alloc : memref<64x64xbf16, #shared>
  tile.fill %S with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %t = %c0 to %T step %c64 stages(2) {
    tile.copy %Q[%b, %t, %hk, %c0] sizes [1, 64, 1, 64] to %Qs : memref<?x?x?x64xbf16> to memref<64x64xbf16, #shared>
    tile.copy %K[%b, %t, %hk, %c0] sizes [1, 64, 1, 64] to %Ks : memref<?x?x?x64xbf16> to memref<64x64xbf16, #shared>
    tile.copy %V[%b, %t, %h, %v] sizes [1, 64, 1, 64] to %Vs : memref<?x?x?x64xbf16> to memref<64x64xbf16, #shared>
    tile.copy %G[%b, %t, %h] sizes [1, 64, 1] to %Gs : memref<?x?x?xf32> to memref<64xf32, #shared>
    tile.scan sum %Gs to %sums dim(0) : memref<64xf32, #shared> to memref<64xf32, #shared>
    tile.copy %S to %Ss : memref<64x64xf32, #tile.fragment> to memref<64x64xbf16, #shared>
    tile.gemm %Qs, %Ks, %P {clear, transpose_b} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.gemm %Qs, %Ss, %o {clear} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %P[%i, %j] : memref<64x64xf32, #tile.fragment>
      %ci = memref.load %sums[%i] : memref<64xf32, #shared>
      %cj = memref.load %sums[%j] : memref<64xf32, #shared>
      %x_1 = arith.subf %ci, %cj fastmath<contract> : f32
      %x_2 = arith.mulf %x_1, %f1 fastmath<contract> : f32
      %e = math.exp2 %x_2 fastmath<afn> : f32
      %x_3 = arith.mulf %x, %e fastmath<contract> : f32
      %x_4 = arith.mulf %x_3, %scale fastmath<contract> : f32
      %past = arith.cmpi ule, %j, %i : index
      %x_5 = arith.select %past, %x_4, %zero : f32
      %narrow = arith.truncf %x_5 : f32 to bf16
      memref.store %narrow, %Ph[%i, %j] : memref<64x64xbf16, #tile.fragment>
    }
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %o[%i, %j] : memref<64x64xf32, #tile.fragment>
      %ci = memref.load %sums[%i] : memref<64xf32, #shared>
      %x_1 = arith.mulf %ci, %f1 fastmath<contract> : f32
      %e = math.exp2 %x_1 fastmath<afn> : f32
      %x_2 = arith.mulf %x, %e fastmath<contract> : f32
      %x_3 = arith.mulf %x_2, %scale fastmath<contract> : f32
      memref.store %x_3, %o[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    tile.gemm %Ph, %Vs, %o : memref<64x64xbf16, #tile.fragment>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 64) {
      %ci = memref.load %sums[%c63] : memref<64xf32, #shared>
      %cj = memref.load %sums[%i] : memref<64xf32, #shared>
      %x = arith.subf %ci, %cj fastmath<contract> : f32
      %x_1 = arith.mulf %x, %f1 fastmath<contract> : f32
      %e = math.exp2 %x_1 fastmath<afn> : f32
      %x_2 = memref.load %Vs[%i, %j] : memref<64x64xbf16, #shared>
      %x_3 = arith.extf %x_2 : bf16 to f32
      %x_4 = arith.mulf %x_3, %e fastmath<contract> : f32
      %narrow = arith.truncf %x_4 : f32 to bf16
      memref.store %narrow, %Vw[%i, %j] : memref<64x64xbf16, #shared>
    }
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %S[%i, %j] : memref<64x64xf32, #tile.fragment>
      %ci = memref.load %sums[%c63] : memref<64xf32, #shared>
      %x_1 = arith.mulf %ci, %f1 fastmath<contract> : f32
      %e = math.exp2 %x_1 fastmath<afn> : f32
      %x_2 = arith.mulf %x, %e fastmath<contract> : f32
      memref.store %x_2, %S[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    tile.gemm %Ks, %Vw, %S {transpose_a} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.copy %o to %O[%b, %t, %h, %v] sizes [1, 64, 1, 64] : memref<64x64xf32, #tile.fragment> to memref<?x?x?x64xbf16>
  }
  tile.copy %S to %ST[%b, %h, %c0, %v] sizes [1, 1, 64, 64] : memref<64x64xf32, #tile.fragment> to memref<?x?x64x64xf32>
}
