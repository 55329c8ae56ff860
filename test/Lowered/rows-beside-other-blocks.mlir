// Rows that start anywhere are read by aligned pieces, with bytes of neighbours that other blocks write: no race, as they are shifted
// out.
// RUN: tile-run %s --args=A=33x65@67x1,B=33x65@67x1,C=33x65 --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --args=A=33x65@67x1,B=33x65@67x1,C=33x65 --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @beside(%A: memref<?x?xf16, strided<[?, 1]>>, %B: memref<?x?xf16, strided<[?, 1]>>, %C: memref<?x?xf16>)
    grid(%b) = (dim(%A, 1) ceildiv 32) threads(64) attributes {persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %column = arith.muli %b, %c32 : index
  %a = tile.alloc : memref<33x32xf16, #shared>
  %s = tile.alloc : memref<33x32xf16, #shared>
  tile.copy %A[%c0, %column] to %a : memref<?x?xf16, strided<[?, 1]>> to memref<33x32xf16, #shared>
  tile.copy %a to %B[%c0, %column] : memref<33x32xf16, #shared> to memref<?x?xf16, strided<[?, 1]>>
  tile.copy %B[%c0, %column] to %s : memref<?x?xf16, strided<[?, 1]>> to memref<33x32xf16, #shared>
  tile.copy %s to %C[%c0, %column] : memref<33x32xf16, #shared> to memref<?x?xf16>
}
