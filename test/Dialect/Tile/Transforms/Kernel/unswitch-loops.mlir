// Branches that a loop of a single thread does not change go around the loop.
// RUN: tile-opt %s --split-input-file --tile-set-target=arch=sm_90a --tile-unswitch-loops=remarks --mlir-print-local-scope -verify-diagnostics | FileCheck %s

// The condition is computed in the loop, from what is outside. The other way stores what it stores in all rounds.
// CHECK-LABEL: tile.kernel @at_an_edge
// CHECK:       tile.parallel (%[[T:.*]]) in (256) {
// CHECK:         %[[IS:.*]] = arith.cmpi slt, %[[T]], %{{.*}} : index
// CHECK-NEXT:    scf.if %[[IS]] {
// CHECK-NEXT:      scf.for %[[I:.*]] =
// CHECK-NEXT:        %[[X:.*]] = memref.load %A[%[[I]], %[[T]]]
// CHECK-NEXT:        memref.store %[[X]], %{{.*}}[%[[I]], %[[T]]]
// CHECK-NEXT:      }
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.for %[[J:.*]] =
// CHECK-NEXT:        memref.store %cst, %{{.*}}[%[[J]], %[[T]]]
// CHECK-NEXT:      }
// CHECK-NEXT:    }
tile.kernel @at_an_edge(%A: memref<16x192xf32>) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c192 = arith.constant 192 : index
  %zero = arith.constant 0.0 : f32
  %s = tile.alloc : memref<16x256xf32, #gpu.address_space<workgroup>>
  tile.parallel (%t) in (256) {
    // expected-remark @below {{written twice, under a condition and under its opposite, which are the same in all rounds}}
    scf.for %i = %c0 to %c16 step %c1 {
      %inside = arith.cmpi slt, %t, %c192 : index
      scf.if %inside {
        %x = memref.load %A[%i, %t] : memref<16x192xf32>
        memref.store %x, %s[%i, %t] : memref<16x256xf32, #gpu.address_space<workgroup>>
      } else {
        memref.store %zero, %s[%i, %t] : memref<16x256xf32, #gpu.address_space<workgroup>>
      }
    }
  }
}

// -----

// Around both loops, of values that a loop carries, and of both branches with the condition; a loop that is empty is gone.
// CHECK-LABEL: tile.kernel @nested
// CHECK:       %[[SUM:.*]] = scf.if %{{.*}} -> (f32) {
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      scf.for
// CHECK:             memref.load %A
// CHECK-NEXT:        arith.addf
// CHECK-NEXT:        memref.store %{{.*}}, %B
// CHECK-NEXT:        scf.yield
// CHECK:       } else {
// CHECK:         scf.for
// CHECK-NOT:       memref
// CHECK:       memref.store %[[SUM]], %C
tile.kernel @nested(%A: memref<16x192xf32>, %B: memref<16x192xf32>, %C: memref<256xf32>) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c192 = arith.constant 192 : index
  %zero = arith.constant 0.0 : f32
  tile.parallel (%t) in (256) {
    %inside = arith.cmpi slt, %t, %c192 : index
    // expected-remark @below {{written twice}}
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%outer = %zero) -> f32 {
      // expected-remark @below {{written twice}}
      %inner = scf.for %j = %c0 to %c4 step %c1 iter_args(%s = %outer) -> f32 {
        %row = arith.addi %i, %j : index
        %x = scf.if %inside -> f32 {
          %v = memref.load %A[%row, %t] : memref<16x192xf32>
          scf.yield %v : f32
        } else {
          scf.yield %zero : f32
        }
        %new = arith.addf %s, %x : f32
        scf.if %inside {
          memref.store %new, %B[%row, %t] : memref<16x192xf32>
        }
        scf.yield %new : f32
      }
      scf.yield %inner : f32
    }
    memref.store %sum, %C[%t] : memref<256xf32>
  }
}

// -----

// Not of conditions that rounds change, that memory decides, or that decide about shared memory alone; not of loops that wait
// for other threads, and not of loops of the block.
// CHECK-LABEL: tile.kernel @as_they_are
// CHECK-COUNT-6: scf.for
// CHECK-NOT: scf.for
tile.kernel @as_they_are(%A: memref<16x192xf32>, %B: memref<16x192xf32>, %flag: memref<1xi1>, %n: memref<1xi32>) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c192 = arith.constant 192 : index
  %s = tile.alloc : memref<16x256xf32, #gpu.address_space<workgroup>>
  %k = tile.alloc : memref<256x1xf32, #tile.fragment>
  tile.parallel (%t) in (256) {
    scf.for %i = %c0 to %c16 step %c1 {
      %sum = arith.addi %i, %t : index
      %inside = arith.cmpi slt, %sum, %c192 : index
      scf.if %inside {
        %x = memref.load %A[%i, %t] : memref<16x192xf32>
        memref.store %x, %B[%i, %t] : memref<16x192xf32>
      }
    }
    scf.for %i = %c0 to %c16 step %c1 {
      %is = memref.load %flag[%c0] : memref<1xi1>
      scf.if %is {
        %x = memref.load %A[%i, %t] : memref<16x192xf32>
        memref.store %x, %B[%i, %t] : memref<16x192xf32>
      }
    }
    %less = arith.cmpi slt, %t, %c192 : index
    scf.for %i = %c0 to %c16 step %c1 {
      scf.if %less {
        %x = memref.load %s[%i, %t] : memref<16x256xf32, #gpu.address_space<workgroup>>
        memref.store %x, %k[%t, %c0] : memref<256x1xf32, #tile.fragment>
      }
    }
    scf.for %i = %c0 to %c16 step %c1 {
      %other = tile.atomic_load acquire %n[%c0] : memref<1xi32>
      %number = arith.sitofp %other : i32 to f32
      scf.if %less {
        memref.store %number, %B[%i, %t] : memref<16x192xf32>
      }
    }
  }
  tile.parallel (%t) in (192) {
    %start = arith.cmpi slt, %t, %c16 : index
    %end = scf.for %i = %c0 to %c16 step %c1 iter_args(%again = %start) -> i1 {
      scf.if %again {
        %x = memref.load %A[%i, %t] : memref<16x192xf32>
        memref.store %x, %B[%i, %t] : memref<16x192xf32>
      }
      %next = arith.cmpi slt, %t, %i : index
      scf.yield %next : i1
    }
  }
  %first = arith.cmpi eq, %b, %c0 : index
  scf.for %i = %c0 to %c16 step %c1 {
    scf.if %first {
      tile.parallel (%t) in (192) {
        %x = memref.load %A[%i, %t] : memref<16x192xf32>
        memref.store %x, %B[%i, %t] : memref<16x192xf32>
      }
    }
  }
}
