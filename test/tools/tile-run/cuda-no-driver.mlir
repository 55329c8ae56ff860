// UNSUPPORTED: gpu
// RUN: not tile-run %S/Inputs/twice.mlir --target=cuda --args=A=100,C=3x100 2>&1 | FileCheck %s
// CHECK: tile-run: error: cannot open the CUDA driver 'libcuda.so.1'
// CHECK-SAME: a GPU target needs an NVIDIA driver
// CHECK-NOT: error
