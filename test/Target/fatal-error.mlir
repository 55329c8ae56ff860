// RUN: not tile-translate %s --tile-to-ptx --arch=sm_80 2>&1 | FileCheck %s
// RUN: not tile-translate %s --tile-to-ptx --arch=sm_80 --no-opt 2>&1 | FileCheck %s
// What LLVM aborts on and no table foresees is one error, not a crash.

// CHECK: error: PTX generation failed:
// CHECK-NOT: error:
// CHECK-NOT: Stack dump
llvm.func @exponential(%out: !llvm.ptr<1>, %a: f64) attributes {nvvm.kernel} {
  %e = llvm.intr.exp(%a) : (f64) -> f64
  llvm.store %e, %out : f64, !llvm.ptr<1>
  llvm.return
}
