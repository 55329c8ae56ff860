// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scan of Mamba-2 in one pass: S[t] = exp(dt[t] A) S[t-1] + dt[t] x[t]^T B[t], y[t] = (S[t] C[t] + D x[t]) silu(z[t]).
// Look at: heads share B and C; the state lies with x's columns in front, as mamba_ssm has it.
#shared = #gpu.address_space<workgroup>
tile.kernel @mamba2(
    %C: memref<?x?x?x128xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 130, 1, 128>},
    %B: memref<?x?x?x128xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 130, 1, 128>},
    %X: memref<?x?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 130, 2, 64>},
    %DT: memref<?x?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 130, 2>},
    %A: memref<?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 2>},
    %D: memref<?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 2>},
    %Z: memref<?x?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 130, 2, 64>},
    %Y: memref<?x?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 130, 2, 64>},
    %ST: memref<?x?x64x128xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 2, 64, 128>})
    grid(%bv, %h, %b) = (1, dim(%X, 2), dim(%X, 0)) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %f0 = arith.constant 1.4426950408889634 : f32
  %zero = arith.constant 0.0 : f32
  %f2 = arith.constant -1.4426950408889634 : f32
  %one = arith.constant 1.0 : f32
  %T = memref.dim %X, %c1 : memref<?x?x?x64xbf16>
  %heads = memref.dim %X, %c2 : memref<?x?x?x64xbf16>
  %key_heads = memref.dim %B, %c2 : memref<?x?x?x128xbf16>
  %sharing = arith.divui %heads, %key_heads : index
  %hk = arith.divui %h, %sharing : index
  %v = arith.muli %bv, %c64 : index
  %d_h = memref.load %D[%h] : memref<?xf32>
  %Qs = tile.alloc : memref<64x128xbf16, #shared>
  %Ks = tile.alloc : memref<64x128xbf16, #shared>
  %Vs = tile.alloc : memref<64x64xbf16, #shared>
  %Zs = tile.alloc : memref<64x64xbf16, #shared>
  %Gs = tile.alloc : memref<64xf32, #shared>
  %sums = tile.alloc : memref<64xf32, #shared>
  %a = memref.load %A[%h] : memref<?xf32>
  %rate = arith.mulf %a, %f0 : f32
  %S = tile.alloc : memref<64x128xf32, #tile.fragment>
  %Ss = tile.alloc : memref<64x128xbf16, #shared>
  %P = tile.alloc : memref<64x64xf32, #tile.fragment>
  %Ph = tile.alloc : memref<64x64xbf16, #tile.fragment>
  %o = tile.alloc : memref<64x64xf32, #tile.fragment>
  %Vw = tile.alloc : memref<64x64xbf16, #shared>
  tile.fill %S with %zero : memref<64x128xf32, #tile.fragment>, f32
  tile.pipelined %t = %c0 to %T step %c64 stages(2) {
    tile.copy %C[%b, %t, %hk, %c0] sizes [1, 64, 1, 128] to %Qs : memref<?x?x?x128xbf16> to memref<64x128xbf16, #shared>
    tile.copy %B[%b, %t, %hk, %c0] sizes [1, 64, 1, 128] to %Ks : memref<?x?x?x128xbf16> to memref<64x128xbf16, #shared>
    tile.copy %X[%b, %t, %h, %v] sizes [1, 64, 1, 64] to %Vs : memref<?x?x?x64xbf16> to memref<64x64xbf16, #shared>
    tile.copy %Z[%b, %t, %h, %v] sizes [1, 64, 1, 64] to %Zs : memref<?x?x?x64xbf16> to memref<64x64xbf16, #shared>
    tile.copy %DT[%b, %t, %h] sizes [1, 64, 1] to %Gs : memref<?x?x?xf32> to memref<64xf32, #shared>
    tile.scan sum %Gs to %sums dim(0) : memref<64xf32, #shared> to memref<64xf32, #shared>
    tile.copy %S to %Ss : memref<64x128xf32, #tile.fragment> to memref<64x128xbf16, #shared>
    tile.gemm %Qs, %Ks, %P {clear, transpose_b} : memref<64x128xbf16, #shared>, memref<64x128xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.gemm %Qs, %Ss, %o {clear, transpose_b} : memref<64x128xbf16, #shared>, memref<64x128xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %P[%i, %j] : memref<64x64xf32, #tile.fragment>
      %ci = memref.load %sums[%i] : memref<64xf32, #shared>
      %cj = memref.load %sums[%j] : memref<64xf32, #shared>
      %x_1 = arith.subf %ci, %cj fastmath<contract> : f32
      %x_2 = arith.mulf %x_1, %rate fastmath<contract> : f32
      %e = math.exp2 %x_2 fastmath<afn> : f32
      %x_3 = arith.mulf %x, %e fastmath<contract> : f32
      %dt = memref.load %Gs[%j] : memref<64xf32, #shared>
      %x_4 = arith.mulf %x_3, %dt fastmath<contract> : f32
      %past = arith.cmpi ule, %j, %i : index
      %x_5 = arith.select %past, %x_4, %zero : f32
      %narrow = arith.truncf %x_5 : f32 to bf16
      memref.store %narrow, %Ph[%i, %j] : memref<64x64xbf16, #tile.fragment>
    }
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %o[%i, %j] : memref<64x64xf32, #tile.fragment>
      %ci = memref.load %sums[%i] : memref<64xf32, #shared>
      %x_1 = arith.mulf %ci, %rate fastmath<contract> : f32
      %e = math.exp2 %x_1 fastmath<afn> : f32
      %x_2 = arith.mulf %x, %e fastmath<contract> : f32
      memref.store %x_2, %o[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    tile.gemm %Ph, %Vs, %o : memref<64x64xbf16, #tile.fragment>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 64) {
      %ci = memref.load %sums[%c63] : memref<64xf32, #shared>
      %cj = memref.load %sums[%i] : memref<64xf32, #shared>
      %x = arith.subf %ci, %cj fastmath<contract> : f32
      %x_1 = arith.mulf %x, %rate fastmath<contract> : f32
      %e = math.exp2 %x_1 fastmath<afn> : f32
      %dt = memref.load %Gs[%i] : memref<64xf32, #shared>
      %x_2 = arith.mulf %e, %dt fastmath<contract> : f32
      %x_3 = memref.load %Vs[%i, %j] : memref<64x64xbf16, #shared>
      %x_4 = arith.extf %x_3 : bf16 to f32
      %x_5 = arith.mulf %x_4, %x_2 fastmath<contract> : f32
      %narrow = arith.truncf %x_5 : f32 to bf16
      memref.store %narrow, %Vw[%i, %j] : memref<64x64xbf16, #shared>
    }
    tile.parallel (%i, %j) in (64, 128) {
      %x = memref.load %S[%i, %j] : memref<64x128xf32, #tile.fragment>
      %ci = memref.load %sums[%c63] : memref<64xf32, #shared>
      %x_1 = arith.mulf %ci, %rate fastmath<contract> : f32
      %e = math.exp2 %x_1 fastmath<afn> : f32
      %x_2 = arith.mulf %x, %e fastmath<contract> : f32
      memref.store %x_2, %S[%i, %j] : memref<64x128xf32, #tile.fragment>
    }
    tile.gemm %Vw, %Ks, %S {transpose_a} : memref<64x64xbf16, #shared>, memref<64x128xbf16, #shared>, memref<64x128xf32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 64) {
      %y = memref.load %o[%i, %j] : memref<64x64xf32, #tile.fragment>
      %x = memref.load %Vs[%i, %j] : memref<64x64xbf16, #shared>
      %x_1 = arith.extf %x : bf16 to f32
      %y_1 = math.fma %x_1, %d_h, %y : f32
      %z = memref.load %Zs[%i, %j] : memref<64x64xbf16, #shared>
      %z_1 = arith.extf %z : bf16 to f32
      %x_2 = arith.mulf %z_1, %f2 fastmath<contract> : f32
      %e = math.exp2 %x_2 fastmath<afn> : f32
      %x_3 = arith.addf %e, %one fastmath<contract> : f32
      %x_4 = arith.divf %z_1, %x_3 fastmath<afn> : f32
      %y_2 = arith.mulf %y_1, %x_4 fastmath<contract> : f32
      memref.store %y_2, %o[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    tile.copy %o to %Y[%b, %t, %h, %v] sizes [1, 64, 1, 64] : memref<64x64xf32, #tile.fragment> to memref<?x?x?x64xbf16>
  }
  tile.copy %S to %ST[%b, %h, %v, %c0] sizes [1, 1, 64, 128] : memref<64x128xf32, #tile.fragment> to memref<?x?x64x128xf32>
}
