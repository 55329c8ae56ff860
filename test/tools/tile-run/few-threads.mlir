// Where the system starts no threads, blocks run one after the other, and those
// that need threads are refused with a reason.
// RUN: %python %S/Inputs/no-threads.py %tile_bin/tile-run %s --kernel=plain --args=X=1000000,Y=1000000 --check | FileCheck %s
// CHECK: check Y: 1000000 elements equal
// CHECK: PASS
// RUN: not %python %S/Inputs/no-threads.py %tile_bin/tile-run %s --kernel=meeting 2>&1 | FileCheck %s --check-prefix=MEETING
// MEETING: tile-run: error: the blocks of 'meeting' wait for each other, so each runs on a thread of its own: expected the system to start 4 threads, got 1 (`ulimit -u` limits them)
// RUN: not %python %S/Inputs/no-threads.py %tile_bin/tile-run %tile_src/examples/gemm_hopper.mlir --stage=scheduled --roles=on --arch=sm_90a --args=A=128x128,B=128x128,C=128x128 2>&1 | FileCheck %s --check-prefix=ROLES
// ROLES: tile-run: error: too few threads in block 0: the system starts no more threads, of which each role needs one (`ulimit -u` limits them)

tile.kernel @plain(%X: memref<?xi32>, %Y: memref<?xi32>) grid(%b) = (dim(%X, 0) ceildiv 1024) threads(32) {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %n = memref.dim %X, %c0 : memref<?xi32>
  %first = arith.muli %b, %c1024 : index
  tile.parallel (%i) in (1024) {
    %e = arith.addi %first, %i : index
    %inside = arith.cmpi slt, %e, %n : index
    scf.if %inside {
      %x = memref.load %X[%e] : memref<?xi32>
      memref.store %x, %Y[%e] : memref<?xi32>
    }
  }
}

tile.kernel @meeting(%X: memref<4xi32>) grid(%b) = (4) threads(32) {
  tile.grid_barrier
}
