// REQUIRES: ptxas
// Registers and spills are among the remarks, also where only PTX is written.
// RUN: tile-translate %tile_src/examples/scale.mlir --tile-to-ptx --arch=sm_80 --assembler=ptxas --remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: tile-translate %tile_src/examples/gemm_hopper.mlir --tile-to-ptx --arch=sm_80 --assembler=ptxas --remarks -o %t.ptx 2>&1 | FileCheck %s --check-prefix=SPILLS
// RUN: tile-translate %tile_src/examples/scale.mlir --tile-to-ptx --arch=sm_80 --assembler=ptxas --ptxas=/no/ptxas --remarks -o %t.ptx 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=error --implicit-check-not="registers a thread"
// CHECK: scale.mlir:2:1: note: 'scale' takes {{[0-9]+}} registers a thread, and spills none
// PTX: .entry scale
// SPILLS: note: 'gemm_hopper' spills: {{[0-9]+}} registers, {{.*}}; smaller fragments or more `threads(...)` need fewer
// NONE: remark: global to registers copy:
