// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same with f32 scales, of experts.
// Data for tile-run: --args=OFF=5:sorted:0:153.
// Printed by: benchmarks/program.py block_scaled name=block_scaled_experts form=contiguous rows=64 columns=64 threads=128 hints=A=152x256,SA=2x152,B=4x136x256,SB=4x2x2,OFF=5,C=152x136
#shared = #gpu.address_space<workgroup>
tile.kernel @block_scaled_experts(%A: memref<?x?xf8E4M3FN> {tile.alignment = 16, tile.shape_hint = array<i64: 152, 256>}, %SA: memref<?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 152>}, %B: memref<?x?x?xf8E4M3FN> {tile.alignment = 16, tile.shape_hint = array<i64: 4, 136, 256>}, %SB: memref<?x?x?xf32> {tile.shape_hint = array<i64: 4, 2, 2>}, %OFF: memref<?xi32> {tile.shape_hint = array<i64: 5>}, %C: memref<?x?xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 152, 136>})
    grid(%bx, %t) = (dim(%C, 1) ceildiv 64, dim(%A, 0) ceildiv 64 + dim(%OFF, 0)) threads(128) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %c4 = arith.constant 4 : index
  %c128 = arith.constant 128 : index
  %i32_m1 = arith.constant -1 : i32
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf8E4M3FN>
  %KB = memref.dim %B, %c2 : memref<?x?x?xf8E4M3FN>
  %NY = memref.dim %C, %c1 : memref<?x?xbf16>
  %MS = memref.dim %SA, %c1 : memref<?x?xf32>
  %NB = memref.dim %SB, %c1 : memref<?x?x?xf32>
  tile.assume %K {divisible_by = 128 : i64} : index
  tile.assume %KB {divisible_by = 128 : i64} : index
  tile.assume %NY {divisible_by = 8 : i64} : index
  tile.assume %MS {divisible_by = 4 : i64} : index
  %E1 = memref.dim %OFF, %c0 : memref<?xi32>
  %E = arith.subi %E1, %c1 : index
  // Which expert has tile t, and from which row on: experts take ceil(rows / 64) tiles each.
  %ef, %mf, %endf, %tiles = scf.for %x = %c0 to %E step %c1 iter_args(%ex = %E, %mx = %c0, %endx = %c0, %passed = %c0) -> (index, index, index, index) {
    %before = arith.addi %passed, %c0 : index
    %x0 = memref.load %OFF[%x] : memref<?xi32>
    %a = arith.index_cast %x0 : i32 to index
    %x1 = arith.addi %x, %c1 : index
    %x2 = memref.load %OFF[%x1] : memref<?xi32>
    %b = arith.index_cast %x2 : i32 to index
    %x3 = arith.subi %b, %a : index
    %x4 = arith.addi %x3, %c63 : index
    %x5 = arith.divui %x4, %c64 : index
    %after = arith.addi %before, %x5 : index
    %ge = arith.cmpi sge, %t, %before : index
    %lt = arith.cmpi slt, %t, %after : index
    %mine = arith.andi %ge, %lt : i1
    %x6 = arith.subi %t, %before : index
    %x7 = arith.muli %x6, %c64 : index
    %first = arith.addi %a, %x7 : index
    %e2 = arith.select %mine, %x, %ex : index
    %m2 = arith.select %mine, %first, %mx : index
    %end2 = arith.select %mine, %b, %endx : index
    scf.yield %e2, %m2, %end2, %after : index, index, index, index
  }
  %e = arith.addi %ef, %c0 : index
  %m = arith.addi %mf, %c0 : index
  %end = arith.addi %endf, %c0 : index
  %some = arith.cmpi slt, %e, %E : index
  scf.if %some {
    %n = arith.muli %bx, %c64 : index
    %x8 = arith.divui %m, %c4 : index
    %base = arith.muli %x8, %c4 : index
    %shift = arith.subi %m, %base : index
    %As0 = tile.alloc : memref<64x128xf8E4M3FN, #shared>
    %Bs0 = tile.alloc : memref<64x128xf8E4M3FN, #shared>
    %Sa0 = tile.alloc : memref<68xf32, #shared>
    %part0 = tile.alloc : memref<64x64xf32, #tile.fragment>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
    tile.pipelined %k = %c0 to %K step %c128 stages(4) {
      %k0 = arith.addi %k, %c0 : index
      %g0 = arith.divui %k0, %c128 : index
      tile.copy %A[%m, %k0] to %As0 : memref<?x?xf8E4M3FN> to memref<64x128xf8E4M3FN, #shared>
      tile.copy %B[%e, %n, %k0] sizes [1, 64, 128] to %Bs0 : memref<?x?x?xf8E4M3FN> to memref<64x128xf8E4M3FN, #shared>
      tile.copy %SA[%g0, %base] sizes [1, 68] to %Sa0 : memref<?x?xf32> to memref<68xf32, #shared>
      %nb0_0 = arith.divui %n, %c128 : index
      %sb0_0 = memref.load %SB[%e, %nb0_0, %g0] : memref<?x?x?xf32>
      tile.gemm %As0, %Bs0, %part0 {clear, transpose_b} : memref<64x128xf8E4M3FN, #shared>, memref<64x128xf8E4M3FN, #shared>, memref<64x64xf32, #tile.fragment>
      tile.parallel (%i, %j) in (64, 64) {
        %x9 = arith.addi %i, %shift : index
        %sa = memref.load %Sa0[%x9] : memref<68xf32, #shared>
        %s = arith.mulf %sa, %sb0_0 : f32
        %x = memref.load %part0[%i, %j] : memref<64x64xf32, #tile.fragment>
        %a = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
        %y = math.fma %x, %s, %a : f32
        memref.store %y, %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
      }
    }
    %to = tile.alloc : memref<64xi32, #shared>
    // Rows from the expert's end on are another's: they go nowhere.
    tile.parallel (%i) in (64) {
      %at = arith.addi %m, %i : index
      %x10 = arith.cmpi slt, %at, %end : index
      %x11 = arith.index_cast %at : index to i32
      %x12 = arith.select %x10, %x11, %i32_m1 : i32
      memref.store %x12, %to[%i] : memref<64xi32, #shared>
    }
    tile.scatter %acc to %C[%n] rows %to[%c0] : memref<64x64xf32, #tile.fragment> to memref<?x?xbf16>, memref<64xi32, #shared>
  }
}
