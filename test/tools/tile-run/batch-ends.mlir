// The workers of a batch end with it, however it ends.
// RUN: echo "%s --workers=1 --name=one" > %t.list
// RUN: echo "%s --workers=1 --name=two" >> %t.list
// RUN: %python %S/Inputs/stop-batch.py SIGTERM %tile_bin/tile-run --batch=%t.list --jobs=2 | FileCheck %s
// RUN: %python %S/Inputs/stop-batch.py SIGINT %tile_bin/tile-run --batch=%t.list --jobs=2 | FileCheck %s
// RUN: %python %S/Inputs/stop-batch.py SIGKILL %tile_bin/tile-run --batch=%t.list --jobs=2 | FileCheck %s
// CHECK: workers: ended
// So does one that runs too long.
// RUN: not tile-run --batch=%t.list --jobs=2 --timeout=1 | FileCheck %s --check-prefix=LATE
// LATE: FAIL one still running after 1 seconds
// LATE: FAIL two still running after 1 seconds
tile.kernel @endless(%X: memref<1xi32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %long = arith.constant 1000000000000000 : index
  scf.for %k = %c0 to %long step %c1 {
    tile.parallel (%i) in (1) {
      %x = memref.load %X[%i] : memref<1xi32>
      %y = arith.xori %x, %x : i32
      %z = arith.subi %y, %x : i32
      memref.store %z, %X[%i] : memref<1xi32>
    }
  }
}
