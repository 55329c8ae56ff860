// Files: standard input, bytecode, and that -o is written whole or not at all.
// RUN: tile-translate - --tile-to-ptx --arch=sm_80 < %s | FileCheck %s
// RUN: tile-opt %s --emit-bytecode -o %t.mlirbc
// RUN: tile-translate %t.mlirbc --tile-to-ptx --arch=sm_80 | FileCheck %s
// RUN: echo "before" > %t.out
// RUN: not tile-translate %s --tile-to-ptx --arch=sm_99 -o %t.out 2>&1 | FileCheck %s --check-prefix=ARCH
// RUN: not tile-translate %s --tile-to-artifact --arch=sm_80 -o %t.out
// RUN: FileCheck %s --check-prefix=KEPT < %t.out
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 -o %t.out
// RUN: FileCheck %s < %t.out
// RUN: not tile-translate %s --tile-to-ptx --arch=sm_80 -o %t.no-such-directory/out 2>&1 | FileCheck %s --check-prefix=NODIR
// RUN: not tile-translate %t.no-such-file --tile-to-ptx --arch=sm_80 2>&1 | FileCheck %s --check-prefix=NOFILE
// RUN: not tile-translate %s --tile-to-ptx 2>&1 | FileCheck %s --check-prefix=NOARCH
// RUN: not tile-translate %s --arch=sm_80 2>&1 | FileCheck %s --check-prefix=NOEMIT
// RUN: tile-translate --help | FileCheck %s --check-prefix=HELP

// CHECK: .entry store(
// ARCH: error: --arch: expected an architecture among sm_80, {{.*}}; got 'sm_99'
// KEPT: before
// NODIR: error: cannot write
// NOFILE: error: cannot open input file
// NOARCH: error: expected an architecture: --arch=sm_XX or `tile.target` on the module
// NOEMIT: error: expected what to write: --tile-to-llvmir
// HELP: --tile-to-artifact
// HELP: --tile-layout-to-svg
// HELP-NOT: --debug-pass
llvm.func @store(%out: !llvm.ptr<1>, %x: f32) attributes {nvvm.kernel} {
  llvm.store %x, %out : f32, !llvm.ptr<1>
  llvm.return
}
