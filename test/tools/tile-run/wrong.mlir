// A result that differs from the meaning is found and located. Here an f16
// accumulator overflows, which the meaning in f64 does not.
// RUN: not tile-run %s --args=A=:ones --check | FileCheck %s
// RUN: not tile-run %s --args=A=:ones --check --json | FileCheck %s --check-prefix=JSON
// CHECK: check C: 4 of 4 elements wrong, first at [0]: expected 3.6e+09, got inf
// CHECK: FAIL
// JSON: "passed":false
tile.kernel @overflow(%A: memref<4xf16>, %C: memref<4xf32>) grid(%b) = (1) threads(32) {
  %big = arith.constant 60000.0 : f16
  tile.parallel (%i) in (4) {
    %x = memref.load %A[%i] : memref<4xf16>
    %y = arith.mulf %x, %big : f16
    %z = arith.mulf %y, %big : f16
    %w = arith.extf %z : f16 to f32
    memref.store %w, %C[%i] : memref<4xf32>
  }
}
