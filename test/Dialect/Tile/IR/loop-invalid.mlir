// RUN: tile-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect

// parallel-1
tile.kernel @k() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[parallel-1] expected at least one extent, none negative, and a product of at most 16777216}}
  tile.parallel () in () {
  }
}

// -----

// parallel-1
tile.kernel @k() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[parallel-1] expected at least one extent, none negative}}
  tile.parallel (%i) in (-8) {
  }
}

// -----

// parallel-1
tile.kernel @k() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[parallel-1] expected at least one extent, none negative}}
  tile.parallel (%i, %j, %k) in (0, -8, 4) {
  }
}

// -----

// parallel-1: beyond 64 bits
tile.kernel @k() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[parallel-1] expected at least one extent, none negative, and a product of at most 16777216}}
  tile.parallel (%i, %j) in (4294967296, 4294967296) {
  }
}

// -----

// parallel-1: one index per extent
tile.kernel @k() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[parallel-1] expected one index per extent (2), got 1 block arguments}}
  tile.parallel (%i) in (8, 4) {
  }
}

// -----

// parallel-1: indices are indices
tile.kernel @k() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[parallel-1] expected one index per extent (1), got 1 block arguments}}
  "tile.parallel"() <{extents = array<i64: 8>}> ({
  ^bb0(%i: i32):
    "tile.yield"() : () -> ()
  }) : () -> ()
}

// -----

// parallel-2: a tile operation
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %f = tile.alloc : memref<8xf32, #tile.fragment>
  %zero = arith.constant 0.0 : f32
  // expected-note @+1 {{in this loop}}
  tile.parallel (%i) in (8) {
    // expected-error @+1 {{[parallel-2] expected scalar code inside `tile.parallel`}}
    tile.fill %f with %zero : memref<8xf32, #tile.fragment>, f32
  }
}

// -----

// parallel-2: a loop in a loop
tile.kernel @k() grid(%bx) = (1) threads(32) {
  // expected-note @+1 {{in this loop}}
  tile.parallel (%i) in (8) {
    // expected-error @+1 {{[parallel-2] expected scalar code inside `tile.parallel`}}
    tile.parallel (%j) in (4) {
    }
  }
}

// -----

// parallel-2: a whole tile cannot be printed by one iteration
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %f = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-note @+1 {{in this loop}}
  tile.parallel (%i) in (8) {
    // expected-error @+1 {{[parallel-2] expected scalar code inside `tile.parallel`}}
    tile.print "f" %f : memref<8xf32, #tile.fragment>
  }
}

// -----

// parallel-2: an operation of unknown effects, under control flow
tile.kernel @k(%A: memref<?xf32>, %B: memref<?x?xf32>, %n: index) grid(%bx) = (1) threads(32) {
  // expected-note @+1 {{in this loop}}
  tile.parallel (%i) in (8) {
    %c = arith.cmpi eq, %i, %n : index
    scf.if %c {
      // expected-error @+1 {{[parallel-2] expected scalar code inside `tile.parallel`}}
      "test.unknown"() : () -> ()
    }
  }
}

// -----

// parallel-2: an allocation
tile.kernel @k() grid(%bx) = (1) threads(32) {
  // expected-note @+1 {{in this loop}}
  tile.parallel (%i) in (8) {
    // expected-error @+1 {{[parallel-2] expected scalar code inside `tile.parallel`}}
    %m = memref.alloc() : memref<8xf32>
  }
}

// -----

// parallel-3: shape
tile.kernel @k() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[parallel-3] expected a layout of the loop's shape, got}}
  tile.parallel (%i) in (64) layout(#tile.fragment_layout<shape [32] reg [] lane [(32, 0:1)] warp []>) {
  }
}

// -----

// parallel-3: threads
tile.kernel @k() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[parallel-3] expected a layout over 32 threads, got 64}}
  tile.parallel (%i) in (64) layout(#tile.fragment_layout<shape [64] reg [] lane [(32, 0:1)] warp [(2, 0:32)]>) {
  }
}

// -----

// parallel-4: every j writes the element of i
tile.kernel @k(%A: memref<?xf32>, %B: memref<?x?xf32>, %n: index) grid(%bx) = (1) threads(32) {
  %zero = arith.constant 0.0 : f32
  // expected-note @+1 {{in this loop; use `memref.atomic_rmw` or `tile.reduce` to combine values}}
  tile.parallel (%i, %j) in (8, 4) {
    // expected-error @+1 {{[parallel-4] expected each iteration to write an element of its own, got one element written by 4 iterations along index 1}}
    memref.store %zero, %A[%i] : memref<?xf32>
  }
}

// -----

// parallel-4: the indices need not be the loop's own; j stays out
tile.kernel @k(%A: memref<?xf32>, %B: memref<?x?xf32>, %n: index) grid(%bx) = (1) threads(32) {
  %zero = arith.constant 0.0 : f32
  // expected-note @+1 {{in this loop}}
  tile.parallel (%i, %j) in (8, 4) {
    %p = arith.addi %i, %n : index
    // expected-error @+1 {{[parallel-4] expected each iteration to write an element of its own, got one element written by 4 iterations along index 1}}
    memref.store %zero, %B[%p, %n] : memref<?x?xf32>
  }
}

// -----

// parallel-4: affine stores
tile.kernel @k(%A: memref<?xf32>, %B: memref<?x?xf32>, %n: index) grid(%bx) = (1) threads(32) {
  %zero = arith.constant 0.0 : f32
  // expected-note @+1 {{in this loop}}
  tile.parallel (%i, %j) in (8, 4) {
    // expected-error @+1 {{[parallel-4] expected each iteration to write an element of its own, got one element written by 8 iterations along index 0}}
    affine.store %zero, %A[%j * 2] : memref<?xf32>
  }
}

// -----

// parallel-4: undecided stays legal (an index through memory, through a condition, mixed); so do atomics
tile.kernel @k(%A: memref<?xf32>, %B: memref<?x?xf32>, %n: index, %X: memref<?x?xindex>) grid(%bx) = (1) threads(32) {
  %zero = arith.constant 0.0 : f32
  tile.parallel (%i, %j) in (8, 4) {
    %p = arith.muli %i, %n : index
    %q = arith.addi %p, %j : index
    memref.store %zero, %A[%q] : memref<?xf32>
    %v = memref.load %X[%i, %j] : memref<?x?xindex>
    memref.store %zero, %A[%v] : memref<?xf32>
    %c = arith.cmpi eq, %i, %j : index
    %s = scf.if %c -> index {
      scf.yield %n : index
    } else {
      scf.yield %i : index
    }
    memref.store %zero, %A[%s] : memref<?xf32>
    %old = memref.atomic_rmw addf %zero, %A[%n] : (f32, memref<?xf32>) -> f32
  }
}

// -----

// parallel-5
tile.kernel @k() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[parallel-5] expected `coalesced_width` to be a positive power of two, got 3}}
  tile.parallel (%i) in (8) attributes {coalesced_width = 3 : i64} {
  }
}

// -----

// pipelined-1
tile.kernel @k(%A: memref<?xf32>, %B: memref<?x?xf32>, %n: index) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[pipelined-1] expected 1 to 64 stages, got 0}}
  tile.pipelined %k = %n to %n step %n stages(0) {
  }
}

// -----

// pipelined-1
tile.kernel @k(%A: memref<?xf32>, %B: memref<?x?xf32>, %n: index) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[pipelined-1] expected 1 to 64 stages, got 65}}
  tile.pipelined %k = %n to %n step %n stages(65) {
  }
}

// -----

// pipelined-2
tile.kernel @k(%A: memref<?xf32>, %B: memref<?x?xf32>, %n: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{[pipelined-2] expected a positive step, got 0}}
  tile.pipelined %k = %n to %n step %c0 stages(2) {
  }
}

// -----

// pipelined-2
tile.kernel @k(%A: memref<?xf32>, %B: memref<?x?xf32>, %n: index) grid(%bx) = (1) threads(32) {
  %m4 = arith.constant -4 : index
  // expected-error @+1 {{[pipelined-2] expected a positive step, got -4}}
  tile.pipelined %k = %n to %n step %m4 stages(2) {
  }
}

// -----

// the body of pipelined has one index
tile.kernel @k(%A: memref<?xf32>, %B: memref<?x?xf32>, %n: index) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{expected one index as block argument, got 0 block arguments}}
  "tile.pipelined"(%n, %n, %n) <{stages = 2 : i64}> ({
    "tile.yield"() : () -> ()
  }) : (index, index, index) -> ()
}

// -----

// a yield ends a tile loop
tile.kernel @k() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{'tile.yield' op expects parent op to be one of 'tile.parallel, tile.pipelined, tile.reduce_with, tile.scan_with'}}
  "tile.yield"() : () -> ()
}
