// One thread has all rows: nothing is skipped.
// RUN: tile-opt %s --convert-tile-to-cpu | FileCheck %s

// CHECK-LABEL: @rows
// CHECK-NOT: assume_rows
// CHECK-NOT: any_row
// CHECK-NOT: row_iterations
// CHECK: memref.store
tile.kernel @rows(%Y: memref<4xf32>, %n: index) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1.0 : f32
  tile.assume_rows %c0 to %n of 128
  %any = tile.any_row %c0 to %n of 128 groups 2
  %last = tile.row_iterations %c0 step 1 to %n of 128 groups 2 in %c0 to %n
  tile.assume %last {min = 0 : i64} : index
  scf.if %any {
    tile.parallel (%i) in (4) {
      memref.store %x, %Y[%i] : memref<4xf32>
    }
  }
}
