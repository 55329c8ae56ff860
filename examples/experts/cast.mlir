// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cast that makes A and SA of block_scaled.mlir: silu of one half times the other, e4m3 with a scale for each 128 columns.
// Printed by: benchmarks/program.py cast name=cast gate=True rows=8 groups=2 threads=128 hints=X=40x512,A=40x256,SA=2x40
#shared = #gpu.address_space<workgroup>
tile.kernel @cast(%X: memref<?x?xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 40, 512>}, %A: memref<?x?xf8E4M3FN> {tile.alignment = 16, tile.shape_hint = array<i64: 40, 256>}, %SA: memref<?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 40>})
    grid(%bx, %by) = (dim(%A, 1) ceildiv 256, dim(%A, 0) ceildiv 8) threads(128) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c256 = arith.constant 256 : index
  %f32_m1_4426950408889634 = arith.constant -1.4426950408889634 : f32
  %f32_1_0 = arith.constant 1.0 : f32
  %f32_1em30 = arith.constant 1.0e-30 : f32
  %f32_0_002232142857142857 = arith.constant 0.002232142857142857 : f32
  %f32_0_0 = arith.constant 0.0 : f32
  %c2 = arith.constant 2 : index
  %KA = memref.dim %A, %c1 : memref<?x?xf8E4M3FN>
  tile.assume %KA {divisible_by = 128 : i64} : index
  %KX = memref.dim %X, %c1 : memref<?x?xbf16>
  tile.assume %KX {divisible_by = 128 : i64} : index
  %MS = memref.dim %SA, %c1 : memref<?x?xf32>
  tile.assume %MS {divisible_by = 4 : i64} : index
  %m = arith.muli %by, %c8 : index
  %n = arith.muli %bx, %c256 : index
  %x = tile.alloc : memref<8x256xf32, #tile.fragment>
  tile.copy %X[%m, %n] to %x : memref<?x?xbf16> to memref<8x256xf32, #tile.fragment>
  %u = tile.alloc : memref<8x256xf32, #tile.fragment>
  %nu = arith.addi %n, %KA : index
  tile.copy %X[%m, %nu] to %u : memref<?x?xbf16> to memref<8x256xf32, #tile.fragment>
  tile.parallel (%i, %j) in (8, 256) {
    %y = memref.load %x[%i, %j] : memref<8x256xf32, #tile.fragment>
    %x0 = arith.mulf %y, %f32_m1_4426950408889634 : f32
    %x1 = math.exp2 %x0 fastmath<afn> : f32
    %x2 = arith.addf %x1, %f32_1_0 : f32
    %x3 = arith.divf %y, %x2 fastmath<arcp> : f32
    %x4 = memref.load %u[%i, %j] : memref<8x256xf32, #tile.fragment>
    %x5 = arith.mulf %x3, %x4 : f32
    memref.store %x5, %x[%i, %j] : memref<8x256xf32, #tile.fragment>
  }
  %xg = tile.view %x : memref<8x256xf32, #tile.fragment> to memref<8x2x128xf32, #tile.fragment>
  %peak = tile.alloc : memref<8x2xf32, #tile.fragment>
  tile.reduce absmax %xg to %peak dim(2) : memref<8x2x128xf32, #tile.fragment> to memref<8x2xf32, #tile.fragment>
  %scale = tile.alloc : memref<2x8xf32, #shared>
  tile.parallel (%i, %q) in (8, 2) {
    %x6 = memref.load %peak[%i, %q] : memref<8x2xf32, #tile.fragment>
    %x7 = arith.maximumf %x6, %f32_1em30 : f32
    %s = arith.mulf %x7, %f32_0_002232142857142857 : f32
    %x8 = arith.addf %s, %f32_0_0 : f32
    memref.store %x8, %scale[%q, %i] : memref<2x8xf32, #shared>
    %x9 = arith.divf %f32_1_0, %s fastmath<arcp> : f32
    memref.store %x9, %peak[%i, %q] : memref<8x2xf32, #tile.fragment>
  }
  tile.parallel (%i, %q, %j) in (8, 2, 128) {
    %x10 = memref.load %xg[%i, %q, %j] : memref<8x2x128xf32, #tile.fragment>
    %x11 = memref.load %peak[%i, %q] : memref<8x2xf32, #tile.fragment>
    %x12 = arith.mulf %x10, %x11 : f32
    memref.store %x12, %xg[%i, %q, %j] : memref<8x2x128xf32, #tile.fragment>
  }
  tile.copy %x to %A[%m, %n] : memref<8x256xf32, #tile.fragment> to memref<?x?xf8E4M3FN>
  %g = arith.muli %bx, %c2 : index
  tile.copy %scale to %SA[%g, %m] : memref<2x8xf32, #shared> to memref<?x?xf32>
}
