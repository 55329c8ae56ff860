// Remainders and quotients of powers of two in affine maps are masks and shifts, rounded down for negative numbers, too; others divide.
// RUN: tile-translate %s --no-opt --tile-to-llvmir --arch=sm_90a -o - | FileCheck %s
// RUN: tile-run %s --args=n=-11 --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RIGHT: PASS
#mod = affine_map<(d0) -> (d0 mod 8)>
#half = affine_map<(d0) -> (d0 floordiv 4)>
#third = affine_map<(d0) -> (d0 mod 3)>

// CHECK-LABEL: define {{.*}}@maps(
// CHECK:         and i64 %{{.*}}, 7
// CHECK:         ashr i64 %{{.*}}, 2
// CHECK:         srem i64 %{{.*}}, 3
tile.kernel @maps(%O: memref<3x64xi64>, %n: index) grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tile.parallel (%i) in (64) {
    %at = arith.addi %i, %n : index
    %m = affine.apply #mod(%at)
    %h = affine.apply #half(%at)
    %t = affine.apply #third(%at)
    %m64 = arith.index_cast %m : index to i64
    %h64 = arith.index_cast %h : index to i64
    %t64 = arith.index_cast %t : index to i64
    memref.store %m64, %O[%c0, %i] : memref<3x64xi64>
    memref.store %h64, %O[%c1, %i] : memref<3x64xi64>
    memref.store %t64, %O[%c2, %i] : memref<3x64xi64>
  }
}
