// RUN: tile-run %s --args=A=:iota,s=2.5 --check --bench --repeats=2 | FileCheck %s
// RUN: tile-run %s --args=A=normal:7,s=2.5 --check --json | FileCheck %s --check-prefix=JSON
// RUN: tile-run %s --args=s=2.5 --workers=1 | FileCheck %s --check-prefix=PLAIN
// The same data whatever ran before, and other data for another seed.
// RUN: tile-run %s --args=s=1 --check --json > %t.1
// RUN: tile-run %s --args=s=1 --check --json > %t.2
// RUN: diff %t.1 %t.2
// RUN: tile-run --help | FileCheck %s --check-prefix=HELP
// HELP-DAG: --args=
// HELP-DAG: --bench
// HELP-DAG: --check
// HELP-DAG: --json
// HELP-DAG: --kernel=
// HELP-DAG: --stage=
// HELP-DAG: --target=

// CHECK:      kernel 'scale' on cpu ({{[0-9]+}} CPU thread{{s?}}), 4 blocks
// CHECK-NEXT:   A: 64 f32, iota
// CHECK-NEXT:   s: f32 2.5
// CHECK-NEXT:   C: 64 f16, nan
// CHECK-NEXT: time: {{[0-9.]+}} ms (median of 2, best {{[0-9.]+}}), {{[0-9.]+}} GB/s
// CHECK-NEXT: check C: {{.*}} of the bound
// CHECK-NEXT: PASS
// JSON: "check":[{"elements":64,"exact":false,"max_absolute_error":{{[0-9.e-]+}},
// JSON-SAME: "wrong":0
// JSON-SAME: "kernel":"scale","passed":true,"target":"cpu"
// PLAIN: (1 CPU thread)
// PLAIN: A: 64 f32, uniform, seed 1
// PLAIN-NOT: PASS
tile.kernel @scale(%A: memref<64xf32>, %s: f32, %C: memref<64xf16>) grid(%b) = (4) threads(32) {
  %c16 = arith.constant 16 : index
  %m = arith.muli %b, %c16 : index
  tile.parallel (%i) in (16) {
    %e = arith.addi %m, %i : index
    %x = memref.load %A[%e] : memref<64xf32>
    %y = arith.mulf %x, %s : f32
    %z = arith.truncf %y : f32 to f16
    memref.store %z, %C[%e] : memref<64xf16>
  }
}
