// Elements of half a byte in global memory: a byte's other element, or its neighbours in the word, are another block's, which stores them while
// this block reads its own back. By single elements, by bytes and halves of words beside single elements, under another name, in 5 bytes.
// RUN: tile-run %s --kernel=copies --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=copies --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=loops --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=runs --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=few --stage=lowered --arch=sm_80 --check | FileCheck %s
// CHECK: PASS
tile.kernel @copies(%A: memref<8x21xf4E2M1FN>, %B: memref<8x21xf4E2M1FN>, %C: memref<8x21xf32>) grid(%b) = (3) threads(64) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %at = arith.muli %b, %c7 : index
  %f = tile.alloc : memref<8x7xf4E2M1FN, #tile.fragment>
  %g = tile.alloc : memref<8x7xf4E2M1FN, #tile.fragment>
  tile.copy %A[%c0, %at] to %f : memref<8x21xf4E2M1FN> to memref<8x7xf4E2M1FN, #tile.fragment>
  tile.copy %f to %B[%c0, %at] : memref<8x7xf4E2M1FN, #tile.fragment> to memref<8x21xf4E2M1FN>
  tile.copy %B[%c0, %at] to %g : memref<8x21xf4E2M1FN> to memref<8x7xf4E2M1FN, #tile.fragment>
  tile.copy %g to %C[%c0, %at] : memref<8x7xf4E2M1FN, #tile.fragment> to memref<8x21xf32>
}
tile.kernel @loops(%A: memref<8x21xi4>, %B: memref<8x21xi4>, %C: memref<8x21xi4>) grid(%b) = (3) threads(64) {
  %c7 = arith.constant 7 : index
  %at = arith.muli %b, %c7 : index
  tile.parallel (%i, %j) in (8, 7) {
    %k = arith.addi %at, %j : index
    %a = memref.load %A[%i, %k] : memref<8x21xi4>
    memref.store %a, %B[%i, %k] : memref<8x21xi4>
  }
  tile.parallel (%i, %j) in (8, 7) {
    %k = arith.addi %at, %j : index
    %b2 = memref.load %B[%i, %k] : memref<8x21xi4>
    memref.store %b2, %C[%i, %k] : memref<8x21xi4>
  }
}
// Rows of three words: the first block has one element of the second half of a word, the second block what is left of the word and more.
tile.kernel @runs(%A: memref<8x24xi4> {tile.alignment = 16}, %B: memref<8x24xi4> {tile.alignment = 16}, %C: memref<8x24xi4>) grid(%b) = (2) threads(64) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c20 = arith.constant 20 : index
  %is = arith.cmpi eq, %b, %c0 : index
  scf.if %is {
    tile.parallel (%i) in (8) {
      %a = memref.load %A[%i, %c20] : memref<8x24xi4>
      memref.store %a, %B[%i, %c20] : memref<8x24xi4>
    }
  } else {
    %f = tile.alloc : memref<8x16xi4, #tile.fragment>
    %g = tile.alloc : memref<8x16xi4, #tile.fragment>
    tile.copy %A[%c0, %c4] to %f : memref<8x24xi4> to memref<8x16xi4, #tile.fragment>
    tile.copy %f to %B[%c0, %c4] : memref<8x16xi4, #tile.fragment> to memref<8x24xi4>
    tile.copy %B[%c0, %c4] to %g : memref<8x24xi4> to memref<8x16xi4, #tile.fragment>
    tile.copy %g to %C[%c0, %c4] : memref<8x16xi4, #tile.fragment> to memref<8x24xi4>
  }
}
tile.kernel @few(%A: memref<3x3xi4>, %B: memref<3x3xi4>, %C: memref<3x3xi4>) grid(%b) = (3) threads(32) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<1x3xi4, #tile.fragment>
  %t = tile.alloc : memref<1x3xi4, #tile.fragment>
  tile.copy %A[%b, %c0] to %s : memref<3x3xi4> to memref<1x3xi4, #tile.fragment>
  tile.copy %s to %B[%b, %c0] : memref<1x3xi4, #tile.fragment> to memref<3x3xi4>
  tile.copy %B[%b, %c0] to %t : memref<3x3xi4> to memref<1x3xi4, #tile.fragment>
  tile.copy %t to %C[%b, %c0] : memref<1x3xi4, #tile.fragment> to memref<3x3xi4>
}
