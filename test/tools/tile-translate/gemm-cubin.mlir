// REQUIRES: ptxas
// The example assembles for every architecture claimed: no stack frame, no
// spill, no line C75xx.
// RUN: tile-translate %tile_src/examples/gemm.mlir --tile-to-cubin --assembler=ptxas --dump-ptxas-info --arch=sm_80 -o %t.cubin 2>&1 | FileCheck %s
// RUN: tile-translate %tile_src/examples/gemm.mlir --tile-to-cubin --assembler=ptxas --dump-ptxas-info --arch=sm_86 -o %t.cubin 2>&1 | FileCheck %s
// RUN: tile-translate %tile_src/examples/gemm.mlir --tile-to-cubin --assembler=ptxas --dump-ptxas-info --arch=sm_89 -o %t.cubin 2>&1 | FileCheck %s
// RUN: tile-translate %tile_src/examples/gemm.mlir --tile-to-cubin --assembler=ptxas --dump-ptxas-info --arch=sm_90 -o %t.cubin 2>&1 | FileCheck %s
// RUN: tile-translate %tile_src/examples/gemm.mlir --tile-to-cubin --assembler=ptxas --dump-ptxas-info --arch=sm_90a -o %t.cubin 2>&1 | FileCheck %s
// RUN: tile-translate %tile_src/examples/gemm.mlir --tile-to-cubin --assembler=ptxas --dump-ptxas-info --arch=sm_100 -o %t.cubin 2>&1 | FileCheck %s
// RUN: tile-translate %tile_src/examples/gemm.mlir --tile-to-cubin --assembler=ptxas --dump-ptxas-info --arch=sm_100a -o %t.cubin 2>&1 | FileCheck %s
// RUN: tile-translate %tile_src/examples/gemm.mlir --tile-to-cubin --assembler=ptxas --dump-ptxas-info --arch=sm_120 -o %t.cubin 2>&1 | FileCheck %s
// RUN: tile-translate %tile_src/examples/gemm.mlir --tile-to-cubin --assembler=ptxas --dump-ptxas-info --arch=sm_120a -o %t.cubin 2>&1 | FileCheck %s
// The artifact of an architecture without a suffix holds the PTX too.
// RUN: tile-translate %tile_src/examples/gemm.mlir --tile-to-artifact --assembler=ptxas --arch=sm_80 -o %t.tile
// RUN: FileCheck %s --check-prefix=BOTH < %t.tile
// RUN: tile-translate %tile_src/examples/gemm.mlir --tile-to-artifact --assembler=ptxas --arch=sm_90a -o %t.tile
// RUN: FileCheck %s --check-prefix=ONE < %t.tile

// CHECK-NOT: C75
// CHECK: gemm: {{[1-9][0-9]*}} registers, 0 bytes stack, 0 bytes spill stores, 0 bytes spill loads
// CHECK-NOT: C75
// BOTH: "arch": "sm_80"
// BOTH: "format": "cubin"
// BOTH: "ptx_version": "{{[78]}}.{{[0-9]}}"
// BOTH: "assembler": "ptxas"
// BOTH: "assembler_version": "{{[0-9]+\.[0-9]+}}
// BOTH: "arch": "sm_80"
// BOTH: "format": "ptx"
// ONE: "arch": "sm_90a"
// ONE: "format": "cubin"
// ONE-NOT: "format": "ptx"
