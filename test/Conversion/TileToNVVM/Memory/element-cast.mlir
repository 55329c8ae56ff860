// Copies convert elements as the CPU does (ElementCast): into i1 by `!= 0`, not
// by the low bit.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_80 | FileCheck %s

// CHECK-LABEL: llvm.func @float_to_bool
// CHECK:         llvm.fcmp "une"
// CHECK-NOT:     llvm.fptosi
// CHECK:         llvm.return
tile.kernel @float_to_bool(%A: memref<64xf32>, %B: memref<64xi1>) grid(%bx) = (1) threads(32) {
  tile.copy %A to %B : memref<64xf32> to memref<64xi1>
}

// CHECK-LABEL: llvm.func @integer_to_bool
// CHECK:         llvm.icmp "ne"
// CHECK:         llvm.return
tile.kernel @integer_to_bool(%A: memref<64xi32>, %B: memref<64xi1>) grid(%bx) = (1) threads(32) {
  tile.copy %A to %B : memref<64xi32> to memref<64xi1>
}
