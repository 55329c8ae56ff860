// What the blocks of a split tile exchange goes in pieces where the kernel is persistent, for there the ring is never idle. Pieces of six registers
// and a last one of two are exchanged by accesses of two registers and of one: a thread then writes where another one of the block still reads.
// RUN: tile-run %s --args=A=168x584,B=376x584,C=168x376 --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @split_pieces(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16})
    grid(%bx, %by) = (dim(%C, 1) ceildiv 192, dim(%C, 0) ceildiv 88) threads(384) attributes {panel = 8 : i64, persistent = 1 : i64, split = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 88 : index
  %bn = arith.constant 192 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  %rowB = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %rowB {divisible_by = 8 : i64} : index
  %rowC = memref.dim %C, %c1 : memref<?x?xf16>
  tile.assume %rowC {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %bm : index
  %n = arith.muli %bx, %bn : index
  %As = tile.alloc : memref<88x64xf16, #shared>
  %Bs = tile.alloc : memref<192x64xf16, #shared>
  %acc = tile.alloc : memref<88x192xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<88x192xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %bk stages(6) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<88x64xf16, #shared>
    tile.copy %B[%n, %k] to %Bs : memref<?x?xf16> to memref<192x64xf16, #shared>
    tile.gemm %As, %Bs, %acc {transpose_b} : memref<88x64xf16, #shared>, memref<192x64xf16, #shared>, memref<88x192xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<88x192xf32, #tile.fragment> to memref<?x?xf16>
}
