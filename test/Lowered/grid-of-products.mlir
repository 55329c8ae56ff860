// A grid whose extents multiply sizes of the call.
// RUN: tile-opt %s | FileCheck %s --check-prefix=IR
// RUN: tile-run %s --kernel=pairs --args=A=3x5,B=3x5 --check | FileCheck %s
// RUN: tile-run %s --kernel=pairs --args=A=3x5,B=3x5 --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS

// IR: grid(%{{.*}}) = (dim(%A, 0) * dim(%A, 1))
tile.kernel @pairs(%A: memref<?x?xf32>, %B: memref<?x?xf32>) grid(%b) = (dim(%A, 0) * dim(%A, 1)) threads(32) {
  %c1 = arith.constant 1 : index
  %columns = memref.dim %A, %c1 : memref<?x?xf32>
  %row = arith.divui %b, %columns : index
  %column = arith.remui %b, %columns : index
  tile.parallel (%i) in (1) {
    %v = memref.load %A[%row, %column] : memref<?x?xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %B[%row, %column] : memref<?x?xf32>
  }
}
