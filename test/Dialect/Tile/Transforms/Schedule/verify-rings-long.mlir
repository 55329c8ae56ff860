// A loop of 2^57 iterations uses up the budget, not the memory.
// RUN: tile-opt %s '--tile-to-nvvm=arch=sm_80 remarks' --mlir-print-op-on-diagnostic=false 2>&1 | FileCheck %s

// CHECK: not proved: budget of 200000 steps used
// CHECK: rings are proved for 14 combinations of sizes
// CHECK: note: 0 to 8 iterations
// CHECK: llvm.func @long(
// CHECK: llvm.func @largest(

#shared = #gpu.address_space<workgroup>
tile.kernel @long(%A: memref<4096x4096xi8> {tile.alignment = 16}, %C: memref<128x64xi8>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %K = arith.constant 9223372036854775807 : index
  %As = tile.alloc : memref<128x64xi8, #shared>
  tile.pipelined %k = %c0 to %K step %c64 stages(3) {
    tile.copy %A[%c0, %k] to %As : memref<4096x4096xi8> to memref<128x64xi8, #shared>
    tile.copy %As to %C : memref<128x64xi8, #shared> to memref<128x64xi8>
  }
}

// Nor is any number special as a bound.
tile.kernel @largest(%A: memref<4096x4096xi8> {tile.alignment = 16}, %C: memref<128x64xi8>, %n: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %largest = arith.constant 9223372036854775807 : index
  %least = arith.constant -9223372036854775808 : index
  %As = tile.alloc : memref<128x64xi8, #shared>
  %below = arith.cmpi slt, %n, %largest : index
  %above = arith.cmpi sgt, %n, %least : index
  %both = arith.andi %below, %above : i1
  scf.if %both {
    tile.pipelined %k = %c0 to %n step %c64 stages(3) {
      tile.copy %A[%c0, %k] to %As : memref<4096x4096xi8> to memref<128x64xi8, #shared>
      tile.copy %As to %C : memref<128x64xi8, #shared> to memref<128x64xi8>
    }
  }
}
