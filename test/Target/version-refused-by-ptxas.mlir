// A version that the assembler refuses is left out, and the rest is compiled
// again; what it refuses of kernels themselves is an error, as ever.
// RUN: tile-translate %s --tile-to-artifact --arch=sm_90a --ptxas=%S/Inputs/picky-ptxas -o %t.artifact --remarks 2>&1 | FileCheck %s --check-prefix=LEFT --implicit-check-not=error:
// RUN: grep -a "__aligned" %t.artifact | FileCheck %s --check-prefix=MANIFEST
// RUN: sed s/@second/@unnamed/ %s > %t.mlir
// RUN: tile-translate %t.mlir --tile-to-artifact --arch=sm_90a --ptxas=%S/Inputs/picky-ptxas -o %t.artifact --remarks 2>&1 | FileCheck %s --check-prefix=ALL --implicit-check-not=error:
// RUN: sed s/@second/@wrong/ %s > %t.mlir
// RUN: not tile-translate %t.mlir --tile-to-artifact --arch=sm_90a --ptxas=%S/Inputs/picky-ptxas -o %t.none 2>&1 | FileCheck %s --check-prefix=ERROR
// LEFT:         note: 'second__aligned' is left out, and others of 'second' are launched in its place: cannot assemble the PTX: ptxas error   : Entry function 'second__aligned' uses too much shared data
// MANIFEST:     first__aligned
// MANIFEST-NOT: second__aligned
// ALL-DAG:      note: 'first__aligned' is left out, and others of 'first' are launched in its place: cannot assemble the PTX: ptxas x.ptx, line 7; error   : Unknown
// ALL-DAG:      note: 'unnamed__aligned' is left out, and others of 'unnamed' are launched in its place: cannot assemble the PTX: ptxas x.ptx, line 7; error   : Unknown
// ERROR:        error: cannot assemble the PTX: ptxas error   : Entry function 'wrong' uses too much shared data
tile.kernel @first(%A: memref<?x?xf32>, %B: memref<?x?xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %f = tile.alloc : memref<32x32xf32, #tile.fragment>
  tile.copy %A[%c0, %c0] to %f : memref<?x?xf32> to memref<32x32xf32, #tile.fragment>
  tile.copy %f to %B[%c0, %c0] : memref<32x32xf32, #tile.fragment> to memref<?x?xf32>
}
tile.kernel @second(%A: memref<?x?xf32>, %B: memref<?x?xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %f = tile.alloc : memref<32x32xf32, #tile.fragment>
  tile.copy %A[%c0, %c0] to %f : memref<?x?xf32> to memref<32x32xf32, #tile.fragment>
  tile.copy %f to %B[%c0, %c0] : memref<32x32xf32, #tile.fragment> to memref<?x?xf32>
}
