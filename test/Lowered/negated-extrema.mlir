// Extrema of negations: what keeps ptxas from dropping the negation (lib/Target/AssemblerFaults.h) means the same.
// RUN: tile-run %s --stage=lowered --arch=sm_90a --check --args=A=64:smallint,B=64:smallint,S=64:smallint | FileCheck %s
// CHECK: PASS
tile.kernel @extrema(%A: memref<64xi32>, %B: memref<64xi32>, %S: memref<64xi16>, %X: memref<64xi32>, %Y: memref<64xi16>) grid(%b) = (1) threads(64) {
  %zero = arith.constant 0 : i32
  %short = arith.constant 0 : i16
  tile.parallel (%i) in (64) {
    %a = memref.load %A[%i] : memref<64xi32>
    %b2 = memref.load %B[%i] : memref<64xi32>
    %neg = arith.subi %zero, %a : i32
    %x = arith.maxsi %b2, %neg : i32
    %y = arith.maxsi %a, %x : i32
    memref.store %y, %X[%i] : memref<64xi32>
    %s = memref.load %S[%i] : memref<64xi16>
    %t = arith.trunci %b2 : i32 to i16
    %minus = arith.subi %short, %s : i16
    %u = arith.minsi %t, %minus : i16
    %v = arith.minsi %s, %u : i16
    memref.store %v, %Y[%i] : memref<64xi16>
  }
}
