// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Second kernel of the gated delta rule, from what gated_delta_prepare.mlir writes: U = R (V - exp(c) K S), then outputs and state
// as of linear attention with U for V.
// Look at: five products of a chunk, each on what the one before it gave.
#shared = #gpu.address_space<workgroup>
tile.kernel @gated_delta(
    %Q: memref<?x?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 130, 2, 64>},
    %K: memref<?x?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 130, 2, 64>},
    %V: memref<?x?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 130, 2, 64>},
    %R: memref<?x?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 2, 130, 64>},
    %E: memref<?x?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 2, 192>},
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
  %T = memref.dim %V, %c1 : memref<?x?x?x64xbf16>
  %heads = memref.dim %V, %c2 : memref<?x?x?x64xbf16>
  %key_heads = memref.dim %K, %c2 : memref<?x?x?x64xbf16>
  %sharing = arith.divui %heads, %key_heads : index
  %hk = arith.divui %h, %sharing : index
  %E_length = memref.dim %E, %c2 : memref<?x?x?xf32>
  tile.assume %E_length {divisible_by = 64 : i64} : index
  %v = arith.muli %bv, %c64 : index
  %Qs = tile.alloc : memref<64x64xbf16, #shared>
  %Ks = tile.alloc : memref<64x64xbf16, #shared>
  %Vs = tile.alloc : memref<64x64xbf16, #shared>
  %Es = tile.alloc : memref<64xf32, #shared>
  %S = tile.alloc : memref<64x64xf32, #tile.fragment>
  %Ss = tile.alloc : memref<64x64xbf16, #shared>
  %P = tile.alloc : memref<64x64xf32, #tile.fragment>
  %Ph = tile.alloc : memref<64x64xbf16, #tile.fragment>
  %o = tile.alloc : memref<64x64xf32, #tile.fragment>
  %Vw = tile.alloc : memref<64x64xbf16, #shared>
  %Rs = tile.alloc : memref<64x64xbf16, #shared>
  %W = tile.alloc : memref<64x64xbf16, #shared>
  %y = tile.alloc : memref<64x64xf32, #tile.fragment>
  %u = tile.alloc : memref<64x64xf32, #tile.fragment>
  %Us = tile.alloc : memref<64x64xbf16, #shared>
  tile.fill %S with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %t = %c0 to %T step %c64 stages(2) {
    tile.copy %Q[%b, %t, %hk, %c0] sizes [1, 64, 1, 64] to %Qs : memref<?x?x?x64xbf16> to memref<64x64xbf16, #shared>
    tile.copy %K[%b, %t, %hk, %c0] sizes [1, 64, 1, 64] to %Ks : memref<?x?x?x64xbf16> to memref<64x64xbf16, #shared>
    tile.copy %V[%b, %t, %h, %v] sizes [1, 64, 1, 64] to %Vs : memref<?x?x?x64xbf16> to memref<64x64xbf16, #shared>
    tile.copy %R[%b, %h, %t, %c0] sizes [1, 1, 64, 64] to %Rs : memref<?x?x?x64xbf16> to memref<64x64xbf16, #shared>
    tile.copy %E[%b, %h, %t] sizes [1, 1, 64] to %Es : memref<?x?x?xf32> to memref<64xf32, #shared>
    tile.copy %S to %Ss : memref<64x64xf32, #tile.fragment> to memref<64x64xbf16, #shared>
    tile.gemm %Ks, %Ss, %y {clear} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %y[%i, %j] : memref<64x64xf32, #tile.fragment>
      %ci = memref.load %Es[%i] : memref<64xf32, #shared>
      %e = math.exp2 %ci fastmath<afn> : f32
      %x_1 = arith.mulf %x, %e fastmath<contract> : f32
      %v_1 = memref.load %Vs[%i, %j] : memref<64x64xbf16, #shared>
      %v_2 = arith.extf %v_1 : bf16 to f32
      %x_2 = arith.subf %v_2, %x_1 fastmath<contract> : f32
      %narrow = arith.truncf %x_2 : f32 to bf16
      memref.store %narrow, %W[%i, %j] : memref<64x64xbf16, #shared>
    }
    tile.gemm %Rs, %W, %u {clear} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.copy %u to %Us : memref<64x64xf32, #tile.fragment> to memref<64x64xbf16, #shared>
    tile.gemm %Qs, %Ks, %P {clear, transpose_b} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.gemm %Qs, %Ss, %o {clear} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %P[%i, %j] : memref<64x64xf32, #tile.fragment>
      %ci = memref.load %Es[%i] : memref<64xf32, #shared>
      %cj = memref.load %Es[%j] : memref<64xf32, #shared>
      %x_1 = arith.subf %ci, %cj fastmath<contract> : f32
      %e = math.exp2 %x_1 fastmath<afn> : f32
      %x_2 = arith.mulf %x, %e fastmath<contract> : f32
      %x_3 = arith.mulf %x_2, %scale fastmath<contract> : f32
      %past = arith.cmpi ule, %j, %i : index
      %x_4 = arith.select %past, %x_3, %zero : f32
      %narrow = arith.truncf %x_4 : f32 to bf16
      memref.store %narrow, %Ph[%i, %j] : memref<64x64xbf16, #tile.fragment>
    }
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %o[%i, %j] : memref<64x64xf32, #tile.fragment>
      %ci = memref.load %Es[%i] : memref<64xf32, #shared>
      %e = math.exp2 %ci fastmath<afn> : f32
      %x_1 = arith.mulf %x, %e fastmath<contract> : f32
      %x_2 = arith.mulf %x_1, %scale fastmath<contract> : f32
      memref.store %x_2, %o[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    tile.gemm %Ph, %Us, %o : memref<64x64xbf16, #tile.fragment>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 64) {
      %ci = memref.load %Es[%c63] : memref<64xf32, #shared>
      %cj = memref.load %Es[%i] : memref<64xf32, #shared>
      %x = arith.subf %ci, %cj fastmath<contract> : f32
      %e = math.exp2 %x fastmath<afn> : f32
      %x_1 = memref.load %Us[%i, %j] : memref<64x64xbf16, #shared>
      %x_2 = arith.extf %x_1 : bf16 to f32
      %x_3 = arith.mulf %x_2, %e fastmath<contract> : f32
      %narrow = arith.truncf %x_3 : f32 to bf16
      memref.store %narrow, %Vw[%i, %j] : memref<64x64xbf16, #shared>
    }
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %S[%i, %j] : memref<64x64xf32, #tile.fragment>
      %ci = memref.load %Es[%c63] : memref<64xf32, #shared>
      %e = math.exp2 %ci fastmath<afn> : f32
      %x_1 = arith.mulf %x, %e fastmath<contract> : f32
      memref.store %x_1, %S[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    tile.gemm %Ks, %Vw, %S {transpose_a} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.copy %o to %O[%b, %t, %h, %v] sizes [1, 64, 1, 64] : memref<64x64xf32, #tile.fragment> to memref<?x?x?x64xbf16>
  }
  tile.copy %S to %ST[%b, %h, %c0, %v] sizes [1, 1, 64, 64] : memref<64x64xf32, #tile.fragment> to memref<?x?x64x64xf32>
}
