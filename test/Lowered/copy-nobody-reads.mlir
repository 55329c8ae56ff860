// A copy by cp.async into a tile that nothing reads is waited for before the block ends: its shared memory is another's then.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_80 | FileCheck %s --check-prefix=WAIT
// RUN: tile-run %s --stage=lowered --arch=sm_80 --check | FileCheck %s
// WAIT: cp.async
// WAIT: nvvm.cp.async.wait.group 0
// WAIT-NEXT: llvm.return
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @unread(%A: memref<32x32xf32> {tile.alignment = 16}, %B: memref<32x32xf32> {tile.alignment = 16})
    grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<32x32xf32, #shared>
  %f = tile.alloc : memref<32x32xf32, #tile.fragment>
  tile.copy %A[%c0, %c0] to %f : memref<32x32xf32> to memref<32x32xf32, #tile.fragment>
  tile.copy %f to %B[%c0, %c0] : memref<32x32xf32, #tile.fragment> to memref<32x32xf32>
  tile.copy %A[%c0, %c0] to %s {prefer = #tile.copy_instruction<cp_async>} : memref<32x32xf32> to memref<32x32xf32, #shared>
}
