// A block that waits for one which starts only when it has ended itself: the
// run ends with a report, not never. On the CPU each block has its own thread.
// RUN: tile-run %s --args=F=40:zeros --check | FileCheck %s --check-prefix=CPU
// RUN: not tile-run %s --stage=lowered --arch=sm_80 --args=F=40:zeros --check 2>&1 | FileCheck %s

// CPU: PASS
// CHECK: a load ({{.*}}atomic-wait.mlir:[[#@LINE+11]]:{{[0-9]+}}) is repeated for ever: all 16 threads that can run wait for a value that none of them stores; 16 of the grid's 40 blocks run together here, the next when all of them have ended
tile.kernel @later(%F: memref<40xi32>) grid(%b) = (40) threads(1024) {
  %c39 = arith.constant 39 : index
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %isLast = arith.cmpi eq, %b, %c39 : index
  scf.if %isLast {
    tile.parallel (%i) in (1) {
      tile.atomic_store release %one, %F[%c39] : memref<40xi32>
    }
  } else {
    tile.parallel (%i) in (1) {
      scf.while : () -> () {
        %flag = tile.atomic_load acquire %F[%c39] : memref<40xi32>
        %waits = arith.cmpi eq, %flag, %none : i32
        scf.condition(%waits)
      } do {
        scf.yield
      }
    }
  }
}
