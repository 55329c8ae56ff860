// A GPU goes on with some number where a division has no result; the host, which would end the process there, does so, too. The
// CPU's meaning, with checks, says what is wrong.
// RUN: tile-run %s --kernel=k --args=X=64:ones,Y=64 --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=k --args=X=64:zeros,Y=64 --stage=lowered --arch=sm_80 | FileCheck %s
// RUN: tile-run %s --kernel=least --args=X=64:ones,Y=64 --stage=lowered --arch=sm_90a | FileCheck %s
// RUN: not tile-run %s --kernel=k --args=X=64:zeros,Y=64 --check 2>&1 | FileCheck %s --check-prefix=NONE
// RIGHT: PASS
// CHECK: kernel
// NONE: expected a division that has a result at {{.*}}divisions.mlir
tile.kernel @k(%X: memref<64xi32>, %Y: memref<64xi32>) grid(%b) = (1) threads(64) {
  %c7 = arith.constant 7 : i32
  tile.parallel (%i) in (64) {
    %x = memref.load %X[%i] : memref<64xi32>
    %q = arith.remsi %c7, %x : i32
    memref.store %q, %Y[%i] : memref<64xi32>
  }
}
tile.kernel @least(%X: memref<64xi32>, %Y: memref<64xi32>) grid(%b) = (1) threads(64) {
  %least = arith.constant -2147483648 : i32
  %zero = arith.constant 0 : i32
  tile.parallel (%i) in (64) {
    %x = memref.load %X[%i] : memref<64xi32>
    %n = arith.subi %zero, %x : i32
    %q = arith.divsi %least, %n : i32
    memref.store %q, %Y[%i] : memref<64xi32>
  }
}
