// Blocks that share tiles may be at different iterations at a time: what they have in common is read again later, and is not asked to leave the L2
// cache first.
// RUN: tile-opt %s --tile-to-copies=arch=sm_90a | FileCheck %s
// CHECK-LABEL: tile.kernel @tiles
// CHECK-NOT: tile.read_once
#shared = #gpu.address_space<workgroup>
tile.kernel @tiles(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16})
    grid(%bx, %by) = (dim(%C, 1) ceildiv 64, dim(%C, 0) ceildiv 64) threads(128) attributes {persistent = 1 : i64, stream_k = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 64 : i64} : index
  %rowB = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %rowB {divisible_by = 64 : i64} : index
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c64 stages(3) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<64x64xf16, #shared>
    tile.copy %B[%n, %k] to %Bs : memref<?x?xf16> to memref<64x64xf16, #shared>
    tile.gemm %As, %Bs, %acc {transpose_b} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<64x64xf32, #tile.fragment> to memref<?x?xf16>
}
