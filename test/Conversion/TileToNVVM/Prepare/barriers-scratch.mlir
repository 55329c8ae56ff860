// What operations exchange between threads through scratch memory: threads meet before a use where others may still read
// what an earlier one left in the same bytes. The meeting inside of a use parts other accesses, too.
// RUN: tile-opt %s --tile-place-shared-memory --tile-insert-barriers | FileCheck %s

#shared = #gpu.address_space<workgroup>
#rows = #tile.shared_layout<shape [64] bits 32 modes [(64, 0:1)]>
#L = #tile.fragment_layout<shape [64] reg [] lane [(32, 0:1)] warp [(2, 0:32)]>
#S = #tile.fragment_layout<shape [1] reg [] lane [(32, *)] warp [(2, *)]>
module attributes {tile.target = #tile.target<"sm_90a">} {
  // Two in an iteration have places of their own: when the first comes around, all have met in the second.
  // CHECK-LABEL: tile.kernel @two
  // CHECK-NOT:     tile.barrier
  // CHECK:         tile.return
  tile.kernel @two(%A: memref<64xf32>, %n: index) grid(%bx) = (1) threads(64) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = tile.alloc layout(#L) : memref<64xf32, #tile.fragment>
    %y = tile.alloc layout(#S) : memref<1xf32, #tile.fragment>
    scf.for %i = %c0 to %n step %c1 {
      tile.copy %A to %x decided {layout = #L} : memref<64xf32> to memref<64xf32, #tile.fragment>
      tile.reduce max %x to %y dim(0) : memref<64xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
      tile.reduce sum %x to %y dim(0) : memref<64xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
    }
  }
  // One meets itself.
  // CHECK-LABEL: tile.kernel @one
  // CHECK:         scf.for
  // CHECK:           tile.barrier
  // CHECK-NEXT:      tile.reduce
  // CHECK-NOT:     tile.barrier
  // CHECK:         tile.return
  tile.kernel @one(%A: memref<64xf32>, %n: index) grid(%bx) = (1) threads(64) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = tile.alloc layout(#L) : memref<64xf32, #tile.fragment>
    %y = tile.alloc layout(#S) : memref<1xf32, #tile.fragment>
    scf.for %i = %c0 to %n step %c1 {
      tile.copy %A to %x decided {layout = #L} : memref<64xf32> to memref<64xf32, #tile.fragment>
      tile.reduce max %x to %y dim(0) : memref<64xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
    }
  }
  // Of three in an iteration the last has a third place.
  // CHECK-LABEL: tile.kernel @three
  // CHECK-NOT:     tile.barrier
  // CHECK:         tile.return
  tile.kernel @three(%A: memref<64xf32>, %n: index) grid(%bx) = (1) threads(64) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = tile.alloc layout(#L) : memref<64xf32, #tile.fragment>
    %y = tile.alloc layout(#S) : memref<1xf32, #tile.fragment>
    scf.for %i = %c0 to %n step %c1 {
      tile.copy %A to %x decided {layout = #L} : memref<64xf32> to memref<64xf32, #tile.fragment>
      tile.reduce max %x to %y dim(0) : memref<64xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
      tile.reduce sum %x to %y dim(0) : memref<64xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
      tile.reduce min %x to %y dim(0) : memref<64xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
    }
  }
  // A branch that is not taken parts nothing: the second may follow the first of the iteration before.
  // CHECK-LABEL: tile.kernel @branch
  // CHECK:         scf.for
  // CHECK:           tile.barrier
  // CHECK-NEXT:      tile.reduce max
  // CHECK:           scf.if
  // CHECK-NOT:         tile.barrier
  // CHECK:             tile.reduce sum
  tile.kernel @branch(%A: memref<64xf32>, %n: index, %odd: i1) grid(%bx) = (1) threads(64) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = tile.alloc layout(#L) : memref<64xf32, #tile.fragment>
    %y = tile.alloc layout(#S) : memref<1xf32, #tile.fragment>
    scf.for %i = %c0 to %n step %c1 {
      tile.copy %A to %x decided {layout = #L} : memref<64xf32> to memref<64xf32, #tile.fragment>
      tile.reduce max %x to %y dim(0) : memref<64xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
      scf.if %odd {
        tile.reduce sum %x to %y dim(0) : memref<64xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
      }
    }
  }
  // What stands before a reduction is written, and what stands behind it reads it.
  // CHECK-LABEL: tile.kernel @serves
  // CHECK-NOT:     tile.barrier
  // CHECK:         tile.reduce
  // CHECK-NOT:     tile.barrier
  // CHECK:         tile.return
  tile.kernel @serves(%A: memref<64xf32>, %B: memref<64xf32>) grid(%bx) = (1) threads(64) {
    %s = tile.alloc layout(#rows) : memref<64xf32, #shared>
    %x = tile.alloc layout(#L) : memref<64xf32, #tile.fragment>
    %y = tile.alloc layout(#S) : memref<1xf32, #tile.fragment>
    tile.copy %A to %x decided {layout = #L} : memref<64xf32> to memref<64xf32, #tile.fragment>
    tile.copy %x to %s decided {layout = #L} : memref<64xf32, #tile.fragment> to memref<64xf32, #shared>
    tile.reduce sum %x to %y dim(0) : memref<64xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
    tile.copy %s to %B decided {layout = #L} : memref<64xf32, #shared> to memref<64xf32>
  }
  // Without warps that exchange nothing meets.
  // CHECK-LABEL: tile.kernel @of_warps
  // CHECK:         tile.reduce sum
  // CHECK-NEXT:    tile.barrier
  // CHECK-NEXT:    tile.copy
  tile.kernel @of_warps(%A: memref<64xf32>, %B: memref<64xf32>) grid(%bx) = (1) threads(64) {
    %s = tile.alloc layout(#rows) : memref<64xf32, #shared>
    %x = tile.alloc layout(#tile.fragment_layout<shape [64] reg [(2, 0:32)] lane [(32, 0:1)] warp [(2, *)]>) : memref<64xf32, #tile.fragment>
    %y = tile.alloc layout(#S) : memref<1xf32, #tile.fragment>
    tile.copy %A to %s decided {layout = #L} : memref<64xf32> to memref<64xf32, #shared>
    tile.reduce sum %x to %y dim(0) : memref<64xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
    tile.copy %s to %B decided {layout = #L} : memref<64xf32, #shared> to memref<64xf32>
  }
}
