// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fp8 with scales of blocks: one for 1 x 128 of A, one for 128 x 128 of B; each step's product is scaled and added in f32.
// Printed by: benchmarks/program.py block_scaled name=block_scaled rows=64 threads=128 hints=A=128x512,SA=4x128,B=256x512,SB=2x4,C=128x256
#shared = #gpu.address_space<workgroup>
tile.kernel @block_scaled(%A: memref<?x?xf8E4M3FN> {tile.alignment = 16, tile.shape_hint = array<i64: 128, 512>}, %SA: memref<?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 128>}, %B: memref<?x?xf8E4M3FN> {tile.alignment = 16, tile.shape_hint = array<i64: 256, 512>}, %SB: memref<?x?xf32> {tile.shape_hint = array<i64: 2, 4>}, %C: memref<?x?xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 128, 256>})
    grid(%bx, %by) = (dim(%C, 1) ceildiv 128, dim(%C, 0) ceildiv 64) threads(128) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf8E4M3FN>
  %KB = memref.dim %B, %c1 : memref<?x?xf8E4M3FN>
  %NY = memref.dim %C, %c1 : memref<?x?xbf16>
  %MS = memref.dim %SA, %c1 : memref<?x?xf32>
  %NB = memref.dim %SB, %c0 : memref<?x?xf32>
  tile.assume %K {divisible_by = 128 : i64} : index
  tile.assume %KB {divisible_by = 128 : i64} : index
  tile.assume %NY {divisible_by = 8 : i64} : index
  tile.assume %MS {divisible_by = 4 : i64} : index
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c128 : index
  %As0 = tile.alloc : memref<64x128xf8E4M3FN, #shared>
  %Bs0 = tile.alloc : memref<128x128xf8E4M3FN, #shared>
  %Sa0 = tile.alloc : memref<64xf32, #shared>
  %part0 = tile.alloc : memref<64x128xf32, #tile.fragment>
  %acc = tile.alloc : memref<64x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c128 stages(4) {
    %k0 = arith.addi %k, %c0 : index
    %g0 = arith.divui %k0, %c128 : index
    tile.copy %A[%m, %k0] to %As0 : memref<?x?xf8E4M3FN> to memref<64x128xf8E4M3FN, #shared>
    tile.copy %B[%n, %k0] to %Bs0 : memref<?x?xf8E4M3FN> to memref<128x128xf8E4M3FN, #shared>
    tile.copy %SA[%g0, %m] sizes [1, 64] to %Sa0 : memref<?x?xf32> to memref<64xf32, #shared>
    %nb0_0 = arith.divui %n, %c128 : index
    %sb0_0 = memref.load %SB[%nb0_0, %g0] : memref<?x?xf32>
    tile.gemm %As0, %Bs0, %part0 {clear, transpose_b} : memref<64x128xf8E4M3FN, #shared>, memref<128x128xf8E4M3FN, #shared>, memref<64x128xf32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 128) {
      %sa = memref.load %Sa0[%i] : memref<64xf32, #shared>
      %s = arith.mulf %sa, %sb0_0 : f32
      %x = memref.load %part0[%i, %j] : memref<64x128xf32, #tile.fragment>
      %a = memref.load %acc[%i, %j] : memref<64x128xf32, #tile.fragment>
      %y = math.fma %x, %s, %a : f32
      memref.store %y, %acc[%i, %j] : memref<64x128xf32, #tile.fragment>
    }
  }
  tile.copy %acc to %C[%m, %n] : memref<64x128xf32, #tile.fragment> to memref<?x?xbf16>
}
