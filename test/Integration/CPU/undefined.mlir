// A program whose result is right by chance is refused by --check: iterations of
// a `tile.parallel` that read what others write, tiles that nobody has written.
// RUN: not tile-run %s --kernel=shift --args=Y=8:iota --check 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not tile-run %s --kernel=shift --args=Y=8:iota --check --json 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not tile-run %s --kernel=scan --args=X=32:smallint --check 2>&1 | FileCheck %s --check-prefix=SCAN
// RUN: not tile-run %s --kernel=fragment --check 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// RUN: not tile-run %s --kernel=part --check 2>&1 | FileCheck %s --check-prefix=PART
// RUN: not tile-run %s --kernel=integers --check 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// RUN: not tile-run %s --kernel=each_iteration --check --stage=scheduled 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// RUN: tile-run %s --kernel=fragment | FileCheck %s --check-prefix=UNCHECKED
// RUN: tile-run %s --kernel=unused --check | FileCheck %s --check-prefix=PASS
// RUN: tile-run %s --kernel=sums --args=X=8:uniform --check | FileCheck %s --check-prefix=PASS
// RUN: tile-run %s --kernel=tickets --check | FileCheck %s --check-prefix=PASS
// ORDER: error: iterations depend on each other: Y at [2] is 0 where the iterations of each `tile.parallel` run from first to last, and 1 from last to first
// SCAN: error: iterations depend on each other: Y at [
// UNWRITTEN: error: the result depends on elements of a tile that were never written: Y at [0]
// PART: error: the result depends on elements of a tile that were never written: Y at [16]
// UNCHECKED-NOT: error
// PASS: PASS
#shared = #gpu.address_space<workgroup>

// Each element gets the one before: the old or the new one?
tile.kernel @shift(%Y: memref<8xf32>) grid(%b) = (1) threads(32) {
  %c1 = arith.constant 1 : index
  tile.parallel (%i) in (7) {
    %j = arith.addi %i, %c1 : index
    %x = memref.load %Y[%i] : memref<8xf32>
    memref.store %x, %Y[%j] : memref<8xf32>
  }
}

// Through shared memory.
tile.kernel @scan(%X: memref<32xf32>, %Y: memref<32xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tile.alloc : memref<32xf32, #shared>
  tile.copy %X to %s : memref<32xf32> to memref<32xf32, #shared>
  tile.parallel (%i) in (31) {
    %j = arith.addi %i, %c1 : index
    %x = memref.load %s[%i] : memref<32xf32, #shared>
    %y = memref.load %s[%j] : memref<32xf32, #shared>
    %z = arith.addf %x, %y : f32
    memref.store %z, %s[%j] : memref<32xf32, #shared>
  }
  tile.copy %s to %Y : memref<32xf32, #shared> to memref<32xf32>
}

tile.kernel @fragment(%Y: memref<32xf32>) grid(%b) = (1) threads(32) {
  %f = tile.alloc : memref<32xf32, #tile.fragment>
  tile.copy %f to %Y : memref<32xf32, #tile.fragment> to memref<32xf32>
}

// The second half was forgotten.
tile.kernel @part(%Y: memref<32xf32>) grid(%b) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %s = tile.alloc : memref<32xf32, #shared>
  tile.fill %s sizes [16] with %z : memref<32xf32, #shared>, f32
  tile.copy %s to %Y : memref<32xf32, #shared> to memref<32xf32>
}

tile.kernel @integers(%Y: memref<32xi1>) grid(%b) = (1) threads(32) {
  %f = tile.alloc : memref<32xi1, #tile.fragment>
  tile.copy %f to %Y : memref<32xi1, #tile.fragment> to memref<32xi1>
}

// A tile of a loop is a new one in each iteration.
tile.kernel @each_iteration(%Y: memref<32xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c2 step %c1 {
    %s = tile.alloc : memref<32xf32, #shared>
    %first = arith.cmpi eq, %i, %c0 : index
    scf.if %first {
      tile.fill %s with %z : memref<32xf32, #shared>, f32
    }
    tile.copy %s to %Y : memref<32xf32, #shared> to memref<32xf32>
  }
}

// What is not stored does not matter.
tile.kernel @unused(%Y: memref<16xf32>) grid(%b) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %s = tile.alloc : memref<32xf32, #shared>
  tile.fill %s sizes [16] with %z : memref<32xf32, #shared>, f32
  tile.copy %s sizes [16] to %Y : memref<32xf32, #shared> to memref<16xf32>
}

// Sums of floats are rounded in any order, which is no fault of the program.
tile.kernel @sums(%X: memref<8xf32>, %Y: memref<1xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %seven = arith.constant 7.0 : f32
  memref.store %z, %Y[%c0] : memref<1xf32>
  tile.parallel (%i) in (8) {
    %x = memref.load %X[%i] : memref<8xf32>
    %q = arith.divf %x, %seven : f32
    %old = memref.atomic_rmw addf %q, %Y[%c0] : (f32, memref<1xf32>) -> f32
  }
}

// Who came first is what this program asks for.
tile.kernel @tickets(%Y: memref<32xi32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %s = tile.alloc : memref<1xi32, #shared>
  tile.fill %s with %zero : memref<1xi32, #shared>, i32
  tile.parallel (%i) in (32) {
    %ticket = memref.atomic_rmw addi %one, %s[%c0] : (i32, memref<1xi32, #shared>) -> i32
    memref.store %ticket, %Y[%i] : memref<32xi32>
  }
}
