// REQUIRES: ptxas
// A kernel that spills: the remark stands at the kernel, with a note at the
// operation where most registers are needed.
// RUN: tile-translate %s --tile-to-cubin --arch=sm_80 --assembler=ptxas -o %t 2>&1 | FileCheck %s
// RUN: tile-translate %s --tile-to-cubin --arch=sm_80 --assembler=ptxas --line-info -o %t 2>&1 | FileCheck %s

#shared = #gpu.address_space<workgroup>
// CHECK: spills.mlir:[[#@LINE+2]]:1: remark: 'big' spills: {{[0-9]+}} registers
// CHECK: spills.mlir:[[#@LINE+9]]:3: note: most registers are needed here, by estimate: {{5[0-9][0-9]}} for fragments and operands, addresses left out
tile.kernel @big(%A: memref<128x32xf16> {tile.alignment = 16}, %B: memref<128x32xf16> {tile.alignment = 16}, %C: memref<128x128xf32>) grid(%b) = (1) threads(32) {
  %zero = arith.constant 0.0 : f32
  %a = tile.alloc : memref<128x32xf16, #shared>
  %b0 = tile.alloc : memref<128x32xf16, #shared>
  %c = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.copy %A to %a : memref<128x32xf16> to memref<128x32xf16, #shared>
  tile.copy %B to %b0 : memref<128x32xf16> to memref<128x32xf16, #shared>
  tile.fill %c with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.gemm %a, %b0, %c {transpose_b} : memref<128x32xf16, #shared>, memref<128x32xf16, #shared>, memref<128x128xf32, #tile.fragment>
  tile.copy %c to %C : memref<128x128xf32, #tile.fragment> to memref<128x128xf32>
}
