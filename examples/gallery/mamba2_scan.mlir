// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scan of Mamba-2 (SSD) in chunks of 64, the state 128 x 64 of a head in registers. For each batch and head, with a = DT[t] A:
// S[t] = exp(a) S[t - 1] + DT[t] B[t]^T X[t], Y[t] = C[t] S[t].
// X, Y: batch x T x heads x 64 f16; DT: batch x heads x T f32, T a multiple of 4; A: heads f32, negative; B, C: batch x T x 128 f16.
// Look at: four products of a chunk with element-wise weights between them, made of one column of exponents in shared
// memory.
#shared = #gpu.address_space<workgroup>
tile.kernel @mamba2_scan(
    %X: memref<?x?x?x64xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 256, 4, 64>},
    %DT: memref<?x?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 4, 256>},
    %A: memref<?xf32> {tile.shape_hint = array<i64: 4>},
    %B: memref<?x?x128xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 256, 128>},
    %C: memref<?x?x128xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 256, 128>},
    %Y: memref<?x?x?x64xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 256, 4, 64>})
    grid(%h, %b) = (dim(%X, 2), dim(%X, 0)) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %log2e = arith.constant 1.44269504 : f32
  %T = memref.dim %X, %c1 : memref<?x?x?x64xf16>
  %TD = memref.dim %DT, %c2 : memref<?x?x?xf32>
  tile.assume %TD {divisible_by = 4 : i64} : index
  %ah = memref.load %A[%h] : memref<?xf32>
  %a2 = arith.mulf %ah, %log2e : f32
  %Xs = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %Cs = tile.alloc : memref<64x128xf16, #shared>
  %dts = tile.alloc : memref<64xf32, #shared>
  %cum = tile.alloc : memref<64xf32, #shared>
  %Xw = tile.alloc : memref<64x64xf16, #shared>
  %Ss = tile.alloc : memref<128x64xf16, #shared>
  %Ps = tile.alloc : memref<64x64xf16, #shared>
  %S = tile.alloc : memref<128x64xf32, #tile.fragment>
  %P = tile.alloc : memref<64x64xf32, #tile.fragment>
  %Ph = tile.alloc : memref<64x64xf16, #tile.fragment>
  %o = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %S with %zero : memref<128x64xf32, #tile.fragment>, f32
  tile.pipelined %t = %c0 to %T step %c64 stages(2) {
    tile.copy %X[%b, %t, %h, %c0] sizes [1, 64, 1, 64] to %Xs : memref<?x?x?x64xf16> to memref<64x64xf16, #shared>
    tile.copy %B[%b, %t, %c0] sizes [1, 64, 128] to %Bs : memref<?x?x128xf16> to memref<64x128xf16, #shared>
    tile.copy %C[%b, %t, %c0] sizes [1, 64, 128] to %Cs : memref<?x?x128xf16> to memref<64x128xf16, #shared>
    tile.copy %DT[%b, %h, %t] sizes [1, 1, 64] to %dts : memref<?x?x?xf32> to memref<64xf32, #shared>
    // Sums of the exponents up to each row (base 2), of at most 64.
    tile.parallel (%i) in (64) attributes {coalesced_width = 1 : i64} {
      %i1 = arith.addi %i, %c1 : index
      %sum = scf.for %j = %c0 to %i1 step %c1 iter_args(%acc = %zero) -> (f32) {
        %d = memref.load %dts[%j] : memref<64xf32, #shared>
        %n = arith.addf %acc, %d : f32
        scf.yield %n : f32
      }
      %e = arith.mulf %sum, %a2 : f32
      memref.store %e, %cum[%i] : memref<64xf32, #shared>
    }
    tile.copy %S to %Ss : memref<128x64xf32, #tile.fragment> to memref<128x64xf16, #shared>
    tile.gemm %Cs, %Bs, %P {clear, transpose_b} : memref<64x128xf16, #shared>, memref<64x128xf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.gemm %Cs, %Ss, %o {clear} : memref<64x128xf16, #shared>, memref<128x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %P[%i, %j] : memref<64x64xf32, #tile.fragment>
      %ci = memref.load %cum[%i] : memref<64xf32, #shared>
      %cj = memref.load %cum[%j] : memref<64xf32, #shared>
      %d = memref.load %dts[%j] : memref<64xf32, #shared>
      %past = arith.cmpi ule, %j, %i : index
      %l = arith.subf %ci, %cj : f32
      %e = math.exp2 %l fastmath<afn> : f32
      %w = arith.mulf %e, %d : f32
      %xw = arith.mulf %x, %w : f32
      %y = arith.select %past, %xw, %zero : f32
      %yh = arith.truncf %y : f32 to f16
      memref.store %yh, %Ph[%i, %j] : memref<64x64xf16, #tile.fragment>
    }
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %o[%i, %j] : memref<64x64xf32, #tile.fragment>
      %ci = memref.load %cum[%i] : memref<64xf32, #shared>
      %e = math.exp2 %ci fastmath<afn> : f32
      %y = arith.mulf %x, %e : f32
      memref.store %y, %o[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    tile.copy %Ph to %Ps : memref<64x64xf16, #tile.fragment> to memref<64x64xf16, #shared>
    tile.gemm %Ps, %Xs, %o : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
    tile.copy %o to %Y[%b, %t, %h, %c0] sizes [1, 64, 1, 64] : memref<64x64xf32, #tile.fragment> to memref<?x?x?x64xf16>
    // The rows that the state still remembers at the chunk's end.
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %Xs[%i, %j] : memref<64x64xf16, #shared>
      %xf = arith.extf %x : f16 to f32
      %ci = memref.load %cum[%i] : memref<64xf32, #shared>
      %cl = memref.load %cum[%c63] : memref<64xf32, #shared>
      %d = memref.load %dts[%i] : memref<64xf32, #shared>
      %l = arith.subf %cl, %ci : f32
      %e = math.exp2 %l fastmath<afn> : f32
      %w = arith.mulf %e, %d : f32
      %y = arith.mulf %xf, %w : f32
      %yh = arith.truncf %y : f32 to f16
      memref.store %yh, %Xw[%i, %j] : memref<64x64xf16, #shared>
    }
    tile.parallel (%i, %j) in (128, 64) {
      %x = memref.load %S[%i, %j] : memref<128x64xf32, #tile.fragment>
      %cl = memref.load %cum[%c63] : memref<64xf32, #shared>
      %e = math.exp2 %cl fastmath<afn> : f32
      %y = arith.mulf %x, %e : f32
      memref.store %y, %S[%i, %j] : memref<128x64xf32, #tile.fragment>
    }
    tile.gemm %Bs, %Xw, %S {transpose_a} : memref<64x128xf16, #shared>, memref<64x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
  }
}
