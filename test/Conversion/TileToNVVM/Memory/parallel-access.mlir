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

// -----

// Layouts that nobody states: the reduction leaves a group's maximum in all lanes of the group.
// CHECK-LABEL: llvm.func @of_groups
// CHECK-NOT:     llvm.{{load|store}} {{.*}}!llvm.ptr<3>
// CHECK-NOT:     nvvm.barrier
// CHECK:         llvm.return
tile.kernel @of_groups(%x: memref<16x64xf32>, %y: memref<16x64xf32>) grid(%bx) = (1) threads(128) {
  %c32 = arith.constant 32 : index
  %f = tile.alloc : memref<16x64xf32, #tile.fragment>
  %m = tile.alloc : memref<16x2xf32, #tile.fragment>
  tile.copy %x to %f : memref<16x64xf32> to memref<16x64xf32, #tile.fragment>
  %v = tile.view %f : memref<16x64xf32, #tile.fragment> to memref<16x2x32xf32, #tile.fragment>
  tile.reduce absmax %v to %m dim(2) : memref<16x2x32xf32, #tile.fragment> to memref<16x2xf32, #tile.fragment>
  tile.parallel (%i, %j) in (16, 64) {
    %g = arith.divui %j, %c32 : index
    %a = memref.load %f[%i, %j] : memref<16x64xf32, #tile.fragment>
    %s = memref.load %m[%i, %g] : memref<16x2xf32, #tile.fragment>
    %q = arith.mulf %a, %s : f32
    memref.store %q, %f[%i, %j] : memref<16x64xf32, #tile.fragment>
  }
  tile.copy %f to %y : memref<16x64xf32, #tile.fragment> to memref<16x64xf32>
}

// -----

// Threads hold columns of rows here, and the value of a group is in another thread's registers: through shared memory.
// CHECK-LABEL: llvm.func @elsewhere
// CHECK:         llvm.store {{.*}}!llvm.ptr<3>
// CHECK:         nvvm.barrier
// CHECK:         llvm.load {{.*}}!llvm.ptr<3>
#row = #tile.fragment_layout<shape [16, 64] reg [(8, 0:2)] lane [(32, 1:1)] warp [(2, 1:32), (2, 0:1)]>
#group = #tile.fragment_layout<shape [16, 8] reg [] lane [(8, 1:1), (4, 0:1)] warp [(4, 0:4)]>
tile.kernel @elsewhere(%x: memref<16x64xf32>, %z: memref<16x8xf32>, %y: memref<16x64xf32>) grid(%bx) = (1) threads(128) {
  %c8 = arith.constant 8 : index
  %f = tile.alloc layout(#row) : memref<16x64xf32, #tile.fragment>
  %m = tile.alloc layout(#group) : memref<16x8xf32, #tile.fragment>
  tile.copy %x to %f : memref<16x64xf32> to memref<16x64xf32, #tile.fragment>
  tile.copy %z to %m : memref<16x8xf32> to memref<16x8xf32, #tile.fragment>
  tile.parallel (%i, %j) in (16, 64) {
    %g = arith.divui %j, %c8 : index
    %a = memref.load %f[%i, %j] : memref<16x64xf32, #tile.fragment>
    %s = memref.load %m[%i, %g] : memref<16x8xf32, #tile.fragment>
    %q = arith.mulf %a, %s : f32
    memref.store %q, %y[%i, %j] : memref<16x64xf32>
  }
}
