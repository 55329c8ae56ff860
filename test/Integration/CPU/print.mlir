// Output comes in the order of blocks, whichever worker ran them.
// RUN: tile-run %s --kernel=prints --workers=3 | FileCheck %s
// RUN: not tile-run %s --kernel=asserts --workers=3 2>&1 | FileCheck %s --check-prefix=ASSERT
// RUN: not tile-run %s --kernel=assumes --args=n=12 2>&1 | FileCheck %s --check-prefix=ASSUME
// RUN: tile-run %s --kernel=assumes --args=n=16 --check | FileCheck %s --check-prefix=HOLDS
#shared = #gpu.address_space<workgroup>

// CHECK: x: 0
// CHECK-NEXT: y: 0.5
// CHECK-NEXT: t[0, 0]: -1
// CHECK-NEXT: t[0, 1]: -1
// CHECK-NEXT: flag: 1
// CHECK-NEXT: x: 1
// CHECK-NEXT: y: 1.5
// CHECK: x: 2
// CHECK: x: 3
// CHECK: x: 4
// CHECK-NOT: x: 5
tile.kernel @prints() grid(%b) = (5) threads(32) {
  %half = arith.constant 0.5 : f32
  %minus = arith.constant -1 : i8
  %true = arith.constant true
  %i = arith.index_cast %b : index to i32
  %f = arith.sitofp %i : i32 to f32
  %y = arith.addf %f, %half : f32
  %t = tile.alloc : memref<1x2xi8, #shared>
  tile.fill %t with %minus : memref<1x2xi8, #shared>, i8
  tile.print "x" %b : index
  tile.print "y" %y : f32
  tile.print "t" %t : memref<1x2xi8, #shared>
  tile.print "flag" %true : i1
}

// What was printed before comes out; the first failing block is named.
// ASSERT-DAG: before: 0
// ASSERT-DAG: tile-run: error: assertion failed in block 2: expected fewer blocks
tile.kernel @asserts() grid(%b) = (5) threads(32) {
  %c2 = arith.constant 2 : index
  tile.print "before" %b : index
  %few = arith.cmpi slt, %b, %c2 : index
  tile.assert %few, "expected fewer blocks"
}

// ASSUME: tile-run: error: assertion failed in block 0: assumed a value divisible by 8
// HOLDS: PASS
tile.kernel @assumes(%n: i32) grid(%b) = (1) threads(32) {
  tile.assume %n {divisible_by = 8 : i64, min = 1 : i64, max = 64 : i64} : i32
}

// What would read foreign memory, or run for ever, is an error with a place.
// RUN: not tile-run %s --kernel=outside 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not tile-run %s --kernel=forever --args=n=0 2>&1 | FileCheck %s --check-prefix=FOREVER
// OUTSIDE: tile-run: error: assertion failed in block 1: expected indices inside the buffer of {{[0-9x]+}}xf32 at {{.*}}print.mlir:[[#@LINE+4]]:
tile.kernel @outside() grid(%b) = (3) threads(32) {
  %t = tile.alloc : memref<1xf32, #shared>
  %x = arith.constant 1.0 : f32
  memref.store %x, %t[%b] : memref<1xf32, #shared>
}

// FOREVER: tile-run: error: assertion failed in block 0: expected a positive step of the loop
tile.kernel @forever(%n: index) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %n {
    tile.print "i" %i : index
  }
}
