// A tile that arrives and leaves by TMA: the store is a reader of the slot, which is released once the store has read it.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-infer-layouts --tile-select-copies --tile-pipeline | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s --check-prefix=PTX
// RUN: tile-run %s --args=X=100x192,Y=100x192 --check

#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @through
// CHECK:         tile.ring.create {{.*}}tma -> tma_store>
// CHECK:         tile.ring.wait
// CHECK:         tile.copy %{{.*}} to %Y
// CHECK:         tile.ring.release
// PTX-LABEL: .entry through
// PTX:         cp.async.bulk.tensor.2d.shared::cluster.global
// PTX:         cp.async.bulk.tensor.2d.global.shared::cta
// PTX:         cp.async.bulk.wait_group
tile.kernel @through(%X: memref<?x?xf16> {tile.alignment = 16}, %Y: memref<?x?xf16> {tile.alignment = 16}) grid(%bx, %by) = (dim(%X, 1) ceildiv 128, dim(%X, 0) ceildiv 64) threads(128) {
  %c1 = arith.constant 1 : index
  %cm = arith.constant 64 : index
  %cn = arith.constant 128 : index
  %m = arith.muli %by, %cm : index
  %n = arith.muli %bx, %cn : index
  %dX = memref.dim %X, %c1 : memref<?x?xf16>
  tile.assume %dX {divisible_by = 32 : i64} : index
  %dY = memref.dim %Y, %c1 : memref<?x?xf16>
  tile.assume %dY {divisible_by = 32 : i64} : index
  %t0 = tile.alloc : memref<64x128xf16, #shared>
  tile.copy %X[%m, %n] to %t0 : memref<?x?xf16> to memref<64x128xf16, #shared>
  tile.copy %t0 to %Y[%m, %n] : memref<64x128xf16, #shared> to memref<?x?xf16>
}
