// RUN: tile-opt %s --tile-to-nvvm=arch=sm_80 | FileCheck %s

// CHECK-DAG:   llvm.mlir.global internal constant @[[TEXT:.*]]("x: %g\0A\00")
// CHECK-DAG:   llvm.mlir.global internal constant @{{.*}}("assertion failed: n is odd\0A\00")
// CHECK-LABEL: llvm.func @speak
// CHECK:         llvm.mlir.addressof @[[TEXT]]
// CHECK:         llvm.call @vprintf
// CHECK:         llvm.inline_asm has_side_effects {{.*}}"trap;"
tile.kernel @speak(%x: f32, %ok: i1) grid(%bx) = (1) threads(32) {
  tile.print "x" %x : f32
  tile.assert %ok, "n is odd"
}
