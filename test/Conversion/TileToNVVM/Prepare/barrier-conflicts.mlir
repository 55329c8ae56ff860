// Barriers stand between operations that touch the same bytes and write, and
// nowhere else.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_80 --split-input-file | FileCheck %s

#shared = #gpu.address_space<workgroup>
// Written, then read by other threads: one barrier.
// CHECK-LABEL: llvm.func @write_read
// CHECK:         llvm.store {{.*}} !llvm.ptr<3>
// CHECK:         nvvm.barrier
// CHECK-NOT:     nvvm.barrier
// CHECK:         llvm.load {{.*}} !llvm.ptr<3>
// CHECK-NOT:     nvvm.barrier
// CHECK:         llvm.return
tile.kernel @write_read(%A: memref<64x64xf32>, %B: memref<64x64xf32>) grid(%bx) = (1) threads(128) {
  %s = tile.alloc : memref<64x64xf32, #shared>
  tile.parallel (%i, %j) in (64, 64) {
    %x = memref.load %A[%i, %j] : memref<64x64xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %s[%i, %j] : memref<64x64xf32, #shared>
  }
  tile.parallel (%i, %j) in (64, 64) {
    %x = memref.load %s[%j, %i] : memref<64x64xf32, #shared>
    memref.store %x, %B[%i, %j] : memref<64x64xf32>
  }
}

// -----

// Two reads need none; neither do different buffers.
// CHECK-LABEL: llvm.func @independent
// CHECK-NOT:     nvvm.barrier
// CHECK:         llvm.return
tile.kernel @independent(%A: memref<64xf32>, %B: memref<64xf32>, %C: memref<64xf32>) grid(%bx) = (1) threads(32) {
  tile.parallel (%i) in (64) {
    %x = memref.load %A[%i] : memref<64xf32>
    memref.store %x, %B[%i] : memref<64xf32>
  }
  tile.parallel (%i) in (64) {
    %x = memref.load %A[%i] : memref<64xf32>
    memref.store %x, %C[%i] : memref<64xf32>
  }
}

// -----

#shared = #gpu.address_space<workgroup>
// Around a loop: the write of the next iteration waits for the reads of this one.
// CHECK-LABEL: llvm.func @loop
// CHECK:         nvvm.barrier
// CHECK:         nvvm.barrier
// CHECK-NOT:     nvvm.barrier
// CHECK:         llvm.return
tile.kernel @loop(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %n: index) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tile.alloc : memref<64x64xf32, #shared>
  scf.for %k = %c0 to %n step %c1 {
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %A[%i, %j] : memref<64x64xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %s[%i, %j] : memref<64x64xf32, #shared>
    }
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %s[%j, %i] : memref<64x64xf32, #shared>
      memref.store %x, %B[%i, %j] : memref<64x64xf32>
    }
  }
}
