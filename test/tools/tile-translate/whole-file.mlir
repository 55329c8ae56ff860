// What is wrong with a whole file is one error at its first line, whatever is
// made of it.
// RUN: not tile-translate %s --tile-to-ptx --arch=sm_80 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not tile-translate %s --tile-to-llvmir --arch=sm_80 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not tile-translate %s --tile-to-artifact --arch=sm_80 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not tile-translate %s --tile-to-ptx 2>&1 | FileCheck %s --check-prefix=ARCH
// CHECK: whole-file.mlir:1:1: error: expected at least one kernel
// ARCH: whole-file.mlir:1:1: error: expected an architecture: --arch=sm_XX or `tile.target` on the module
