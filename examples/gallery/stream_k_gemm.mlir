// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C = A B with the iterations of all tiles dealt out evenly to 132 blocks (stream-K, by hand); tiles that two blocks or more
// share are added up atomically.
// A: M x K f16; B: K x N f16; C: M x N f32, zero before; K and N multiples of 8.
// Look at: a pipelined loop whose first and last iteration are computed, in a loop over tiles; a copy or an atomic addition by a
// condition.
#shared = #gpu.address_space<workgroup>
tile.kernel @stream_k_gemm(
    %A: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 512, 512>},
    %B: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 512, 512>},
    %C: memref<?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 512, 512>})
    grid(%w) = (132) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %c127 = arith.constant 127 : index
  %c128 = arith.constant 128 : index
  %c131 = arith.constant 131 : index
  %c132 = arith.constant 132 : index
  %zero = arith.constant 0.0 : f32
  %M = memref.dim %C, %c0 : memref<?x?xf32>
  %N = memref.dim %C, %c1 : memref<?x?xf32>
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  %NB = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64, min = 1 : i64} : index
  tile.assume %NB {divisible_by = 8 : i64} : index
  tile.assume %N {divisible_by = 8 : i64, min = 1 : i64} : index
  %mu = arith.addi %M, %c127 : index
  %tm = arith.divui %mu, %c128 : index
  %nu = arith.addi %N, %c127 : index
  %tn = arith.divui %nu, %c128 : index
  %ku = arith.addi %K, %c63 : index
  %tk = arith.divui %ku, %c64 : index
  %tiles = arith.muli %tm, %tn : index
  %all = arith.muli %tiles, %tk : index
  %au = arith.addi %all, %c131 : index
  %per = arith.divui %au, %c132 : index
  %start = arith.muli %w, %per : index
  %stop0 = arith.addi %start, %per : index
  %stop = arith.minui %stop0, %all : index
  %some = arith.cmpi ult, %start, %stop : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  %t0 = arith.divui %start, %tk : index
  %su = arith.addi %stop, %tk : index
  %su1 = arith.subi %su, %c1 : index
  %t1x = arith.divui %su1, %tk : index
  %t1 = arith.select %some, %t1x, %t0 : index
  scf.for %t = %t0 to %t1 step %c1 {
    %first = arith.muli %t, %tk : index
    %last = arith.addi %first, %tk : index
    %from = arith.maxui %start, %first : index
    %to = arith.minui %stop, %last : index
    %kf0 = arith.subi %from, %first : index
    %kt0 = arith.subi %to, %first : index
    %kf = arith.muli %kf0, %c64 : index
    %kt = arith.muli %kt0, %c64 : index
    %by = arith.divui %t, %tn : index
    %bx = arith.remui %t, %tn : index
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c128 : index
    tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
    tile.pipelined %k = %kf to %kt step %c64 stages(4) {
      tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<128x64xf16, #shared>
      tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<64x128xf16, #shared>
      tile.gemm %As, %Bs, %acc : memref<128x64xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
    }
    %isfirst = arith.cmpi eq, %from, %first : index
    %islast = arith.cmpi eq, %to, %last : index
    %whole = arith.andi %isfirst, %islast : i1
    scf.if %whole {
      tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<?x?xf32>
    } else {
      tile.atomic add %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<?x?xf32>
    }
  }
}
