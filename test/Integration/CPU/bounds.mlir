// What reaches outside a buffer, or is not defined, is an assertion at its line;
// nothing ends the process.
// RUN: not tile-run %s --kernel=part --args=Y=8,n=9 2>&1 | FileCheck %s --check-prefix=PART
// RUN: not tile-run %s --kernel=part --args=Y=8,n=-1 2>&1 | FileCheck %s --check-prefix=PART
// RUN: not tile-run %s --kernel=part --args=Y=8,n=4611686018427387905 2>&1 | FileCheck %s --check-prefix=BIG
// RUN: tile-run %s --kernel=part --args=Y=8,n=8 --check | FileCheck %s --check-prefix=PASS
// RUN: not tile-run %s --kernel=steps --args=Y=8,s=3 2>&1 | FileCheck %s --check-prefix=PART
// RUN: not tile-run %s --kernel=steps --args=Y=8,s=4611686018427388000 2>&1 | FileCheck %s --check-prefix=BIG
// RUN: tile-run %s --kernel=steps --args=Y=8,s=2 --check | FileCheck %s --check-prefix=PASS
// RUN: not tile-run %s --kernel=sizes --args=Y=8 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: tile-run %s --kernel=sizes --args=Y=1000 --check | FileCheck %s --check-prefix=PASS
// RUN: not tile-run %s --kernel=strides --args=Y=8x8@9x1 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: tile-run %s --kernel=strides --args=Y=8x8 --check | FileCheck %s --check-prefix=PASS
// RUN: not tile-run %s --kernel=rank --args=Y=8x8,n=2 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: tile-run %s --kernel=rank --args=Y=8x8,n=1 --check | FileCheck %s --check-prefix=PASS
// RUN: not tile-run %s --kernel=divide --args=Y=8,n=1,d=0 2>&1 | FileCheck %s --check-prefix=DIVIDE
// RUN: not tile-run %s --kernel=divide --args=Y=8,n=-2147483648,d=-1 2>&1 | FileCheck %s --check-prefix=DIVIDE
// RUN: tile-run %s --kernel=divide --args=Y=8,n=2147483647,d=-1 --check | FileCheck %s --check-prefix=PASS
// RUN: not tile-run %s --kernel=part --args=Y=8,n=9 --bench 2>&1 | FileCheck %s --check-prefix=PART
// PART: error: assertion failed in block 0: expected a part of the buffer at {{.*}}bounds.mlir
// BIG: error: {{expected an integer|assertion failed in block 0: expected a part of the buffer}}
// SIZES: error: assertion failed in block 0: expected the sizes and strides that the type of the result states at
// RANK: error: assertion failed in block 0: expected a dimension of the buffer at
// DIVIDE: error: assertion failed in block 0: expected a division that has a result at
// PASS: PASS

tile.kernel @part(%Y: memref<?xf32>, %n: index) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 1.0 : f32
  %v = memref.subview %Y[0] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  memref.store %z, %v[%c0] : memref<?xf32, strided<[1]>>
}

tile.kernel @steps(%Y: memref<?xf32>, %s: index) grid(%b) = (1) threads(32) {
  %c3 = arith.constant 3 : index
  %z = arith.constant 1.0 : f32
  %v = memref.subview %Y[1] [4] [%s] : memref<?xf32> to memref<4xf32, strided<[?], offset: 1>>
  memref.store %z, %v[%c3] : memref<4xf32, strided<[?], offset: 1>>
}

tile.kernel @sizes(%Y: memref<?xf32>) grid(%b) = (1) threads(32) {
  %c = arith.constant 999 : index
  %z = arith.constant 1.0 : f32
  %v = memref.cast %Y : memref<?xf32> to memref<1000xf32>
  memref.store %z, %v[%c] : memref<1000xf32>
}

tile.kernel @strides(%Y: memref<?x?xf32, strided<[?, 1]>>) grid(%b) = (1) threads(32) {
  %c = arith.constant 7 : index
  %z = arith.constant 1.0 : f32
  %v = memref.cast %Y : memref<?x?xf32, strided<[?, 1]>> to memref<?x?xf32, strided<[8, 1]>>
  memref.store %z, %v[%c, %c] : memref<?x?xf32, strided<[8, 1]>>
}

tile.kernel @rank(%Y: memref<?x?xf32>, %n: index) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 1.0 : f32
  %d = memref.dim %Y, %n : memref<?x?xf32>
  %some = arith.cmpi ugt, %d, %c0 : index
  scf.if %some {
    memref.store %z, %Y[%c0, %c0] : memref<?x?xf32>
  }
}

tile.kernel @divide(%Y: memref<?xi32>, %n: i32, %d: i32) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %q = arith.divsi %n, %d : i32
  memref.store %q, %Y[%c0] : memref<?xi32>
}
