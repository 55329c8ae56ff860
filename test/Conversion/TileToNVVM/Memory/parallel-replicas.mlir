// Iterations that several threads hold are run by the first of them where all
// they leave behind is in memory: what the others would read, it may have
// written by then.
// RUN: tile-opt %s --split-input-file --tile-to-nvvm=arch=sm_80 | FileCheck %s

#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: llvm.func @in_memory
// CHECK:         nvvm.barrier
// CHECK:         llvm.cond_br
// CHECK:         llvm.load {{.*}} !llvm.ptr<3>
// CHECK-NOT:     llvm.cond_br
// CHECK:         llvm.store {{.*}} !llvm.ptr<3>
// CHECK:         nvvm.barrier
tile.kernel @in_memory(%A: memref<8xf32>) grid(%bx) = (1) threads(64) {
  %one = arith.constant 1.0 : f32
  %s = tile.alloc : memref<8xf32, #shared>
  tile.copy %A to %s : memref<8xf32> to memref<8xf32, #shared>
  tile.parallel (%i) in (8) {
    %x = memref.load %s[%i] : memref<8xf32, #shared>
    %y = arith.addf %x, %one : f32
    memref.store %y, %s[%i] : memref<8xf32, #shared>
  }
  tile.copy %s to %A : memref<8xf32, #shared> to memref<8xf32>
}

// -----

// A fragment is every holder's own: all of them run.
// CHECK-LABEL: llvm.func @in_fragment
// CHECK:         nvvm.barrier
// CHECK-NOT:     llvm.cond_br
// CHECK:         llvm.load {{.*}} !llvm.ptr<3>
// CHECK:         llvm.return
#shared = #gpu.address_space<workgroup>
tile.kernel @in_fragment(%A: memref<8xf32>) grid(%bx) = (1) threads(64) {
  %s = tile.alloc : memref<8xf32, #shared>
  %f = tile.alloc : memref<8xf32, #tile.fragment>
  tile.copy %A to %s : memref<8xf32> to memref<8xf32, #shared>
  tile.parallel (%i) in (8) {
    %x = memref.load %s[%i] : memref<8xf32, #shared>
    %y = arith.addf %x, %x : f32
    memref.store %y, %f[%i] : memref<8xf32, #tile.fragment>
  }
  tile.copy %f to %A : memref<8xf32, #tile.fragment> to memref<8xf32>
}
