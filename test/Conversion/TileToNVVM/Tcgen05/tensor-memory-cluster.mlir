// Blocks of a cluster wait for each other, so none may wait for columns that
// another cluster holds: 64 of 512 columns each let eight of them run on one
// multiprocessor, and a ninth part of its shared memory is asked for.
// RUN: split-file %s %t
// RUN: tile-translate %t/cluster.mlir --tile-to-artifact --arch=sm_100a --ptxas=%S/../../../Target/Inputs/old-ptxas -o %t.cluster
// RUN: FileCheck %t/cluster.mlir < %t.cluster
// RUN: tile-translate %t/alone.mlir --tile-to-artifact --arch=sm_100a --ptxas=%S/../../../Target/Inputs/old-ptxas -o %t.alone
// RUN: FileCheck %t/alone.mlir < %t.alone

//--- cluster.mlir
// CHECK: "shared_bytes": 25952
// CHECK: tcgen05.alloc
#shared = #gpu.address_space<workgroup>
tile.kernel @cluster(%A: memref<256x64xf16> {tile.alignment = 16}, %B: memref<64x64xf16> {tile.alignment = 16}, %C: memref<256x64xf32> {tile.alignment = 16})
    grid(%bx) = (2) threads(128) cluster(2) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %m = arith.muli %bx, %c128 : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<128x64xf32, #tile.fragment>
  tile.copy %A[%m, %c0] to %As : memref<256x64xf16> to memref<128x64xf16, #shared>
  tile.copy %B to %Bs : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.gemm %As, %Bs, %acc {clear} : memref<128x64xf16, #shared>, memref<64x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
  tile.copy %acc to %C[%m, %c0] : memref<128x64xf32, #tile.fragment> to memref<256x64xf32>
}

//--- alone.mlir
// CHECK: "shared_bytes": 24624
// CHECK: tcgen05.alloc
#shared = #gpu.address_space<workgroup>
tile.kernel @alone(%A: memref<256x64xf16> {tile.alignment = 16}, %B: memref<64x64xf16> {tile.alignment = 16}, %C: memref<256x64xf32> {tile.alignment = 16})
    grid(%bx) = (2) threads(128) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %m = arith.muli %bx, %c128 : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<128x64xf32, #tile.fragment>
  tile.copy %A[%m, %c0] to %As : memref<256x64xf16> to memref<128x64xf16, #shared>
  tile.copy %B to %Bs : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.gemm %As, %Bs, %acc {clear} : memref<128x64xf16, #shared>, memref<64x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
  tile.copy %acc to %C[%m, %c0] : memref<128x64xf32, #tile.fragment> to memref<256x64xf32>
}
