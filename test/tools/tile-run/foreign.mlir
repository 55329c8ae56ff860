// A file from somebody else is data: its kernels call no function of this
// machine.
// RUN: not tile-run %s --args=Y=8 2>&1 | FileCheck %s
// RUN: not tile-run %s --args=Y=8 --check --stage=scheduled 2>&1 | FileCheck %s
// RUN: not tile-translate %s --tile-to-ptx --arch=sm_80 2>&1 | FileCheck %s
llvm.mlir.global internal constant @cmd("false\00")
llvm.func @system(!llvm.ptr) -> i32
tile.kernel @k(%Y: memref<?xf32>) grid(%b) = (1) threads(32) {
  // CHECK: foreign.mlir:[[@LINE+2]]:8: error: 'llvm.mlir.addressof' op [kernel-16] expected an operation that a kernel may contain
  // CHECK-NOT: error:
  %p = llvm.mlir.addressof @cmd : !llvm.ptr
  %r = llvm.call @system(%p) : (!llvm.ptr) -> i32
}
