// What --args leaves out has the sizes of tile.shape_hint, where the type leaves
// them open; what it says goes before.
// RUN: tile-run %s --kernel=hinted | FileCheck %s
// CHECK: A: 8x4 f32, uniform
// CHECK: n: i32 3
// CHECK: s: f32 1
// RUN: tile-run %s --kernel=hinted --args=A=:ones,n=7,s=2 | FileCheck %s --check-prefix=FILL
// FILL: A: 8x4 f32, ones
// FILL: n: i32 7
// FILL: s: f32 2
// RUN: tile-run %s --kernel=hinted --args=A=5x4 | FileCheck %s --check-prefix=SHAPE
// SHAPE: A: 5x4 f32
// RUN: not tile-run %s --kernel=open 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: tile-run: error: expected the shape of argument 'A' {{.*}} or a tile.shape_hint on the argument
// Indices of rows are a permutation: no two blocks write one row.
// RUN: tile-run %s --kernel=rows --check | FileCheck %s --check-prefix=ROWS
// ROWS: I: 8 i32, permutation, seed 2
// ROWS: PASS

tile.kernel @hinted(%A: memref<?x4xf32> {tile.shape_hint = array<i64: 8, 4>}, %n: i32 {tile.shape_hint = array<i64: 3>}, %s: f32) grid(%b) = (1) threads(32) {
}
tile.kernel @open(%A: memref<?x4xf32>) grid(%b) = (1) threads(32) {
}
tile.kernel @rows(%X: memref<8x8xf32>, %I: memref<8xi32>, %Y: memref<8x8xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %x = tile.alloc : memref<8x8xf32, #tile.fragment>
  tile.copy %X[%c0, %c0] to %x : memref<8x8xf32> to memref<8x8xf32, #tile.fragment>
  tile.scatter %x to %Y[%c0] rows %I[%c0] : memref<8x8xf32, #tile.fragment> to memref<8x8xf32>, memref<8xi32>
}
