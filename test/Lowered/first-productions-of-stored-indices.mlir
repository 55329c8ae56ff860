// The first productions of a pipelined loop are issued in front of loads of global memory before it, but behind stores of the indices that their copies are computed from.
// RUN: tile-run %s --stage=scheduled --arch=sm_90a --check --args=A=64x512:smallint,B=512x64:smallint,C=64x64,X=8:permutation,I=8:zeros,K=7 | FileCheck %s
// RUN: tile-run %s --stage=lowered --arch=sm_90a --check --args=A=64x512:smallint,B=512x64:smallint,C=64x64,X=8:permutation,I=8:zeros,K=7 | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @products(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16}, %X: memref<8xi32>, %I: memref<8xi32>, %K: index)
    grid(%bx) = (1) threads(128) attributes {specialize = false} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %rowA = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %rowA {divisible_by = 8 : i64} : index
  %rowB = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %rowB {divisible_by = 8 : i64} : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  %names = tile.alloc : memref<8xi32, #tile.fragment>
  tile.copy %X[%c0] to %names : memref<8xi32> to memref<8xi32, #tile.fragment>
  tile.copy %names to %I[%c0] : memref<8xi32, #tile.fragment> to memref<8xi32>
  tile.pipelined %k = %c0 to %K step %c1 stages(2) {
    %name = memref.load %I[%k] : memref<8xi32>
    %part = arith.index_cast %name : i32 to index
    %kk = arith.muli %part, %c64 : index
    tile.copy %A[%c0, %kk] to %As : memref<?x?xf16> to memref<64x64xf16, #shared>
    tile.copy %B[%kk, %c0] to %Bs : memref<?x?xf16> to memref<64x64xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%c0, %c0] : memref<64x64xf32, #tile.fragment> to memref<?x?xf16>
}
