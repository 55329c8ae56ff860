// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backward of O = softmax(Q K^T / sqrt(128)) V, not causal.
// Q, K, V, DO: heads x S x 128 f16, any S; L: heads x S f32, log2 of the sum over keys of 2^(score log2(e) / sqrt(128));
// D: heads x S f32, of attention_delta.mlir; DQ: heads x S x 128 f32, zero before (blocks add their parts atomically);
// DK, DV: heads x S x 128 f16.
// Look at: five products in a pipelined loop, two of them with a fragment as operand A, one that reads the same fragment
// transposed through shared memory.
#shared = #gpu.address_space<workgroup>
tile.kernel @attention_backward(
    %Q: memref<?x?x128xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 256, 128>},
    %K: memref<?x?x128xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 256, 128>},
    %V: memref<?x?x128xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 256, 128>},
    %DO: memref<?x?x128xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 256, 128>},
    %L: memref<?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 256>},
    %D: memref<?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 256>},
    %DQ: memref<?x?x128xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 256, 128>},
    %DK: memref<?x?x128xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 256, 128>},
    %DV: memref<?x?x128xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 256, 128>})
    grid(%b, %h) = (dim(%K, 1) ceildiv 128, dim(%K, 0)) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %scale2 = arith.constant 0.12751743082459868 : f32
  %scale = arith.constant 0.08838834764831845 : f32
  %S = memref.dim %Q, %c1 : memref<?x?x128xf16>
  %SK = memref.dim %K, %c1 : memref<?x?x128xf16>
  %n = arith.muli %b, %c128 : index
  %Ks = tile.alloc : memref<128x128xf16, #shared>
  %Vs = tile.alloc : memref<128x128xf16, #shared>
  %Qs = tile.alloc : memref<64x128xf16, #shared>
  %DOs = tile.alloc : memref<64x128xf16, #shared>
  %Ls = tile.alloc : memref<64xf32, #shared>
  %Ds = tile.alloc : memref<64xf32, #shared>
  %DSs = tile.alloc : memref<128x64xf16, #shared>
  %s = tile.alloc : memref<128x64xf32, #tile.fragment>
  %dp = tile.alloc : memref<128x64xf32, #tile.fragment>
  %p = tile.alloc : memref<128x64xf16, #tile.fragment>
  %ds = tile.alloc : memref<128x64xf16, #tile.fragment>
  %dq = tile.alloc : memref<64x128xf32, #tile.fragment>
  %dk = tile.alloc : memref<128x128xf32, #tile.fragment>
  %dv = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.copy %K[%h, %n, %c0] sizes [1, 128, 128] to %Ks : memref<?x?x128xf16> to memref<128x128xf16, #shared>
  tile.copy %V[%h, %n, %c0] sizes [1, 128, 128] to %Vs : memref<?x?x128xf16> to memref<128x128xf16, #shared>
  tile.fill %dk with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.fill %dv with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.pipelined %m = %c0 to %S step %c64 stages(2) {
    tile.copy %Q[%h, %m, %c0] sizes [1, 64, 128] to %Qs : memref<?x?x128xf16> to memref<64x128xf16, #shared>
    tile.copy %DO[%h, %m, %c0] sizes [1, 64, 128] to %DOs : memref<?x?x128xf16> to memref<64x128xf16, #shared>
    tile.copy %L[%h, %m] sizes [1, 64] to %Ls : memref<?x?xf32> to memref<64xf32, #shared>
    tile.copy %D[%h, %m] sizes [1, 64] to %Ds : memref<?x?xf32> to memref<64xf32, #shared>
    tile.gemm %Ks, %Qs, %s {clear, transpose_b, policy = #tile.warp_policy<full_row>} : memref<128x128xf16, #shared>, memref<64x128xf16, #shared>, memref<128x64xf32, #tile.fragment>
    tile.gemm %Vs, %DOs, %dp {clear, transpose_b, policy = #tile.warp_policy<full_row>} : memref<128x128xf16, #shared>, memref<64x128xf16, #shared>, memref<128x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (128, 64) {
      %x = memref.load %s[%i, %j] : memref<128x64xf32, #tile.fragment>
      %l = memref.load %Ls[%j] : memref<64xf32, #shared>
      %d = memref.load %Ds[%j] : memref<64xf32, #shared>
      %y = memref.load %dp[%i, %j] : memref<128x64xf32, #tile.fragment>
      %row = arith.addi %m, %j : index
      %key = arith.addi %n, %i : index
      %rin = arith.cmpi ult, %row, %S : index
      %kin = arith.cmpi ult, %key, %SK : index
      %in = arith.andi %rin, %kin : i1
      %xs = arith.mulf %x, %scale2 fastmath<contract> : f32
      %e = arith.subf %xs, %l fastmath<contract> : f32
      %w0 = math.exp2 %e fastmath<afn> : f32
      %w = arith.select %in, %w0, %zero : f32
      %diff = arith.subf %y, %d : f32
      %g = arith.mulf %w, %diff : f32
      %wh = arith.truncf %w : f32 to f16
      %gh = arith.truncf %g : f32 to f16
      memref.store %wh, %p[%i, %j] : memref<128x64xf16, #tile.fragment>
      memref.store %gh, %ds[%i, %j] : memref<128x64xf16, #tile.fragment>
    }
    tile.gemm %p, %DOs, %dv {policy = #tile.warp_policy<full_row>} : memref<128x64xf16, #tile.fragment>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
    tile.gemm %ds, %Qs, %dk {policy = #tile.warp_policy<full_row>} : memref<128x64xf16, #tile.fragment>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
    tile.copy %ds to %DSs : memref<128x64xf16, #tile.fragment> to memref<128x64xf16, #shared>
    tile.gemm %DSs, %Ks, %dq {clear, transpose_a} : memref<128x64xf16, #shared>, memref<128x128xf16, #shared>, memref<64x128xf32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 128) {
      %x = memref.load %dq[%i, %j] : memref<64x128xf32, #tile.fragment>
      %y = arith.mulf %x, %scale : f32
      memref.store %y, %dq[%i, %j] : memref<64x128xf32, #tile.fragment>
    }
    tile.atomic add %dq to %DQ[%h, %m, %c0] sizes [1, 64, 128] : memref<64x128xf32, #tile.fragment> to memref<?x?x128xf32>
  }
  tile.parallel (%i, %j) in (128, 128) {
    %x = memref.load %dk[%i, %j] : memref<128x128xf32, #tile.fragment>
    %y = arith.mulf %x, %scale : f32
    memref.store %y, %dk[%i, %j] : memref<128x128xf32, #tile.fragment>
  }
  tile.copy %dk to %DK[%h, %n, %c0] sizes [1, 128, 128] : memref<128x128xf32, #tile.fragment> to memref<?x?x128xf16>
  tile.copy %dv to %DV[%h, %n, %c0] sizes [1, 128, 128] : memref<128x128xf32, #tile.fragment> to memref<?x?x128xf16>
}
