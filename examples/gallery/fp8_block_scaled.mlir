// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C = A B^T in fp8 with scales of blocks, as DeepSeek-V3 has it: one for 1 x 128 of A, one for 128 x 128 of B.
// A: M x K f8E4M3FN, SA: (K / 128) x M f32; B: N x K f8E4M3FN, SB: (N / 128) x (K / 128) f32; C: M x N bf16; K a multiple of 128,
// M of 4, N of 8.
// Look at: a gemm that clears its accumulator, and a loop over it that adds it, scaled, to another, while tensor cores go on.
#shared = #gpu.address_space<workgroup>
#block = affine_map<(d0) -> (d0 floordiv 128)>
tile.kernel @fp8_block_scaled(
    %A: memref<?x?xf8E4M3FN> {tile.alignment = 16, tile.shape_hint = array<i64: 256, 512>},
    %SA: memref<?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 256>},
    %B: memref<?x?xf8E4M3FN> {tile.alignment = 16, tile.shape_hint = array<i64: 256, 512>},
    %SB: memref<?x?xf32> {tile.shape_hint = array<i64: 2, 4>},
    %C: memref<?x?xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 256, 256>})
    grid(%bx, %by) = (dim(%C, 1) ceildiv 128, dim(%C, 0) ceildiv 128) threads(256) attributes {panel = 8 : i64, persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf8E4M3FN>
  %KB = memref.dim %B, %c1 : memref<?x?xf8E4M3FN>
  %MS = memref.dim %SA, %c1 : memref<?x?xf32>
  %NC = memref.dim %C, %c1 : memref<?x?xbf16>
  tile.assume %K {divisible_by = 128 : i64} : index
  tile.assume %KB {divisible_by = 128 : i64} : index
  tile.assume %MS {divisible_by = 4 : i64} : index
  tile.assume %NC {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  %As = tile.alloc : memref<128x128xf8E4M3FN, #shared>
  %Bs = tile.alloc : memref<128x128xf8E4M3FN, #shared>
  %Ss = tile.alloc : memref<128xf32, #shared>
  %part = tile.alloc : memref<128x128xf32, #tile.fragment>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c128 stages(5) {
    %g = affine.apply #block(%k)
    tile.copy %A[%m, %k] to %As : memref<?x?xf8E4M3FN> to memref<128x128xf8E4M3FN, #shared>
    tile.copy %B[%n, %k] to %Bs : memref<?x?xf8E4M3FN> to memref<128x128xf8E4M3FN, #shared>
    tile.copy %SA[%g, %m] to %Ss : memref<?x?xf32> to memref<128xf32, #shared>
    %sb = memref.load %SB[%bx, %g] : memref<?x?xf32>
    tile.gemm %As, %Bs, %part {clear, transpose_b} : memref<128x128xf8E4M3FN, #shared>, memref<128x128xf8E4M3FN, #shared>, memref<128x128xf32, #tile.fragment>
    tile.parallel (%i, %j) in (128, 128) {
      %x = memref.load %part[%i, %j] : memref<128x128xf32, #tile.fragment>
      %sa = memref.load %Ss[%i] : memref<128xf32, #shared>
      %a = memref.load %acc[%i, %j] : memref<128x128xf32, #tile.fragment>
      %s = arith.mulf %sa, %sb : f32
      %y = math.fma %x, %s, %a : f32
      memref.store %y, %acc[%i, %j] : memref<128x128xf32, #tile.fragment>
    }
  }
  tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<?x?xbf16>
}
