// Beside kernels a module holds nothing: a function would be compiled with them.
// RUN: not tile-run %s 2>&1 | FileCheck %s
// RUN: not tile-opt %s --tile-to-cpu 2>&1 | FileCheck %s
// RUN: not tile-opt %s --convert-tile-to-nvvm 2>&1 | FileCheck %s
// RUN: not tile-translate %s --tile-to-ptx --arch=sm_90a 2>&1 | FileCheck %s
// CHECK: foreign-module.mlir:[[@LINE+2]]:1: error: 'llvm.func' op [kernel-16] expected nothing but kernels, and constant `memref.global` with values, in a module with kernels
// CHECK-NOT: error:
llvm.func @k.entry(%p: !llvm.ptr) {
  %x = llvm.mlir.constant(1 : i32) : i32
  llvm.store %x, %p : i32, !llvm.ptr
  llvm.return
}
tile.kernel @k() grid(%b) = (1) threads(32) {
}
