// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 --line-info | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefix=NONE
// Line tables come from the operations' locations, on request only.

// CHECK: .loc {{[0-9]+}} [[@LINE+6]]
// CHECK: st.global
// CHECK: .file {{[0-9]+}} "{{.*}}line-info.mlir"
// NONE-NOT: .loc
llvm.func @store(%out: !llvm.ptr<1>, %x: f32) attributes {nvvm.kernel} {
  // The store's line is the one that is expected.
  llvm.store %x, %out : f32, !llvm.ptr<1>
  llvm.return
}
