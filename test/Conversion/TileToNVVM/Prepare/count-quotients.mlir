// A loop that divides its index by a number of run time counts instead; one
// that starts elsewhere, or divides by a constant or by what changes, does not.
// RUN: tile-opt %s --tile-count-quotients=remarks --verify-diagnostics | FileCheck %s

// CHECK-LABEL: tile.kernel @heads
// CHECK-SAME:    %X: memref<?xindex>
// CHECK:         scf.for %[[I:.*]] = %[[C0:.*]] to %n step %{{.*}} iter_args(%[[Q:.*]] = %[[C0]], %[[R:.*]] = %[[C0]]) -> (index, index) {
// CHECK-NEXT:      memref.store %[[Q]], %X[%[[I]]]
// CHECK-NEXT:      memref.store %[[R]], %X[%[[I]]]
// CHECK:           %[[MORE:.*]] = arith.addi %[[R]], %[[ONE:.*]] : index
// CHECK-NEXT:      %[[WRAPS:.*]] = arith.cmpi eq, %[[MORE]], %d : index
// CHECK-NEXT:      %[[UP:.*]] = arith.addi %[[Q]], %[[ONE]] : index
// CHECK-NEXT:      %[[NQ:.*]] = arith.select %[[WRAPS]], %[[UP]], %[[Q]] : index
// CHECK-NEXT:      %[[NR:.*]] = arith.select %[[WRAPS]], %[[C0]], %[[MORE]] : index
// CHECK-NEXT:      scf.yield %[[NQ]], %[[NR]] : index, index
tile.kernel @heads(%X: memref<?xindex>, %n: index, %d: index) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @below {{counts quotients and remainders of its index by 1 number instead of dividing in each iteration}}
  scf.for %i = %c0 to %n step %c1 {
    %q = arith.divui %i, %d : index
    memref.store %q, %X[%i] : memref<?xindex>
    %r = arith.remui %i, %d : index
    memref.store %r, %X[%i] : memref<?xindex>
  }
}
// CHECK-LABEL: tile.kernel @stays
// CHECK-NOT:     iter_args
tile.kernel @stays(%X: memref<?xindex>, %n: index, %d: index) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c1 to %n step %c1 {
    %q = arith.divui %i, %d : index
    memref.store %q, %X[%i] : memref<?xindex>
  }
  scf.for %i = %c0 to %n step %c3 {
    %q = arith.divui %i, %d : index
    memref.store %q, %X[%i] : memref<?xindex>
  }
  scf.for %i = %c0 to %n step %c1 {
    %q = arith.divui %i, %c3 : index
    memref.store %q, %X[%i] : memref<?xindex>
    %more = arith.addi %i, %d : index
    %r = arith.remui %i, %more : index
    memref.store %r, %X[%i] : memref<?xindex>
    %s = arith.divui %d, %i : index
    memref.store %s, %X[%i] : memref<?xindex>
  }
}
// Nor does a loop of one thread in a loop over a tile.
// CHECK-LABEL: tile.kernel @inside
// CHECK-NOT:     iter_args
tile.kernel @inside(%X: memref<?x64xindex>, %n: index, %d: index) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.parallel (%j) in (64) {
    scf.for %i = %c0 to %n step %c1 {
      %q = arith.divui %i, %d : index
      memref.store %q, %X[%i, %j] : memref<?x64xindex>
    }
  }
}
