// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-debuginfo | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// CHECK-LABEL: tile.kernel @debug
tile.kernel @debug(%n: index, %m: i32, %x: f32, %ok: i1) grid(%bx) = (1) threads(32) {
  %frag = tile.alloc : memref<8x4xf32, #tile.fragment>
  // CHECK: tile.print "x" %x : f32
  // GENERIC: "tile.print"({{.*}}) <{message = "x"}> : (f32) -> ()
  tile.print "x" %x : f32
  // CHECK: tile.print "a \22quoted\22 tile" %{{.*}} : memref<8x4xf32, #tile.fragment>
  tile.print "a \"quoted\" tile" %frag : memref<8x4xf32, #tile.fragment>
  // CHECK: tile.assert %ok, "x is finite"
  // GENERIC: "tile.assert"({{.*}}) <{message = "x is finite"}>
  tile.assert %ok, "x is finite"
  // CHECK: tile.assume %n {divisible_by = 8 : i64, max = 65536 : i64, min = 1 : i64} : index
  // GENERIC: "tile.assume"({{.*}}) <{divisible_by = 8 : i64, max = 65536 : i64, min = 1 : i64}>
  tile.assume %n {divisible_by = 8 : i64, min = 1 : i64, max = 65536 : i64} : index
  // CHECK: tile.assume %m {min = -4 : i64} : i32
  tile.assume %m {min = -4 : i64} : i32
  // CHECK: tile.assume_rows %n to %n of 192
  // GENERIC: "tile.assume_rows"({{.*}}) <{rows = 192 : i64}> : (index, index) -> ()
  tile.assume_rows %n to %n of 192
}
