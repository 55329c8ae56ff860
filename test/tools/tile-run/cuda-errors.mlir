// REQUIRES: cc
// What stands between a kernel and a GPU is one diagnostic and status 1.
// RUN: rm -rf %t && mkdir -p %t/empty %t/none %t/old %t/hopper
// RUN: cc -shared -fPIC -w -DDEVICES=0 %S/Inputs/fake-cuda.c -o %t/none/libcuda.so.1
// RUN: cc -shared -fPIC -w -DCAPABILITY=75 %S/Inputs/fake-cuda.c -o %t/old/libcuda.so.1
// RUN: cc -shared -fPIC -w %S/Inputs/fake-cuda.c -o %t/hopper/libcuda.so.1

// No function of a driver in it, then no device, then one that is too old.
// RUN: printf "" | cc -shared -x c - -o %t/empty/libcuda.so.1
// RUN: env LD_LIBRARY_PATH=%t/empty not tile-run %S/Inputs/twice.mlir --target=cuda --args=A=100,C=3x100 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: tile-run: error: the CUDA driver 'libcuda.so.1' has no function cuInit: expected a driver for CUDA 11 or later
// EMPTY-NOT: error
// RUN: env LD_LIBRARY_PATH=%t/none not tile-run %S/Inputs/twice.mlir --target=cuda --args=A=100,C=3x100 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: tile-run: error: the CUDA driver finds no device
// NONE-NOT: error
// RUN: env LD_LIBRARY_PATH=%t/old not tile-run %S/Inputs/twice.mlir --target=cuda --args=A=100,C=3x100 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: tile-run: error: expected a device of compute capability 8.0 or later, got 7.5 (Fake)
// OLD-NOT: error

// An architecture that is not the device's, and one that is none.
// RUN: env LD_LIBRARY_PATH=%t/hopper not tile-run %S/Inputs/twice.mlir --target=cuda --arch=sm_100 --args=A=100,C=3x100 2>&1 | FileCheck %s --check-prefix=ARCH
// ARCH: tile-run: error: kernel 'twice': expected code for compute capability 9.0, got {{.*}}sm_100
// ARCH-NOT: error
// RUN: env LD_LIBRARY_PATH=%t/hopper not tile-run %S/Inputs/twice.mlir --target=cuda --arch=sm_1 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: tile-run: error: --arch: {{.*}}got 'sm_1'
// UNKNOWN-NOT: error

// What only the launcher knows.
// RUN: env LD_LIBRARY_PATH=%t/hopper not tile-run %S/Inputs/twice.mlir --target=cuda --args=A=1,C=70000x1 2>&1 | FileCheck %s --check-prefix=GRID
// GRID: tile-run: error: kernel 'twice': grid extent 1, {{.*}}: expected at most 65535, got 70000
// GRID-NOT: error

// RUN: env LD_LIBRARY_PATH=%t/hopper not tile-run %S/Inputs/twice.mlir --target=cuda --stage=layouts --args=A=100,C=3x100 2>&1 | FileCheck %s --check-prefix=STAGE
// STAGE: tile-run: error: expected --stage with --target=cpu only
