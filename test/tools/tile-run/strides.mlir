// Strides that a type leaves open are chosen so that no two elements share a
// place, whatever the others are; strides that make them are refused for what
// is written.
// RUN: tile-run %s --kernel=rows --args=X=5x7,Y=5x7 --check --json | FileCheck %s --check-prefix=ROWS
// RUN: tile-run %s --kernel=columns --args=X=5x7,Y=5x7 --check --json | FileCheck %s --check-prefix=COLUMNS
// RUN: tile-run %s --kernel=between --args=X=3x4x5,Y=3x4x5 --check --json | FileCheck %s --check-prefix=BETWEEN
// RUN: tile-run %s --kernel=apart --args=X=4x3,Y=4x3 --check --json | FileCheck %s --check-prefix=APART
// RUN: tile-run %s --kernel=apart --args=X=2x3,Y=2x3 --check --json | FileCheck %s --check-prefix=INTERLEAVED
// RUN: tile-run %s --kernel=crossed --args=X=2x2x4,Y=2x2x4 --check --json | FileCheck %s --check-prefix=CROSSED
// RUN: tile-run %s --kernel=open --args=X=2x3x4,Y=2x3x4 --check --json | FileCheck %s --check-prefix=OPEN
// RUN: tile-run %s --kernel=open --args=X=0x3x4,Y=0x3x4 --check --json | FileCheck %s --check-prefix=EMPTY

// ROWS: "name":"Y","shape":[5,7],"strides":[7,1]
// COLUMNS: "name":"Y","shape":[5,7],"strides":[1,5]
// BETWEEN: "name":"Y","shape":[3,4,5],"strides":[64,5,1]
// APART: "name":"Y","shape":[4,3],"strides":[6,2]
// INTERLEAVED: "name":"Y","shape":[2,3],"strides":[1,2]
// Fixed strides of 6 and 9 leave no room for four in their gaps.
// CROSSED: "name":"Y","shape":[2,2,4],"strides":[6,9,18]
// OPEN: "name":"Y","shape":[2,3,4],"strides":[12,4,1]
// EMPTY: "name":"Y","shape":[0,3,4]
// ROWS: "passed":true
// COLUMNS: "passed":true
// BETWEEN: "passed":true
// APART: "passed":true
// INTERLEAVED: "passed":true
// CROSSED: "passed":true
// OPEN: "passed":true
// EMPTY: "passed":true

// RUN: not tile-run %s --kernel=columns --args=X=4x4,Y=4x4@1x1 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not tile-run %s --kernel=open --args=X=2x3x4,Y=2x3x4@0x4x1 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not tile-run %s --kernel=open --args=X=2x3x4,Y=2x3x4@6x4x2 2>&1 | FileCheck %s --check-prefix=MEET
// RUN: not tile-run %s --kernel=same --args=Y=4x4 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: not tile-run %s --kernel=open --args=X=2x3x4,Y=2x3x4@99999999999x4x1 2>&1 | FileCheck %s --check-prefix=FAR
// SHARED: tile-run: error: expected the elements of argument 'Y', which is written, to have places of their own, got strides 1x1 for shape 4x4: element [1, 0] lies where another one does
// ZERO: tile-run: error: expected the elements of argument 'Y', {{.*}} got strides 0x4x1 for shape 2x3x4: element [1, 0, 0]
// MEET: tile-run: error: expected the elements of argument 'Y', {{.*}} got strides 6x4x2 for shape 2x3x4:
// SAME: tile-run: error: expected the elements of argument 'Y', {{.*}} got strides 1x1
// FAR: tile-run: error: expected strides of argument 'Y' to stay below 2^30 elements

// What is only read may be one row for all, and places that are shared need
// not be in rows: 6x4x2 is not nested and yet keeps 2x2x2 elements apart.
// RUN: tile-run %s --kernel=open --args=X=2x3x4@0x4x1,Y=2x3x4 --check | FileCheck %s
// RUN: tile-run %s --kernel=open --args=X=2x2x2@5x3x2,Y=2x2x2@9x5x2 --check | FileCheck %s
// CHECK: PASS

#columns = strided<[1, ?]>
#between = strided<[64, ?, 1]>
#apart = strided<[?, 2]>
#crossed = strided<[6, 9, ?]>
#open = strided<[?, ?, ?]>

tile.kernel @rows(%X: memref<?x?xf32>, %Y: memref<?x?xf32, strided<[?, 1]>>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %x = tile.alloc : memref<8x8xf32, #tile.fragment>
  tile.copy %X[%c0, %c0] to %x : memref<?x?xf32> to memref<8x8xf32, #tile.fragment>
  tile.copy %x to %Y[%c0, %c0] : memref<8x8xf32, #tile.fragment> to memref<?x?xf32, strided<[?, 1]>>
}
tile.kernel @columns(%X: memref<?x?xf32>, %Y: memref<?x?xf32, #columns>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %x = tile.alloc : memref<8x8xf32, #tile.fragment>
  tile.copy %X[%c0, %c0] to %x : memref<?x?xf32> to memref<8x8xf32, #tile.fragment>
  tile.copy %x to %Y[%c0, %c0] : memref<8x8xf32, #tile.fragment> to memref<?x?xf32, #columns>
}
tile.kernel @apart(%X: memref<?x?xf32>, %Y: memref<?x?xf32, #apart>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %x = tile.alloc : memref<8x8xf32, #tile.fragment>
  tile.copy %X[%c0, %c0] to %x : memref<?x?xf32> to memref<8x8xf32, #tile.fragment>
  tile.copy %x to %Y[%c0, %c0] : memref<8x8xf32, #tile.fragment> to memref<?x?xf32, #apart>
}
tile.kernel @between(%X: memref<?x?x?xf32>, %Y: memref<?x?x?xf32, #between>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %x = tile.alloc : memref<8x8x8xf32, #tile.fragment>
  tile.copy %X[%c0, %c0, %c0] to %x : memref<?x?x?xf32> to memref<8x8x8xf32, #tile.fragment>
  tile.copy %x to %Y[%c0, %c0, %c0] : memref<8x8x8xf32, #tile.fragment> to memref<?x?x?xf32, #between>
}
tile.kernel @crossed(%X: memref<?x?x?xf32>, %Y: memref<?x?x?xf32, #crossed>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %x = tile.alloc : memref<8x8x8xf32, #tile.fragment>
  tile.copy %X[%c0, %c0, %c0] to %x : memref<?x?x?xf32> to memref<8x8x8xf32, #tile.fragment>
  tile.copy %x to %Y[%c0, %c0, %c0] : memref<8x8x8xf32, #tile.fragment> to memref<?x?x?xf32, #crossed>
}
tile.kernel @open(%X: memref<?x?x?xf32, #open>, %Y: memref<?x?x?xf32, #open>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %x = tile.alloc : memref<8x8x8xf32, #tile.fragment>
  tile.copy %X[%c0, %c0, %c0] to %x : memref<?x?x?xf32, #open> to memref<8x8x8xf32, #tile.fragment>
  tile.copy %x to %Y[%c0, %c0, %c0] : memref<8x8x8xf32, #tile.fragment> to memref<?x?x?xf32, #open>
}
tile.kernel @same(%Y: memref<?x?xf32, strided<[1, 1]>>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  memref.store %one, %Y[%c0, %c0] : memref<?x?xf32, strided<[1, 1]>>
}
