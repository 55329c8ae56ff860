// Blocks of a cluster that lie outside of the grid neither fill global memory nor arrive at a counter: it is zero again
// behind the last block of the grid.
// RUN: tile-run %s --kernel=fill --args=E=3:zeros --check --save=E:%t.npy | FileCheck %s
// RUN: %python -c 'import numpy; print(numpy.load("%t.npy"))' | FileCheck %s --check-prefix=FILL
// RUN: tile-run %s --kernel=fill --stage=lowered --arch=sm_90a --args=E=3:zeros --check --save=E:%t.npy | FileCheck %s
// RUN: %python -c 'import numpy; print(numpy.load("%t.npy"))' | FileCheck %s --check-prefix=FILL
// RUN: tile-run %s --kernel=count --args=N=1:zeros --check --save=N:%t.npy | FileCheck %s
// RUN: %python -c 'import numpy; print(numpy.load("%t.npy"))' | FileCheck %s --check-prefix=COUNT
// RUN: tile-run %s --kernel=count --stage=lowered --arch=sm_90a --args=N=1:zeros --check --save=N:%t.npy | FileCheck %s
// RUN: %python -c 'import numpy; print(numpy.load("%t.npy"))' | FileCheck %s --check-prefix=COUNT
// FILL: [7 7 0]
// COUNT: [1]
// CHECK: PASS
tile.kernel @fill(%E: memref<3xi32>) grid(%x) = (2) threads(32) cluster(3) {
  %seven = arith.constant 7 : i32
  tile.fill %E[%x] sizes [1] with %seven : memref<3xi32>, i32
}

tile.kernel @count(%N: memref<1xi32>) grid(%x) = (5) threads(32) cluster(3) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %five = arith.constant 5 : i32
  %w = tile.workspace per_block(1) zeroed : memref<?xi32>
  %last = tile.last_arrival %w[%c0], %one of %five : memref<?xi32>
  scf.if %last {
    %n = memref.load %N[%c0] : memref<1xi32>
    %more = arith.addi %n, %one : i32
    memref.store %more, %N[%c0] : memref<1xi32>
  }
}
