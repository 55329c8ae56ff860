// Rows of a stated layout that start at multiples of four bytes: loops, copies and gemms read no 16 bytes at once there.
// RUN: tile-run %s --args=A=64x32,B=64x32,C=64x64 --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --args=A=64x32,B=64x32,C=64x64 --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @padded(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<64x64xf32>)
    grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2.0 : f16
  %As = tile.alloc layout(#tile.shared_layout<shape [64, 32] bits 16 modes [(32, 1:1), (64, 0:34)]>) : memref<64x32xf16, #shared>
  %Bs = tile.alloc layout(#tile.shared_layout<shape [64, 32] bits 16 modes [(32, 1:1), (64, 0:34)]>) : memref<64x32xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.copy %A[%c0, %c0] to %As : memref<?x?xf16> to memref<64x32xf16, #shared>
  tile.copy %B[%c0, %c0] to %Bs : memref<?x?xf16> to memref<64x32xf16, #shared>
  tile.parallel (%i, %j) in (64, 32) {
    %a = memref.load %As[%i, %j] : memref<64x32xf16, #shared>
    %twice = arith.mulf %a, %two : f16
    memref.store %twice, %As[%i, %j] : memref<64x32xf16, #shared>
  }
  tile.gemm %As, %Bs, %acc {transpose_b, clear} : memref<64x32xf16, #shared>, memref<64x32xf16, #shared>, memref<64x64xf32, #tile.fragment>
  tile.copy %acc to %C[%c0, %c0] : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}
