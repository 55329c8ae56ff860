// A loop of a single thread that indexes a row is written out; what it loads and stores by itself stays a loop of its own, in front
// of it and behind it, so that it is moved as a vector (SplitMoves.cpp).
// RUN: tile-opt %s --split-input-file --tile-set-target=arch=sm_90a --tile-infer-layouts | FileCheck %s

// CHECK-LABEL: tile.kernel @loaded_and_stored
// CHECK-DAG:     %[[AHEAD:.*]] = tile.alloc : memref<4xf32, #tile.local>
// CHECK-DAG:     %[[BEHIND:.*]] = tile.alloc : memref<4xf32, #tile.local>
// CHECK:         tile.parallel (%[[T:.*]]) in (64)
// CHECK:           scf.for
// CHECK:             %[[X:.*]] = memref.load %A
// CHECK-NEXT:        memref.store %[[X]], %{{.*}} : memref<4xf32, #tile.local>
// CHECK-COUNT-4:     arith.addf
// CHECK-NOT:         arith.addf
// CHECK:           scf.for
// CHECK:             %[[Y:.*]] = memref.load %{{.*}} : memref<4xf32, #tile.local>
// CHECK-NEXT:        memref.store %[[Y]], %B
tile.kernel @loaded_and_stored(%A: memref<256xf32>, %B: memref<256xf32>) grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %row = tile.alloc : memref<64x4xf32, #tile.fragment>
  tile.fill %row with %zero : memref<64x4xf32, #tile.fragment>, f32
  tile.parallel (%t) in (64) {
    scf.for %i = %c0 to %c4 step %c1 {
      %first = arith.muli %t, %c4 : index
      %at = arith.addi %first, %i : index
      %x = memref.load %A[%at] : memref<256xf32>
      %old = memref.load %row[%t, %i] : memref<64x4xf32, #tile.fragment>
      %new = arith.addf %x, %old : f32
      memref.store %new, %row[%t, %i] : memref<64x4xf32, #tile.fragment>
      memref.store %new, %B[%at] : memref<256xf32>
    }
  }
  tile.parallel (%t) in (64) {
    %v = memref.load %row[%t, %c0] : memref<64x4xf32, #tile.fragment>
    memref.store %v, %A[%t] : memref<256xf32>
  }
}

// -----

// Memory that the loop reads and writes keeps its order: nothing is moved.
// CHECK-LABEL: tile.kernel @same_memory
// CHECK-NOT:     #tile.local
// CHECK-COUNT-4: memref.load %A
// CHECK:         tile.return
tile.kernel @same_memory(%A: memref<256xf32>) grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %row = tile.alloc : memref<64x4xf32, #tile.fragment>
  tile.fill %row with %zero : memref<64x4xf32, #tile.fragment>, f32
  tile.parallel (%t) in (64) {
    scf.for %i = %c0 to %c4 step %c1 {
      %first = arith.muli %t, %c4 : index
      %at = arith.addi %first, %i : index
      %x = memref.load %A[%at] : memref<256xf32>
      %old = memref.load %row[%t, %i] : memref<64x4xf32, #tile.fragment>
      %new = arith.addf %x, %old : f32
      memref.store %new, %row[%t, %i] : memref<64x4xf32, #tile.fragment>
      memref.store %new, %A[%at] : memref<256xf32>
    }
  }
  tile.parallel (%t) in (64) {
    %v = memref.load %row[%t, %c0] : memref<64x4xf32, #tile.fragment>
    memref.store %v, %A[%t] : memref<256xf32>
  }
}
