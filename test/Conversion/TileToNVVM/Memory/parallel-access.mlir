// Accesses of fragments by indices with quotients and remainders, where each thread holds what its iterations name
// (ParallelAccess.cpp): registers, one after the other, and neither memory nor atomics.
// RUN: tile-opt %s --split-input-file --tile-to-nvvm=arch=sm_90a | FileCheck %s

// CHECK-LABEL: llvm.func @of_one_thread
// CHECK-NOT:     atomicrmw
// CHECK-NOT:     llvm.{{load|store}} {{.*}}!llvm.ptr<3>
// CHECK-COUNT-32: llvm.intr.maxnum
// CHECK-NOT:     llvm.intr.maxnum
// CHECK:         llvm.return
#x = #tile.fragment_layout<shape [32, 256] reg [(8, 1:1), (4, 0:8)] lane [(32, 1:8)] warp [(8, 0:1)]>
#m = #tile.fragment_layout<shape [1, 2, 128] reg [] lane [(16, 2:1), (2, 1:1)] warp [(8, 2:16)]>
tile.kernel @of_one_thread(%x: memref<32x256xf32>, %y: memref<1x2x128xf32>) grid(%bx) = (1) threads(256) {
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %f = tile.alloc layout(#x) : memref<32x256xf32, #tile.fragment>
  %m = tile.alloc layout(#m) : memref<1x2x128xf32, #tile.fragment>
  tile.copy %x to %f : memref<32x256xf32> to memref<32x256xf32, #tile.fragment>
  tile.fill %m with %zero : memref<1x2x128xf32, #tile.fragment>, f32
  tile.parallel (%i, %j) in (32, 256) {
    %a = arith.divui %i, %c32 : index
    %b = arith.divui %j, %c128 : index
    %r = arith.remui %i, %c8 : index
    %t = arith.muli %r, %c128 : index
    %q = arith.remui %j, %c128 : index
    %u = arith.addi %t, %q : index
    %c = arith.divui %u, %c8 : index
    %old = memref.load %m[%a, %b, %c] : memref<1x2x128xf32, #tile.fragment>
    %v = memref.load %f[%i, %j] : memref<32x256xf32, #tile.fragment>
    %new = arith.maxnumf %old, %v : f32
    memref.store %new, %m[%a, %b, %c] : memref<1x2x128xf32, #tile.fragment>
  }
  tile.copy %m to %y : memref<1x2x128xf32, #tile.fragment> to memref<1x2x128xf32>
}
