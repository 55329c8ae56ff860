// REQUIRES: ptxas
// A kernel that spills, whose plan keeps the number of threads: the remark stands at the kernel, with a note at the
// operation where most registers are needed.
// RUN: tile-translate %s --tile-to-cubin --arch=sm_80 --assembler=ptxas --remarks -o %t 2>&1 | FileCheck %s

#shared = #gpu.address_space<workgroup>
// CHECK: spills.mlir:[[#@LINE+2]]:1: note: 'big' spills: {{[0-9]+}} registers
// CHECK: spills.mlir:[[#@LINE+13]]:5: note: most registers are needed here, by estimate: {{5[0-9][0-9]|6[0-9][0-9]}} for fragments and operands, addresses left out
tile.kernel @big(%A: memref<128x4096xf16> {tile.alignment = 16}, %B: memref<128x4096xf16> {tile.alignment = 16}, %C: memref<128x128xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %K = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  %a = tile.alloc : memref<128x32xf16, #shared>
  %b0 = tile.alloc : memref<128x32xf16, #shared>
  %c = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %c with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c32 stages(2) {
    tile.copy %A[%c0, %k] to %a : memref<128x4096xf16> to memref<128x32xf16, #shared>
    tile.copy %B[%c0, %k] to %b0 : memref<128x4096xf16> to memref<128x32xf16, #shared>
    tile.gemm %a, %b0, %c {plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [1, 1]>, transpose_b} : memref<128x32xf16, #shared>, memref<128x32xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.copy %c to %C : memref<128x128xf32, #tile.fragment> to memref<128x128xf32>
}
