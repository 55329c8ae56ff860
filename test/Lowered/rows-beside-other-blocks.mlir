// Rows that start anywhere are read by aligned pieces, with bytes of neighbours that other blocks write: no race, as they are shifted
// out. What a block reads of its own is.
// RUN: tile-run %s --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @beside(%A: memref<64x21xf16>, %B: memref<64x21xf16>, %C: memref<64x21xf16>) grid(%b) = (3) threads(64) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %column = arith.muli %b, %c7 : index
  %a = tile.alloc : memref<64x7xf16, #tile.fragment>
  %s = tile.alloc : memref<64x7xf16, #shared>
  tile.copy %A[%c0, %column] to %a : memref<64x21xf16> to memref<64x7xf16, #tile.fragment>
  tile.copy %a to %B[%c0, %column] : memref<64x7xf16, #tile.fragment> to memref<64x21xf16>
  tile.copy %B[%c0, %column] to %s : memref<64x21xf16> to memref<64x7xf16, #shared>
  tile.copy %s to %C[%c0, %column] : memref<64x7xf16, #shared> to memref<64x21xf16>
}
