// Elements of half a byte that a loop reads and stores in shared memory: a byte's other element is another thread's.
// RUN: tile-run %s --stage=lowered --arch=sm_80 --check | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @packed(%A: memref<8x17xi4>, %B: memref<8x17xi4>) grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i4
  %s = tile.alloc : memref<8x17xi4, #shared>
  tile.copy %A[%c0, %c0] to %s : memref<8x17xi4> to memref<8x17xi4, #shared>
  tile.parallel (%i, %j) in (8, 17) {
    %a = memref.load %s[%i, %j] : memref<8x17xi4, #shared>
    %next = arith.addi %a, %one : i4
    memref.store %next, %s[%i, %j] : memref<8x17xi4, #shared>
  }
  tile.copy %s to %B[%c0, %c0] : memref<8x17xi4, #shared> to memref<8x17xi4>
}
