// --check tells wrong results where numbers are infinite, very large, or as large
// as only 64 bits hold, and where nothing was written.
// RUN: sed -e 's#0.0 : f32 // zero#-0.0 : f32#' -e 's#976 : i64#977 : i64#' -e 's#-1.0 : f32 // one#-0.5 : f32#' -e 's#1.0e+290#2.0e+290#' -e 's#in (64) { // all#in (32) {#' %s > %t.wrong.mlir
// RUN: tile-run %s --kernel=infinite --check | FileCheck %s --check-prefix=PASS
// RUN: not tile-run %t.wrong.mlir --source=%s --kernel=infinite --check | FileCheck %s --check-prefix=INFINITE
// RUN: not tile-run %t.wrong.mlir --source=%s --kernel=infinite --check --json | FileCheck %s --check-prefix=JSON
// INFINITE: 64 of 64 elements wrong, first at [0]: expected inf, got -inf
// INFINITE: FAIL
// JSON: "expected":"inf","got":"-inf"
// What is finite in f64 becomes infinite by rounding, or the largest number of a
// type that saturates.
// RUN: tile-run %s --kernel=overflow --check | FileCheck %s --check-prefix=PASS
// A large reference, infinite in the result's type, is no scale for the others.
// RUN: tile-run %s --kernel=large --check | FileCheck %s --check-prefix=PASS
// RUN: not tile-run %t.wrong.mlir --source=%s --kernel=large --check | FileCheck %s --check-prefix=LARGE
// LARGE: 63 of 64 elements wrong, first at [1]:
// Nor do squares of numbers leave the range of f64.
// RUN: tile-run %s --kernel=squares --check | FileCheck %s --check-prefix=PASS
// RUN: not tile-run %t.wrong.mlir --source=%s --kernel=squares --check | FileCheck %s --check-prefix=SQUARES
// SQUARES: 64 of 64 elements wrong, first at [0]:
// Integers of 64 bits are no f64.
// RUN: tile-run %s --kernel=wide --args=X=:iota --check | FileCheck %s --check-prefix=PASS
// RUN: not tile-run %t.wrong.mlir --source=%s --kernel=wide --args=X=:iota --check | FileCheck %s --check-prefix=WIDE
// RUN: not tile-run %t.wrong.mlir --source=%s --kernel=wide --args=X=:iota --check --json | FileCheck %s --check-prefix=WIDE-JSON
// WIDE: expected 1152921504606846976, got 1152921504606846977
// WIDE-JSON: "expected":1152921504606846976,"got":1152921504606846977,"max_absolute_error":1,
// What nothing writes is wrong whatever is expected, also where it is -1 or true.
// RUN: tile-run %s --kernel=bits --check | FileCheck %s --check-prefix=PASS
// RUN: not tile-run %t.wrong.mlir --source=%s --kernel=bits --check | FileCheck %s --check-prefix=UNWRITTEN
// RUN: tile-run %s --kernel=integers --check | FileCheck %s --check-prefix=PASS
// RUN: not tile-run %t.wrong.mlir --source=%s --kernel=integers --check | FileCheck %s --check-prefix=UNWRITTEN
// RUN: tile-run %s --kernel=bytes --check | FileCheck %s --check-prefix=PASS
// RUN: not tile-run %t.wrong.mlir --source=%s --kernel=bytes --check | FileCheck %s --check-prefix=UNWRITTEN
// UNWRITTEN: {{[0-9]+}} of 64 elements wrong, first at [32]: expected {{1, got nan|-1, got -?[0-9]+}}
// A program that says that it writes only some of them is right.
// RUN: tile-run %s --kernel=some --check | FileCheck %s --check-prefix=PASS
// RUN: tile-run %s --kernel=some --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=PASS
// PASS: PASS

tile.kernel @infinite(%X: memref<64xf32>, %Y: memref<64xf32>) grid(%b) = (1) threads(32) {
  %zero = arith.constant 0.0 : f32 // zero
  tile.parallel (%i) in (64) {
    %x = memref.load %X[%i] : memref<64xf32>
    %y = arith.divf %x, %zero : f32
    memref.store %y, %Y[%i] : memref<64xf32>
  }
}

tile.kernel @overflow(%X: memref<64xf32>, %Y: memref<64xf32>, %H: memref<64xf16>, %B: memref<64xbf16>, %Q: memref<64xf8E4M3FN>) grid(%b) = (1) threads(32) {
  %huge = arith.constant 3.0e+38 : f32
  tile.parallel (%i) in (64) {
    %x = memref.load %X[%i] : memref<64xf32>
    %large = arith.mulf %x, %huge : f32
    %y = arith.mulf %large, %huge : f32
    memref.store %y, %Y[%i] : memref<64xf32>
    %h = arith.truncf %large : f32 to f16
    memref.store %h, %H[%i] : memref<64xf16>
    %bf = arith.truncf %y : f32 to bf16
    memref.store %bf, %B[%i] : memref<64xbf16>
    %q = arith.truncf %y : f32 to f8E4M3FN
    memref.store %q, %Q[%i] : memref<64xf8E4M3FN>
  }
}

tile.kernel @large(%X: memref<64xf32>, %Y: memref<64xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %many = arith.constant 400.0 : f32
  %one = arith.constant -1.0 : f32 // one
  tile.parallel (%i) in (64) {
    %x = memref.load %X[%i] : memref<64xf32>
    %first = arith.cmpi eq, %i, %c0 : index
    %v = arith.select %first, %many, %x : f32
    %e = math.exp %v : f32
    %y = arith.addf %e, %one : f32
    memref.store %y, %Y[%i] : memref<64xf32>
  }
}

tile.kernel @squares(%X: memref<64xf64>, %Y: memref<64xf64>) grid(%b) = (1) threads(32) {
  %huge = arith.constant 1.0e+300 : f64
  %less = arith.constant 1.0e+290 : f64
  tile.parallel (%i) in (64) {
    %x = memref.load %X[%i] : memref<64xf64>
    %v = arith.mulf %x, %huge : f64
    %y = arith.subf %v, %less : f64
    memref.store %y, %Y[%i] : memref<64xf64>
  }
}

tile.kernel @wide(%X: memref<64xi64>, %Y: memref<64xi64>) grid(%b) = (1) threads(32) {
  %c = arith.constant 1152921504606846976 : i64
  tile.parallel (%i) in (64) {
    %x = memref.load %X[%i] : memref<64xi64>
    %y = arith.addi %x, %c : i64
    memref.store %y, %Y[%i] : memref<64xi64>
  }
}

tile.kernel @bits(%X: memref<64xi32>, %Y: memref<64xi1>) grid(%b) = (1) threads(32) {
  %y = arith.constant true
  tile.parallel (%i) in (64) { // all
    memref.store %y, %Y[%i] : memref<64xi1>
  }
}

tile.kernel @integers(%X: memref<64xi32>, %Y: memref<64xi32>) grid(%b) = (1) threads(32) {
  %y = arith.constant -1 : i32
  tile.parallel (%i) in (64) { // all
    memref.store %y, %Y[%i] : memref<64xi32>
  }
}

tile.kernel @bytes(%X: memref<64xi32>, %Y: memref<64xi8>) grid(%b) = (1) threads(32) {
  %y = arith.constant -1 : i8
  tile.parallel (%i) in (64) { // all
    memref.store %y, %Y[%i] : memref<64xi8>
  }
}

tile.kernel @some(%X: memref<64xi32>, %Y: memref<64xi1>, %Z: memref<64xi64>) grid(%b) = (1) threads(32) {
  %true = arith.constant true
  %z = arith.constant 7 : i64
  tile.parallel (%i) in (32) {
    memref.store %true, %Y[%i] : memref<64xi1>
    memref.store %z, %Z[%i] : memref<64xi64>
  }
}
