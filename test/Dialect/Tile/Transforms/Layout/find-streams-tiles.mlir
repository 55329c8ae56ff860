// Arguments that blocks of a persistent kernel read once, where each tile is one of them and two blocks share its sum.
// RUN: tile-opt %s --tile-to-copies=arch=sm_90a | FileCheck %s
// RUN: tile-opt %s --tile-to-copies=arch=sm_90a --tile-find-streams=remarks=true -verify-diagnostics -o /dev/null
#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: tile.kernel @tiles
// CHECK-SAME:    tile.read_once = [array<i64: 0, 0>, array<i64: 1, 1>, array<i64: 2, 1>]
// expected-remark @+3 {{argument 0 is read once where blocks that differ along dimension 0 of the grid run at the same time: what is loaded of it leaves the L2 cache first, up to 200 MB}}
// expected-remark @+2 {{argument 1 is read once where blocks that differ along dimension 1 of the grid}}
// expected-remark @+1 {{argument 2 is read once where blocks that differ along dimension 1 of the grid}}
tile.kernel @tiles(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %G: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16})
    grid(%bx, %by) = (dim(%C, 1) ceildiv 64, (dim(%C, 0) ceildiv 128) * 2) threads(128) cluster(1, 2) attributes {panel = 8 : i64, persistent = 1 : i64, split = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 64 : i64} : index
  %rowB = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %rowB {divisible_by = 64 : i64} : index
  %rowG = memref.dim %G, %c1 : memref<?x?xf16>
  tile.assume %rowG {divisible_by = 64 : i64} : index
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  %a = tile.alloc : memref<64x64xf16, #shared>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %g = tile.alloc : memref<1x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c64 stages(3) {
    %step = arith.divui %k, %c64 : index
    tile.copy %A[%m, %k] to %a : memref<?x?xf16> to memref<64x64xf16, #shared>
    tile.copy %B[%n, %k] to %b : memref<?x?xf16> to memref<64x64xf16, #shared>
    tile.copy %G[%step, %n] to %g : memref<?x?xf16> to memref<1x64xf16, #shared>
    tile.gemm %a, %b, %acc {transpose_b} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<64x64xf32, #tile.fragment> to memref<?x?xf16>
}
