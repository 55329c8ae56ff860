// Elements by affine maps, as written and at every stage.
// RUN: tile-run %s --args=X=:smallint,Y=64x32 --check | FileCheck %s
// RUN: tile-run %s --args=X=:smallint,Y=64x32 --check --stage=layouts | FileCheck %s
// RUN: tile-run %s --args=X=:smallint,Y=64x32 --check --stage=scheduled | FileCheck %s
// RUN: not tile-run %s --args=Y=63x32 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// CHECK: check Y: 2048 elements equal
// CHECK: PASS
// OUTSIDE: error: assertion failed in block 0: expected indices inside the buffer
tile.kernel @copy(%X: memref<64x32xf32>, %Y: memref<?x32xf32>) grid(%b) = (1) threads(64) {
  tile.parallel (%i, %j) in (64, 32) {
    %x = affine.load %X[%i, %j] : memref<64x32xf32>
    affine.store %x, %Y[(%i * 2) floordiv 2, %j] : memref<?x32xf32>
  }
}
