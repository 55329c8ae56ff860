// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fp8 with scales of blocks that are powers of two, one for each 32 columns, four of them in a word.
// Data for tile-run: --args=SA=2x128:range:2122219134:2122219135,SB=2x136:range:2122219134:2122219135.
// Printed by: benchmarks/program.py block_scaled name=block_scaled_mx group=32 fine=True scales=e8m0 rows=64 columns=64 threads=128 hints=A=128x256,SA=2x128,B=136x256,SB=2x136,C=128x136
#shared = #gpu.address_space<workgroup>
tile.kernel @block_scaled_mx(%A: memref<?x?xf8E4M3FN> {tile.alignment = 16, tile.shape_hint = array<i64: 128, 256>}, %SA: memref<?x?xi32> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 128>}, %B: memref<?x?xf8E4M3FN> {tile.alignment = 16, tile.shape_hint = array<i64: 136, 256>}, %SB: memref<?x?xi32> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 136>}, %C: memref<?x?xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 128, 136>})
    grid(%bx, %by) = (dim(%C, 1) ceildiv 64, dim(%C, 0) ceildiv 64) threads(128) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c4 = arith.constant 4 : index
  %i32_8 = arith.constant 8 : i32
  %zero = arith.constant 0.0 : f32
  %mask = arith.constant 255 : i32
  %c23 = arith.constant 23 : i32
  %K = memref.dim %A, %c1 : memref<?x?xf8E4M3FN>
  %KB = memref.dim %B, %c1 : memref<?x?xf8E4M3FN>
  %NY = memref.dim %C, %c1 : memref<?x?xbf16>
  %MS = memref.dim %SA, %c1 : memref<?x?xi32>
  %NS = memref.dim %SB, %c1 : memref<?x?xi32>
  tile.assume %K {divisible_by = 128 : i64} : index
  tile.assume %KB {divisible_by = 128 : i64} : index
  tile.assume %NY {divisible_by = 8 : i64} : index
  tile.assume %MS {divisible_by = 4 : i64} : index
  tile.assume %NS {divisible_by = 4 : i64} : index
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  %As0 = tile.alloc : memref<64x32xf8E4M3FN, #shared>
  %Bs0 = tile.alloc : memref<64x32xf8E4M3FN, #shared>
  %Sa0 = tile.alloc : memref<64xi32, #shared>
  %Sb0 = tile.alloc : memref<64xi32, #shared>
  %part0 = tile.alloc : memref<64x64xf32, #tile.fragment>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c32 stages(4) {
    %k0 = arith.addi %k, %c0 : index
    %g0 = arith.divui %k0, %c32 : index
    %word0 = arith.divui %g0, %c4 : index
    %x0 = arith.remui %g0, %c4 : index
    %x1 = arith.index_cast %x0 : index to i32
    %byte0 = arith.muli %x1, %i32_8 : i32
    tile.copy %A[%m, %k0] to %As0 : memref<?x?xf8E4M3FN> to memref<64x32xf8E4M3FN, #shared>
    tile.copy %B[%n, %k0] to %Bs0 : memref<?x?xf8E4M3FN> to memref<64x32xf8E4M3FN, #shared>
    tile.copy %SA[%word0, %m] sizes [1, 64] to %Sa0 : memref<?x?xi32> to memref<64xi32, #shared>
    tile.copy %SB[%word0, %n] sizes [1, 64] to %Sb0 : memref<?x?xi32> to memref<64xi32, #shared>
    tile.gemm %As0, %Bs0, %part0 {clear, transpose_b} : memref<64x32xf8E4M3FN, #shared>, memref<64x32xf8E4M3FN, #shared>, memref<64x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 64) {
      %saw = memref.load %Sa0[%i] : memref<64xi32, #shared>
      %sas = arith.shrui %saw, %byte0 : i32
      %sam = arith.andi %sas, %mask : i32
      %sae = arith.shli %sam, %c23 : i32
      %sa = arith.bitcast %sae : i32 to f32
      %sbw = memref.load %Sb0[%j] : memref<64xi32, #shared>
      %sbs = arith.shrui %sbw, %byte0 : i32
      %sbm = arith.andi %sbs, %mask : i32
      %sbe = arith.shli %sbm, %c23 : i32
      %sb = arith.bitcast %sbe : i32 to f32
      %s = arith.mulf %sa, %sb : f32
      %x = memref.load %part0[%i, %j] : memref<64x64xf32, #tile.fragment>
      %a = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
      %y = math.fma %x, %s, %a : f32
      memref.store %y, %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
  }
  tile.copy %acc to %C[%m, %n] : memref<64x64xf32, #tile.fragment> to memref<?x?xbf16>
}
