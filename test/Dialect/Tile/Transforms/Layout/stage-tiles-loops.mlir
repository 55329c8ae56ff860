// A fragment that a loop reads through shared memory is copied there once, before the loops in which it stays as it is.
// RUN: tile-opt %s --split-input-file --tile-set-target=arch=sm_90a --tile-infer-layouts | FileCheck %s

// CHECK-LABEL: tile.kernel @read_in_loops
// CHECK: tile.copy %[[X:[0-9]+]] to %[[TWIN:[0-9]+]]
// CHECK: scf.for
// CHECK-NOT: tile.copy
// CHECK:   memref.load %[[TWIN]]
// CHECK-NOT: tile.copy
// CHECK:   memref.load %[[TWIN]]
// CHECK: tile.return
tile.kernel @read_in_loops(%A: memref<32x256xf32>, %C: memref<32x4xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %x = tile.alloc : memref<32x256xf32, #tile.fragment>
  tile.copy %A to %x : memref<32x256xf32> to memref<32x256xf32, #tile.fragment>
  scf.for %k = %c0 to %c64 step %c1 {
    tile.parallel (%i, %j) in (32, 4) {
      %first = arith.muli %k, %c4 : index
      %at = arith.addi %first, %j : index
      %v = memref.load %x[%i, %at] : memref<32x256xf32, #tile.fragment>
      memref.store %v, %C[%i, %j] : memref<32x4xf32>
    }
    tile.parallel (%i, %j) in (32, 4) {
      %v = memref.load %x[%i, %k] : memref<32x256xf32, #tile.fragment>
      memref.store %v, %C[%i, %j] : memref<32x4xf32>
    }
  }
}

// -----

// One that the loop writes is copied in each iteration.
// CHECK-LABEL: tile.kernel @written_in_loop
// CHECK: scf.for
// CHECK:   tile.fill
// CHECK:   tile.copy %{{[0-9]+}} to %[[TWIN:[0-9]+]]
// CHECK:   memref.load %[[TWIN]]
tile.kernel @written_in_loop(%C: memref<32x4xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f32
  %x = tile.alloc : memref<32x256xf32, #tile.fragment>
  scf.for %k = %c0 to %c64 step %c1 {
    tile.fill %x with %one : memref<32x256xf32, #tile.fragment>, f32
    tile.parallel (%i, %j) in (32, 4) {
      %at = arith.addi %k, %j : index
      %v = memref.load %x[%i, %at] : memref<32x256xf32, #tile.fragment>
      memref.store %v, %C[%i, %j] : memref<32x4xf32>
    }
  }
}

// -----

// An iteration that writes a row and then reads an element of it at run time reads what it has written: both are of the copy.
// CHECK-LABEL: tile.kernel @written_and_read
// CHECK: tile.copy %[[ROWS:[0-9]+]] to %[[TWIN:[0-9]+]]
// CHECK: tile.parallel (%[[T:.*]]) in (128)
// CHECK:   memref.store %{{.*}}, %[[TWIN]][%[[T]], %c1]
// CHECK:   memref.load %[[TWIN]][%[[T]], %{{.*}}]
// CHECK: tile.copy %[[TWIN]] to %[[ROWS]]
tile.kernel @written_and_read(%A: memref<128xi32>, %C: memref<128x4xi32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %x = tile.alloc : memref<128x4xi32, #tile.fragment>
  tile.parallel (%t) in (128) {
    %v = memref.load %A[%t] : memref<128xi32>
    memref.store %v, %x[%t, %c0] : memref<128x4xi32, #tile.fragment>
    memref.store %v, %x[%t, %c1] : memref<128x4xi32, #tile.fragment>
    memref.store %v, %x[%t, %c2] : memref<128x4xi32, #tile.fragment>
    memref.store %v, %x[%t, %c3] : memref<128x4xi32, #tile.fragment>
  }
  tile.parallel (%t) in (128) {
    %n = arith.index_cast %t : index to i32
    memref.store %n, %x[%t, %c1] : memref<128x4xi32, #tile.fragment>
    %at = arith.remui %t, %c4 : index
    %v = memref.load %x[%t, %at] : memref<128x4xi32, #tile.fragment>
    memref.store %v, %C[%t, %c0] : memref<128x4xi32>
  }
  tile.parallel (%t, %i) in (128, 4) {
    %v = memref.load %x[%t, %i] : memref<128x4xi32, #tile.fragment>
    memref.store %v, %C[%t, %i] : memref<128x4xi32>
  }
}
