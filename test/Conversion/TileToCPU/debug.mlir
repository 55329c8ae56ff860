// RUN: tile-opt %s --convert-tile-to-cpu | FileCheck %s

// CHECK-DAG: llvm.mlir.global internal constant @[[M:.*]]("sum\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[E:.*]]("expected a sum\00")
// CHECK-DAG: func.func private @tile_cpu_print_float(index, f64)
// CHECK-LABEL: func.func @debug.cpu
// CHECK-SAME:    %[[CONTEXT:[^:]*]]: index)
// CHECK:         scf.for %[[BLOCK:.*]] =
// CHECK:           call @tile_cpu_print_begin(%[[CONTEXT]], %[[BLOCK]], %{{.*}})
// CHECK:           %[[W:.*]] = arith.extf %{{.*}} : f32 to f64
// CHECK:           call @tile_cpu_print_float(%[[CONTEXT]], %[[W]])
// CHECK:           scf.if
// CHECK:             call @tile_cpu_assert_failed(%[[CONTEXT]], %[[BLOCK]], %{{.*}})
tile.kernel @debug(%x: f32, %ok: i1) grid(%b) = (4) threads(32) {
  tile.print "sum" %x : f32
  tile.assert %ok, "expected a sum"
}
