// Global memory: no barrier where each thread writes again only what it wrote.
// RUN: tile-opt %s --split-input-file --tile-to-nvvm=arch=sm_80 | FileCheck %s

// Parts at multiples of their size are the same or disjoint.
// CHECK-LABEL: llvm.func @own
// CHECK-NOT:     nvvm.barrier
// CHECK:         llvm.return
tile.kernel @own(%X: memref<?x4096xf32> {tile.alignment = 16}, %Y: memref<?x4096xf32> {tile.alignment = 16}) grid(%b) = (dim(%X, 0)) threads(128) {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %c4096 = arith.constant 4096 : index
  %x = tile.alloc : memref<512xf32, #tile.fragment>
  scf.for %j = %c0 to %c4096 step %c512 {
    tile.copy %X[%b, %j] to %x : memref<?x4096xf32> to memref<512xf32, #tile.fragment>
    tile.copy %x to %Y[%b, %j] : memref<512xf32, #tile.fragment> to memref<?x4096xf32>
  }
}

// -----

// In place: who stores an element is who has read it.
// CHECK-LABEL: llvm.func @in_place
// CHECK-NOT:     nvvm.barrier
// CHECK:         llvm.return
tile.kernel @in_place(%X: memref<?x4096xf32> {tile.alignment = 16}) grid(%b) = (dim(%X, 0)) threads(128) {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %c4096 = arith.constant 4096 : index
  scf.for %j = %c0 to %c4096 step %c512 {
    tile.parallel (%i) in (512) {
      %at = arith.addi %i, %j : index
      %x = memref.load %X[%b, %at] : memref<?x4096xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %X[%b, %at] : memref<?x4096xf32>
    }
  }
}

// -----

// Parts that overlap by half: another thread wrote there before.
// CHECK-LABEL: llvm.func @overlapping
// CHECK:         llvm.cond_br
// CHECK:         nvvm.barrier
// CHECK-NOT:     nvvm.barrier
// CHECK:         llvm.store {{.*}} !llvm.ptr<1>
// CHECK:         llvm.return
tile.kernel @overlapping(%X: memref<?x4096xf32> {tile.alignment = 16}, %Y: memref<?x4096xf32> {tile.alignment = 16}) grid(%b) = (dim(%X, 0)) threads(128) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %c3584 = arith.constant 3584 : index
  %x = tile.alloc : memref<512xf32, #tile.fragment>
  scf.for %j = %c0 to %c3584 step %c256 {
    tile.copy %X[%b, %j] to %x : memref<?x4096xf32> to memref<512xf32, #tile.fragment>
    tile.copy %x to %Y[%b, %j] : memref<512xf32, #tile.fragment> to memref<?x4096xf32>
  }
}

// -----

// The same part, dealt out otherwise: transposed.
// CHECK-LABEL: llvm.func @transposed
// CHECK:         llvm.store {{.*}} !llvm.ptr<1>
// CHECK:         nvvm.barrier
// CHECK:         llvm.load {{.*}} !llvm.ptr<1>
// CHECK:         llvm.return
tile.kernel @transposed(%X: memref<64x64xf32> {tile.alignment = 16}, %Y: memref<64x64xf32> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %one = arith.constant 1.0 : f32
  tile.parallel (%i, %j) in (64, 64) {
    memref.store %one, %X[%i, %j] : memref<64x64xf32>
  }
  tile.parallel (%i, %j) in (64, 64) {
    %x = memref.load %X[%j, %i] : memref<64x64xf32>
    memref.store %x, %Y[%i, %j] : memref<64x64xf32>
  }
}

// -----

// Every thread reads what one of its replicas writes.
// CHECK-LABEL: llvm.func @replicated
// CHECK:         llvm.store {{.*}} !llvm.ptr<1>
// CHECK:         nvvm.barrier
// CHECK:         llvm.load {{.*}} !llvm.ptr<1>
// CHECK:         llvm.return
tile.kernel @replicated(%X: memref<8xf32>, %Y: memref<8xf32>) grid(%b) = (1) threads(128) {
  %one = arith.constant 1.0 : f32
  %x = tile.alloc : memref<8xf32, #tile.fragment>
  tile.fill %x with %one : memref<8xf32, #tile.fragment>, f32
  tile.copy %x to %X : memref<8xf32, #tile.fragment> to memref<8xf32>
  tile.copy %X to %x : memref<8xf32> to memref<8xf32, #tile.fragment>
  tile.copy %x to %Y : memref<8xf32, #tile.fragment> to memref<8xf32>
}

// -----

// Rows by index, one after the other: each thread has its columns in all of them, whichever they are.
// CHECK-LABEL: llvm.func @rows_by_index
// CHECK-NOT:     nvvm.barrier
// CHECK:         llvm.return
tile.kernel @rows_by_index(%I: memref<8xi32>, %X: memref<512xf32> {tile.alignment = 16}, %Y: memref<?x512xf32> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %x = tile.alloc : memref<512xf32, #tile.fragment>
  tile.copy %X to %x : memref<512xf32> to memref<512xf32, #tile.fragment>
  scf.for %k = %c0 to %c8 step %c1 {
    tile.parallel (%j) in (512) {
      %row = memref.load %I[%k] : memref<8xi32>
      %at = arith.index_cast %row : i32 to index
      %v = memref.load %x[%j] : memref<512xf32, #tile.fragment>
      memref.store %v, %Y[%at, %j] : memref<?x512xf32>
    }
  }
}

// -----

// Columns by index: another thread may have written there before.
// CHECK-LABEL: llvm.func @columns_by_index
// CHECK:         nvvm.barrier
// CHECK:         llvm.return
tile.kernel @columns_by_index(%I: memref<8xi32>, %X: memref<512xf32> {tile.alignment = 16}, %Y: memref<?xf32> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %x = tile.alloc : memref<512xf32, #tile.fragment>
  tile.copy %X to %x : memref<512xf32> to memref<512xf32, #tile.fragment>
  scf.for %k = %c0 to %c8 step %c1 {
    tile.parallel (%j) in (512) {
      %row = memref.load %I[%k] : memref<8xi32>
      %start = arith.index_cast %row : i32 to index
      %at = arith.addi %start, %j : index
      %v = memref.load %x[%j] : memref<512xf32, #tile.fragment>
      memref.store %v, %Y[%at] : memref<?xf32>
    }
  }
}
