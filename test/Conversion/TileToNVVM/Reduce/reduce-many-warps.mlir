// Results of many warps: each lane takes one, and shuffles combine them; every lane would load all of them else.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: tile-run %s --kernel=row --args=X=3x4096:normal --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=rows --args=X=12x1024:normal --stage=lowered --arch=sm_80 --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=nan --args=X=3x4096:normal --stage=lowered --arch=sm_100a --check | FileCheck %s --check-prefix=RIGHT
// RIGHT: PASS

// 32 warps, one row: one load, five shuffles beside the five within a warp.
// CHECK-LABEL:   .entry row(
// CHECK-COUNT-5: shfl.sync.bfly
// CHECK:         bar.sync
// CHECK:         ld.shared
// CHECK-NOT:     ld.shared
// CHECK-COUNT-5: shfl.sync.bfly
// CHECK-NOT:     ld.shared
// CHECK-LABEL:   .entry rows(
tile.kernel @row(%X: memref<?x4096xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 3, 4096>}, %Y: memref<?xf32> {tile.shape_hint = array<i64: 3>}) grid(%m) = (dim(%X, 0)) threads(1024) {
  %c0 = arith.constant 0 : index
  %x = tile.alloc : memref<1x4096xf32, #tile.fragment>
  %sum = tile.alloc : memref<1xf32, #tile.fragment>
  tile.copy %X[%m, %c0] to %x : memref<?x4096xf32> to memref<1x4096xf32, #tile.fragment>
  tile.reduce sum %x to %sum dim(1) : memref<1x4096xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  tile.copy %sum to %Y[%m] : memref<1xf32, #tile.fragment> to memref<?xf32>
}

// 8 warps, six rows: a lane takes one of four rows, then one of the last two, which other lanes take as well.
// CHECK-COUNT-2: ld.shared
// CHECK-NOT:     ld.shared
// CHECK-LABEL:   .entry nan(
tile.kernel @rows(%X: memref<?x1024xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 12, 1024>}, %Y: memref<?xf32> {tile.shape_hint = array<i64: 12>}) grid(%b) = (dim(%X, 0) ceildiv 6) threads(256) {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %m = arith.muli %b, %c6 : index
  %x = tile.alloc layout(#tile.fragment_layout<shape [6, 1024] reg [(4, 1:1), (6, 0:1)] lane [(32, 1:4)] warp [(8, 1:128)]>) : memref<6x1024xf32, #tile.fragment>
  %top = tile.alloc : memref<6xf32, #tile.fragment>
  tile.copy %X[%m, %c0] to %x : memref<?x1024xf32> to memref<6x1024xf32, #tile.fragment>
  tile.reduce max %x to %top dim(1) : memref<6x1024xf32, #tile.fragment> to memref<6xf32, #tile.fragment>
  tile.copy %top to %Y[%m] : memref<6xf32, #tile.fragment> to memref<?xf32>
}

// The rule of NaN is that of every other way.
tile.kernel @nan(%X: memref<?x4096xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 3, 4096>}, %Y: memref<?xf32> {tile.shape_hint = array<i64: 3>}, %Z: memref<?xf32> {tile.shape_hint = array<i64: 3>}) grid(%m) = (dim(%X, 0)) threads(1024) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %nan = arith.constant 0x7FC00000 : f32
  %x = tile.alloc : memref<1x4096xf32, #tile.fragment>
  %top = tile.alloc : memref<1xf32, #tile.fragment>
  %low = tile.alloc : memref<1xf32, #tile.fragment>
  tile.copy %X[%m, %c0] to %x : memref<?x4096xf32> to memref<1x4096xf32, #tile.fragment>
  tile.parallel (%i, %j) in (1, 4096) {
    %v = memref.load %x[%i, %j] : memref<1x4096xf32, #tile.fragment>
    %seventh = arith.remui %j, %c7 : index
    %is = arith.cmpi eq, %seventh, %c0 : index
    %w = arith.select %is, %nan, %v : f32
    memref.store %w, %x[%i, %j] : memref<1x4096xf32, #tile.fragment>
  }
  tile.reduce max %x to %top dim(1) : memref<1x4096xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  tile.reduce min %x to %low dim(1) {propagate_nan} : memref<1x4096xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  tile.copy %top to %Y[%m] : memref<1xf32, #tile.fragment> to memref<?xf32>
  tile.copy %low to %Z[%m] : memref<1xf32, #tile.fragment> to memref<?xf32>
}
