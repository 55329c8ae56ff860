// A copy behind a pipelined loop that takes a slot of the loop's ring is awaited before the program overwrites its source.
// RUN: tile-run %s --stage=lowered --arch=sm_90a --check --args=A=64x512:smallint,B=512x64:smallint,C=64x64,D=64x64,K=256 | FileCheck %s
// RUN: tile-run %s --stage=lowered --arch=sm_100a --check --args=A=64x512:smallint,B=512x64:smallint,C=64x64,D=64x64,K=256 | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @products(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16}, %D: memref<?x?xf16> {tile.alignment = 16}, %K: index) grid(%bx) = (1) threads(128) attributes {specialize = false} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %zeroh = arith.constant 0.0 : f16
  %one = arith.constant 1.0 : f16
  %rowA = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %rowA {divisible_by = 8 : i64} : index
  %rowB = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %rowB {divisible_by = 8 : i64} : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %W = tile.alloc : memref<64x64xf16, #shared>
  tile.fill %W with %one : memref<64x64xf16, #shared>, f16
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c64 stages(2) {
    tile.copy %A[%c0, %k] to %As : memref<?x?xf16> to memref<64x64xf16, #shared>
    tile.copy %B[%k, %c0] to %Bs : memref<?x?xf16> to memref<64x64xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %A[%c0, %c0] to %As : memref<?x?xf16> to memref<64x64xf16, #shared>
  // in place: A is overwritten after it has been copied
  tile.parallel (%i, %j) in (64, 64) {
    memref.store %zeroh, %A[%i, %j] : memref<?x?xf16>
  }
  tile.gemm %As, %W, %acc : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  tile.copy %acc to %C[%c0, %c0] : memref<64x64xf32, #tile.fragment> to memref<?x?xf16>
}
