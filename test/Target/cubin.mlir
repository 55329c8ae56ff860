// REQUIRES: ptxas
// Every architecture claimed assembles, by the program, without a spill or a
// stack frame, and the result is an ELF file.
// RUN: tile-translate %S/ptx.mlir --tile-to-cubin --assembler=ptxas --dump-ptxas-info --arch=sm_80 -o %t.cubin 2>&1 | FileCheck %s
// RUN: tile-translate %S/ptx.mlir --tile-to-cubin --assembler=ptxas --dump-ptxas-info --arch=sm_86 -o %t.cubin 2>&1 | FileCheck %s
// RUN: tile-translate %S/ptx.mlir --tile-to-cubin --assembler=ptxas --dump-ptxas-info --arch=sm_87 -o %t.cubin 2>&1 | FileCheck %s
// RUN: tile-translate %S/ptx.mlir --tile-to-cubin --assembler=ptxas --dump-ptxas-info --arch=sm_89 -o %t.cubin 2>&1 | FileCheck %s
// RUN: tile-translate %S/ptx.mlir --tile-to-cubin --assembler=ptxas --dump-ptxas-info --arch=sm_90 -o %t.cubin 2>&1 | FileCheck %s
// RUN: tile-translate %S/ptx.mlir --tile-to-cubin --assembler=ptxas --dump-ptxas-info --arch=sm_90a -o %t.cubin 2>&1 | FileCheck %s
// RUN: tile-translate %S/ptx.mlir --tile-to-cubin --assembler=ptxas --dump-ptxas-info --arch=sm_100 -o %t.cubin 2>&1 | FileCheck %s
// RUN: tile-translate %S/ptx.mlir --tile-to-cubin --assembler=ptxas --dump-ptxas-info --arch=sm_100f -o %t.cubin 2>&1 | FileCheck %s
// RUN: tile-translate %S/ptx.mlir --tile-to-cubin --assembler=ptxas --dump-ptxas-info --arch=sm_100a -o %t.cubin 2>&1 | FileCheck %s
// RUN: tile-translate %S/ptx.mlir --tile-to-cubin --assembler=ptxas --dump-ptxas-info --arch=sm_103a -o %t.cubin 2>&1 | FileCheck %s
// RUN: tile-translate %S/ptx.mlir --tile-to-cubin --assembler=ptxas --dump-ptxas-info --arch=sm_110a -o %t.cubin 2>&1 | FileCheck %s
// RUN: tile-translate %S/ptx.mlir --tile-to-cubin --assembler=ptxas --dump-ptxas-info --arch=sm_120 -o %t.cubin 2>&1 | FileCheck %s
// RUN: tile-translate %S/ptx.mlir --tile-to-cubin --assembler=ptxas --dump-ptxas-info --arch=sm_120f -o %t.cubin 2>&1 | FileCheck %s
// RUN: tile-translate %S/ptx.mlir --tile-to-cubin --assembler=ptxas --dump-ptxas-info --arch=sm_120a -o %t.cubin 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=ELF < %t.cubin
// ptxas where it is on PATH, else nvJitLink.
// RUN: tile-translate %S/ptx.mlir --tile-to-cubin --dump-ptxas-info --arch=sm_90a -o %t.cubin 2>&1 | FileCheck %s

// CHECK: multiply: {{[1-9][0-9]*}} registers, 0 bytes stack, 0 bytes spill stores, 0 bytes spill loads
// CHECK-NOT: C75
// ELF: ELF
