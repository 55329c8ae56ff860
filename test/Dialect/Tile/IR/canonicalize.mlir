// RUN: tile-opt %s --canonicalize | FileCheck %s

// An empty loop over elements disappears; a full one stays.
// CHECK-LABEL: tile.kernel @parallel
// CHECK-NOT: in (4, 0)
// CHECK: tile.parallel (%i) in (4)
// CHECK-NOT: tile.parallel
tile.kernel @parallel(%A: memref<4xf32>) grid(%bx) = (1) threads(32) {
  %zero = arith.constant 0.0 : f32
  tile.parallel (%i, %j) in (4, 0) {
    memref.store %zero, %A[%i] : memref<4xf32>
  }
  tile.parallel (%i) in (4) {
    memref.store %zero, %A[%i] : memref<4xf32>
  }
}

// Zero trips by constant bounds; one trip, and bounds unknown, stay.
// CHECK-LABEL: tile.kernel @pipelined
// CHECK-NOT: stages(2)
// CHECK: stages(3)
// CHECK: stages(4)
tile.kernel @pipelined(%A: memref<?xf32>, %n: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %m4 = arith.constant -4 : index
  %zero = arith.constant 0.0 : f32
  tile.pipelined %k = %c8 to %c8 step %c1 stages(2) {
    memref.store %zero, %A[%k] : memref<?xf32>
  }
  tile.pipelined %k = %c0 to %m4 step %c1 stages(2) {
    memref.store %zero, %A[%k] : memref<?xf32>
  }
  tile.pipelined %k = %c0 to %c1 step %c8 stages(3) {
    memref.store %zero, %A[%k] : memref<?xf32>
  }
  tile.pipelined %k = %c8 to %n step %c1 stages(4) {
    memref.store %zero, %A[%k] : memref<?xf32>
  }
}

// What is known to hold needs no check; what is known to fail keeps it.
// CHECK-LABEL: tile.kernel @promises
// CHECK-NOT: "true"
// CHECK: tile.assert %false, "false"
// CHECK: tile.assert %ok, "unknown"
// CHECK-NOT: divisible_by = 8
// CHECK: tile.assume %{{.*}} {divisible_by = 7 : i64} : index
// CHECK: tile.assume %{{.*}} {min = 17 : i64} : index
// CHECK: tile.assume %n {min = 0 : i64} : index
tile.kernel @promises(%n: index, %ok: i1) grid(%bx) = (1) threads(32) {
  %true = arith.constant true
  %false = arith.constant false
  %c16 = arith.constant 16 : index
  tile.assert %true, "true"
  tile.assert %false, "false"
  tile.assert %ok, "unknown"
  tile.assume %c16 {divisible_by = 8 : i64, min = 16 : i64, max = 16 : i64} : index
  tile.assume %c16 {divisible_by = 7 : i64} : index
  tile.assume %c16 {min = 17 : i64} : index
  tile.assume %n {min = 0 : i64} : index
}

// An allocation that nobody uses disappears.
// CHECK-LABEL: tile.kernel @unused
// CHECK-NOT: tile.alloc
tile.kernel @unused() grid(%bx) = (1) threads(32) {
  %0 = tile.alloc : memref<32xf32, #tile.fragment>
}

// Questions to loops whose bounds are known are answered; also in a loop of one iteration, which is dissolved.
// CHECK-LABEL: tile.kernel @answered
// CHECK-NOT: tile.iteration
// CHECK: tile.assert %false, "exists(2)"
// CHECK: tile.assert %false, "ahead(1)"
// CHECK: tile.assert %false, "past(1)"
// CHECK: tile.assert %false, "is(1)"
// CHECK-NOT: tile.assert
// CHECK: tile.iteration exists(3) in %c2 to %n step %c3
tile.kernel @answered(%n: index) grid(%bx) = (1) threads(32) {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  %e1 = tile.iteration exists(1) in %c2 to %c8 step %c3
  %e2 = tile.iteration exists(2) in %c2 to %c8 step %c3
  tile.assert %e1, "exists(1)"
  tile.assert %e2, "exists(2)"
  scf.for %i = %c2 to %c5 step %c3 {
    %h0 = tile.iteration ahead(0) of %i in %c2 to %c5 step %c3
    %h1 = tile.iteration ahead(1) of %i in %c2 to %c5 step %c3
    %p0 = tile.iteration past(0) of %i in %c2 to %c5 step %c3
    %p1 = tile.iteration past(1) of %i in %c2 to %c5 step %c3
    %i0 = tile.iteration is(0) of %i in %c2 to %c5 step %c3
    %i1 = tile.iteration is(1) of %i in %c2 to %c5 step %c3
    tile.assert %h0, "ahead(0)"
    tile.assert %h1, "ahead(1)"
    tile.assert %p0, "past(0)"
    tile.assert %p1, "past(1)"
    tile.assert %i0, "is(0)"
    tile.assert %i1, "is(1)"
  }
  // A bound that is not known.
  %open = tile.iteration exists(3) in %c2 to %n step %c3
  tile.assert %open, "exists(3)"
}
